// The cost of computing an error's stack_hash: traces of the maximum stored length, 8,000
// characters, in each language, and worst-case texts. The reference of the same run reads each byte
// once, to validate UTF-8. Excludes the SHA-256 of the result, which `digest` measures.
#include <array>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "domain/scrub/sanitiser.h"
#include "domain/stack/stack_hash.h"
#include "domain/values/hex.h"
#include "domain/values/utf8.h"
#include "platform/hashing/digest.h"

namespace {

using namespace auth_errors;

struct Language {
  std::string_view head;
  std::string_view frame;  // '#' becomes a letter, so that no frame looks like recursion
};

constexpr Language kJava{
    .head =
        "org.springframework.security.authentication.BadCredentialsException: Bad credentials\n",
    .frame =
        "\tat com.acme.auth.web.LoginController#$$EnhancerBySpringCGLIB$$3f2a9c1b.lambda$login$0("
        "LoginController.java:142) ~[app.jar:1.4.2]\n"};
constexpr Language kPython{
    .head = "Traceback (most recent call last):\n",
    .frame =
        "  File \"/opt/venv/lib/python3.11/site-packages/django/contrib/auth/views.py\", line 142, "
        "in login#\n    return self.form_valid(form)\n"};
constexpr Language kJavascript{.head = "UnauthorizedError: jwt expired\n",
                               .frame =
                                   "    at async Login#.verify [as check] "
                                   "(/app/node_modules/.pnpm/express@4.18.2/node_modules/"
                                   "express/lib/router/layer.js:142:19)\n"};
constexpr Language kFirefox{
    .head = "",
    .frame = "async*login#/<@https://shop.example/static/js/main.3f2a9c1b.chunk.js?v=17:2:14217\n"};
constexpr Language kGo{.head = "panic: runtime error\n\ngoroutine 33 [running]:\n",
                       .frame =
                           "github.com/acme/shop/auth.(*Handler#).Login.func1.2(0xc0000b4000, "
                           "{0x9b2c40, 0xc0002ee0})\n"
                           "\t/home/ci/builds/1234/src/auth/handler.go:58 +0x1c5\n"};
constexpr Language kDotnet{
    .head = "Acme.DeniedException: no\n",
    .frame =
        "   at Acme.Web.Login#.<>c__DisplayClass3_0.<<CheckAsync>b__1>d.MoveNext() in "
        "C:\\build\\1234\\src\\Login.cs:line 142\n"};
constexpr Language kRuby{
    .head = "",
    .frame =
        "\tfrom /usr/local/bundle/ruby/3.2.0/gems/devise-4.9.2/lib/devise/models.rb:142:in `block "
        "(2 "
        "levels) in valid#'\n"};
constexpr Language kPhp{
    .head = "PHP Fatal error:  Uncaught App\\Denied: no in /a/b.php:3\nStack trace:\n",
    .frame =
        "#12 /srv/releases/20240101/vendor/laravel/framework/src/Pipeline.php(180): App\\Http\\"
        "Login#->check(Object(Illuminate\\Http\\Request), Array)\n"};
constexpr Language kRust{
    .head = "thread 'main' panicked at src/main.rs:4:5:\nno\nstack backtrace:\n",
    .frame =
        "  12: <shop::auth::Guard# as "
        "actix_web::guard::Guard>::check::{{closure}}::h0123456789abcdef\n"
        "             at ./src/auth.rs:142:9\n"};
constexpr Language kCpp{.head = "==1234==ERROR: AddressSanitizer: heap-use-after-free\n",
                        .frame =
                            "    #12 0x55d0c0de in void auth::Cache<std::string, "
                            "shop::User>::get#(std::string const&, int) "
                            "const /build/1234/auth/cache.cc:142:7\n"};

// All frames belong to the first goroutine, exception and so on: none is skipped.
std::string traceOf(const Language& language) {
  std::string trace(language.head);
  for (std::size_t i = 0; trace.size() < domain::kMaxStacktraceCodePoints; ++i) {
    const std::size_t mark = language.frame.find_last_of("#");
    trace.append(language.frame.substr(0, mark));
    trace += static_cast<char>('a' + (i % 26));
    trace += static_cast<char>('a' + (i / 26));
    trace.append(language.frame.substr(mark + 1));
  }
  trace.resize(domain::kMaxStacktraceCodePoints);
  return trace;
}

domain::FaultTexts faultOf(std::string_view trace) {
  return {.exceptionClass = "com.acme.LoginException",
          .rootCauseClass = "java.sql.SQLException",
          .exceptionMessage = "no user 17",
          .stacktrace = trace};
}

void measure(benchmark::State& state, const std::string& trace) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(domain::stackHashContent(faultOf(trace)));
  }
  state.counters["frames"] = static_cast<double>(domain::fingerprint(faultOf(trace)).frames.size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(trace.size()));
}

void readOnce(benchmark::State& state) {
  const std::string trace = traceOf(kJava);
  for (auto _ : state) {
    benchmark::DoNotOptimize(domain::isValidUtf8(trace));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(trace.size()));
}
BENCHMARK(readOnce);

void digest(benchmark::State& state) {
  const std::string content = domain::stackHashContent(faultOf(traceOf(kJava)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(domain::toHex(hashing::sha256(content)));
  }
}
BENCHMARK(digest);

void hashTrace(benchmark::State& state, const Language& language) {
  measure(state, traceOf(language));
}
BENCHMARK_CAPTURE(hashTrace, java, kJava);
BENCHMARK_CAPTURE(hashTrace, python, kPython);
BENCHMARK_CAPTURE(hashTrace, javascript, kJavascript);
BENCHMARK_CAPTURE(hashTrace, firefox, kFirefox);
BENCHMARK_CAPTURE(hashTrace, go, kGo);
BENCHMARK_CAPTURE(hashTrace, dotnet, kDotnet);
BENCHMARK_CAPTURE(hashTrace, ruby, kRuby);
BENCHMARK_CAPTURE(hashTrace, php, kPhp);
BENCHMARK_CAPTURE(hashTrace, rust, kRust);
BENCHMARK_CAPTURE(hashTrace, cpp, kCpp);

void hashHostile(benchmark::State& state, std::string_view unit) {
  std::string trace;
  while (trace.size() < domain::kMaxStacktraceCodePoints) {
    trace += unit;
  }
  measure(state, trace + "\n\n.");
}
BENCHMARK_CAPTURE(hashHostile, brackets, "at a<(");
BENCHMARK_CAPTURE(hashHostile, nested, "1: <<<<A as B>::");
BENCHMARK_CAPTURE(hashHostile, receivers, "at a.(*(*(*(*b))))");
BENCHMARK_CAPTURE(hashHostile, mangled, "at _ZN1aI1bL");
BENCHMARK_CAPTURE(hashHostile, times, "2026-01-02T03:04:05 [a] [b] [c]");
BENCHMARK_CAPTURE(hashHostile, dollars, "$");
BENCHMARK_CAPTURE(hashHostile, separators, "::");
BENCHMARK_CAPTURE(hashHostile, causes, "Caused by: A\n");
BENCHMARK_CAPTURE(hashHostile, frames, "at a\nat b\nat c\nat d\nat e\n");
BENCHMARK_CAPTURE(hashHostile, quotes, "#1 0x1 in '\"(");
BENCHMARK_CAPTURE(hashHostile, lines, "a\n");
BENCHMARK_CAPTURE(hashHostile, bars, "| ");
BENCHMARK_CAPTURE(hashHostile, entities, "&amp");

// A one-line text, so that it is read a second time.
void hashJoined(benchmark::State& state, std::string_view unit) {
  std::string trace;
  while (trace.size() < domain::kMaxStacktraceCodePoints) {
    trace += unit;
  }
  measure(state, trace);
}
BENCHMARK_CAPTURE(hashJoined, java,
                  " at com.acme.auth.web.LoginController$$EnhancerBySpringCGLIB$$3f2a9c1b.login("
                  "LoginController.java:142) ~[app.jar:1.4.2]");
BENCHMARK_CAPTURE(hashJoined, places, " at a (");
BENCHMARK_CAPTURE(hashJoined, escapes, "\\n\\t");

}  // namespace

BENCHMARK_MAIN();
