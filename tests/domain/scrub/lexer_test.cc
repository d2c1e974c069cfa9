#include "domain/scrub/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

std::vector<Token> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  readTokens(text, 0, text.size(), tokens);
  return tokens;
}

// The texts of the tokens, separated by bars.
std::string cut(std::string_view text) {
  std::string parts;
  for (const Token& token : tokensOf(text)) {
    parts += parts.empty() ? "" : "|";
    parts += text.substr(token.begin, token.end - token.begin);
  }
  return parts;
}

// One letter per token: word, quote, open, close, sign, marker.
std::string kinds(std::string_view text) {
  std::string letters;
  for (const Token& token : tokensOf(text)) {
    letters += "wqocsm"[static_cast<std::size_t>(token.kind)];
  }
  return letters;
}

TEST(ScrubLexer, SplitsALineAtBlanksBracketsQuotesAndSigns) {
  EXPECT_EQ(cut(R"({"password": "x y"})"), R"({|"|password|"|:|"|x|y|"|})");
  EXPECT_EQ(kinds(R"({"password": "x y"})"), "oqwqsqwwqc");
  EXPECT_EQ(cut("login(bob,Fjord&Fjell)"), "login|(|bob|,|Fjord|&|Fjell|)");
  EXPECT_EQ(cut(""), "");
}

TEST(ScrubLexer, KeepsWordsThatContainSignsWhole) {
  for (const std::string_view word :
       {"Wint3r#Frost", "O'Brien99", "can't", "db-7.internal", "a/b_c@d+e~f"}) {
    EXPECT_EQ(cut(word), word);
  }
  EXPECT_EQ(cut("C:\\new"), "C|:|\\new");
}

TEST(ScrubLexer, ReadsMultiByteSigns) {
  for (const std::string_view text : {"a=>b", "a:=b", "a＝b"}) {
    ASSERT_EQ(kinds(text), "wsw") << text;
    EXPECT_EQ(tokensOf(text)[1].sign, '=') << text;
  }
  for (const std::string_view text : {"a->b", "a<-b", "a：b", "a→b"}) {
    ASSERT_EQ(kinds(text), "wsw") << text;
    EXPECT_EQ(tokensOf(text)[1].sign, ':') << text;
  }
  EXPECT_EQ(kinds("<<\"x\">>"), "oqwqc");
  EXPECT_EQ(kinds("“x”"), "qwq");
}

TEST(ScrubLexer, ReadsAMarkerAsOneToken) {
  EXPECT_EQ(kinds("password=[redacted:password], x"), "wsmsw");
  EXPECT_EQ(kinds("[redacted:"), "ows");
}

TEST(ScrubLexer, ReadsEscapesAsDumpsShowThem) {
  EXPECT_EQ(cut(R"(a\nB)"), "a|B");
  EXPECT_EQ(kinds(R"(\"x\")"), "qwq");
}

TEST(ScrubLexer, ExcludesTheFullStopFromTheLastWord) {
  const std::vector<Token> tokens = tokensOf("bad password. Wint3r!");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_TRUE(tokens[1].stops);
  EXPECT_EQ(tokens[1].end, std::string_view("bad password").size());
  EXPECT_FALSE(tokens[2].stops) << "a password may end with an exclamation mark";
}

TEST(ScrubLexer, ClassifiesWords) {
  const std::vector<Token> tokens = tokensOf("error code recovery code x9");
  ASSERT_EQ(tokens.size(), 5U);
  EXPECT_EQ(tokens[1].family, Family::harmless);
  EXPECT_EQ(tokens[3].family, Family::code);
  EXPECT_TRUE(tokens[3].letters);
  EXPECT_FALSE(tokens[4].letters);
  EXPECT_TRUE(tokens[4].spaced);
}

TEST(ScrubLexer, RecognisesAFrameWithoutValues) {
  for (const std::string_view line :
       {"\tat com.acme.auth.TokenService.lambda$refresh$3(TokenService.java:214)",
        "    at java.base/java.lang.Thread.run(Thread.java:1583)",
        "\tat a.B.invoke(Unknown Source) ~[core-6.2.1.jar:6.2.1]"}) {
    EXPECT_TRUE(isPlainFrame(line)) << line;
  }
  for (const std::string_view line :
       {"at a.B.c(B.java:1)", "\tat a.B.login(\"bob\", \"x\")", "\tat a.B.c", "\tat a.B.c()", "",
        "\tat a.B.c(B.java:1) password=x", "\tat a b.c(B.java:1)"}) {
    EXPECT_FALSE(isPlainFrame(line)) << line;
  }
}

}  // namespace
}  // namespace auth_errors::domain
