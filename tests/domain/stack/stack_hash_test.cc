#include "domain/stack/stack_hash.h"

#include <algorithm>
#include <format>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/scrub/sanitiser.h"
#include "domain/stack/message.h"
#include "domain/values/utf8.h"
#include "tests/domain/stack/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<LanguageCases> languages() {
  return {javaCases(),   kotlinCases(), pythonCases(), javascriptCases(), goCases(),
          dotnetCases(), rubyCases(),   phpCases(),    rustCases(),       cppCases()};
}

FaultTexts faultOf(std::string_view trace) {
  return {
      .exceptionClass = "E", .rootCauseClass = "", .exceptionMessage = "m", .stacktrace = trace};
}

StackFingerprint ofTrace(std::string_view trace) { return fingerprint(faultOf(trace)); }

FaultTexts faultWithMessage(std::string_view message) {
  return {
      .exceptionClass = "E", .rootCauseClass = "", .exceptionMessage = message, .stacktrace = ""};
}

std::vector<std::string> tracesOf(const LanguageCases& language) {
  std::vector<std::string> traces;
  for (const auto pairs : {language.meeting, language.parting}) {
    for (const TracePair& pair : pairs) {
      traces.emplace_back(pair.one);
      traces.emplace_back(pair.other);
    }
  }
  return traces;
}

std::vector<std::string> allTraces() {
  std::vector<std::string> all;
  for (const LanguageCases& language : languages()) {
    std::ranges::move(tracesOf(language), std::back_inserter(all));
  }
  return all;
}

// The hashed content in readable form, for messages of failing tests.
std::string shown(std::string_view trace) { return stackHashContent(faultOf(trace)); }

TEST(StackHash, IsEqualForTheSameFaultOfAnotherBuildMachineOrRun) {
  for (const LanguageCases& language : languages()) {
    for (const TracePair& pair : language.meeting) {
      EXPECT_EQ(shown(pair.one), shown(pair.other)) << language.language << ": " << pair.name;
    }
  }
}

TEST(StackHash, DiffersForAnotherFault) {
  for (const LanguageCases& language : languages()) {
    for (const TracePair& pair : language.parting) {
      EXPECT_NE(shown(pair.one), shown(pair.other)) << language.language << ": " << pair.name;
    }
  }
}

TEST(StackHash, FindsAFrameInEveryTrace) {
  for (const std::string& trace : allTraces()) {
    EXPECT_FALSE(ofTrace(trace).frames.empty()) << trace;
  }
}

TEST(StackHash, HasAtLeastSixHundredPairs) {
  std::size_t pairs = messageCases().meeting.size() + messageCases().parting.size();
  for (const LanguageCases& language : languages()) {
    EXPECT_FALSE(language.meeting.empty()) << language.language;
    EXPECT_FALSE(language.parting.empty()) << language.language;
    pairs += language.meeting.size() + language.parting.size();
  }
  EXPECT_GE(pairs, 600U);
}

TEST(StackHash, IsEqualForMessagesThatDifferInTheirValues) {
  for (const TracePair& pair : messageCases().meeting) {
    EXPECT_EQ(stackHashContent(faultWithMessage(pair.one)),
              stackHashContent(faultWithMessage(pair.other)))
        << pair.name;
  }
}

TEST(StackHash, DiffersForMessagesThatDifferInTheirWords) {
  for (const TracePair& pair : messageCases().parting) {
    EXPECT_NE(stackHashContent(faultWithMessage(pair.one)),
              stackHashContent(faultWithMessage(pair.other)))
        << pair.name;
  }
}

TEST(StackHash, CoversItsVersionTheClassesAndTheFrames) {
  EXPECT_EQ(
      stackHashContent({.exceptionClass = "a.E",
                        .rootCauseClass = "a.R",
                        .exceptionMessage = "m",
                        .stacktrace = "a.E: m\n\tat a.B.c(B.java:42)\nCaused by: a.F: x\n"
                                      "\tat a.B.d(B.java:7)\nCaused by: a.R: x\n\t... 3 more"}),
      std::format("stack-hash-{}\nclass a.E\nclass a.F\nclass a.R\nat a.B.c\nat a.B.d",
                  kStackHashVersion));
  EXPECT_EQ(fingerprint({}).version, kStackHashVersion);
}

TEST(StackHash, NormalisesFramesIdempotently) {
  for (const std::string& trace : allTraces()) {
    const StackFingerprint once = ofTrace(trace);
    std::string again;
    for (const std::string& frame : once.frames) {
      again += "at " + frame + "\n";
    }
    EXPECT_EQ(ofTrace(again).frames, once.frames) << trace;
  }
}

TEST(StackHash, ParameterisesMessagesIdempotently) {
  for (const std::string& message : tracesOf(messageCases())) {
    EXPECT_EQ(parameterised(parameterised(message)), parameterised(message)) << message;
  }
}

TEST(StackHash, ShowsFramesWithoutLineNumbersAndAddresses) {
  EXPECT_THAT(ofTrace("  File \"/app/auth/views.py\", line 42, in login").frames,
              ElementsAre("login (auth/views.py)"));
  EXPECT_THAT(ofTrace("main.(*Server).Login.func1(0xc00001)\n\t/app/main.go:42 +0x1d").frames,
              ElementsAre("main.Server.Login"));
  EXPECT_THAT(ofTrace("    at async /app/node_modules/koa/lib/index.js:4:2").frames,
              ElementsAre("(node_modules/koa/lib/index.js)"));
  EXPECT_THAT(ofTrace("    at verify (https://a.example/assets/main.3f2a9c1b.js?x=1:4:2)").frames,
              ElementsAre("verify (main.js)"));
  EXPECT_THAT(ofTrace("#0 /a/b.php(4): App\\Login->check('x')").frames,
              ElementsAre("App\\Login->check"));
  EXPECT_THAT(ofTrace("   at Acme.Login.<>c__DisplayClass3_0.<<Check>b__1>d.MoveNext()").frames,
              ElementsAre("Acme.Login.Check"));
  EXPECT_THAT(ofTrace("   4: <shop::Guard as web::Guard>::check::{{closure}}").frames,
              ElementsAre("shop::Guard::check"));
  EXPECT_THAT(ofTrace("    #0 0x4a in void auth::A<int>::get(int) const /a/b.cc:1:2").frames,
              ElementsAre("auth::A::get"));
  EXPECT_THAT(ofTrace("devise (4.9.2) lib/devise/models.rb:12:in `block in valid?'").frames,
              ElementsAre("valid? (gems/devise/lib/devise/models.rb)"));
}

TEST(StackHash, UsesTheMessageOnlyWithoutFrames) {
  FaultTexts fault = faultOf("at a.B.c(B.java:42)");
  const std::string withFrame = stackHashContent(fault);
  fault.exceptionMessage = "another";
  EXPECT_EQ(stackHashContent(fault), withFrame);
  EXPECT_THAT(fingerprint(fault).message, IsEmpty());
  fault.stacktrace = "no frames here";
  EXPECT_EQ(fingerprint(fault).message, "another");
}

TEST(StackHash, UsesTheFirstLineOfATraceWithoutFrameOrMessage) {
  EXPECT_EQ(fingerprint({.exceptionClass = "E",
                         .rootCauseClass = "",
                         .exceptionMessage = "",
                         .stacktrace = "E: no user 17\nand so on"})
                .message,
            "E: no user <*>");
}

TEST(StackHash, DiffersForAnotherClassOrRootCause) {
  FaultTexts fault = faultOf("at a.B.c(B.java:42)");
  const std::string same = stackHashContent(fault);
  fault.rootCauseClass = "R";
  EXPECT_NE(stackHashContent(fault), same);
  fault.rootCauseClass = "";
  fault.exceptionClass = "F";
  EXPECT_NE(stackHashContent(fault), same);
}

TEST(StackHash, CountsARootCauseOnce) {
  FaultTexts fault = faultOf("E\n\tat a.B.c(B.java:1)\nCaused by: a.R: x\n\t... 3 more");
  const std::string same = stackHashContent(fault);
  for (const std::string_view root : {"a.R", "R"}) {
    fault.rootCauseClass = root;
    EXPECT_EQ(stackHashContent(fault), same);
  }
}

TEST(StackHash, IgnoresRedactionMarkers) {
  for (const RedactionKindRow& row : kRedactionKinds) {
    const std::string marker(row.marker);
    for (const std::string& line : {
             "\tat a.B.c(B.java:1)\nCaused by: a.F: " + marker,
             "  File \"/home/" + marker + "/a/b.py\", line 1, in f",
             "    at f (https://a.example/b/c.js?token=" + marker + ":1:2)",
             "#0 /a/b.php(4): App\\Login->check('" + marker + "')",
             "main.login(" + marker + ")\n\t/app/main.go:42 +0x1d",
             "#0  auth::login (token=" + marker + ") at login.cc:42",
             marker + "\n\tat a.B.c(B.java:1)",
         }) {
      std::string other = line;
      other.replace(other.find(marker), marker.size(), "[redacted:token]");
      EXPECT_EQ(shown(line), shown(other)) << line;
      other.replace(other.find("[redacted:token]"), 16, "0815");
      EXPECT_EQ(shown(line), shown(other)) << line;
    }
  }
}

// An address is redacted only if it was submitted, so the same fault occurs with and without a
// marker.
TEST(StackHash, IgnoresARedactedAddress) {
  for (const std::string_view address : {"192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7"}) {
    for (const std::string_view form :
         {"refused from {}", "refused from {}: no route", "({}) is locked", "/{}:49152 is gone",
          "[{}]:443 is gone", "peer={}, port=1", "{}/24 is blocked", "refused from {}.",
          "https://{}/login failed", "client {}%eth0 is gone"}) {
      const std::string message = std::vformat(form, std::make_format_args(address));
      const std::string redacted = scrub(message, {"", "", address}).text;
      ASSERT_NE(redacted, message);
      const auto hashOf = [](std::string_view text, std::string_view trace) {
        return stackHashContent({.exceptionClass = "a.B",
                                 .rootCauseClass = {},
                                 .exceptionMessage = text,
                                 .stacktrace = trace});
      };
      EXPECT_EQ(hashOf(redacted, ""), hashOf(message, "")) << message;
      const std::string trace = "a.B: " + message + "\n\tat a.B.c(B.java:1)\n";
      EXPECT_EQ(hashOf("", scrub(trace, {"", "", address}).text), hashOf("", trace)) << message;
    }
  }
}

TEST(StackHash, IsEqualForATraceAndItsStoredForm) {
  for (const std::string& trace : allTraces()) {
    const SanitisedText stored = sanitise(trace, kMaxStacktraceCodePoints, {});
    ASSERT_TRUE(stored.text) << trace;
    EXPECT_EQ(shown(*stored.text), shown(trace)) << trace;
  }
}

TEST(StackHash, PutsTheOutermostExceptionFirstInEveryLanguage) {
  const auto expected = ElementsAre("E", "F", "G");
  const StackFingerprint java = ofTrace(
      "E: x\n\tat a.A.a(A.java:1)\nCaused by: F: y\n\tat b.B.b(B.java:1)\nCaused by: G\n\tat "
      "c.C.c(C.java:1)");
  EXPECT_THAT(java.classes, expected);
  EXPECT_THAT(java.frames, ElementsAre("a.A.a", "b.B.b", "c.C.c"));

  const StackFingerprint python = ofTrace(
      "Traceback (most recent call last):\n  File \"c/c.py\", line 1, in c\nG: z\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"b/b.py\", line 1, in b\nF\n\n"
      "The above exception was the direct cause of the following exception:\n\n"
      "Traceback (most recent call last):\n  File \"a/m.py\", line 1, in m\n  File \"a/a.py\", "
      "line "
      "1, in a\nE: x");
  EXPECT_THAT(python.classes, expected);
  EXPECT_THAT(python.frames, ElementsAre("a (a/a.py)", "m (a/m.py)", "b (b/b.py)", "c (c/c.py)"));

  const StackFingerprint dotnet = ofTrace(
      "E: x\n ---> F: y\n ---> G: z\n   at C.C()\n   --- End of inner exception stack trace ---\n"
      "   at B.B()\n   --- End of inner exception stack trace ---\n   at A.A()");
  EXPECT_THAT(dotnet.classes, expected);
  EXPECT_THAT(dotnet.frames, ElementsAre("A.A", "B.B", "C.C"));

  const StackFingerprint javascript = ofTrace(
      "E: x\n    at a (a/a.js:1:1) {\n  [cause]: F: y\n      at b (b/b.js:1:1) {\n    [cause]: G: "
      "z\n        at c (c/c.js:1:1)\n  }\n}");
  EXPECT_THAT(javascript.classes, expected);
  EXPECT_THAT(javascript.frames, ElementsAre("a (a/a.js)", "b (b/b.js)", "c (c/c.js)"));

  const StackFingerprint ruby = ofTrace(
      "a/a.rb:1:in 'a': x (E)\n\tfrom a/m.rb:1:in 'm'\nb/b.rb:1:in 'b': y (F)\nc/c.rb:1:in 'c': z "
      "(G)");
  EXPECT_THAT(ruby.classes, expected);
  EXPECT_THAT(ruby.frames, ElementsAre("a (a/a.rb)", "m (a/m.rb)", "b (b/b.rb)", "c (c/c.rb)"));

  const StackFingerprint php = ofTrace(
      "G: z in /c.php:1\nStack trace:\n#0 /c.php(1): C->c()\n#1 {main}\n\nNext F: y in "
      "/b.php:1\nStack trace:\n#0 /b.php(1): B->b()\n#1 {main}\n\nNext E: x in /a.php:1\nStack "
      "trace:\n#0 /a.php(1): A->a()\n#1 {main}");
  EXPECT_THAT(php.classes, expected);
  EXPECT_THAT(php.frames, ElementsAre("A->a", "B->b", "C->c"));
}

TEST(StackHash, FoldsRecursionOfUpToFourFrames) {
  for (int cycle = 1; cycle <= 4; ++cycle) {
    std::string once;
    for (int i = 0; i < cycle; ++i) {
      once +=
          std::format("\tat a.B.m{}(B.java:{})\n", std::string(1, static_cast<char>('a' + i)), i);
    }
    const std::string tail = "\tat a.B.main(B.java:1)\n";
    std::string deep;
    for (int i = 0; i < 30; ++i) {
      deep += once;
    }
    EXPECT_EQ(shown(deep + tail), shown(once + tail)) << cycle;
    EXPECT_THAT(ofTrace(deep + tail).frames, SizeIs(cycle + 1));
  }
}

std::string framesNamed(std::string_view prefix, int count) {
  std::string trace;
  for (int i = 0; i < count; ++i) {
    trace += std::format("\tat {}.m{:c}{:c}(B.java:1)\n", prefix, 'a' + (i / 26), 'a' + (i % 26));
  }
  return trace;
}

TEST(StackHash, ReadsAtMostFiftyFrames) {
  const std::string fifty = framesNamed("a.B", 50);
  EXPECT_THAT(ofTrace(fifty).frames, SizeIs(50));
  EXPECT_EQ(shown(fifty + "\tat x.Y.z(Y.java:1)"), shown(fifty));
  EXPECT_NE(shown(framesNamed("a.B", 49)), shown(fifty));
  EXPECT_EQ(shown(fifty + "Caused by: a.F\n" + framesNamed("c.D", 50)),
            shown(fifty + "Caused by: a.F\n\t... 3 more"));
}

TEST(StackHash, IgnoresTheLastLineOfATruncatedTrace) {
  const std::string frames = framesNamed("com.acme.authentication.LoginProvider", 40);
  const std::string filler(kMaxStacktraceCodePoints - frames.size() - 30, 'x');
  const std::string whole = filler + "\n" + frames;
  const StackFingerprint expected = ofTrace(whole);
  ASSERT_THAT(expected.frames, SizeIs(39))
      << "the last frame is so near the limit that it may be truncated";
  EXPECT_EQ(ofTrace(whole + "\tat com.acme.Lo"), ofTrace(whole + "\tat com.acme.Login.c"));
  EXPECT_THAT(ofTrace(frames).frames, SizeIs(40));
}

TEST(StackHash, KeepsTheOldestFramesOfATruncatedPythonTrace) {
  const auto traceOf = [](int count) {
    std::string trace = "Traceback (most recent call last):\n";
    for (int i = 0; i < count; ++i) {
      trace += std::format("  File \"/app/a/b.py\", line {0}, in f{1:c}{2:c}\n    return {3}\n", i,
                           'a' + (i / 26), 'a' + (i % 26), std::string(60, 'x'));
    }
    return trace;
  };
  const std::string cut = traceOf(100).substr(0, kMaxStacktraceCodePoints);
  const std::string cutLater =
      ("A message before it: " + std::string(300, 'y') + "\n" + traceOf(100))
          .substr(0, kMaxStacktraceCodePoints);
  EXPECT_THAT(ofTrace(cut).frames, SizeIs(kMaxHashedFrames));
  EXPECT_EQ(ofTrace(cut), ofTrace(cutLater));
}

TEST(StackHash, AcceptsEmptyAndOddTexts) {
  EXPECT_EQ(stackHashContent({}), std::format("stack-hash-{}\nmessage ", kStackHashVersion));
  for (const std::string_view odd : {"\n\n\n",
                                     "at ",
                                     "at (",
                                     "at )",
                                     "at ()",
                                     "#",
                                     "#1",
                                     "#1 ",
                                     "0:",
                                     "0#",
                                     "@",
                                     ":in ",
                                     ":in '",
                                     "File \"",
                                     "File \"\", line ",
                                     "---> ",
                                     "Caused by: ",
                                     "Next ",
                                     "[cause]: ",
                                     "goroutine 1 []:",
                                     "\t",
                                     "<",
                                     "at <",
                                     "at a<b",
                                     "at $",
                                     "at $$",
                                     "at .",
                                     "at ::",
                                     "at a.$.b(",
                                     "[0x",
                                     "a() [0x]",
                                     "at \xC3\xA9t\xC3\xA9.check(X.java:1)",
                                     "at \xFF\xFE(x:1:1)",
                                     "Suppressed: ",
                                     "a b",
                                     "Jan 2",
                                     "0 0x",
                                     "0> a!b",
                                     "0. a() ",
                                     "==1== at 0x",
                                     "@ 0x1",
                                     "#0 pc ",
                                     "frame #0: ",
                                     "* frame #",
                                     "at _ZN",
                                     "at _ZN9a",
                                     "Thread 1 (",
                                     "/a.go:1 (0x1)",
                                     "bei a.b(",
                                     "[2026-01-02 03:04:05",
                                     "... "}) {
    EXPECT_LE(ofTrace(odd).frames.size(), 1U) << odd;
    EXPECT_EQ(shown(odd), shown(odd));
  }
}

// Every frame format is encountered in truncated form.
TEST(StackHash, AcceptsEveryTraceTruncatedAnywhere) {
  constexpr std::size_t kStep = 3;
  for (const std::string& trace : allTraces()) {
    const std::string_view whole = trace;
    for (std::size_t at = 0; at < whole.size(); at += kStep) {
      EXPECT_LE(ofTrace(whole.substr(0, at)).frames.size(), kMaxHashedFrames) << trace << at;
      EXPECT_LE(ofTrace(whole.substr(at)).frames.size(), kMaxHashedFrames) << trace << at;
    }
  }
}

TEST(StackHash, TerminatesQuicklyForAnyText) {
  for (const std::string_view unit : {"<",
                                      "(",
                                      "[",
                                      "{",
                                      "a<b",
                                      "at a<",
                                      "$",
                                      "$$",
                                      "a.",
                                      "::",
                                      "at (",
                                      "---> A: ",
                                      "Caused by: A\n",
                                      "#1 0x1 in a(",
                                      "'",
                                      "\"",
                                      "@",
                                      "File \"",
                                      "x/",
                                      "a b ",
                                      "1: <",
                                      "at <<",
                                      "(*",
                                      "_ZN1aI",
                                      "_ZN1aIL",
                                      "2026-01-02 03:04:05 [",
                                      " at a (",
                                      " at a.b(",
                                      " File \"a\", line 1, in b",
                                      "\\n",
                                      "\\u00",
                                      "&amp",
                                      "&lt;",
                                      "| ",
                                      "+-+---- 1 ----\n",
                                      "   at ",
                                      "\xC2\xAB"}) {
    std::string text;
    while (text.size() < 32'000) {
      text += unit;
    }
    EXPECT_LE(ofTrace(text + "\nat a.B.c(B.java:1)\n\n").frames.size(), kMaxHashedFrames) << unit;
    EXPECT_LE(ofTrace(text).frames.size(), kMaxHashedFrames) << unit;
    EXPECT_LE(fingerprint(faultWithMessage(text)).message.size(), 4 * text.size()) << unit;
  }
}

TEST(StackHash, IsDeterministic) {
  for (const std::string& trace : allTraces()) {
    EXPECT_EQ(ofTrace(trace), ofTrace(std::string(trace)));
  }
}

struct TitleCase {
  std::string_view exceptionClass;
  std::string_view trace;
  std::string_view title;
};

TEST(ClusterTitle, HasTheExceptionAndTheFirstFrameOutsideLibraries) {
  for (const TitleCase& row : std::to_array<TitleCase>({
           {"org.springframework.security.authentication.BadCredentialsException",
            "\tat org.springframework.security.A.b(A.java:1)\n\tat "
            "com.acme.Login.check(Login.java:2)",
            "BadCredentialsException in com.acme.Login.check"},
           {"django.core.exceptions.PermissionDenied",
            "  File \"/app/accounts/views.py\", line 8, in profile\n"
            "  File \"/usr/lib/python3.11/site-packages/django/x.py\", line 1, in f",
            "PermissionDenied in profile (accounts/views.py)"},
           {"App\\Denied",
            "#0 /a/b.php(4): Illuminate\\Auth\\A->b()\n#1 /a/b.php(4): App\\Login->check()",
            "Denied in App\\Login->check"},
           {"JWT::DecodeError",
            "/x/gems/jwt-2.7.1/lib/jwt.rb:1:in `decode'\napp/models/user.rb:4:in `load'",
            "DecodeError in load (models/user.rb)"},
           {"TypeError", "    at next (/app/node_modules/express/lib/r.js:1:2)",
            "TypeError in next (node_modules/express/lib/r.js)"},
       })) {
    EXPECT_EQ(clusterTitle(fingerprint({.exceptionClass = row.exceptionClass,
                                        .rootCauseClass = "",
                                        .exceptionMessage = "m",
                                        .stacktrace = row.trace})),
              row.title);
  }
}

TEST(ClusterTitle, HasTheMessageIfThereIsNoFrame) {
  EXPECT_EQ(clusterTitle(fingerprint(faultWithMessage("no user 17"))), "E: no user <*>");
  EXPECT_EQ(clusterTitle(fingerprint({})), "Error");
}

TEST(ClusterTitle, FitsItsColumn) {
  std::string message;
  for (int i = 0; i < 1'000; ++i) {
    message += "\xC3\xA9";
  }
  const std::string title = clusterTitle(fingerprint(faultWithMessage(message)));
  EXPECT_EQ(countCodePoints(title), kMaxTitleCodePoints);
  EXPECT_TRUE(isValidUtf8(title));
}

}  // namespace
}  // namespace auth_errors::domain
