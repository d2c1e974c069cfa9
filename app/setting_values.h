// Parses the text of a setting into its member of Settings: one function per kind of value, used in
// the rows of app/setting_rules.cc. Pure, except assignLogFormat, which checks stdout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/setting_rules.h"
#include "app/settings.h"

namespace auth_errors::app {

inline constexpr std::int64_t kKibi = 1024;
inline constexpr std::int64_t kMebi = 1024 * kKibi;

// nullopt if the text is invalid or outside of the rule's range. Bytes may be given in K and M.
std::optional<std::int64_t> numberWithin(const SettingRule& rule, std::string_view text);
std::optional<std::int64_t> bytesWithin(const SettingRule& rule, std::string_view text);
// Splits at the rule's separator and omits empty lines.
std::vector<std::string> linesOf(const SettingRule& rule, std::string_view text);

// A count, or a duration in the unit of the member.
template <auto Group, auto Member>
bool assignNumber(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  auto& member = settings.*Group.*Member;
  member = static_cast<std::remove_reference_t<decltype(member)>>(number.value_or(0));
  return number.has_value();
}

template <auto Group, auto Member>
bool assignBytes(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto bytes = bytesWithin(rule, text);
  settings.*Group.*Member = static_cast<std::size_t>(bytes.value_or(0));
  return bytes.has_value();
}

template <auto Member>
bool assignRate(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  (settings.rateLimit.*Member).perSecond = number.value_or(0);
  return number.has_value();
}

template <auto Group, auto Member>
bool assignFlag(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  if (text != "true" && text != "false") {
    return false;
  }
  settings.*Group.*Member = text == "true";
  return true;
}

template <auto Group, auto Member>
bool assignPath(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.*Group.*Member = text;
  return true;
}

// For lists whose items may contain commas. The items are validated where they are used.
template <auto Group, auto Member>
bool assignLines(const SettingRule& rule, Settings& settings, std::string_view text) {
  settings.*Group.*Member = linesOf(rule, text);
  return true;
}

bool assignDatabaseUrl(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignBrokerUrl(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignBrokerPrefix(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignRetryDelays(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignActorKeys(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignAddress(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignTrustedProxies(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignForwardedHeader(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignLogLevel(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignLogFormat(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignRoles(const SettingRule& rule, Settings& settings, std::string_view text);
bool assignShutdownDeadline(const SettingRule& rule, Settings& settings, std::string_view text);

}  // namespace auth_errors::app
