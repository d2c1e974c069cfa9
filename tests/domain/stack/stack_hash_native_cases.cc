#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

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
    {"module versions",
     "goroutine 1 "
     "[running]:\ngithub.com/golang-jwt/jwt/v5.(*Parser).Parse(0x1)\n\t/go/pkg/mod/github.com/"
     "golang-jwt/jwt/v5@v5.0.0/parser.go:42 +0x1\nmain.main()\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 "
     "[running]:\ngithub.com/golang-jwt/jwt/v5.(*Parser).Parse(0x1)\n\t/home/u/go/pkg/mod/"
     "github.com/golang-jwt/jwt/v5@v5.2.1/parser.go:50 +0x1\nmain.main()\n\t/b/m.go:1 +0x1\n"},
    {"closure counters of new compilers",
     "goroutine 1 [running]:\nmain.Login.func1.Check.2(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\nmain.Login.func2.Check.3(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"generic receiver", "goroutine 1 [running]:\nmain.(*Cache[...]).Get(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\nmain.(*Cache[go.shape.string]).Get(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"nil dereference addresses",
     "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: "
     "segmentation violation code=0x1 addr=0x18 pc=0x4a1b2c]\n\ngoroutine 1 "
     "[running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\n",
     "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: "
     "segmentation violation code=0x80 addr=0x0 pc=0x7a1b2c]\n\ngoroutine 1 "
     "[running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\n"},
    {"debug.Stack",
     "goroutine 1 [running]:\nruntime/debug.Stack()\n\t/usr/local/go/src/runtime/debug/stack.go:24 "
     "+0x65\nmain.Login.func1()\n\t/b/m.go:1 +0x1\npanic({0x1, "
     "0x2})\n\t/usr/local/go/src/runtime/panic.go:838 +0x1\nmain.Login(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 "
     "[running]:\nruntime/debug.Stack()\n\t/usr/lib/go-1.22/src/runtime/debug/stack.go:26 "
     "+0x5e\nmain.Login.func1()\n\t/b/m.go:1 +0x1\npanic({0x1?, "
     "0x2?})\n\t/usr/lib/go-1.22/src/runtime/panic.go:914 +0x1\nmain.Login(0x1)\n\t/b/m.go:1 "
     "+0x1\n"},
    {"pkg/errors in two layers",
     "no "
     "rows\ngithub.com/acme/shop/db.Find\n\t/build/db/find.go:42\nmain.main\n\t/build/"
     "main.go:10\nlogin "
     "failed\ngithub.com/acme/shop/auth.Login\n\t/build/auth/login.go:9\nmain.main\n\t/build/"
     "main.go:10",
     "no "
     "rows\ngithub.com/acme/shop/db.Find\n\t/src/db/find.go:43\nmain.main\n\t/src/"
     "main.go:11\nlogin "
     "failed\ngithub.com/acme/shop/auth.Login\n\t/src/auth/login.go:10\nmain.main\n\t/src/"
     "main.go:11"},
    {"zap",
     "github.com/acme/shop/auth.(*Handler).Login\n\t/build/auth/login.go:42\nnet/"
     "http.HandlerFunc.ServeHTTP\n\t/usr/local/go/src/net/http/server.go:2122",
     "github.com/acme/shop/auth.(*Handler).Login\n\t/src/auth/login.go:45\nnet/"
     "http.HandlerFunc.ServeHTTP\n\t/usr/local/go1.22/src/net/http/server.go:2136"},
    {"recovered panics",
     "panic: a [recovered]\n\tpanic: a\n\ngoroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\n",
     "panic: b [recovered]\n\tpanic: b\n\ngoroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\n"},
    {"trimpath",
     "goroutine 1 "
     "[running]:\ngithub.com/acme/shop/auth.Login(0x1)\n\tgithub.com/acme/shop/auth/login.go:42 "
     "+0x1\n",
     "goroutine 1 [running]:\ngithub.com/acme/shop/auth.Login(0x1)\n\t/build/auth/login.go:42 "
     "+0x1\n"},
    {"exit status and fp", "goroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\nexit status 2\n",
     "goroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1 fp=0xc000 sp=0xc000 pc=0x4a\n"},
    {"elided frames",
     "goroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\nmain.f(0x0)\n\t/b/m.go:1 "
     "+0x1\n...additional frames elided...\nmain.main()\n\t/b/m.go:9 +0x1\n",
     "goroutine 1 [running]:\nmain.f(0x0)\n\t/b/m.go:1 +0x1\nmain.f(0x0)\n\t/b/m.go:1 "
     "+0x1\nmain.f(0x0)\n\t/b/m.go:1 +0x1\n...17 frames elided...\nmain.main()\n\t/b/m.go:9 "
     "+0x1\n"},
    {"http panic",
     "http: panic serving 10.0.0.7:51234: runtime error: index out of range [3] with length "
     "3\ngoroutine 57 "
     "[running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1898 "
     "+0xbe\npanic({0x6c8c40?, 0xc0000b6000?})\n\t/usr/local/go/src/runtime/panic.go:770 "
     "+0x132\nmain.(*H).Login(0xc0001, {0x7, 0xc0})\n\t/b/h.go:3 "
     "+0x1\nnet/http.HandlerFunc.ServeHTTP(0xc, {0x7, 0xc}, "
     "0x0?)\n\t/usr/local/go/src/net/http/server.go:2166 +0x29\ncreated by "
     "net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:3285 +0x4b4",
     "2024/05/06 07:08:09 http: panic serving 10.0.0.8:41234: runtime error: index out of range "
     "[5] with length 2\ngoroutine 99 "
     "[running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1854 "
     "+0xbf\npanic({0x6c8c40, 0xc0000b6000})\n\t/usr/local/go/src/runtime/panic.go:884 "
     "+0x212\nmain.(*H).Login(0xc0002, {0x7, 0xc0})\n\t/srv/h.go:4 "
     "+0x1\nnet/http.HandlerFunc.ServeHTTP(0xd, {0x7, 0xc}, "
     "0x0)\n\t/usr/local/go/src/net/http/server.go:2122 +0x2f\ncreated by "
     "net/http.(*Server).Serve\n\t/usr/local/go/src/net/http/server.go:3086 +0x5db"},
    {"map iteration closures",
     "goroutine 1 [running]:\nmain.(*H).Login-range1(0x1)\n\t/b/m.go:1 "
     "+0x1\nmain.(*H).Login(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\nmain.(*H).Login-range2(0x1)\n\t/b/m.go:1 "
     "+0x1\nmain.(*H).Login(0x1)\n\t/b/m.go:1 +0x1"},
    {"init counters", "goroutine 1 [running]:\nmain.init.0()\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\nmain.init.1()\n\t/b/m.go:1 +0x1"},
    {"struct in brackets",
     "goroutine 1 [running]:\nmain.Map[go.shape.struct { main.a int }](0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\nmain.Map[...](0x1)\n\t/b/m.go:1 +0x1"},
    {"GOROOT of toolchains",
     "goroutine 1 "
     "[running]:\nencoding/json.Unmarshal(0x1)\n\t/root/go/pkg/mod/golang.org/"
     "toolchain@v0.0.1-go1.22.0.linux-amd64/src/encoding/json/decode.go:1 +0x1",
     "goroutine 1 "
     "[running]:\nencoding/json.Unmarshal(0x1)\n\t/usr/local/go/src/encoding/json/decode.go:1 "
     "+0x1"},
    {"fatal errors",
     "fatal error: concurrent map writes\n\ngoroutine 17 [running]:\nmain.f(0x1)\n\t/b/m.go:1 +0x1",
     "fatal error: concurrent map writes\n\ngoroutine 99 "
     "[running]:\nruntime.goexit({})\n\t/usr/local/go/src/runtime/asm_amd64.s:1650 "
     "+0x1\nmain.f(0x2)\n\t/c/m.go:2 +0x1"},
    {"gin",
     "panic: x\n/usr/local/go/src/runtime/panic.go:884 (0x4a1b2c)\n\tgopanic: done = "
     "runOpenDeferFrame(d)\n/b/auth/h.go:12 (0x4a1b2d)\n\t(*H).Login: "
     "panic(x)\n/go/pkg/mod/github.com/gin-gonic/gin@v1.9.0/context.go:173 "
     "(0x4)\n\t(*Context).Next: c.handlers[c.index](c)",
     "panic: y\n/usr/lib/go/src/runtime/panic.go:914 (0x4a1bff)\n\tgopanic: "
     "addOneOpenDeferFrame(d)\n/c/auth/h.go:14 (0x4a1bff)\n\t(*H).Login: "
     "panic(y)\n/root/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:174 "
     "(0x7)\n\t(*Context).Next: c.handlers[c.index](c)"},
    {"go-errors",
     "*errors.errorString no user 17\n/b/auth/m.go:12 (0x4a1b2c)\n\tLogin: return "
     "errors.New(x)\n/b/auth/m.go:30 (0x4a1b2d)\n\tmain: Login()",
     "*errors.errorString no user 18\n/c/auth/m.go:13 (0x4affff)\n\tLogin: return "
     "errors.New(x)\n/c/auth/m.go:31 (0x4affff)\n\tmain: Login()"},
    {"escaped newlines",
     "main.(*Auth).Login\\n\\t/app/auth.go:42\\nnet/http.HandlerFunc.ServeHTTP\\n\\t/usr/local/go/"
     "src/net/http/server.go:2136",
     "main.(*Auth).Login\n\t/srv/auth.go:44\nnet/http.HandlerFunc.ServeHTTP\n\t/opt/go/src/net/"
     "http/server.go:2109"},
    {"escaped panic",
     "goroutine 7 [running]:\\nmain.login(0xc00001)\\n\\t/app/main.go:42 "
     "+0x1d\\nmain.main()\\n\\t/app/main.go:7 +0x1d\\n",
     "goroutine 9 [running]:\nmain.login(0xc00002)\n\t/app/main.go:43 "
     "+0x1d\nmain.main()\n\t/app/main.go:8 +0x1d"},
    {"trimmed lines of Windows",
     "main.login(0xc00001)\nC:/Users/jane/shop/main.go:42 "
     "+0x1d\nmain.main()\nC:/Users/jane/shop/main.go:7 +0x1d",
     "main.login(0xc00001)\n\t/app/main.go:44 +0x1d\nmain.main()\n\t/app/main.go:8 +0x1d"},
    {"errors of CockroachDB",
     "no user 17\n(1) attached stack trace\n  -- stack trace:\n  | "
     "github.com/acme/shop/auth.Find\n  | \t/app/auth/find.go:12\n  | "
     "github.com/acme/shop/auth.(*Service).Login\n  | \t/app/auth/service.go:30\nWraps: (2) no "
     "user 17\nError types: (1) *withstack.withStack (2) *errutil.leafError",
     "no user 18\n(1) attached stack trace\n  -- stack trace:\n  | "
     "github.com/acme/shop/auth.Find\n  | \t/src/auth/find.go:14\n  | "
     "github.com/acme/shop/auth.(*Service).Login\n  | \t/src/auth/service.go:33\nWraps: (2) no "
     "user 18\nError types: (1) *withstack.withStack (2) *errutil.leafError"},
    {"xerrors",
     "login failed:\n    github.com/acme/shop/auth.Login\n        /app/auth/login.go:12\n  - no "
     "user 17:\n    github.com/acme/shop/auth.Find\n        /app/auth/find.go:9",
     "login failed:\n    github.com/acme/shop/auth.Login\n        /srv/auth/login.go:14\n  - no "
     "user 18:\n    github.com/acme/shop/auth.Find\n        /srv/auth/find.go:10"},
    {"net/http of two versions",
     "2024/05/06 07:08:09 http: panic serving 10.0.0.7:51234: runtime error: invalid memory "
     "address or nil pointer dereference\ngoroutine 33 "
     "[running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1868 "
     "+0xb9\npanic({0x6a1b40?, 0x8f0d50?})\n\t/usr/local/go/src/runtime/panic.go:920 "
     "+0x270\nmain.(*Auth).Login(0x0, {0x76b2c8, 0xc0001a0000}, 0xc00018e000)\n\t/app/auth.go:42 "
     "+0x1d\nnet/http.HandlerFunc.ServeHTTP(0x0?, {0x76b2c8?, 0xc0001a0000?}, "
     "0x0?)\n\t/usr/local/go/src/net/http/server.go:2136 +0x29\ncreated by "
     "net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:3086 +0x5cb",
     "2024/05/07 07:08:09 http: panic serving [::1]:51234: runtime error: invalid memory address "
     "or nil pointer dereference\ngoroutine 7 "
     "[running]:\nnet/http.(*conn).serve.func1(0xc0001a0000)\n\t/opt/go/src/net/http/"
     "server.go:1850 +0xbf\npanic(0x6a1b40, 0x8f0d50)\n\t/opt/go/src/runtime/panic.go:890 "
     "+0x262\nmain.(*Auth).Login(0xc000010000, 0x76b2c8, 0xc0001a0000, "
     "0xc00018e000)\n\t/builds/x/auth.go:44 +0x1d\nnet/http.HandlerFunc.ServeHTTP(0xc00001, "
     "0x76b2c8, 0xc0001a0000, 0xc00018e000)\n\t/opt/go/src/net/http/server.go:2109 +0x2f\ncreated "
     "by net/http.(*Server).Serve\n\t/opt/go/src/net/http/server.go:3102 +0x4db"},
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
    {"functions with digits", "goroutine 1 [running]:\nmain.Sum256(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\nmain.Sum512(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"callers",
     "goroutine 1 [running]:\nmain.q()\n\t/b/m.go:1 +0x1\nmain.Login(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\nmain.q()\n\t/b/m.go:1 +0x1\nmain.Reset(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"functions with a prefix like that of closures",
     "goroutine 1 [running]:\nmain.function1(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\nmain.function2(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"go yaml versions of gopkg.in",
     "goroutine 1 [running]:\ngopkg.in/yaml%2ev2.Unmarshal(0x1)\n\t/b/m.go:1 +0x1\n",
     "goroutine 1 [running]:\ngopkg.in/yaml%2ev3.Unmarshal(0x1)\n\t/b/m.go:1 +0x1\n"},
    {"value and pointer of other types",
     "goroutine 1 [running]:\nmain.A.Get(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\nmain.B.Get(0x1)\n\t/b/m.go:1 +0x1"},
    {"dotted packages", "goroutine 1 [running]:\ngithub.com/acme/api/v1.Get(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\ngithub.com/acme/api/v2.Get(0x1)\n\t/b/m.go:1 +0x1"},
    {"dashed packages",
     "goroutine 1 [running]:\ngithub.com/acme/go-Session.Get(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\ngithub.com/acme/go-Storage.Get(0x1)\n\t/b/m.go:1 +0x1"},
    {"gin functions", "/b/auth/h.go:12 (0x4a1b2d)\n\t(*H).Login: panic(x)",
     "/b/auth/h.go:12 (0x4a1b2d)\n\t(*H).Reset: panic(x)"},
    {"standard packages", "goroutine 1 [running]:\ncrypto/sha256.Sum(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\ncrypto/sha512.Sum(0x1)\n\t/b/m.go:1 +0x1"},
    {"http2 and http",
     "goroutine 1 [running]:\nnet/http.(*http2serverConn).serve(0x1)\n\t/b/m.go:1 +0x1",
     "goroutine 1 [running]:\nnet/http.(*conn).serve(0x1)\n\t/b/m.go:1 +0x1"},
    {"functions of CockroachDB's errors",
     "(1) attached stack trace\n  -- stack trace:\n  | github.com/acme/shop/auth.Find\n  | "
     "\t/app/auth/find.go:12",
     "(1) attached stack trace\n  -- stack trace:\n  | github.com/acme/shop/auth.Load\n  | "
     "\t/app/auth/find.go:12"},
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
    {"with and without a hash", "   3: shop::auth::login::h0123456789abcdef",
     "   3: shop::auth::login"},
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
    {"panic formats",
     "thread 'main' panicked at 'no user 17', src/auth.rs:10:5\nstack backtrace:\n   0: "
     "rust_begin_unwind\n             at "
     "/rustc/0123456789abcdef0123456789abcdef01234567/library/std/src/panicking.rs:584:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/0123456789abcdef0123456789abcdef01234567/library/core/src/panicking.rs:142:14\n   2: "
     "shop::auth::login\n             at ./src/auth.rs:10:5\n   3: shop::main\n             at "
     "./src/main.rs:3:5\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a "
     "verbose backtrace.",
     "\nthread 'main' panicked at src/auth.rs:11:5:\nno user 18\nstack backtrace:\n   0: "
     "rust_begin_unwind\n             at "
     "/rustc/ffff456789abcdef0123456789abcdef01234567/library/std/src/panicking.rs:645:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/ffff456789abcdef0123456789abcdef01234567/library/core/src/panicking.rs:72:14\n   2: "
     "shop::auth::login\n             at /build/src/auth.rs:11:5\n   3: shop::main\n             "
     "at /build/src/main.rs:3:5\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` "
     "for a verbose backtrace."},
    {"thread ids of new panics",
     "thread 'tokio-runtime-worker' (12345) panicked at src/auth.rs:11:5:\nno\nstack backtrace:\n  "
     " 0: shop::auth::login",
     "thread 'tokio-runtime-worker' panicked at src/auth.rs:12:5:\nno\nstack backtrace:\n   0: "
     "shop::auth::login"},
    {"closures numbered", "   0: shop::auth::login::{closure#0}\n   1: shop::main",
     "   0: shop::auth::login::{closure#1}\n   1: shop::main"},
    {"async functions", "   0: shop::auth::login::{{closure}}\n   1: shop::main",
     "   0: shop::auth::login::{async_fn#0}\n   1: shop::main"},
    {"cargo registry",
     "   0: jsonwebtoken::decoding::decode\n             at "
     "/usr/local/cargo/registry/src/github.com-1ecc6299db9ec823/jsonwebtoken-8.3.0/src/"
     "decoding.rs:10:5\n   1: shop::main",
     "   0: jsonwebtoken::decoding::decode\n             at "
     "/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/jsonwebtoken-9.1.0/src/"
     "decoding.rs:12:5\n   1: shop::main"},
    {"trait implementations", "   0: <shop::auth::Login as shop::Handler>::call\n   1: shop::main",
     "   0: <shop::auth::Login as shop::Handler>::call::h0123456789abcdef\n   1: shop::main"},
    {"crate disambiguators",
     "   0: shop[a1b2c3d4e5f60718]::auth::login\n   1: shop[a1b2c3d4e5f60718]::main",
     "   0: shop[ffffc3d4e5f60718]::auth::login\n   1: shop[ffffc3d4e5f60718]::main"},
    {"anyhow",
     "Error: login failed\n\nCaused by:\n    0: no rows for 17\n    1: connection refused\n\nStack "
     "backtrace:\n   0: shop::auth::login\n             at ./src/auth.rs:10:5\n   1: shop::main",
     "Error: login failed\n\nCaused by:\n    0: no rows for 18\n    1: connection refused\n\nStack "
     "backtrace:\n   0: shop::auth::login\n             at ./src/auth.rs:12:5\n   1: shop::main"},
    {"eyre sections",
     "Error: \n   0: login failed\n   1: no rows for 17\n\nLocation:\n   src/auth.rs:10\n\n  "
     "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n          "
     "                      ⋮ 7 frames hidden ⋮                               \n   8: "
     "shop::auth::login::h0123456789abcdef\n      at /build/src/auth.rs:10\n   9: "
     "shop::main::h0123456789abcdef\n      at /build/src/main.rs:3\n",
     "Error: \n   0: login failed\n   1: no rows for 18\n\nLocation:\n   src/auth.rs:11\n\n  "
     "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n          "
     "                      ⋮ 9 frames hidden ⋮                               \n  10: "
     "shop::auth::login::h0123ffff89abcdef\n      at /src/src/auth.rs:11\n  11: "
     "shop::main::h0123ffff89abcdef\n      at /src/src/main.rs:4\n"},
    {"frame numbers of inlined functions",
     "   0: shop::auth::login\n      shop::auth::check\n             at ./src/auth.rs:10:5\n   1: "
     "shop::main",
     "   0: shop::auth::login\n   1: shop::auth::check\n             at ./src/auth.rs:10:5\n   2: "
     "shop::main"},
    {"legacy escapes",
     "   0: <shop::auth::Login as core::ops::function::FnOnce<()>>::call_once{{vtable.shim}}\n   "
     "1: shop::main",
     "   0: <shop::auth::Login as core::ops::function::FnOnce<()>>::call_once\n   1: shop::main"},
    {"unwind entry names",
     "   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2: shop::auth::login",
     "   0: __rustc::rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2: shop::auth::login"},
    {"full and short with marks",
     "   0:     0x55d0 - std::backtrace_rs::backtrace::libunwind::trace::h0123456789abcdef\n       "
     "               at "
     "/rustc/0f1e2d/library/std/src/../../backtrace/src/backtrace/libunwind.rs:93:5\n   1:     "
     "0x55d0 - std::sys_common::backtrace::__rust_end_short_backtrace::h0123456789abcdef\n   2:    "
     " 0x55d0 - rust_begin_unwind\n   3:     0x55d0 - "
     "core::panicking::panic_fmt::h0123456789abcdef\n   4:     0x55d0 - "
     "shop::auth::login::h0123456789abcdef\n   5:     0x55d0 - shop::main::h0123456789abcdef\n   "
     "6:     0x55d0 - core::ops::function::FnOnce::call_once::h0123456789abcdef\n   7:     0x55d0 "
     "- std::sys_common::backtrace::__rust_begin_short_backtrace::h0123456789abcdef\n   8:     "
     "0x55d0 - std::rt::lang_start::{{closure}}::h0123456789abcdef\n   9:     0x55d0 - main",
     "   0: rust_begin_unwind\n             at /rustc/0f1e2d/library/std/src/panicking.rs:584:5\n  "
     " 1: core::panicking::panic_fmt\n   2: shop::auth::login\n             at "
     "./src/auth.rs:10:5\n   3: shop::main\n   4: core::ops::function::FnOnce::call_once\n"},
    {"mangled and demangled", "./shop(_ZN4shop4auth5login17h0123456789abcdefE+0x1d) [0x55d0]",
     "   0: shop::auth::login::hffff456789abcdef"},
    {"actix worker names",
     "thread 'actix-rt|system:0|arbiter:3' panicked at src/a.rs:1:2:\nx\nstack backtrace:\n   0: "
     "shop::a",
     "thread 'actix-rt|system:0|arbiter:9' panicked at src/a.rs:4:2:\ny\nstack backtrace:\n   0: "
     "shop::a"},
    {"dyn and references",
     "   0: <alloc::boxed::Box<dyn core::ops::function::FnOnce<()>+Output = ()> as "
     "core::ops::function::FnOnce<()>>::call_once\n   1: shop::a",
     "   0: <alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once\n   1: "
     "shop::a"},
    {"futures polled",
     "   0: <core::pin::Pin<P> as core::future::future::Future>::poll\n   1: shop::a::{{closure}}",
     "   0: <core::pin::Pin<&mut dyn core::future::future::Future<Output = ()>> as "
     "core::future::future::Future>::poll\n   1: shop::a::{{closure}}"},
    {"escaped newlines",
     "thread 'main' panicked at src/auth.rs:12:9:\\nno\\nstack backtrace:\\n   0: "
     "shop::auth::login\\n             at ./src/auth.rs:12:9\\n   1: shop::main\\n             at "
     "./src/main.rs:3:1\\n",
     "thread 'main' panicked at src/auth.rs:12:9:\nno\nstack backtrace:\n   0: shop::auth::login\n "
     "            at ./src/auth.rs:14:9\n   1: shop::main\n             at ./src/main.rs:4:1"},
    {"color-eyre",
     "Error: \n   0: no user 17\n\nLocation:\n   src/auth.rs:12\n\n  "
     "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n           "
     "                     ⋮ 7 frames hidden ⋮\n   8: shop::auth::login::h1a2b3c4d5e6f7a8b\n      "
     "at /app/src/auth.rs:12\n   9: shop::main::h1a2b3c4d5e6f7a8b\n      at /app/src/main.rs:3\n   "
     "                             ⋮ 10 frames hidden ⋮",
     "Error: \n   0: no user 18\n\nLocation:\n   src/auth.rs:14\n\n  "
     "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n           "
     "                     ⋮ 9 frames hidden ⋮\n  10: shop::auth::login::hffffffff5e6f7a8b\n      "
     "at /srv/src/auth.rs:14\n  11: shop::main::h1a2b3c4d5e6f7a8b\n      at /srv/src/main.rs:4\n   "
     "                             ⋮ 11 frames hidden ⋮"},
    {"tokio worker",
     "thread 'tokio-runtime-worker' panicked at src/auth.rs:12:9:\nno user 17\nstack backtrace:\n  "
     " 0: rust_begin_unwind\n             at "
     "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:76:14\n   2: "
     "shop::auth::login::{{closure}}\n             at ./src/auth.rs:12:9\n   3: "
     "tokio::runtime::task::core::Core<T,S>::poll::{{closure}}\n             at "
     "/usr/local/cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.42.0/src/runtime/task/"
     "core.rs:331:17\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose "
     "backtrace.",
     "thread 'tokio-runtime-worker' panicked at 'no user 18', src/auth.rs:14:9\nstack backtrace:\n "
     "  0: rust_begin_unwind\n             at "
     "/rustc/a28077b28a02b92985b3a3faecf92813155f1ea1/library/std/src/panicking.rs:597:5\n   1: "
     "core::panicking::panic_fmt\n             at "
     "/rustc/a28077b28a02b92985b3a3faecf92813155f1ea1/library/core/src/panicking.rs:72:14\n   2: "
     "shop::auth::login::{async_fn#0}\n             at ./src/auth.rs:14:9\n   3: "
     "tokio::runtime::task::core::Core<T,S>::poll::{closure#0}\n             at "
     "/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.32.0/src/runtime/task/"
     "core.rs:334:17"},
    {"Windows",
     "   0:     0x7ff6a1b2c3d4 - std::backtrace_rs::backtrace::dbghelp64::trace\n                  "
     "             at "
     "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/"
     "library\\std\\src\\..\\..\\backtrace\\src\\backtrace\\dbghelp64.rs:91\n   1:     "
     "0x7ff6a1b2c3d5 - shop::auth::login\n                               at "
     "C:\\Users\\jane\\shop\\src\\auth.rs:12\n   2:     0x7ffb12345678 - BaseThreadInitThunk",
     "   0:     0x7ff7a1b2c3d4 - std::backtrace_rs::backtrace::dbghelp64::trace\n                  "
     "             at "
     "/rustc/aaaab43126469e3858e2fe86cafb4f0fd5068869/"
     "library\\std\\src\\..\\..\\backtrace\\src\\backtrace\\dbghelp64.rs:98\n   1:     "
     "0x7ff7a1b2c3d5 - shop::auth::login\n                               at "
     "D:\\a\\shop\\src\\auth.rs:13\n   2:     0x7ffc12345678 - BaseThreadInitThunk"},
    {"one frame with its place", "0: shop::auth::login at src/auth.rs:12:3",
     "0: shop::auth::login at src/auth.rs:14:9"},
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
    {"digits", "   0: sha2::sha256::compress", "   0: sha2::sha512::compress"},
    {"closures of different functions", "   0: shop::auth::login::{{closure}}",
     "   0: shop::auth::reset::{{closure}}"},
    {"integers of a trait", "   0: shop::parse_u32", "   0: shop::parse_u64"},
    {"inlined functions",
     "   0: shop::auth::login\n             at ./src/auth.rs:10:5\n      shop::auth::check\n       "
     "      at ./src/auth.rs:20:5\n   1: shop::main",
     "   0: shop::auth::login\n             at ./src/auth.rs:10:5\n      shop::auth::reset\n       "
     "      at ./src/auth.rs:20:5\n   1: shop::main"},
    {"panics", "   0: core::panicking::panic_bounds_check\n   1: shop::auth::login",
     "   0: core::result::unwrap_failed\n   1: shop::auth::login"},
    {"versions of modules", "   0: shop::v1::login", "   0: shop::v2::login"},
    {"generic types", "   0: shop::auth::Cache<T>::get", "   0: shop::auth::Store<T>::get"},
});

}  // namespace

LanguageCases goCases() { return {.language = "Go", .meeting = kGoMeeting, .parting = kGoParting}; }

LanguageCases rustCases() {
  return {.language = "Rust", .meeting = kRustMeeting, .parting = kRustParting};
}

}  // namespace auth_errors::domain
