// The stack hash's table of cases, by language. The traces have the shapes that frameworks give
// them; the services in them are made up.
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
  std::span<const TracePair> meeting;  // one fault: one hash
  std::span<const TracePair> parting;  // two faults
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

// Messages, which count only where a trace has no frame.
LanguageCases messageCases();

}  // namespace auth_errors::domain
