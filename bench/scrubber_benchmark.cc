// The cost of sanitising a request: typical traces, and worst-case texts from hostile clients. The
// baseline in the same run reads each byte once, to validate UTF-8.
#include <array>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "domain/scrub/sanitiser.h"
#include "domain/values/utf8.h"

namespace {

using namespace auth_errors::domain;

constexpr std::string_view kHead =
    "org.springframework.security.authentication.BadCredentialsException: Bad credentials for "
    "bob@example.com, password=hunter2\n";

constexpr auto kFrames = std::to_array<std::string_view>({
    "\tat org.springframework.security.authentication.dao.DaoAuthenticationProvider."
    "additionalAuthenticationChecks(DaoAuthenticationProvider.java:79)\n",
    "\tat org.springframework.security.authentication.ProviderManager.authenticate("
    "ProviderManager.java:182) ~[spring-security-core-6.2.1.jar:6.2.1]\n",
    "\tat com.acme.auth.TokenService.lambda$refresh$3(TokenService.java:214)\n",
    "\tat jdk.internal.reflect.GeneratedMethodAccessor1247.invoke(Unknown Source)\n",
    "\tat org.apache.catalina.core.ApplicationFilterChain.doFilter(ApplicationFilterChain.java:"
    "164)\n",
    "\tat java.base/java.lang.Thread.run(Thread.java:1583)\n",
    "Caused by: io.jsonwebtoken.ExpiredJwtException: JWT expired at 2026-01-01T00:00:00Z: "
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl\n",
});

std::string traceOf(std::size_t size) {
  std::string trace(kHead);
  for (std::size_t i = 0; trace.size() < size; ++i) {
    trace += kFrames[i % kFrames.size()];
  }
  trace.resize(size);
  return trace;
}

std::string repeated(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += unit;
  }
  return text;
}

void measure(benchmark::State& state, const std::string& text) {
  const ScrubContext context{.userId = "alice42", .sessionId = "f00-ba7"};
  for (auto _ : state) {
    benchmark::DoNotOptimize(sanitise(text, kMaxStacktraceCodePoints, context));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}

void readOnce(benchmark::State& state) {
  const std::string text = traceOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(isValidUtf8(text));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(readOnce)->Arg(2 << 10)->Arg(8 << 10);

void sanitiseTrace(benchmark::State& state) {
  measure(state, traceOf(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(sanitiseTrace)->Arg(2 << 10)->Arg(8 << 10)->Arg(1 << 20);

void sanitiseHostile(benchmark::State& state, std::string_view unit) {
  measure(state, repeated(unit, std::size_t{1} << 20U));
}
BENCHMARK_CAPTURE(sanitiseHostile, at, "a@");
BENCHMARK_CAPTURE(sanitiseHostile, colons, "::");
BENCHMARK_CAPTURE(sanitiseHostile, quotes, "\"'`");
BENCHMARK_CAPTURE(sanitiseHostile, markers, "[redacted:");
BENCHMARK_CAPTURE(sanitiseHostile, labels, "password=a ");
BENCHMARK_CAPTURE(sanitiseHostile, escapes, "\\\\\"");
BENCHMARK_CAPTURE(sanitiseHostile, brackets, "login(");
BENCHMARK_CAPTURE(sanitiseHostile, tuples, "('password',");
BENCHMARK_CAPTURE(sanitiseHostile, words, "password otp token ");
BENCHMARK_CAPTURE(sanitiseHostile, codes, "otp 12 ");
BENCHMARK_CAPTURE(sanitiseHostile, opaque, "q7RtZx0Lw9KpV2mN ");
BENCHMARK_CAPTURE(sanitiseHostile, nearlyOpaque, "q7RtZx0Lw9KpV2m-");
BENCHMARK_CAPTURE(sanitiseHostile, hexDump, "token 5D 88 ");
BENCHMARK_CAPTURE(sanitiseHostile, percent, "%3Aa");

}  // namespace

BENCHMARK_MAIN();
