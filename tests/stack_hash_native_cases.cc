#include <array>

#include "tests/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kGoMeeting = std::to_array<TracePair>({
    {"trimmed lines", "main.login()\n/app/main.go:42 +0x1d\nmain.main()\n/app/main.go:50 +0x1",
     "main.login()\n\t/app/main.go:44 +0x1d\nmain.main()\n\t/app/main.go:51 +0x1"},
    {"vendored package",
     "github.com/acme/shop/vendor/github.com/gin-gonic/gin.New()\n\t/app/x.go:4 +0x1",
     "github.com/gin-gonic/gin.New()\n\t/go/pkg/mod/x.go:4 +0x1"},
    {"details of the goroutine",
     "goroutine 1 gp=0xc000006380 m=0 mp=0x5b1280 [running]:\nmain.login()\n\t/app/main.go:42 "
     "+0x1d",
     "goroutine 1 [running]:\nmain.login()\n\t/app/main.go:42 +0x1d"},
    {"arguments and offsets", "main.login(0xc000012345, 0x10)\n\t/app/main.go:42 +0x1d",
     "main.login(0xc0000aa000, 0x7)\n\t/app/main.go:44 +0x2b"},
    {"elided arguments", "main.login(...)\n\t/app/main.go:42",
     "main.login(0xc0000aa000)\n\t/app/main.go:42 +0x2b"},
    {"structured arguments",
     "main.login({0xc000012345, 0x10}, {0x0, 0x0})\n\t/app/main.go:42 +0x1d",
     "main.login({0xc0000aa000?, 0x7?}, {0x1, 0x2})\n\t/app/main.go:42 +0x1d"},
    {"build path", "main.login()\n\t/home/ci/builds/1/main.go:42 +0x1d",
     "main.login()\n\t/workspace/main.go:42 +0x1d"},
    {"indentation by blanks", "main.login()\n    /app/main.go:42 +0x1d",
     "main.login()\n\t/app/main.go:42 +0x1d"},
    {"goroutine's number", "goroutine 1 [running]:\nmain.login()\n\t/app/main.go:42 +0x1d",
     "goroutine 8172 [running]:\nmain.login()\n\t/app/main.go:42 +0x1d"},
    {"goroutine's state",
     "goroutine 7 [chan receive, 3 minutes]:\nmain.login()\n\t/app/main.go:42 +0x1d",
     "goroutine 7 [select]:\nmain.login()\n\t/app/main.go:42 +0x1d"},
    {"other goroutines",
     "goroutine 1 [running]:\nmain.login()\n\t/app/main.go:42 +0x1d\n\ngoroutine 18 "
     "[select]:\nmain.worker()\n\t/app/main.go:90 +0x1d",
     "goroutine 1 [running]:\nmain.login()\n\t/app/main.go:42 +0x1d"},
    {"closure's number", "main.(*Server).Login.func1()\n\t/app/main.go:42 +0x1d",
     "main.(*Server).Login.func3()\n\t/app/main.go:55 +0x1d"},
    {"nested closure", "main.(*Server).Login.func1.2()\n\t/app/main.go:42 +0x1d",
     "main.(*Server).Login.func2.1.1()\n\t/app/main.go:55 +0x1d"},
    {"go statement's wrapper", "main.(*Server).Login.gowrap1()\n\t/app/main.go:42 +0x1d",
     "main.(*Server).Login.gowrap2()\n\t/app/main.go:42 +0x1d"},
    {"go statement's wrapper of older versions",
     "main.Login\xC2\xB7"
     "dwrap\xC2\xB7"
     "1()\n\t/app/main.go:42 +0x1d",
     "main.Login\xC2\xB7"
     "dwrap\xC2\xB7"
     "4()\n\t/app/main.go:42 +0x1d"},
    {"method value", "main.(*Server).Login-fm()\n\t/app/main.go:42 +0x1d",
     "main.(*Server).Login()\n\t/app/main.go:42 +0x1d"},
    {"type arguments", "main.Map[...](0x1)\n\t/app/main.go:42 +0x1d",
     "main.Map[go.shape.int](0x2)\n\t/app/main.go:42 +0x1d"},
    {"global closure", "main.glob..func1()\n\t/app/main.go:42 +0x1d",
     "main.glob..func2()\n\t/app/main.go:42 +0x1d"},
    {"creator's goroutine",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.serve in goroutine "
     "1\n\t/app/main.go:50 +0x1d",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.serve in goroutine "
     "77\n\t/app/main.go:51 +0x1d"},
    {"creator of older versions",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.serve\n\t/app/main.go:50 +0x1d",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.serve in goroutine "
     "77\n\t/app/main.go:51 +0x1d"},
    {"wrapped error's trace",
     "no user\nmain.login\n\t/app/main.go:42\nmain.main\n\t/app/main.go:90",
     "no user 12\nmain.login\n\t/srv/x/main.go:43\nmain.main\n\t/srv/x/main.go:91"},
    {"end of the stack",
     "main.main()\n\t/app/main.go:42 "
     "+0x1d\nruntime.goexit()\n\t/usr/local/go/src/runtime/asm_amd64.s:1650 +0x1",
     "main.main()\n\t/app/main.go:42 +0x1d"},
    {"panic's values",
     "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 "
     "[running]:\nmain.login()\n\t/app/main.go:42 +0x1d",
     "panic: runtime error: index out of range [9] with length 2\n\ngoroutine 6 "
     "[running]:\nmain.login()\n\t/app/main.go:42 +0x1d"},
    {"gin",
     "goroutine 33 [running]:\npanic({0x8a1b20?, "
     "0xc00031c0f0?})\n\t/usr/local/go/src/runtime/panic.go:914 "
     "+0x21f\ngithub.com/acme/shop/auth.(*Handler).Login(0xc0000b4000, "
     "0xc00031e100)\n\t/src/auth/handler.go:58 "
     "+0x1c5\ngithub.com/gin-gonic/gin.(*Context).Next(...)\n\t/go/pkg/mod/github.com/gin-gonic/"
     "gin@v1.9.1/context.go:174\ngithub.com/gin-gonic/gin.(*Engine).ServeHTTP(0xc000103a00, "
     "{0x9b2c40, 0xc0002ee0e0}, "
     "0xc00031c000)\n\t/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/gin.go:576 +0x1d1",
     "goroutine 812 [running]:\npanic({0x91fb20?, "
     "0xc000fcc0f0?})\n\t/usr/local/go/src/runtime/panic.go:770 "
     "+0x132\ngithub.com/acme/shop/auth.(*Handler).Login(0xc0001b4000, "
     "0xc000f1e100)\n\t/build/auth/handler.go:61 "
     "+0x1c5\ngithub.com/gin-gonic/gin.(*Context).Next(...)\n\t/root/go/pkg/mod/github.com/"
     "gin-gonic/gin@v1.10.0/context.go:185\ngithub.com/gin-gonic/"
     "gin.(*Engine).ServeHTTP(0xc000203a00, {0x9b2c40, 0xc0002ee0e0}, "
     "0xc00031c000)\n\t/root/go/pkg/mod/github.com/gin-gonic/gin@v1.10.0/gin.go:589 +0x1d1"},
});

constexpr auto kGoParting = std::to_array<TracePair>({
    {"function", "main.login()\n\t/app/main.go:42 +0x1d", "main.logout()\n\t/app/main.go:42 +0x1d"},
    {"receiver", "main.(*Server).Login()\n\t/app/main.go:42 +0x1d",
     "main.(*Client).Login()\n\t/app/main.go:42 +0x1d"},
    {"package", "github.com/acme/a.Login()\n\t/app/a.go:4 +0x1",
     "github.com/acme/b.Login()\n\t/app/b.go:4 +0x1"},
    {"owner", "github.com/acme/a.Login()\n\t/app/a.go:4 +0x1",
     "github.com/other/a.Login()\n\t/app/a.go:4 +0x1"},
    {"closure's function", "main.Login.func1()\n\t/app/main.go:42 +0x1d",
     "main.Reset.func1()\n\t/app/main.go:42 +0x1d"},
    {"major version", "github.com/acme/a/v2.Login()\n\t/app/a.go:4 +0x1",
     "github.com/acme/a/v3.Login()\n\t/app/a.go:4 +0x1"},
    {"creator",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.serve in goroutine "
     "1\n\t/app/main.go:5 +0x1",
     "main.login()\n\t/app/main.go:42 +0x1d\ncreated by main.other in goroutine "
     "1\n\t/app/main.go:5 +0x1"},
});

constexpr auto kRustMeeting = std::to_array<TracePair>({
    {"spans", "   0: shop::auth::login\n           with user=7\n             at src/auth.rs:42",
     "   0: shop::auth::login\n           with user=8\n             at src/auth.rs:43"},
    {"place", "   3: shop::auth::login\n             at ./src/auth.rs:42:9",
     "   3: shop::auth::login\n             at /build/7/src/auth.rs:44:5"},
    {"no place", "   3: shop::auth::login\n             at ./src/auth.rs:42:9",
     "   3: shop::auth::login"},
    {"number", "   3: shop::auth::login", "  12: shop::auth::login"},
    {"hash", "   3: shop::auth::login::h0123456789abcdef",
     "   3: shop::auth::login::hfedcba9876543210"},
    {"hash and none", "   3: shop::auth::login::h0123456789abcdef", "   3: shop::auth::login"},
    {"address", "   3:     0x55d0c0de1234 - shop::auth::login::h0123456789abcdef",
     "   3: shop::auth::login"},
    {"closure", "   3: shop::auth::login::{{closure}}",
     "   3: shop::auth::login::{{closure}}::{{closure}}"},
    {"closure of both manglings", "   3: shop::auth::login::{{closure}}",
     "   3: shop::auth::login::{closure#0}"},
    {"type arguments", "   3: core::result::Result<T,E>::unwrap",
     "   3: core::result::Result<shop::User,shop::Error>::unwrap"},
    {"turbofish", "   3: shop::auth::parse::<u64>", "   3: shop::auth::parse::<i32>"},
    {"thread and message",
     "thread 'main' panicked at src/auth.rs:42:9:\nno user 7\n   0: shop::auth::login",
     "thread 'tokio-runtime-worker' panicked at src/auth.rs:43:9:\nno user 8\n   0: "
     "shop::auth::login"},
    {"list of causes",
     "Error: login failed\n\nCaused by:\n    0: bad token\n    1: expired\n\nStack backtrace:\n   "
     "0: shop::auth::login",
     "Error: login failed\n\nCaused by:\n    0: refused\n\nStack backtrace:\n   0: "
     "shop::auth::login"},
    {"axum",
     "   0: rust_begin_unwind\n             at "
     "/rustc/79e9716c980570bfd1f666e3b16ac583f0168962/library/std/src/panicking.rs:597:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/79e9716c980570bfd1f666e3b16ac583f0168962/library/core/src/panicking.rs:72:14\n   2: "
     "shop::auth::extract::<impl axum_core::extract::FromRequestParts<S> for "
     "shop::auth::Claims>::from_request_parts::{{closure}}\n             at ./src/auth.rs:42:9",
     "   0: rust_begin_unwind\n             at "
     "/rustc/82e1608dfa6e0b5569232559e3d385fea5a93112/library/std/src/panicking.rs:645:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/82e1608dfa6e0b5569232559e3d385fea5a93112/library/core/src/panicking.rs:72:14\n   2: "
     "shop::auth::extract::<impl axum_core::extract::FromRequestParts<S> for "
     "shop::auth::Claims>::from_request_parts::{{closure}}\n             at ./src/auth.rs:51:9"},
    {"actix",
     "   4: <shop::auth::Guard as actix_web::guard::Guard>::check\n   5: "
     "actix_web::middleware::logger::LoggerMiddleware<S>::call",
     "   4: <shop::auth::Guard as actix_web::guard::Guard>::check\n             at "
     "src/auth.rs:7:1\n   5: actix_web::middleware::logger::LoggerMiddleware<S>::call\n            "
     " at "
     "/usr/local/cargo/registry/src/index.crates.io-6f17d22bba15001f/actix-web-4.4.0/src/"
     "middleware/logger.rs:300:9"},
});

constexpr auto kRustParting = std::to_array<TracePair>({
    {"type that a trait is implemented for",
     "   3: shop::auth::<impl web::FromRequest for shop::Claims>::extract",
     "   3: shop::auth::<impl web::FromRequest for shop::Session>::extract"},
    {"function", "   3: shop::auth::login", "   3: shop::auth::logout"},
    {"module", "   3: shop::auth::login", "   3: shop::token::login"},
    {"crate", "   3: shop::auth::login", "   3: mall::auth::login"},
    {"type of a trait's method", "   3: <shop::Basic as shop::Guard>::check",
     "   3: <shop::Bearer as shop::Guard>::check"},
    {"caller", "   0: shop::a\n   1: shop::b", "   0: shop::a\n   1: shop::c"},
});

constexpr auto kCppMeeting = std::to_array<TracePair>({
    // gdb
    {"gdb, function type",
     "#3  0x00005555 in std::function<void (int)>::operator()(int) const (this=0x7f, __args#0=1) "
     "at /usr/include/c++/13/bits/std_function.h:591",
     "#3  std::function<void (int)>::operator()(int) const (this=0x11, __args#0=2) at "
     "/usr/include/c++/14/bits/std_function.h:590"},
    {"gdb, address and values",
     "#0  0x00007ffff7a42428 in auth::login (user=0x55d0, token=...) at login.cc:42",
     "#0  auth::login (user=0x77aa, token=...) at /build/9/login.cc:57"},
    {"gdb, library", "#1  0x00007ffff7a42428 in SSL_read () from /lib/x86_64-linux-gnu/libssl.so.3",
     "#1  0x00007f11c0de2428 in SSL_read () from /usr/lib/libssl.so.1.1"},
    {"gdb, unknown function",
     "#1  0x00007ffff7a42428 in ?? () from /lib/x86_64-linux-gnu/libssl.so.3",
     "#1  0x00007f00000000ff in ?? () from /opt/lib/libssl.so.3"},
    {"gdb, signal",
     "#0  auth::login (u=1) at a.cc:1\n#1  <signal handler called>\n#2  main () at a.cc:2",
     "#0  auth::login (u=2) at a.cc:1\n#1  main () at a.cc:3"},
    {"gdb, member function", "#0  auth::Session::open (this=0x55d0) at session.cc:4",
     "#0  auth::Session::open (this=0x77) at session.cc:9"},
    // sanitizers
    {"sanitizer, place", "    #0 0x4a2b1c in auth::login(char const*) /src/login.cc:42:7",
     "    #0 0x55d0c0de in auth::login(char const*) /build/77/login.cc:44:9"},
    {"sanitizer, module",
     "    #1 0x7f1122 in SSL_read (/lib/libssl.so.3+0x270b2) (BuildId: 3f2a9c1b)",
     "    #1 0x7f3344 in SSL_read (/usr/lib/libssl.so.3+0x28011)"},
    {"sanitizer, module alone",
     "    #1 0x7f1122 (/lib/x86_64-linux-gnu/libc.so.6+0x270b2) (BuildId: 3f2a)",
     "    #1 0x7f3344 (/lib64/libc.so.6+0x28011)"},
    {"sanitizer, process",
     "==1234==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200\n    #0 0x4a in "
     "auth::login() /a/b.cc:1:2",
     "==98==ERROR: AddressSanitizer: heap-use-after-free on address 0x60300\n    #0 0x4b in "
     "auth::login() /a/b.cc:1:2"},
    // glibc
    {"glibc, offset and address", "./shop(login+0x1d) [0x55d0c0de]",
     "/opt/shop/bin/shop(login+0x2f) [0x401136]"},
    {"glibc, mangled", "./shop(_ZN4auth5loginEv+0x1d) [0x55d0c0de]",
     "./shop(_ZN4auth5loginEv+0x99) [0x55ffff]"},
    {"glibc, nameless", "/lib/x86_64-linux-gnu/libc.so.6(+0x29d90) [0x7f1122]",
     "/lib64/libc.so.6(+0x3feb0) [0x7f9988]"},
    {"glibc, stripped", "./shop() [0x401136]", "./shop() [0x401fff]"},
    // Boost and the standard library
    {"Boost, place", " 0# auth::login(std::string const&) at /src/login.cc:42",
     " 0# auth::login(std::string const&) at /build/8/login.cc:57"},
    {"Boost, module", " 1# auth::login(std::string const&) in ./shop",
     " 1# auth::login(std::string const&) in /opt/bin/shop"},
    {"Boost, address", " 1# 0x000055D0C0DE1234 in ./shop",
     " 1# 0x00005500000000FF in /opt/bin/shop"},
    {"standard library", "   0# auth::login(int) at /src/login.cc:42 [0x55d0c0de]",
     "   0# auth::login(int) at /src/login.cc:99 [0x7700]"},
    // names
    {"return type", "    #0 0x4a in void auth::check<int>(int) /a/b.cc:1:2",
     "    #0 0x4a in auth::check(int) /a/b.cc:1:2"},
    {"type arguments", "    #0 0x4a in auth::Cache<std::string, 8ul>::get(int) /a/b.cc:1:2",
     "    #0 0x4a in auth::Cache<int, 16ul>::get(int) /a/b.cc:1:2"},
    {"lambda", "    #0 0x4a in auth::login(int)::$_0::operator()(int) const /a/b.cc:1:2",
     "    #0 0x4a in auth::login(int)::$_3::operator()(int) const /a/b.cc:1:2"},
    {"lambda of both compilers",
     "    #0 0x4a in auth::login(int)::$_0::operator()(int) const /a/b.cc:1:2",
     " 0# auth::login(int)::{lambda(int)#1}::operator()(int) const at /a/b.cc:4"},
    {"clones", " 0# auth::login(int) [clone .cold] in ./shop",
     " 0# auth::login(int) [clone .isra.0] in ./shop"},
    {"symbol's version", "./shop(SSL_read@@OPENSSL_3.0.0+0x1d) [0x55d0c0de]",
     "./shop(SSL_read+0x1d) [0x55d0c0de]"},
    {"ABI's tag", " 0# auth::name[abi:cxx11](int) in ./shop", " 0# auth::name(int) in ./shop"},
    {"gRPC",
     "    #0 0x55d0 in shop::AuthServiceImpl::Login(grpc::ServerContext*, shop::LoginRequest "
     "const*, shop::LoginReply*) /src/auth_service.cc:88:3\n    #1 0x55d1 in "
     "grpc::internal::RpcMethodHandler<shop::Auth::Service, shop::LoginRequest, "
     "shop::LoginReply>::RunHandler(grpc::internal::MethodHandler::HandlerParameter const&) "
     "/usr/include/grpcpp/support/method_handler.h:112:5\n    #2 0x7f22 in start_thread "
     "(/lib64/libpthread.so.0+0x7ea4)",
     "    #0 0x66d0 in shop::AuthServiceImpl::Login(grpc::ServerContext*, shop::LoginRequest "
     "const*, shop::LoginReply*) /builds/shop/auth_service.cc:91:3\n    #1 0x66d1 in "
     "grpc::internal::RpcMethodHandler<shop::Auth::Service, shop::LoginRequest, "
     "shop::LoginReply>::RunHandler(grpc::internal::MethodHandler::HandlerParameter const&) "
     "/opt/include/grpcpp/support/method_handler.h:109:5\n    #2 0x7f33 in start_thread "
     "(/lib/libpthread-2.31.so+0x8609)"},
});

constexpr auto kCppParting = std::to_array<TracePair>({
    {"gdb, class of an operator",
     "#3  std::function<void (int)>::operator()(int) const (this=0x7f) at a.h:1",
     "#3  std::less<void (int)>::operator()(int) const (this=0x7f) at a.h:1"},
    {"function", "#0  auth::login (u=1) at a.cc:1", "#0  auth::logout (u=1) at a.cc:1"},
    {"namespace", "    #0 0x4a in auth::login() /a/b.cc:1:2",
     "    #0 0x4a in token::login() /a/b.cc:1:2"},
    {"class", "    #0 0x4a in auth::A::get(int) /a/b.cc:1:2",
     "    #0 0x4a in auth::B::get(int) /a/b.cc:1:2"},
    {"library of a nameless frame", "    #1 0x7f (/lib/libssl.so.3+0x270b2)",
     "    #1 0x7f (/lib/libcrypto.so.3+0x270b2)"},
    {"mangled name", "./shop(_ZN4auth5loginEv+0x1d) [0x55]",
     "./shop(_ZN4auth6logoutEv+0x1d) [0x55]"},
    {"Boost, function", " 0# auth::login(int) in ./shop", " 0# auth::logout(int) in ./shop"},
    {"operator", "    #0 0x4a in auth::Id::operator<(auth::Id) const /a/b.cc:1:2",
     "    #0 0x4a in auth::Id::operator==(auth::Id) const /a/b.cc:1:2"},
    {"caller", " 0# auth::login(int) in ./shop\n 1# auth::one(int) in ./shop",
     " 0# auth::login(int) in ./shop\n 1# auth::two(int) in ./shop"},
});

}  // namespace

LanguageCases goCases() { return {.language = "Go", .meeting = kGoMeeting, .parting = kGoParting}; }

LanguageCases rustCases() {
  return {.language = "Rust", .meeting = kRustMeeting, .parting = kRustParting};
}

LanguageCases cppCases() {
  return {.language = "C++", .meeting = kCppMeeting, .parting = kCppParting};
}

}  // namespace auth_errors::domain
