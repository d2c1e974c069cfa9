#include "platform/security/organisation_patterns.h"

#include <algorithm>
#include <array>
#include <format>
#include <span>
#include <utility>

#include <re2/re2.h>

#include "domain/scrub/kinds.h"
#include "domain/values/hex.h"
#include "domain/values/utf8.h"
#include "platform/hashing/digest.h"

namespace auth_errors::security {
namespace {

using domain::TextSpan;
using re2::RE2;

constexpr std::int64_t kPatternMemory = std::int64_t{1} << 20U;
constexpr std::int64_t kListMemory = std::int64_t{16} << 20U;
// Limit on the RE2 program size of all patterns in a list. Compiling one of this size takes 0.2 s,
// and one nine times as large 18 s; the time of the slowest matching mode also grows with it.
constexpr int kMaxProgram = 20'000;

// Bytes examined by one search. Later bytes only matter for long matches, which are searched again.
constexpr std::size_t kWindow = 2 * kMaxPatternLookahead;

constexpr std::size_t kLongestMarker =
    std::ranges::max(domain::kRedactionKinds, {}, [](const domain::RedactionKindRow& row) {
      return row.marker.size();
    }).marker.size();

// Lines typical of all traces and logs. A pattern that matches one would redact most of them.
constexpr auto kHarmless = std::to_array<std::string_view>({
    "\tat com.example.auth.LoginService.authenticate(LoginService.java:42)",
    "Caused by: java.lang.IllegalStateException: Session has expired",
    "  File \"/srv/app/auth/login.py\", line 42, in authenticate",
    "    at authenticate (/srv/app/auth/login.js:42:17)",
    "github.com/example/auth.(*Login).Run(0xc0000b4000)",
    "2026-01-31T09:30:00.123Z ERROR [main] no such user",
    "GET /api/login?lang=en HTTP/1.1",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
});

// Random tokens of different lengths and alphabets. A shape may match one of them, such as all
// hexadecimal digests; one that matches several would allow secrets of any kind.
constexpr auto kRandomTokens = std::to_array<std::string_view>({
    "b7f3a09c51d84e62a7c0f91d3e5b8a46d2079e1c",
    "k8Zr3TqW0mYxB7vLd5NcH1pGsJ9",
    "7Qw-xV2_mKz9LtB4nRc8HyPf0_sDgJ6aE1uXoT3iW5Y",
    "v9X+Qm3/Lr7Kz0TbWc5Nh8Yd==",
    "Q7ZK2MX9PL4RT8WB3VND",
});

std::unique_ptr<const RE2> compile(const std::string& pattern, std::int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_unique<const RE2>(pattern, options);
}

bool matchesIn(const RE2& pattern, std::string_view text) {
  return pattern.Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool matchesWhole(const RE2& pattern, std::string_view text) {
  return pattern.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
}

std::optional<std::string> faultOfSecret(const RE2& pattern) {
  const auto found = std::ranges::find_if(
      kHarmless, [&](std::string_view line) { return matchesIn(pattern, line); });
  if (found != kHarmless.end()) {
    return std::format("matches the harmless line \"{}\"",
                       found->substr(found->find_first_not_of("\t ")));
  }
  for (const domain::RedactionKindRow& row : domain::kRedactionKinds) {
    if (matchesIn(pattern, row.marker)) {
      return std::format("matches the marker {}", row.marker);
    }
  }
  return std::nullopt;
}

std::optional<std::string> faultOfAllowed(const RE2& pattern) {
  std::vector<std::string_view> matched;
  std::ranges::copy_if(kRandomTokens, std::back_inserter(matched),
                       [&](std::string_view token) { return matchesWhole(pattern, token); });
  if (matched.size() < 2) {
    return std::nullopt;
  }
  return std::format("matches random tokens such as {} and {}", matched[0], matched[1]);
}

struct Verdict {
  std::optional<std::string> fault;
  int program = 0;
};

Verdict judge(PatternList list, const std::string& text) {
  if (text.size() > kMaxPatternBytes) {
    return {.fault = std::format("has more than {} bytes", kMaxPatternBytes)};
  }
  if (!domain::isValidUtf8(text)) {
    return {.fault = "is not UTF-8"};
  }
  const auto pattern = compile(text, kPatternMemory);
  if (!pattern->ok()) {
    return {.fault = std::format("is not a valid RE2 expression: {}", pattern->error())};
  }
  if (matchesIn(*pattern, "")) {
    return {.fault = "matches the empty text"};
  }
  return {
      .fault = list == PatternList::secrets ? faultOfSecret(*pattern) : faultOfAllowed(*pattern),
      .program = pattern->ProgramSize()};
}

// One pattern for all; if several match, the first in the list wins.
std::unique_ptr<const RE2> combined(const std::vector<std::string>& patterns) {
  std::string any;
  for (const std::string& pattern : patterns) {
    any.append(any.empty() ? "(?:" : "|(?:").append(pattern).append(")");
  }
  return patterns.empty() ? nullptr : compile(any, kListMemory);
}

std::string digestOf(const std::vector<std::string>& secrets,
                     const std::vector<std::string>& allowed) {
  constexpr std::size_t kBytes = 6;
  // Prefixes each pattern with its length, so that different lists never produce the same text.
  std::string all;
  for (const auto* list : {&secrets, &allowed}) {
    all += std::format("{}|", list->size());
    for (const std::string& pattern : *list) {
      all += std::format("{}:{}", pattern.size(), pattern);
    }
  }
  const hashing::Digest digest = hashing::sha256(all);
  return domain::toHex(std::span(digest).first<kBytes>());
}

class Making {
 public:
  void check(PatternList list, const std::vector<std::string>& patterns) {
    if (patterns.size() > kMaxPatterns) {
      add(list, "",
          std::format("has {} patterns; the maximum is {}", patterns.size(), kMaxPatterns));
      return;
    }
    int program = 0;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const Verdict verdict = judge(list, patterns[i]);
      program += verdict.program;
      if (verdict.fault) {
        add(list, patterns[i], std::format("pattern {} {}", i + 1, *verdict.fault));
      }
    }
    if (program > kMaxProgram) {
      addTooLarge(list);
    }
  }

  // REQUIRES: each pattern is valid.
  std::unique_ptr<const RE2> combine(PatternList list, const std::vector<std::string>& patterns) {
    auto any = combined(patterns);
    if (any && !any->ok()) {
      addTooLarge(list);
    }
    return any;
  }

  [[nodiscard]] bool failed() const { return !problems_.empty(); }
  std::vector<PatternProblem> takeProblems() { return std::move(problems_); }

 private:
  void addTooLarge(PatternList list) {
    add(list, "", "the patterns are too large in total: use fewer repetitions or fewer patterns");
  }

  void add(PatternList list, std::string pattern, std::string reason) {
    problems_.push_back({.list = list, .pattern = std::move(pattern), .reason = std::move(reason)});
  }

  std::vector<PatternProblem> problems_;
};

TextSpan spanOf(std::string_view text, std::string_view part) {
  const auto begin = static_cast<std::size_t>(part.data() - text.data());
  return {.begin = begin, .end = begin + part.size()};
}

// A pattern with \C may begin or end inside a code point.
TextSpan wholeCodePoints(std::string_view text, TextSpan span, std::size_t from) {
  while (span.begin > from && domain::isContinuationByte(text[span.begin])) {
    --span.begin;
  }
  while (span.end < text.size() && domain::isContinuationByte(text[span.end])) {
    ++span.end;
  }
  return span;
}

// The first part of the span outside all markers.
std::optional<TextSpan> outsideMarkers(std::string_view text, TextSpan span) {
  const std::string_view near = text.substr(0, std::min(text.size(), span.end + kLongestMarker));
  std::size_t marker = domain::nextMarker(near, span.begin - std::min(span.begin, kLongestMarker));
  while (marker < span.end) {
    const std::size_t markerEnd = marker + domain::markerLengthAt(near, marker);
    if (span.begin < marker) {
      return TextSpan{.begin = span.begin, .end = marker};
    }
    span.begin = std::max(span.begin, markerEnd);
    marker = domain::nextMarker(near, markerEnd);
  }
  return span.begin < span.end ? std::optional(span) : std::nullopt;
}

}  // namespace

std::expected<std::shared_ptr<const OrganisationPatterns>, std::vector<PatternProblem>>
OrganisationPatterns::make(const std::vector<std::string>& secrets,
                           const std::vector<std::string>& allowed) {
  if (secrets.empty() && allowed.empty()) {
    return nullptr;
  }
  Making making;
  making.check(PatternList::secrets, secrets);
  making.check(PatternList::allowed, allowed);
  if (making.failed()) {
    return std::unexpected(making.takeProblems());
  }
  Pattern anySecret = making.combine(PatternList::secrets, secrets);
  Pattern anyAllowed = making.combine(PatternList::allowed, allowed);
  if (making.failed()) {
    return std::unexpected(making.takeProblems());
  }
  std::vector<Pattern> single;
  if (anySecret && anySecret->NumberOfCapturingGroups() > 0) {
    std::ranges::transform(secrets, std::back_inserter(single), [](const std::string& pattern) {
      return compile(pattern, kPatternMemory);
    });
  }
  // Not make_shared: the constructor is private.
  return std::shared_ptr<const OrganisationPatterns>(new OrganisationPatterns(
      std::move(single), std::move(anySecret), std::move(anyAllowed), digestOf(secrets, allowed)));
}

OrganisationPatterns::OrganisationPatterns(std::vector<Pattern> secrets, Pattern anySecret,
                                           Pattern anyAllowed, std::string digest)
    : secrets_(std::move(secrets)),
      anySecret_(std::move(anySecret)),
      anyAllowed_(std::move(anyAllowed)),
      digest_(std::move(digest)) {}

OrganisationPatterns::~OrganisationPatterns() = default;

std::optional<TextSpan> OrganisationPatterns::nextMatch(std::string_view text,
                                                        std::size_t from) const {
  std::size_t at = from;
  std::size_t window = kWindow;
  while (at < text.size()) {
    const std::size_t end = std::min(text.size(), at + window);
    const bool seesAll = end == text.size();
    std::string_view part;
    if (!anySecret_->Match(text, at, end, RE2::UNANCHORED, &part, 1)) {
      if (seesAll) {
        return std::nullopt;
      }
      at = end - kMaxPatternLookahead;
      window = kWindow;
      continue;
    }
    const TextSpan match = spanOf(text, part);
    if (match.begin == match.end) {  // \b and the like, in a pattern that also matches more
      at = match.end + 1;
    } else if (seesAll || match.end <= end - kMaxPatternLookahead) {
      return match;
    } else if (match.begin > at) {
      at = match.begin;
      window = kWindow;
    } else {
      window *= 2;  // at most twice the match, so the total stays linear
    }
  }
  return std::nullopt;
}

// Empty if the group is.
TextSpan OrganisationPatterns::secretIn(std::string_view text, TextSpan match) const {
  for (const Pattern& pattern : secrets_) {
    std::array<std::string_view, 2> parts;
    const int wanted = pattern->NumberOfCapturingGroups() > 0 ? 2 : 1;
    if (pattern->Match(text, match.begin, match.end, RE2::ANCHOR_BOTH, parts.data(), wanted)) {
      return parts[1].data() == nullptr ? match : spanOf(text, parts[1]);
    }
  }
  return match;
}

std::optional<TextSpan> OrganisationPatterns::nextSecret(std::string_view text,
                                                         std::size_t from) const {
  if (!anySecret_) {
    return std::nullopt;
  }
  for (auto match = nextMatch(text, from); match; match = nextMatch(text, match->end)) {
    const TextSpan secret = wholeCodePoints(text, secretIn(text, *match), from);
    if (auto part = outsideMarkers(text, secret)) {
      return part;
    }
  }
  return std::nullopt;
}

bool OrganisationPatterns::allows(std::string_view token) const {
  return anyAllowed_ && matchesWhole(*anyAllowed_, token);
}

}  // namespace auth_errors::security
