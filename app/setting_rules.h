// One setting as a row: where it is read from, its default, what it may be and where it is kept.
// The rows drive parsing, ranges, help and check-config.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/settings.h"

namespace auth_errors::app {

struct SettingRule;
// Stores the value; false if the text is none.
using Assign = bool (*)(const SettingRule&, Settings&, std::string_view);

struct SettingRule {
  std::string_view key;
  std::string_view environment;
  std::string_view fallback;
  std::string_view help;
  Assign assign;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::string_view allowed = "";  // empty: the range says it
  bool secret = false;
  bool path = false;
  char separator = ',';  // of a list's items
};

// In the order of help and check-config.
std::span<const SettingRule> settingRules();

// Null if no setting has the key.
const SettingRule* settingRuleOf(std::string_view key);

// What a value may be, for people.
std::string allowedText(const SettingRule& rule);

}  // namespace auth_errors::app
