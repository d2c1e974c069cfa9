// A setting as a table row: its sources, default, allowed values and destination. The rows
// determine parsing, ranges, help and check-config.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/settings.h"

namespace auth_errors::app {

struct SettingRule;
// Stores the value; false if the text is invalid.
using Assign = bool (*)(const SettingRule&, Settings&, std::string_view);

struct SettingRule {
  std::string_view key;
  std::string_view environment;
  std::string_view fallback;
  std::string_view help;
  Assign assign;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::string_view allowed = "";  // empty: described by the range
  bool secret = false;
  bool path = false;
  char separator = ',';  // of a list's items
};

// In the order of help and check-config.
std::span<const SettingRule> settingRules();

// Null if no setting has the key.
const SettingRule* settingRuleOf(std::string_view key);

// The allowed values, in words.
std::string allowedText(const SettingRule& rule);

}  // namespace auth_errors::app
