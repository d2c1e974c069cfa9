// The grammar of RFC 8259, class by class: texts that every parser must accept, texts that none
// may, and texts left to the implementation.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "platform/encoding/json_reader.h"

namespace auth_errors::encoding {
namespace {

using namespace std::string_view_literals;

struct JsonClass {
  std::string_view name;
  std::vector<std::string_view> texts;
};

std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 60)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += "<" + std::to_string(static_cast<unsigned char>(c)) + ">";
    }
  }
  return shown;
}

// The value in every place where a value may stand.
std::vector<std::string> placed(std::string_view value) {
  const std::string text(value);
  return {text, "[" + text + "]", R"({"a":)" + text + "}", "\t\r\n " + text + " \t\r\n"};
}

const std::vector<JsonClass>& validValues() {
  static const std::vector<JsonClass> kClasses = {
      {"literals", {"true", "false", "null"}},
      {"integers", {"0", "-0", "7", "-7", "10", "1234567890", "-9223372036854775808"}},
      {"integers beyond 64 bits", {"18446744073709551616", "-99999999999999999999999999"}},
      {"fractions", {"0.0", "-0.5", "3.25", "10.0", "0.000000000000000000001"}},
      {"exponents",
       {"0e0", "0E+1", "1e5", "1E5", "1e+5", "1E-5", "-1.5e05", "20e1", "0e00", "123.456E-78"}},
      {"plain strings",
       {R"("")", R"("a")", R"(" ")", "\"\x7f\"", R"("/")", R"("//")", R"("/* */")"}},
      {"escapes",
       {R"("\"\\\/\b\f\n\r\t")", R"("\u0000")", R"("\u001f")", R"("\u0022")", R"("\u00e9\u00E9")",
        R"("\\u0000")", R"("\\n")", R"("\uFFFF")", R"("\ud83d\ude00")", R"("\uDBFF\uDFFF")",
        R"("\uD800\uDC00")"}},
      {"characters of every length",
       {"\"é\"", "\"€\"", "\"😀\"", "\"\u2028\u2029\"", "\"\uFFFE\""}},
      {"arrays", {"[]", "[ ]", "[\n]", "[1]", "[1,2]", "[null,[],{}]", "[[[]]]", "[1\n,\t2\r]"}},
      {"objects",
       {"{}", "{ }", R"({"":0})", R"({"":0,"a":0})", R"({"a":1,"A":2})", R"({ "a" : 1 , "b" : 2 })",
        R"({"a\u0000b":1})", R"({"a":{"a":{"a":1}}})"}},
  };
  return kClasses;
}

const std::vector<JsonClass>& malformedValues() {
  static const std::vector<JsonClass> kClasses = {
      {"signs", {"+1",  "+0", "+1.5", "++1", "--1", "-+1", "+-1", "-",     "+",      "- 1",
                 "+ 1", "-a", "-foo", "1-",  "1+",  "1+2", "1-2", "-true", "-\"1\"", "−1"}},
      {"leading zeros", {"00", "01", "-00", "-01", "-012", "00.5", "01e1", "-01.5", "000"}},
      {"fractions without digits",
       {".5",    "-.5",   "+.5",   "2.",   "-2.", "0.",   "2.e3", "2.E3",
        "2.e+3", "2.e-3", "0.e1",  "9.e+", ".",   "-.",   ".e1",  "..",
        "1..2",  "1.2.3", "-1.0.", "1.-2", ".-1", "1.+2", "1. 5", "1 .5"}},
      {"exponents without digits",
       {"1e",   "1E",    "0e",    "0E",    "1e+",   "1e-",  "0e+",  "0E+",
        "1.0e", "1.0e+", "1.0e-", "1e+-1", "1e--1", "1eE2", "1ee2", "1e 2",
        "1 e2", "1e1.5", "1e1e1", "1ea",   "e1",    "E1",   "1e.5"}},
      {"other number formats",
       {"0x1", "0x42", "0X1F", "1f", "1L", "1n", "1_000", "1 000", "1,000.0.0", "0b1", "0o7", "1%",
        "$1", "１", "1.8H-308", "1.2a-3", "1a"}},
      {"not numbers",
       {"NaN", "-NaN", "nan", "Infinity", "-Infinity", "+Infinity", "Inf", "+Inf", "-Inf", "inf"}},
      {"misspelled literals",
       {"True",  "TRUE",      "False", "NULL",      "Null", "nul",    "tru", "fals",
        "nulll", "truefalse", "truth", "undefined", "None", "yes",    "t",   "f",
        "n",     "abc",       "é",     "a",         "*",    "<null>", "@",   "&"}},
      {"strings without an end", {"\"", "\"a", R"("\")", R"("\\\")", R"("a\)", R"("\u)", "\"a\nb"}},
      {"other quotes", {"'a'", "'", "`a`", "“a”", R"(\"a\")", "\"a'", "a\""}},
      {"control characters in strings",
       {"\"\n\"", "\"\t\"", "\"\r\"", "\"a\0b\""sv, "\"\x01\"", "\"\x1f\"", "\"\x0b\"",
        "\"\x0c\""}},
      {"unknown escapes",
       {R"("\a")", R"("\x41")", R"("\0")", R"("\1")", R"("\'")", R"("\U00000041")", R"("\N")",
        R"("\ ")", R"("\e")", R"("\v")", "\"\\\n\"", "\"\\\t\"", "\"\\\0\""sv, "\"\\é\"",
        "\"\\😀\"", R"("\{")"}},
      {"malformed unicode escapes",
       {R"("\u")", R"("\u1")", R"("\u12")", R"("\u123")", R"("\u123g")", R"("\uqqqq")",
        R"("\u+123")", R"("\u 123")", R"("\u-123")", R"("\u00A")", R"("\u{41}")", R"("\u０041")",
        R"("\ud83d\u")", R"("\ud83d\ude")", R"("\ud83d\x")"}},
      {"escapes outside strings", {R"(\u0020"a")", R"(\n)", R"(\"a")", R"(\u0030)"}},
      {"arrays with stray commas",
       {"[,]", "[,1]", "[1,]", "[1,,2]", "[1,,]", "[[],]", "[ , 1]", "[{},]"}},
      {"arrays without separators",
       {"[1 2]", "[1 true]", "[[] []]", "[3[4]]", "[\"a\"\"b\"]", "[1:2]"}},
      {"unterminated arrays", {"[", "[1", "[1,", "[[1]", "[\"a\"", "[1}", "[{]", "[{]}", "[1;2]"}},
      {"excess closing brackets", {"]", "[]]", "[1]]", "}", "{}}", "1]", "{}]", "[}"}},
      {"objects with stray commas",
       {R"({,})", R"({,"a":1})", R"({"a":1,})", R"({"":1,})", R"({"a":1,"":2,})",
        R"({"a":1,,"b":2})", R"({"":{"":1,}})", R"({"a":1,,,})"}},
      {"objects with keys other than strings",
       {"{a:1}", "{1:1}", "{'a':1}", "{null:1}", "{true:1}", "{[]:1}", "{{}:1}", "{:1}",
        "{\"a\" b:1}"}},
      {"objects with wrong separators",
       {R"({"a"})", R"({"a" 1})", R"({"a",1})", R"({"a"::1})", R"({"a":})", R"({"a"=1})",
        R"({"a":1 "b":2})", R"({"a":1;"b":2})", R"({"a" "b"})", R"({"a":1 2})", R"({"a":1:2})",
        R"({"a":1,"b"})"}},
      {"unterminated objects",
       {"{", R"({")", R"({"a)", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,)", "{]", "{[",
        R"({"a":[})"}},
      {"repeated keys",
       {R"({"a":1,"a":1})", R"({"":1,"":2})", R"({"a":1,"b":2,"\u0061":3})",
        R"([{"a":{"b":1,"b":2}}])"}},
      {"comments",
       {"/**/1", "1/**/", "//\n1", "1//", "#\n1", "1#", "[1/**/]", R"({"a":/*c*/1})", "<!---->1"}},
      {"several values",
       {"1 2", "[][]", "{}{}", "{} {}", "null null", "\"a\"\"b\"", "\"\"x", "[1]x", "1x"}},
      {"nothing", {"", " ", "\n", "\t\r\n"}},
      {"other whitespace",
       {"\f1", "1\v", "[\f]", "\u00a01", "1\u2028", "\u20601", "[\u2060]", "\ufeff1", "\b1"}},
      {"NUL",
       {"\0"sv, "1\0"sv, "\0001"sv, "[\0]"sv, "{}\0"sv, "{}\0{}"sv, "[1]\0garbage"sv, "123\0 "sv}},
      {"lone surrogates",
       {R"("\ud800")", R"("\udbff")", R"("\udc00")", R"("\udfff")", R"("a\udc00b")",
        R"("\ud800\ud800")", R"("\ud800\u0041")", R"("\ud800a")", R"("\ud800\n")",
        R"("\udc00\ud800")", R"({"\udc00":1})"}},
      {"invalid UTF-8",
       {"\"\xff\"", "\"\x80\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xe0\x80\xaf\"", "\"\xed\xa0\x80\"",
        "\"\xf0\x80\x80\xaf\"", "\"\xf4\x90\x80\x80\"", "\"\xf8\x88\x80\x80\x80\"", "\"\xe2\x82\"",
        "[a\xe5]", "\xe5", "1\xe5"}},
      {"other encodings",
       {"\xff\xfe[\0]\0"sv, "\0[\0]"sv, "[\0]\0"sv, "\xef\xbb\xbf{}", "\xef\xbb{}"}},
  };
  return kClasses;
}

TEST(JsonConformance, AcceptsEveryValidValueInEveryPlace) {
  for (const JsonClass& each : validValues()) {
    for (const std::string_view value : each.texts) {
      for (const std::string& outer : placed(value)) {
        for (const std::string& text : placed(outer)) {
          const auto read = readJson(text);
          EXPECT_TRUE(read) << each.name << ": " << quoted(text) << " " << read.error();
        }
      }
    }
  }
}

TEST(JsonConformance, RefusesEveryMalformedValueInEveryPlace) {
  for (const JsonClass& each : malformedValues()) {
    for (const std::string_view value : each.texts) {
      EXPECT_FALSE(readJson(value)) << each.name << ": " << quoted(value);
      // An empty text is valid within an array, and a bracket may close an outer one.
      if (value.find_first_not_of(" \t\r\n") != std::string_view::npos &&
          value.find_first_of("[]{},") == std::string_view::npos) {
        for (const std::string& text : placed(value)) {
          EXPECT_FALSE(readJson(text)) << each.name << ": " << quoted(text);
        }
      }
    }
  }
}

// The parser reads strings in groups of several characters, so each character is tested at each
// position of a group, beside neighbours that differ from it in one bit.
TEST(JsonConformance, ClassifiesEveryCharacterAtEveryPositionOfAString) {
  for (std::size_t before = 0; before < 17; ++before) {
    for (int character = 0; character < 0x80; ++character) {
      const char c = static_cast<char>(character);
      for (const std::string_view neighbour : {"a"sv, "#"sv, "]"sv, " "sv, "\x7f"sv, "ÿ"sv}) {
        std::string text = "\"";
        for (std::size_t count = 0; count < before; ++count) {
          text += neighbour;
        }
        text += c;
        text += neighbour;
        text += "aaaaaaaaa\"";
        const bool plain = character >= 0x20 && c != '"' && c != '\\';
        EXPECT_EQ(readJson(text).has_value(), plain) << before << ": " << quoted(text);
      }
    }
  }
}

TEST(JsonConformance, RefusesEveryPrefixOfAValidText) {
  constexpr std::string_view kText =
      R"({"a":[1,-2.5e+3,true,false,null,"\ud83d\ude00\\\"é"],"":{"b":{}}})";
  ASSERT_TRUE(readJson(kText));
  for (std::size_t size = 0; size < kText.size(); ++size) {
    EXPECT_FALSE(readJson(kText.substr(0, size))) << quoted(kText.substr(0, size));
  }
}

TEST(JsonConformance, CountsOnlyArraysAndObjectsAsLevels) {
  const auto levels = [](std::size_t depth, std::string_view open, std::string_view inside,
                         std::string_view close) {
    std::string text;
    for (std::size_t level = 0; level < depth; ++level) {
      text += open;
    }
    text += inside;
    for (std::size_t level = 0; level < depth; ++level) {
      text += close;
    }
    return text;
  };
  for (const std::string_view inside : {"1"sv, "\"a\""sv, "null"sv}) {
    EXPECT_TRUE(readJson(levels(32, "[", inside, "]")));
    EXPECT_TRUE(readJson(levels(32, R"({"a":)", inside, "}")));
    EXPECT_EQ(readJson(levels(33, "[", inside, "]")).error(), "is nested more than 32 levels deep");
    EXPECT_FALSE(readJson(levels(33, R"({"a":)", inside, "}")));
  }
  EXPECT_FALSE(readJson(std::string(100'000, '[')));
  EXPECT_FALSE(readJson(levels(100'000, R"([{"":)", "", "")));
}

TEST(JsonConformance, ReportsPositionAndProblem) {
  EXPECT_EQ(readJson(R"({"a":+1})").error(), "has a syntax error at byte 5");
  EXPECT_EQ(readJson("[1]\0"sv).error(), "has a syntax error at byte 3");
  EXPECT_EQ(readJson(R"(["\udc00"])").error(), "has an unpaired surrogate at byte 2");
  EXPECT_EQ(readJson("").error(), "is empty");
  EXPECT_EQ(readJson("\xff").error(), "is not valid UTF-8");
}

}  // namespace
}  // namespace auth_errors::encoding
