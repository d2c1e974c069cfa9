#include <array>

#include "tests/domain/stack/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kMeeting = std::to_array<TracePair>({
    // Node.js and Chrome
    {"code without a file", "    at login (<anonymous>:1:2)", "    at login (<anonymous>:9:4)"},
    {"line and column", "    at login (/app/auth/login.js:42:7)",
     "    at login (/app/auth/login.js:44:19)"},
    {"build path", "    at login (/home/ci/builds/4711/shop/auth/login.js:42:7)",
     "    at login (/app/auth/login.js:42:7)"},
    {"file address", "    at login (file:///app/auth/login.mjs:42:7)",
     "    at login (/srv/auth/login.mjs:42:7)"},
    {"Windows", "    at login (C:\\build\\1234\\auth\\login.js:42:7)",
     "    at login (/app/auth/login.js:42:7)"},
    {"bundle's hash", "    at login (https://shop.example/static/js/main.3f2a9c1b.js:2:1234)",
     "    at login (https://shop.example/static/js/main.77ab01cd.js:2:998)"},
    {"bundle's hash after a dash",
     "    at login (https://shop.example/assets/index-Bx7Kq2aZ.js:2:1234)",
     "    at login (https://shop.example/assets/index-DkWqPzTe.js:2:998)"},
    {"chunk's number and hash", "    at login (https://shop.example/123.3f2a9c1b.chunk.js:2:1)",
     "    at login (https://shop.example/877.00ab01cd.chunk.js:2:1)"},
    {"host", "    at login (https://shop.example/auth/login.js:2:1)",
     "    at login (https://cdn.example:8443/auth/login.js:2:1)"},
    {"query", "    at login (https://shop.example/auth/login.js?v=17:2:1)",
     "    at login (https://shop.example/auth/login.js?t=[redacted:token]:2:1)"},
    {"webpack", "    at login (webpack://shop/./src/auth/login.ts?3f2a:42:7)",
     "    at login (webpack:///./src/auth/login.ts:42:7)"},
    {"Next.js in development", "    at login (webpack-internal:///(rsc)/./auth/login.tsx:42:7)",
     "    at login (webpack-internal:///(ssr)/./auth/login.tsx:42:7)"},
    {"package's version",
     "    at next "
     "(/app/node_modules/.pnpm/express@4.18.2/node_modules/express/lib/router/route.js:144:13)",
     "    at next (/app/node_modules/express/lib/router/route.js:149:13)"},
    {"async", "    at async login (/app/auth/login.js:42:7)",
     "    at login (/app/auth/login.js:42:7)"},
    {"constructor's call", "    at new Session (/app/auth/session.js:4:7)",
     "    at Session (/app/auth/session.js:4:7)"},
    {"receiver", "    at Object.login (/app/auth/login.js:42:7)",
     "    at exports.login (/app/auth/login.js:42:7)"},
    {"alias", "    at Router.handle [as handle_request] (/app/auth/login.js:42:7)",
     "    at Router.handle (/app/auth/login.js:42:7)"},
    {"nameless function", "    at /app/auth/login.js:42:7",
     "    at Object.<anonymous> (/app/auth/login.js:90:1)"},
    {"nameless async function", "    at async /app/auth/login.js:42:7",
     "    at <anonymous> (/app/auth/login.js:90:1)"},
    {"bundler's counter", "    at login$1 (/app/auth/login.js:42:7)",
     "    at login$2 (/app/auth/login.js:42:7)"},
    {"event loop's frame",
     "    at login (/app/auth/login.js:42:7)\n    at process.processTicksAndRejections "
     "(node:internal/process/task_queues:95:5)",
     "    at login (/app/auth/login.js:42:7)"},
    {"compiled async function",
     "    at login (/app/auth/login.js:42:7)\n    at Generator.next (<anonymous>)\n    at main "
     "(/app/auth/main.js:1:1)",
     "    at login (/app/auth/login.js:42:7)\n    at main (/app/auth/main.js:1:1)"},
    {"index of a promise", "    at async Promise.all (index 0)\n    at login (/app/a/b.js:1:1)",
     "    at async Promise.all (index 3)\n    at login (/app/a/b.js:1:1)"},
    {"evaluated code", "    at eval (eval at compile (/app/views/login.js:3:4), <anonymous>:1:1)",
     "    at eval (eval at compile (/app/views/login.js:8:4), <anonymous>:12:9)"},
    {"message", "TypeError: user 1\n    at login (/app/a/b.js:1:1)",
     "TypeError: user 2\n    at login (/app/a/b.js:1:1)"},
    {"fields of the error",
     "Error: x\n    at login (/app/a/b.js:1:1) {\n  code: 'E1',\n  status: 401\n}",
     "Error: x\n    at login (/app/a/b.js:1:1) {\n  code: 'E2'\n}"},
    {"cause's message",
     "Error: x\n    at login (/app/a/b.js:1:1) {\n  [cause]: TypeError: a\n      at verify "
     "(/app/a/c.js:1:1)\n}",
     "Error: x\n    at login (/app/a/b.js:1:1) {\n  [cause]: TypeError: b\n      at verify "
     "(/app/a/c.js:7:1)\n}"},
    {"Hermes", "    at login (address at index.android.bundle:1:23456)",
     "    at login (address at index.android.bundle:1:99120)"},
    // Firefox and Safari
    {"Firefox, line and column", "login@https://shop.example/auth/login.js:42:7",
     "login@https://shop.example/auth/login.js:50:1"},
    {"Firefox, inner function", "login/<@https://shop.example/auth/login.js:42:7",
     "login@https://shop.example/auth/login.js:42:7"},
    {"Firefox, async", "async*login@https://shop.example/auth/login.js:42:7",
     "login@https://shop.example/auth/login.js:42:7"},
    {"Firefox, timer", "setTimeout handler*login@https://shop.example/auth/login.js:42:7",
     "promise callback*login@https://shop.example/auth/login.js:42:7"},
    {"Firefox, evaluated", "login@https://shop.example/auth/login.js line 3 > eval:1:1",
     "login@https://shop.example/auth/login.js line 9 > eval:4:2"},
    {"Safari, global code", "global code@https://shop.example/auth/login.js:42:7",
     "@https://shop.example/auth/login.js:1:7"},
    {"Safari, native code", "forEach@[native code]\nlogin@https://a.example/b/c.js:1:2",
     "forEach@[native code]\nlogin@https://a.example/b/c.js:7:3"},
    {"Firefox and Chrome", "login@https://shop.example/auth/login.js:42:7",
     "    at login (https://shop.example/auth/login.js:42:9)"},
    // Frameworks
    {"Express and Passport",
     "Error: Failed to deserialize user out of session\n    at pass "
     "(/app/node_modules/passport/lib/authenticator.js:368:19)\n    at deserialized "
     "(/app/node_modules/passport/lib/authenticator.js:373:7)\n    at /app/src/session.js:21:12\n  "
     "  at Layer.handle [as handle_request] (/app/node_modules/express/lib/router/layer.js:95:5)",
     "Error: Failed to deserialize user out of session\n    at pass "
     "(/srv/releases/42/node_modules/passport/lib/authenticator.js:344:19)\n    at deserialized "
     "(/srv/releases/42/node_modules/passport/lib/authenticator.js:349:7)\n    at "
     "/srv/releases/42/session.js:25:12\n    at Layer.handle "
     "(/srv/releases/42/node_modules/express/lib/router/layer.js:91:5)"},
    {"NestJS",
     "UnauthorizedException: Unauthorized\n    at JwtAuthGuard.handleRequest "
     "(/usr/src/app/node_modules/@nestjs/passport/dist/auth.guard.js:60:30)\n    at "
     "JwtAuthGuard.canActivate (/usr/src/app/dist/auth/jwt.guard.js:14:22)\n    at "
     "process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at async "
     "GuardsConsumer.tryActivate "
     "(/usr/src/app/node_modules/@nestjs/core/guards/guards-consumer.js:16:17)",
     "UnauthorizedException: Unauthorized\n    at JwtAuthGuard.handleRequest "
     "(/app/node_modules/@nestjs/passport/dist/auth.guard.js:66:30)\n    at "
     "JwtAuthGuard.canActivate (/app/dist/auth/jwt.guard.js:15:22)\n    at async "
     "GuardsConsumer.tryActivate (/app/node_modules/@nestjs/core/guards/guards-consumer.js:15:17)"},
    {"Next.js",
     "Error: NEXT_REDIRECT\n    at getSession "
     "(/var/task/.next/server/chunks/482-1a2b3c4d5e6f7a8b.js:1:9021)\n    at async Page "
     "(/var/task/.next/server/app/login/page.js:1:2217)",
     "Error: NEXT_REDIRECT\n    at getSession "
     "(/var/task/.next/server/chunks/482-99ab3c4d5e6f7a00.js:1:8800)\n    at async Page "
     "(/var/task/.next/server/app/login/page.js:1:2301)"},
    {"bundle hashes",
     "Error: e\n    at login (https://cdn.acme.com/static/js/main.3f9a2c1b.js:2:1234)\n    at t "
     "(https://cdn.acme.com/static/js/chunk-ABCD1234.js:1:99)",
     "Error: e\n    at login (https://cdn2.acme.com/static/js/main.77aa2c1b.js:2:999)\n    at t "
     "(https://cdn2.acme.com/static/js/chunk-WXYZ9876.js:1:42)"},
    {"vite hashes with letters only",
     "Error: e\n    at login (https://acme.com/assets/index-BxYkQzLm.js:2:1234)",
     "Error: e\n    at login (https://acme.com/assets/index-DpQrStUv.js:2:1)"},
    {"vite hashes with underscore and dash",
     "Error: e\n    at login (https://acme.com/assets/index-B_x-QzL2.js:2:1234)",
     "Error: e\n    at login (https://acme.com/assets/index-Cw9_r-aa.js:2:1)"},
    {"vite queries",
     "Error: e\n    at login (http://localhost:5173/src/Login.vue?t=1700000000000:2:1234)\n    at "
     "r (http://localhost:5173/node_modules/.vite/deps/react.js?v=1a2b3c4d:1:1)",
     "Error: e\n    at login (http://localhost:5174/src/Login.vue:9:1)\n    at r "
     "(http://localhost:5173/node_modules/.vite/deps/react.js?v=ffff3c4d:1:1)"},
    {"pnpm store",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at verify "
     "(/app/node_modules/.pnpm/jsonwebtoken@9.0.1/node_modules/jsonwebtoken/verify.js:2:1)",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at verify "
     "(/app/node_modules/jsonwebtoken/verify.js:5:1)"},
    {"pnpm store with peers",
     "Error: e\n    at verify "
     "(/app/node_modules/.pnpm/@nestjs+core@10.0.0_@nestjs+common@10.0.0_rxjs@7.8.1/node_modules/"
     "@nestjs/core/router.js:2:1)",
     "Error: e\n    at verify "
     "(/srv/node_modules/.pnpm/@nestjs+core@10.1.0_a1b2c3/node_modules/@nestjs/core/"
     "router.js:2:1)"},
    {"yarn cache",
     "Error: e\n    at verify "
     "(/app/.yarn/cache/jsonwebtoken-npm-9.0.1-a1b2c3d4e5-0123456789.zip/node_modules/jsonwebtoken/"
     "verify.js:2:1)",
     "Error: e\n    at verify (/app/node_modules/jsonwebtoken/verify.js:5:1)"},
    {"Safari and V8",
     "login@https://acme.com/assets/app.js:2:9\nhandle@https://acme.com/assets/app.js:3:19\nglobal "
     "code@https://acme.com/assets/app.js:3:19",
     "login@https://acme.com/assets/app.js:5:9\nhandle@https://acme.com/assets/app.js:6:19\nglobal "
     "code@https://acme.com/assets/app.js:7:19"},
    {"webpack internal and named",
     "Error: e\n    at login (webpack-internal:///./src/login.js:2:1)",
     "Error: e\n    at login (webpack://shop/./src/login.js:3:1)"},
    {"webpack layers of Next.js",
     "Error: e\n    at login (webpack-internal:///(rsc)/./src/login.ts:2:1)",
     "Error: e\n    at login (webpack-internal:///(ssr)/./src/login.ts:3:1)"},
    {"Next.js chunks",
     "Error: e\n    at login "
     "(https://acme.com/_next/static/chunks/pages/login-3f9a2c1b77aa0011.js:1:1)\n    at x "
     "(https://acme.com/_next/static/chunks/main-0f1e2d3c4b5a6978.js:1:1)",
     "Error: e\n    at login "
     "(https://acme.com/_next/static/chunks/pages/login-aaaa2c1b77aa0011.js:1:1)\n    at x "
     "(https://acme.com/_next/static/chunks/main-bbbb2d3c4b5a6978.js:1:1)"},
    {"Next.js build id", "Error: e\n    at login (/app/.next/server/chunks/123.js:1:1)",
     "Error: e\n    at login (/srv/.next/server/chunks/123.js:7:1)"},
    {"webpack module number",
     "Error: e\n    at Object.12345 (https://acme.com/main.3f9a2c1b.js:1:1)\n    at login "
     "(https://acme.com/main.3f9a2c1b.js:1:1)",
     "Error: e\n    at Object.67890 (https://acme.com/main.ffff2c1b.js:1:1)\n    at login "
     "(https://acme.com/main.3f9a2c1b.js:1:1)"},
    {"cause with code",
     "Error: e\n    at login (/app/src/login.js:2:1) {\n  code: 'E17',\n  [cause]: Error: connect "
     "ECONNREFUSED 127.0.0.1:5432\n      at TCPConnectWrap.afterConnect [as oncomplete] "
     "(node:net:1494:16) {\n    errno: -111,\n    code: 'ECONNREFUSED'\n  }\n}",
     "Error: e\n    at login (/app/src/login.js:2:1) {\n  code: 'E17',\n  [cause]: Error: connect "
     "ECONNREFUSED 10.0.0.7:5432\n      at TCPConnectWrap.afterConnect [as oncomplete] "
     "(node:net:1595:16) {\n    errno: -111,\n    code: 'ECONNREFUSED'\n  }\n}"},
    {"lines matching cause",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    ... 3 lines matching cause stack trace "
     "...\n    at x (/app/src/x.js:1:1) {\n  [cause]: Error: f\n      at y (/app/src/y.js:1:1)\n}",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    ... 7 lines matching cause stack trace "
     "...\n    at x (/app/src/x.js:1:1) {\n  [cause]: Error: f\n      at y (/app/src/y.js:1:1)\n}"},
    {"ts-node",
     "TypeError: e\n    at AuthService.login (/app/src/auth/auth.service.ts:42:13)\n    at "
     "AuthController.login (/app/src/auth/auth.controller.ts:20:5)",
     "TypeError: e\n    at AuthService.login (/home/ci/jobs/shop/src/auth/auth.service.ts:44:13)\n "
     "   at AuthController.login (/home/ci/jobs/shop/src/auth/auth.controller.ts:21:5)"},
    {"uncaught source excerpt",
     "/app/src/login.js:2\n    throw new Error('e');\n    ^\n\nError: e\n    at login "
     "(/app/src/login.js:2:1)\n\nNode.js v18.17.0",
     "/app/src/login.js:5\n    throw new Error('e');\n    ^\n\nError: e\n    at login "
     "(/app/src/login.js:5:1)\n\nNode.js v20.1.0"},
    {"module loader of versions",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at Module._compile "
     "(node:internal/modules/cjs/loader:1256:14)\n    at Module._extensions..js "
     "(node:internal/modules/cjs/loader:1310:10)",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at Module._compile "
     "(node:internal/modules/cjs/loader:1376:14)\n    at Module._extensions..js "
     "(node:internal/modules/cjs/loader:1435:10)"},
    {"blob",
     "Error: e\n    at login (blob:https://acme.com/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:1:1)",
     "Error: e\n    at login (blob:https://acme.com/aaaa2d3c-4b5a-6978-8796-a5b4c3d2e1f0:1:1)"},
    {"wasm",
     "RuntimeError: unreachable\n    at login (wasm://wasm/0012ab34:wasm-function[123]:0x1a2b)",
     "RuntimeError: unreachable\n    at login (wasm://wasm/00ffab34:wasm-function[130]:0x1fff)"},
    {"Deno", "Error: e\n    at login (https://deno.land/std@0.190.0/http/server.ts:1:1)",
     "Error: e\n    at login (https://deno.land/std@0.200.0/http/server.ts:3:1)"},
    {"electron asar", "Error: e\n    at login (/opt/Shop/resources/app.asar/dist/login.js:1:1)",
     "Error: e\n    at login "
     "(C:\\Users\\u\\AppData\\Local\\Shop\\app-1.2.3\\resources\\app.asar\\dist\\login.js:1:1)"},
    {"error cause label",
     "Error: e\n    at login (/app/src/login.js:2:1)\nCaused by: TypeError: f\n    at read "
     "(/app/src/read.js:2:1)",
     "Error: e\n    at login (/app/src/login.js:3:1)\nCaused by: TypeError: g\n    at read "
     "(/app/src/read.js:4:1)"},
    {"angular esbuild chunks",
     "Error: e\n    at login (https://acme.com/main-ABCDEF12.js:1:1)\n    at t "
     "(https://acme.com/chunk-2XJVAMHT.js:1:1)",
     "Error: e\n    at login (https://acme.com/main-ZYXWVU98.js:1:1)\n    at t "
     "(https://acme.com/chunk-QWERTYUI.js:1:1)"},
    {"turbopack",
     "Error: e\n    at login (https://acme.com/_next/static/chunks/0a1b2c3d4e5f.js:1:1)",
     "Error: e\n    at login (https://acme.com/_next/static/chunks/ffff2c3d4e5f.js:1:1)"},
    {"rollup hashes with few capitals",
     "Error: e\n    at login (https://acme.com/assets/vendor-B7x9k2qp.js:2:1)",
     "Error: e\n    at login (https://acme.com/assets/vendor-k3m9x2ab.js:2:1)"},
    {"sveltekit",
     "Error: e\n    at login (https://acme.com/_app/immutable/nodes/2.DpQrStUv.js:2:1)",
     "Error: e\n    at login (https://acme.com/_app/immutable/nodes/2.BxYkQzLm.js:2:1)"},
    {"nuxt", "Error: e\n    at login (https://acme.com/_nuxt/DpQrStUv.js:2:1)",
     "Error: e\n    at login (https://acme.com/_nuxt/BxYkQzLm.js:2:1)"},
    {"webpack chunk ids",
     "Error: e\n    at login (https://acme.com/static/js/2.3f9a2c1b.chunk.js:2:1)",
     "Error: e\n    at login (https://acme.com/static/js/2.77aa2c1b.chunk.js:2:1)"},
    {"jest and vitest",
     "Error: e\n    at Object.<anonymous> (/app/src/login.test.ts:2:1)\n    at runTest "
     "(file:///app/node_modules/vitest/dist/runners.js:1:1)",
     "Error: e\n    at Object.<anonymous> (/ci/src/login.test.ts:3:1)\n    at runTest "
     "(/ci/node_modules/vitest/dist/runners.js:9:1)"},
    {"AWS lambda",
     "Error: e\n    at Runtime.handler (/var/task/src/login.js:2:1)\n    at "
     "Runtime.handleOnceNonStreaming (file:///var/runtime/index.mjs:1173:29)",
     "Error: e\n    at Runtime.handler (/var/task/src/login.js:5:1)\n    at "
     "Runtime.handleOnceNonStreaming (file:///var/runtime/index.mjs:1205:29)"},
    {"windows file url", "Error: e\n    at login (file:///C:/shop/src/auth/login.js:2:1)",
     "Error: e\n    at login (/app/src/auth/login.js:2:1)"},
    {"aggregate errors",
     "AggregateError: all\n    at login (/app/src/login.js:2:1) {\n  [errors]: [\n    Error: a\n   "
     "     at x (/app/src/x.js:1:1),\n    Error: b\n        at y (/app/src/y.js:1:1)\n  ]\n}",
     "AggregateError: all\n    at login (/app/src/login.js:3:1) {\n  [errors]: [\n    Error: a2\n  "
     "      at x (/app/src/x.js:2:1),\n    Error: b\n        at y (/app/src/y.js:2:1)\n  ]\n}"},
    {"query of Safari",
     "login@https://acme.com/assets/app.js?v=17:2:9\n@https://acme.com/assets/app.js?v=17:9:9",
     "login@https://acme.com/assets/app.js?v=18:3:9\n@https://acme.com/assets/app.js?v=18:8:9"},
    {"axios and core libraries",
     "AxiosError: e\n    at settle (/app/node_modules/axios/dist/node/axios.cjs:1268:12)\n    at "
     "IncomingMessage.handleStreamEnd (/app/node_modules/axios/dist/node/axios.cjs:2446:11)\n    "
     "at IncomingMessage.emit (node:events:525:35)",
     "AxiosError: e\n    at settle (/srv/node_modules/axios/dist/node/axios.cjs:2019:12)\n    at "
     "IncomingMessage.handleStreamEnd (/srv/node_modules/axios/dist/node/axios.cjs:3135:11)\n    "
     "at IncomingMessage.emit (node:events:530:35)"},
    {"bun", "error: e\n      at login (/app/src/login.ts:2:1)\n      at native:7:39",
     "error: e\n      at login (/app/src/login.ts:4:1)\n      at native:9:12"},
    {"generated async helper",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at Generator.next (<anonymous>)\n    at "
     "fulfilled (/app/src/login.js:5:58)",
     "Error: e\n    at login (/app/src/login.js:3:1)\n    at Generator.next (<anonymous>)\n    at "
     "fulfilled (/app/src/login.js:6:58)"},
    {"cause of jsonwebtoken",
     "AuthError: e\n    at login (/app/src/login.js:2:1) {\n  status: 401,\n  [cause]: "
     "JsonWebTokenError: invalid 17\n      at verify "
     "(/app/node_modules/jsonwebtoken/verify.js:1:1)\n}",
     "AuthError: e\n    at login (/app/src/login.js:2:1) {\n  status: 401,\n  [cause]: "
     "JsonWebTokenError: invalid 18\n      at verify "
     "(/app/node_modules/jsonwebtoken/verify.js:9:1)\n}"},
    {"private methods", "Error: e\n    at Login.#check (/app/src/login.js:2:1)",
     "Error: e\n    at Login.#check (/app/src/login.js:3:1)"},
    {"edge bundles of Next.js",
     "Error: e\n    at login (/app/.next/server/app/api/login/route.js:1:1)",
     "Error: e\n    at login (/srv/web/.next/server/app/api/login/route.js:2:1)"},
    {"react component stack",
     "Error: e\n    at login (https://acme.com/app.js:1:2)\n    at div\n    at LoginForm "
     "(https://acme.com/app.js:3:2)",
     "Error: e\n    at login (https://acme.com/app.js:9:2)\n    at div\n    at LoginForm "
     "(https://acme.com/app.js:8:2)"},
    {"esm queries", "Error: e\n    at login (file:///app/src/a.mjs?update=1700000000000:1:2)",
     "Error: e\n    at login (file:///app/src/a.mjs:1:2)"},
    {"vite fs",
     "Error: e\n    at login (http://localhost:5173/@fs/home/u/shop/src/auth/a.ts?t=17:1:2)",
     "Error: e\n    at login (http://localhost:5173/src/auth/a.ts:1:2)"},
    {"sentry frames of hashes with dots",
     "Error: e\n    at login (app:///static/js/main.3f9a2c1b.js:1:2)",
     "Error: e\n    at login (app:///static/js/main.77aa2c1b.js:1:9)"},
    {"chunk folders by release",
     "Error: e\n    at login (https://cdn.acme.com/shop/1.2.3/js/app.js:1:2)",
     "Error: e\n    at login (https://cdn.acme.com/shop/1.3.0/js/app.js:1:2)"},
    {"commit folders", "Error: e\n    at login (https://cdn.acme.com/0f1e2d3c4b5a/js/app.js:1:2)",
     "Error: e\n    at login (https://cdn.acme.com/aaaa2d3c4b5a/js/app.js:1:2)"},
    {"hoisted modules",
     "Error: e\n    at verify (/app/packages/api/node_modules/jsonwebtoken/verify.js:2:1)",
     "Error: e\n    at verify (/app/node_modules/jsonwebtoken/verify.js:5:1)"},
    {"monorepo place", "Error: e\n    at login (/builds/acme/shop/packages/auth/src/login.ts:2:1)",
     "Error: e\n    at login (/app/packages/auth/src/login.ts:5:1)"},
    {"escaped newlines",
     "UnauthorizedError: jwt expired\\n    at verify (/app/src/auth/jwt.js:3:5)\\n    at async "
     "Login.check (/app/src/auth/login.js:7:9)",
     "UnauthorizedError: jwt expired\n    at verify (/app/src/auth/jwt.js:4:5)\n    at async "
     "Login.check (/app/src/auth/login.js:8:9)"},
    {"one line",
     "UnauthorizedError: jwt expired at verify (/app/src/auth/jwt.js:3:5) at async Login.check "
     "(/app/src/auth/login.js:7:9)",
     "UnauthorizedError: jwt expired\n    at verify (/app/src/auth/jwt.js:4:5)\n    at async "
     "Login.check (/app/src/auth/login.js:8:9)"},
    {"Metro's query",
     "    at check "
     "(http://192.168.0.7:8081/index.bundle?platform=android&dev=true&minify=false:123:45)",
     "    at check "
     "(http://localhost:8081/index.bundle//"
     "&platform=ios&dev=true&minify=false&modulesOnly=false:124:45)"},
    {"Deno's event loop",
     "    at verify (file:///app/src/auth/jwt.ts:3:5)\n    at ext:deno_http/00_serve.ts:375:18\n   "
     " at eventLoopTick (ext:core/01_core.js:168:7)",
     "    at verify (file:///srv/app/src/auth/jwt.ts:9:5)\n    at "
     "ext:deno_http/00_serve.ts:369:18\n    at eventLoopTick (ext:core/01_core.js:175:7)"},
    {"package's version at deno.land", "    at decode (https://deno.land/x/djwt@v3.0.2/mod.ts:3:5)",
     "    at decode (https://deno.land/x/djwt@v2.9.1/mod.ts:4:5)"},
    {"container of an iOS app",
     "check@/private/var/containers/Bundle/Application/0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0/"
     "Shop.app/main.jsbundle:12:345\nhttp://localhost/unrelated",
     "check@/private/var/containers/Bundle/Application/FFFFFFFF-4B5A-6978-8796-A5B4C3D2E1F0/"
     "Shop.app/main.jsbundle:12:999"},
    {"folder with a prefix like an escape", "    at verify (C:\\new\\auth\\jwt.js:3:5)",
     "    at verify (D:\\news\\auth\\jwt.js:3:5)"},
    {"list of errors",
     "AggregateError: All promises were rejected\n    at main (/app/src/auth/login.js:3:5) {\n  "
     "[errors]: [\n    Error: one\n        at a (/app/src/auth/a.js:3:5),\n    Error: two\n        "
     "at b (/app/src/auth/b.js:3:5)\n  ]\n}",
     "AggregateError: All promises were rejected\n    at main (/app/src/auth/login.js:4:5) {\n  "
     "[errors]: [\n    Error: one\n        at a (/app/src/auth/a.js:4:5),\n    Error: two\n        "
     "at b (/app/src/auth/b.js:4:5)\n  ]\n}"},
});

constexpr auto kParting = std::to_array<TracePair>({
    {"function", "    at login (/app/auth/login.js:42:7)",
     "    at logout (/app/auth/login.js:42:7)"},
    {"file", "    at login (/app/auth/login.js:42:7)", "    at login (/app/auth/token.js:42:7)"},
    {"folder", "    at handler (/app/users/index.js:42:7)",
     "    at handler (/app/orders/index.js:42:7)"},
    {"package", "    at next (/app/node_modules/express/lib/index.js:1:2)",
     "    at next (/app/node_modules/koa/lib/index.js:1:2)"},
    {"scoped package", "    at f (/app/node_modules/@nestjs/core/index.js:1:2)",
     "    at f (/app/node_modules/@nestjs/passport/index.js:1:2)"},
    {"class", "    at Login.check (/app/auth/login.js:42:7)",
     "    at Token.check (/app/auth/login.js:42:7)"},
    {"bundle", "    at t (https://shop.example/static/js/main.3f2a9c1b.js:2:1)",
     "    at t (https://shop.example/static/js/vendor.3f2a9c1b.js:2:1)"},
    {"nameless and named", "    at /app/auth/login.js:42:7",
     "    at login (/app/auth/login.js:42:7)"},
    {"caller", "    at login (/app/a/b.js:1:1)\n    at one (/app/a/b.js:1:1)",
     "    at login (/app/a/b.js:1:1)\n    at two (/app/a/b.js:1:1)"},
    {"numbered function", "    at step1 (/app/a/b.js:1:1)", "    at step2 (/app/a/b.js:1:1)"},
    {"cause's class", "Error: x\n    at login (/app/a/b.js:1:1) {\n  [cause]: TypeError: a\n}",
     "Error: x\n    at login (/app/a/b.js:1:1) {\n  [cause]: RangeError: a\n}"},
    {"a cause more", "Error: x\n    at login (/app/a/b.js:1:1) {\n  [cause]: TypeError: a\n}",
     "Error: x\n    at login (/app/a/b.js:1:1)"},
    {"Firefox, function", "login@https://shop.example/auth/login.js:42:7",
     "logout@https://shop.example/auth/login.js:42:7"},
    {"Firefox, file", "login@https://shop.example/auth/login.js:42:7",
     "login@https://shop.example/auth/token.js:42:7"},
    {"constructor and method", "Error: e\n    at new Login (/app/src/a.js:2:1)",
     "Error: e\n    at Login.check (/app/src/a.js:2:1)"},
    {"numbered file", "Error: e\n    at check (/app/src/auth/oauth1.js:2:1)",
     "Error: e\n    at check (/app/src/auth/oauth2.js:2:1)"},
    {"words after a dash", "Error: e\n    at check (/app/src/auth/login-service.js:2:1)",
     "Error: e\n    at check (/app/src/auth/login-session.js:2:1)"},
    {"words of eight letters after a dash",
     "Error: e\n    at check (https://acme.com/assets/auth-passport.js:2:1)",
     "Error: e\n    at check (https://acme.com/assets/auth-recovery.js:2:1)"},
    {"words of eight letters after a dot", "Error: e\n    at check (/app/src/user.provider.ts:2:1)",
     "Error: e\n    at check (/app/src/user.resolver.ts:2:1)"},
    {"api versions", "Error: e\n    at login (/app/src/api/v1/login.js:2:1)",
     "Error: e\n    at login (/app/src/api/v2/login.js:2:1)"},
    {"promise combinators",
     "Error: e\n    at login (/app/src/login.js:2:1)\n    at async Promise.all (index 0)",
     "Error: e\n    at logout (/app/src/login.js:2:1)\n    at async Promise.any (index 0)"},
    {"accessors", "Error: e\n    at get user (/app/src/login.js:2:1)",
     "Error: e\n    at get token (/app/src/login.js:2:1)"},
    {"private and other methods", "Error: e\n    at Login.#check (/app/src/login.js:2:1)",
     "Error: e\n    at Login.#verify (/app/src/login.js:2:1)"},
    {"index files of folders", "Error: e\n    at handler (/app/pages/api/login/index.js:2:1)",
     "Error: e\n    at handler (/app/pages/api/reset/index.js:2:1)"},
    {"middle words of file names", "Error: e\n    at check (/app/src/user.Guards.ts:2:1)",
     "Error: e\n    at check (/app/src/user.Filter.ts:2:1)"},
    {"numbers of names after a dash", "Error: e\n    at check (/app/src/auth/auth-oauth1.js:2:1)",
     "Error: e\n    at check (/app/src/auth/auth-oauth2.js:2:1)"},
    {"capitalised words after a dash",
     "Error: e\n    at check (/app/src/auth/Auth-Provider.js:2:1)",
     "Error: e\n    at check (/app/src/auth/Auth-Recovery.js:2:1)"},
    {"bracketed routes of Next.js", "Error: e\n    at GET (/app/app/api/[id]/login/route.ts:2:1)",
     "Error: e\n    at GET (/app/app/api/[id]/reset/route.ts:2:1)"},
    {"extensions", "Error: e\n    at check (/app/src/auth.client.ts:2:1)",
     "Error: e\n    at check (/app/src/auth.server.ts:2:1)"},
    {"anonymous functions of files", "Error: e\n    at /app/src/login.js:2:1",
     "Error: e\n    at /app/src/reset.js:2:1"},
    {"node modules", "Error: e\n    at read (node:internal/fs/read:2:1)",
     "Error: e\n    at read (node:internal/http2/core:2:1)"},
    {"http1 and http2 files", "Error: e\n    at send (/app/src/http1.js:2:1)",
     "Error: e\n    at send (/app/src/http2.js:2:1)"},
    {"es5 and es6 builds", "Error: e\n    at send (/app/node_modules/x/es5/a.js:2:1)",
     "Error: e\n    at send (/app/node_modules/y/es5/a.js:2:1)"},
    {"pages of Vite", "    at verify (https://shop.example/assets/LoginPage-DiwrgTda.js:3:5)",
     "    at verify (https://shop.example/assets/OrderPage-DiwrgTda.js:3:5)"},
});

}  // namespace

LanguageCases javascriptCases() {
  return {.language = "JavaScript", .meeting = kMeeting, .parting = kParting};
}

}  // namespace auth_errors::domain
