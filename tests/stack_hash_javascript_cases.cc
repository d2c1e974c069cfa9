#include <array>

#include "tests/stack_hash_cases.h"

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
    {"bundle's hash behind a dash",
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
});

}  // namespace

LanguageCases javascriptCases() {
  return {.language = "JavaScript", .meeting = kMeeting, .parting = kParting};
}

}  // namespace auth_errors::domain
