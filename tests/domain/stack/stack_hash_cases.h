// The stack hash's table of cases, by language. The traces have the formats of real frameworks; the
// services in them are made up.
#pragma once

#include <span>
#include <string_view>

namespace auth_errors::domain {

struct TracePair {
  std::string_view name;
  std::string_view one;
  std::string_view other;
};

struct LanguageCases {
  std::string_view language;
  std::span<const TracePair> meeting;  // pairs of the same fault: equal hashes
  std::span<const TracePair> parting;  // pairs of different faults
};

LanguageCases javaCases();
LanguageCases kotlinCases();
LanguageCases pythonCases();
LanguageCases javascriptCases();
LanguageCases goCases();
LanguageCases dotnetCases();
LanguageCases rubyCases();
LanguageCases phpCases();
LanguageCases rustCases();
LanguageCases cppCases();

// Messages, which are hashed only if a trace has no frame.
LanguageCases messageCases();

}  // namespace auth_errors::domain
