#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

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
    {"threads of gdb",
     "Thread 1 (Thread 0x7f1a (LWP 123)):\n#0  0x1 in auth::login ()\n\nThread 2 (Thread 0x7f1b "
     "(LWP 124)):\n#0  0x1 in poll ()",
     "Thread 7 (Thread 0x7f1a (LWP 999)):\n#0  0x1 in auth::login ()\n\nThread 6 (Thread 0x7f1b "
     "(LWP 124)):\n#0  0x1 in epoll_wait ()"},
    {"backtrace_symbols",
     "./bin(_ZN4auth5loginEi+0x1a)[0x55d0a1b2c3d4]\n/lib/x86_64-linux-gnu/"
     "libc.so.6(__libc_start_main+0xf3)[0x7f1a]",
     "/opt/bin(_ZN4auth5loginEi+0x2b) [0x66d0a1b2c3d4]\n/usr/lib/libc.so.6(__libc_start_main+0xe7) "
     "[0x7f1b]"},
    {"asan",
     "==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d0 "
     "bp 0x7ffd sp 0x7ffe\nREAD of size 4 at 0x602000000010 thread T0\n    #0 0x55d0a1b2c3d4 in "
     "auth::login(int) /build/src/login.cc:42:3\n    #1 0x55d0a1b2c3d5 in main "
     "/build/src/main.cc:3:1\n\n0x602000000010 is located 0 bytes inside of 4-byte region\nfreed "
     "by thread T0 here:\n    #0 0x1 in free (/bin/x+0x1)\n",
     "==999==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200000ff10 at pc 0x55d0 "
     "bp 0x7ffd sp 0x7ffe\nREAD of size 4 at 0x60200000ff10 thread T3\n    #0 0x66d0a1b2c3d4 in "
     "auth::login(int) /src/src/login.cc:43:3\n    #1 0x66d0a1b2c3d5 in main "
     "/src/src/main.cc:4:1\n\n0x602000000010 is located 0 bytes inside of 4-byte region\nfreed by "
     "thread T0 here:\n    #0 0x1 in operator delete (/bin/x+0x1)\n"},
    {"asan build ids",
     "    #0 0x55d0a1b2c3d4 in auth::login(int) (/bin/shop+0x1234) (BuildId: 0123456789abcdef)\n   "
     " #1 0x1 in main (/bin/shop+0x9)",
     "    #0 0x66d0a1b2c3d4 in auth::login(int) (/opt/shop+0x5678) (BuildId: ffff456789abcdef)\n   "
     " #1 0x1 in main (/opt/shop+0x9)"},
    {"standard library's addresses",
     "   0# auth::login(int) at /build/src/login.cc:42\n   1# main at /build/src/main.cc:3\n   "
     "2#\n",
     "   0# auth::login(int) at /src/src/login.cc:47 [0x401234]\n   1# main at /src/src/main.cc:3 "
     "[0x401299]\n"},
    {"MSVC modules",
     "0> C:\\b\\login.cpp(42): shop!auth::login+0x4F\n1> C:\\b\\main.cpp(3): shop!main+0x12",
     "0> D:\\x\\login.cpp(43): shop!auth::login+0x5F\n1> D:\\x\\main.cpp(4): shop!main+0x22"},
    {"windbg",
     "00 000000a1`b2c3d4e5 00007ff6`a1b2c3d4 shop!auth::login+0x4f [C:\\b\\login.cpp @ 42]\n01 "
     "000000a1`b2c3d4f5 00007ff6`a1b2c3d5 shop!main+0x12 [C:\\b\\main.cpp @ 3]",
     "00 000000ff`b2c3d4e5 00007ff6`ffb2c3d4 shop!auth::login+0x5f [D:\\x\\login.cpp @ 43]\n01 "
     "000000ff`b2c3d4f5 00007ff6`ffb2c3d5 shop!main+0x22 [D:\\x\\main.cpp @ 4]"},
    {"clones of functions", "#0  0x1 in auth_login.isra.0 (n=1) at x.c:3\n#1  0x1 in main ()",
     "#0  0x1 in auth_login.part.0.cold () at x.c:4\n#1  0x1 in main ()"},
    {"mangled clones", "./bin(_ZN4auth5loginEi.isra.0+0x1a)[0x55d0]\n./bin(main+0x3)[0x1]",
     "./bin(_ZN4auth5loginEi.constprop.1.cold+0x1a)[0x55d0]\n./bin(main+0x3)[0x1]"},
    {"bracketed clones",
     "    #0 0x55d0 in auth::login(int) [clone .isra.0] /build/src/login.cc:42\n    #1 0x1 in main "
     "/b/m.cc:1",
     "    #0 0x55d0 in auth::login(int) [clone .part.3] [clone .cold] /build/src/login.cc:42\n    "
     "#1 0x1 in main /b/m.cc:1"},
    {"template arguments",
     "#0  0x1 in auth::Cache<int, std::allocator<int> >::get (this=0x1) at x.cc:3",
     "#0  0x1 in auth::Cache<long, std::allocator<long>>::get (this=0x2) at x.cc:3"},
    {"lambdas", "#0  0x1 in auth::login(int)::{lambda(int)#1}::operator()(int) const () at x.cc:3",
     "#0  0x1 in auth::login(int)::{lambda(int)#2}::operator()(int) const () at x.cc:4"},
    {"lambda of gdb",
     "#0  0x1 in operator() (__closure=0x7ffd, i=1) at /build/src/login.cc:42\n#1  0x1 in "
     "auth::login ()",
     "#0  operator() (__closure=0x7ffe, i=2) at /src/src/login.cc:44\n#1  0x1 in auth::login ()"},
    {"anonymous namespaces", "#0  0x1 in (anonymous namespace)::check (i=1) at x.cc:3",
     "0> C:\\b\\x.cpp(3): shop!`anonymous namespace'::check+0x4F"},
    {"glog",
     "*** Check failure stack trace: ***\n    @     0x7f1a2b3c4d5e  google::LogMessage::Fail()\n   "
     " @     0x55d0a1b2c3d4  auth::login()\n    @     0x55d0a1b2c3d5  main",
     "*** Check failure stack trace: ***\n    @     0x7f1a2b3cffff  google::LogMessage::Fail()\n   "
     " @     0x66d0a1b2c3d4  auth::login()\n    @     0x66d0a1b2c3d5  main"},
    {"glog signal",
     "*** Aborted at 1700000000 (unix time) try \"date -d @1700000000\" if you are using GNU date "
     "***\nPC: @     0x7f1a __GI_raise\n*** SIGABRT (@0x3e8) received by PID 17 (TID 0x7f1a) from "
     "PID 17; stack trace: ***\n    @     0x7f1a __GI_raise\n    @     0x55d0 auth::login()",
     "*** Aborted at 1800000000 (unix time) try \"date -d @1800000000\" if you are using GNU date "
     "***\nPC: @     0x7f1b __GI_raise\n*** SIGABRT (@0x3e8) received by PID 18 (TID 0x7f1b) from "
     "PID 18; stack trace: ***\n    @     0x7f1b __GI_raise\n    @     0x66d0 auth::login()"},
    {"android tombstone",
     "      #00 pc 000000000004e5a4  /apex/com.android.runtime/lib64/bionic/libc.so (abort+164) "
     "(BuildId: 0123456789abcdef)\n      #01 pc 0000000000012345  "
     "/data/app/~~aB1==/com.acme-x1==/lib/arm64/libauth.so (auth::login(int)+12)",
     "      #00 pc 000000000004ffff  /apex/com.android.runtime/lib64/bionic/libc.so (abort+180) "
     "(BuildId: ffff456789abcdef)\n      #01 pc 0000000000099999  "
     "/data/app/~~zZ9==/com.acme-y2==/lib/arm64/libauth.so (auth::login(int)+44)"},
    {"apple crash",
     "0   libsystem_kernel.dylib        \t0x00007fff203a1462 __pthread_kill + 10\n1   shop         "
     "                 \t0x000000010a1b2c3d auth::login(int) + 77 (login.cc:42)",
     "0   libsystem_kernel.dylib        \t0x00007fff203affff __pthread_kill + 12\n1   shop         "
     "                 \t0x000000010b1b2c3d auth::login(int) + 79 (login.cc:44)"},
    {"recursion",
     "#0  0x0 in auth::walk (n=0) at x.cc:3\n#1  0x1 in auth::walk (n=1) at x.cc:3\n#2  0x2 in "
     "auth::walk (n=2) at x.cc:3\n#3  0x3 in auth::walk (n=3) at x.cc:3\n#4  0x4 in auth::walk "
     "(n=4) at x.cc:3\n#5  0x5 in auth::walk (n=5) at x.cc:3\n#6  0x6 in auth::walk (n=6) at "
     "x.cc:3\n#7  0x7 in auth::walk (n=7) at x.cc:3\n#8  0x8 in auth::walk (n=8) at x.cc:3\n#9  "
     "0x9 in auth::walk (n=9) at x.cc:3\n#10  0x10 in auth::walk (n=10) at x.cc:3\n#11  0x11 in "
     "auth::walk (n=11) at x.cc:3\n",
     "#0  0x0 in auth::walk (n=0) at x.cc:3\n#1  0x1 in auth::walk (n=1) at x.cc:3\n#2  0x2 in "
     "auth::walk (n=2) at x.cc:3\n#3  0x3 in auth::walk (n=3) at x.cc:3\n#4  0x4 in auth::walk "
     "(n=4) at x.cc:3\n"},
    {"abseil",
     "    @     0x55d0a1b2c3d4         64  auth::login()\n    @     0x55d0a1b2c3d5         32  "
     "main",
     "    @     0x66d0a1b2c3d4         80  auth::login()\n    @     0x66d0a1b2c3d5         48  "
     "main"},
    {"folly",
     "    @ 000000000041a2b3 auth::login(int)\n                       /build/src/login.cc:42\n    "
     "@ 000000000041a2b4 main\n",
     "    @ 000000000099a2b3 auth::login(int)\n                       /src/src/login.cc:43\n    @ "
     "000000000099a2b4 main\n"},
    {"return types of templates",
     "#0  0x1 in std::vector<int> auth::load<int>(int) () at x.cc:3\n#1  0x1 in main ()",
     "#0  0x1 in std::vector<long> auth::load<long>(long) () at x.cc:3\n#1  0x1 in main ()"},
    {"valgrind",
     "==123== Invalid read of size 4\n==123==    at 0x401234: auth::login(int) "
     "(login.cc:42)\n==123==    by 0x401299: main (main.cc:3)",
     "==987== Invalid read of size 4\n==987==    at 0x501234: auth::login(int) "
     "(login.cc:44)\n==987==    by 0x501299: main (main.cc:5)"},
    {"inline namespaces", "#0  0x1 in std::__1::vector<int>::at (this=0x1)\n#1  0x1 in main ()",
     "#0  0x2 in std::__1::vector<long>::at (this=0x2)\n#1  0x1 in main ()"},
    {"mangled and demangled", "./shop(_ZN4auth5Login5checkERKSs+0x1d) [0x55d0]",
     "    #0 0x4a in auth::Login::check(std::string const&) /a/b.cc:1:2"},
    {"mangled template", "./shop(_ZN4auth5CacheIiSaIiEE3getEi+0x1d) [0x55d0]",
     "    #0 0x4a in auth::Cache<int, std::allocator<int> >::get(int) /a/b.cc:1:2"},
    {"mangled const and literal", "./shop(_ZNK4auth4RingILi16EE3getEv+0x1d) [0x55d0]",
     "    #0 0x4a in auth::Ring<16>::get() const /a/b.cc:1:2"},
    {"mangled free function and anonymous", "./shop(_ZN12_GLOBAL__N_15checkEi+0x1d) [0x55d0]",
     "    #0 0x4a in (anonymous namespace)::check(int) /a/b.cc:1:2"},
    {"mangled constructor", "./shop(_ZN4auth5LoginC2Ev+0x1d) [0x55d0]",
     "    #0 0x4a in auth::Login::Login() /a/b.cc:1:2"},
    {"mangled destructor", "./shop(_ZN4auth5LoginD1Ev+0x1d) [0x55d0]",
     "    #0 0x4a in auth::Login::~Login() /a/b.cc:1:2"},
    {"mangled lambda", "./shop(_ZZN4auth5loginEiENKUliE_clEi+0x1d) [0x55d0]",
     "    #0 0x4a in auth::login(int)::{lambda(int)#1}::operator()(int) const /a/b.cc:1:2"},
    {"mangled operator", "./shop(_ZN4autheqERKNS_2IdES2_+0x1d) [0x55d0]",
     "    #0 0x4a in auth::operator==(auth::Id const&, auth::Id const&) /a/b.cc:1:2"},
    {"mangled standard library", "./shop(_ZSt9terminatev+0x1d) [0x55d0]",
     "    #0 0x4a in std::terminate() /a/b.cc:1:2"},
    {"mangled plain function", "./shop(_Z5loginPKc+0x1d) [0x55d0]",
     "    #0 0x4a in login(char const*) /a/b.cc:1:2"},
    {"shift operators",
     "#0  0x1 in auth::operator<< (os=..., u=...) at x.cc:3\n#1  0x1 in main () at m.cc:1",
     "    #0 0x4a in auth::operator<<(std::ostream&, auth::User const&) /a/x.cc:3:1\n    #1 0x4b "
     "in main /a/m.cc:1:2"},
    {"abort and library frames without symbols",
     "#0  0x1 in raise () from /lib/libc.so.6\n#1  0x1 in abort () from /lib/libc.so.6\n#2  0x1 in "
     "auth::login ()\n#3  0x1 in ?? ()",
     "#0  0x9 in raise () from /lib64/libc.so.6\n#1  0x9 in abort () from /lib64/libc.so.6\n#2  "
     "0x9 in auth::login ()\n#3  0x9 in ?? ()"},
    {"thread one of a core",
     "Thread 2 (Thread 0x7f1b (LWP 124)):\n#0  0x1 in poll ()\n\nThread 1 (Thread 0x7f1a (LWP "
     "123)):\n#0  0x1 in auth::login ()",
     "Thread 3 (Thread 0x7f1b (LWP 124)):\n#0  0x1 in epoll_wait ()\n\nThread 2 (Thread 0x7f1b "
     "(LWP 124)):\n#0  0x1 in accept ()\n\nThread 1 (Thread 0x7f1a (LWP 123)):\n#0  0x1 in "
     "auth::login ()"},
    {"asan allocation",
     "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x1 in auth::login(int) "
     "/b/x.cc:3:1\n\nallocated by thread T0 here:\n    #0 0x2 in malloc (/b/shop+0x1)\n    #1 0x2 "
     "in auth::make() /b/x.cc:9:1",
     "==2==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x1 in auth::login(int) "
     "/b/x.cc:3:1\n\nallocated by thread T0 here:\n    #0 0x2 in operator new(unsigned long) "
     "(/b/shop+0x1)\n    #1 0x2 in auth::make() /b/x.cc:9:1"},
    {"frames of MSVC lambdas",
     "0> C:\\b\\x.cpp(3): shop!auth::login::<lambda_1>::operator()+0x4F\n1> C:\\b\\x.cpp(3): "
     "shop!main+0x4F",
     "0> C:\\b\\x.cpp(3): "
     "shop!auth::login::<lambda_0f1e2d3c4b5a69788796a5b4c3d2e1f0>::operator()+0x4F\n1> "
     "C:\\b\\x.cpp(3): shop!main+0x4F"},
    {"std::function and invokers",
     "#1  0x1 in std::_Function_handler<void (int), auth::login(int)::<lambda(int)> "
     ">::_M_invoke(const std::_Any_data &, int &&) (__functor=..., __args#0=1) at "
     "/usr/include/c++/12/bits/std_function.h:290",
     "#1  0x2 in std::_Function_handler<void (int), auth::login(int)::<lambda(int)> "
     ">::_M_invoke(std::_Any_data const&, int&&) (__functor=..., __args#0=2) at "
     "/usr/include/c++/13/bits/std_function.h:290"},
    {"cxx11 strings",
     "    #0 0x1 in auth::name(std::__cxx11::basic_string<char, std::char_traits<char>, "
     "std::allocator<char> > const&) /a/b.cc:1:1",
     "    #0 0x1 in auth::name(std::string const&) /a/b.cc:1:1"},
    {"tsan",
     "WARNING: ThreadSanitizer: data race (pid=17)\n  Write of size 8 at 0x7b by thread T1:\n    "
     "#0 auth::login(int) /a/b.cc:3 (shop+0x1234)\n    #1 main /a/m.cc:3 (shop+0x99)\n",
     "WARNING: ThreadSanitizer: data race (pid=18)\n  Write of size 8 at 0x7c by thread T2:\n    "
     "#0 auth::login(int) /b/b.cc:4 (shop+0x5678)\n    #1 main /b/m.cc:4 (shop+0x98)\n"},
    {"ubsan",
     "/a/b.cc:3:4: runtime error: signed integer overflow: 2147483647 + 1\n    #0 0x1 in "
     "auth::login(int) /a/b.cc:3:4",
     "/b/b.cc:4:4: runtime error: signed integer overflow: 2147483647 + 9\n    #0 0x2 in "
     "auth::login(int) /b/b.cc:4:4"},
    {"lldb",
     "* thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, "
     "address=0x0)\n  * frame #0: 0x0000000100003f50 shop`auth::login(user=0x0) at login.cc:42:3\n "
     "   frame #1: 0x0000000100003f90 shop`main at main.cc:3:1",
     "* thread #2, stop reason = signal SIGSEGV\n  * frame #0: 0x0000000100ffff50 "
     "shop`auth::login(user=0x9) at login.cc:44:3\n    frame #1: 0x0000000100ffff90 shop`main at "
     "main.cc:5:1"},
    {"lldb with offsets",
     "    frame #1: 0x0000000100003f90 libsystem_kernel.dylib`__pthread_kill + 8\n    frame #2: "
     "0x1 shop`auth::login(int) + 12",
     "    frame #1: 0x0000000100ffff90 libsystem_kernel.dylib`__pthread_kill + 10\n    frame #2: "
     "0x2 shop`auth::login(int) + 44"},
    {"systemd-coredump",
     "Stack trace of thread 1234:\n                #0  0x00007f1a2b3c4d5e "
     "__pthread_kill_implementation (libc.so.6 + 0x8c83c)\n                #1  0x000055d0a1b2c3d4 "
     "_ZN4auth5loginEi (shop + 0x1234)",
     "Stack trace of thread 9876:\n                #0  0x00007f1a2b3cffff "
     "__pthread_kill_implementation (libc.so.6 + 0x8e83c)\n                #1  0x000055d0a1b2ffff "
     "_ZN4auth5loginEi (shop + 0x5678)"},
    {"backward-cpp",
     "#3    Source \"/app/main.cc\", line 3, in main\n#2    Source \"/app/web.cc\", line 9, in "
     "web::handle(Request const&)\n#1    Source \"/app/auth.cc\", line 12, in "
     "auth::login(std::string const&)\n#0    Object \"/lib/x86_64-linux-gnu/libc.so.6\", at "
     "0x7f1a2b3c4d5e, in raise",
     "#3    Source \"/srv/main.cc\", line 4, in main\n#2    Source \"/srv/web.cc\", line 10, in "
     "web::handle(Request const&)\n#1    Source \"/srv/auth.cc\", line 14, in "
     "auth::login(std::string const&)\n#0    Object \"/lib/x86_64-linux-gnu/libc.so.6\", at "
     "0x7f1a2b3cffff, in raise"},
    {"cpptrace",
     "Stack trace (most recent call first):\n#0 0x000055d0c0de in auth::login(std::string const&) "
     "at /app/auth.cc:12:3\n#1 0x000055d0c0df in main at /app/main.cc:3:1",
     "Stack trace (most recent call first):\n#0 0x000065d0c0de in auth::login(std::string const&) "
     "at /srv/auth.cc:14:3\n#1 0x000065d0c0df in main at /srv/main.cc:4:1"},
    {"Breakpad",
     "Thread 0 (crashed)\n 0  shop!auth::login(std::string const&) [auth.cc : 12 + 0x3]\n    rax = "
     "0x0000000000000000   rdx = 0x0000000000000001\n    Found by: given as instruction pointer in "
     "context\n 1  shop!main [main.cc : 3 + 0x5]\n    Found by: call frame info\n 2  libc.so.6 + "
     "0x29d8f",
     "Thread 3 (crashed)\n 0  shop!auth::login(std::string const&) [auth.cc : 14 + 0x7]\n    rax = "
     "0x00000000000000ff   rdx = 0x0000000000000002\n    Found by: given as instruction pointer in "
     "context\n 1  shop!main [main.cc : 4 + 0x9]\n    Found by: call frame info\n 2  libc.so.6 + "
     "0x29d90"},
    {"escaped newlines",
     "#0  auth::login (user=1) at /app/auth.cc:12\\n#1  0x000055d0c0de in main () at "
     "/app/main.cc:3\\n",
     "#0  auth::login (user=1) at /app/auth.cc:13\n#1  0x000055d0c0de in main () at "
     "/app/main.cc:4"},
    {"one frame of lldb",
     "frame #0: 0x0000000100003f50 shop`auth::login(user=\"a\") at auth.cc:12:3",
     "frame #0: 0x0000000200003f50 shop`auth::login(user=\"b\") at auth.cc:14:9"},
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
    {"digits", "#0  0x1 in sha256_update () at x.c:3", "#0  0x1 in sha512_update () at x.c:3"},
    {"operators of arrows", "#0  0x1 in auth::Ptr::operator-> () at x.cc:3",
     "#0  0x1 in auth::Ptr::operator* () at x.cc:3"},
    {"destructor", "#0  0x1 in auth::Login::Login () at x.cc:3",
     "#0  0x1 in auth::Login::~Login () at x.cc:3"},
    {"lambdas of different functions",
     "#0  0x1 in auth::login(int)::{lambda(int)#1}::operator()(int) const ()",
     "#0  0x1 in auth::reset(int)::{lambda(int)#1}::operator()(int) const ()"},
    {"lambda of gdb in files",
     "#0  0x1 in operator() (__closure=0x7ffd, i=1) at /build/src/login.cc:42\n#1  0x1 in main ()",
     "#0  0x1 in operator() (__closure=0x7ffd, i=1) at /build/src/reset.cc:42\n#1  0x1 in main ()"},
    {"glog functions", "    @     0x55d0a1b2c3d4  auth::login()\n    @     0x55d0a1b2c3d5  main",
     "    @     0x55d0a1b2c3d4  auth::reset()\n    @     0x55d0a1b2c3d5  main"},
    {"valgrind functions", "==123==    at 0x401234: auth::login(int) (login.cc:42)",
     "==123==    at 0x401234: auth::reset(int) (login.cc:42)"},
    {"apple functions",
     "1   shop                          \t0x000000010a1b2c3d auth::login(int) + 77",
     "1   shop                          \t0x000000010a1b2c3d auth::reset(int) + 77"},
    {"tombstone functions", "      #01 pc 0000000000012345  /lib/libauth.so (auth::login(int)+12)",
     "      #01 pc 0000000000012345  /lib/libauth.so (auth::reset(int)+12)"},
    {"tombstone libraries", "      #01 pc 0000000000012345  /lib/libauth.so",
     "      #01 pc 0000000000012345  /lib/libssl.so"},
    {"shift and less", "    #0 0x4a in auth::operator<<(int) /a/x.cc:3:1",
     "    #0 0x4a in auth::operator<(int) /a/x.cc:3:1"},
    {"lambdas by namespace", "0> C:\\b\\x.cpp(3): shop!auth::login::<lambda_1>::operator()+0x4F",
     "0> C:\\b\\x.cpp(3): shop!auth::reset::<lambda_1>::operator()+0x4F"},
    {"lldb functions", "    frame #1: 0x1 shop`auth::login(int) + 12",
     "    frame #1: 0x1 shop`auth::reset(int) + 12"},
    {"tsan functions", "    #0 auth::login(int) /a/b.cc:3 (shop+0x1234)",
     "    #0 auth::reset(int) /a/b.cc:3 (shop+0x1234)"},
    {"systemd-coredump functions",
     "                #1  0x000055d0a1b2c3d4 _ZN4auth5loginEi (shop + 0x1234)",
     "                #1  0x000055d0a1b2c3d4 _ZN4auth5resetEi (shop + 0x1234)"},
    {"conversion operators", "    #0 0x4a in auth::Id::operator bool() const /a/x.cc:3:1",
     "    #0 0x4a in auth::Id::operator int() const /a/x.cc:3:1"},
    {"call and index operators", "    #0 0x4a in auth::Id::operator[](int) const /a/x.cc:3:1",
     "    #0 0x4a in auth::Id::operator+(int) const /a/x.cc:3:1"},
    {"versions in names", "#0  0x1 in SSL_read_ex2 () from /lib/libssl.so.3",
     "#0  0x1 in SSL_read_ex3 () from /lib/libssl.so.3"},
    {"backward-cpp functions",
     "#1    Source \"/app/auth.cc\", line 12, in auth::login(std::string const&)\n#0    Object "
     "\"/lib/x86_64-linux-gnu/libc.so.6\", at 0x7f1a2b3c4d5e, in raise",
     "#1    Source \"/app/auth.cc\", line 12, in auth::logout(std::string const&)\n#0    Object "
     "\"/lib/x86_64-linux-gnu/libc.so.6\", at 0x7f1a2b3c4d5e, in raise"},
    {"Breakpad functions", " 0  shop!auth::login(std::string const&) [auth.cc : 12 + 0x3]",
     " 0  shop!auth::logout(std::string const&) [auth.cc : 12 + 0x3]"},
    {"comparison operators", "#0  0x0000 in auth::Id::operator== (this=0x1, o=...) at y.cc:1",
     "#0  0x0000 in auth::Id::operator< (this=0x1, o=...) at y.cc:1"},
});

}  // namespace

LanguageCases cppCases() {
  return {.language = "C++", .meeting = kCppMeeting, .parting = kCppParting};
}

}  // namespace auth_errors::domain
