#include "app/setting_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <set>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "domain/values/ascii.h"

namespace auth_errors::app {
namespace {

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// The client library validates host and path; this detects swapped or truncated values.
bool isUrl(std::string_view text, std::initializer_list<std::string_view> schemes) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos &&
         std::ranges::any_of(schemes, [&](std::string_view s) { return text.starts_with(s); });
}

std::vector<std::string_view> commaList(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    items.push_back(domain::trimmed(text.substr(0, end), " "));
    text = end < text.size() ? text.substr(end + 1) : std::string_view{};
  }
  return items;
}

}  // namespace

std::optional<std::int64_t> numberWithin(const SettingRule& rule, std::string_view text) {
  const auto number = parseInteger(text);
  return number && *number >= rule.minimum && *number <= rule.maximum ? number : std::nullopt;
}

std::optional<std::int64_t> bytesWithin(const SettingRule& rule, std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K') || text.ends_with('k')) {
    unit = kKibi;
  } else if (text.ends_with('M') || text.ends_with('m')) {
    unit = kMebi;
  }
  const auto number = parseInteger(unit == 1 ? text : text.substr(0, text.size() - 1));
  if (!number || *number < 0 || *number > rule.maximum / unit || *number * unit < rule.minimum) {
    return std::nullopt;
  }
  return *number * unit;
}

std::vector<std::string> linesOf(const SettingRule& rule, std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find(rule.separator), text.size());
    if (end > 0) {
      lines.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool assignDatabaseUrl(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.database.url = text;
  return isUrl(text, {"postgresql://", "postgres://"});
}

bool assignBrokerUrl(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.url = text;
  return isUrl(text, {"amqp://", "amqps://"});
}

bool assignBrokerPrefix(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  settings.broker.prefix = text;
  return domain::isPlainName(text);
}

// One for each rung, in non-decreasing order.
bool assignRetryDelays(const SettingRule& rule, Settings& settings, std::string_view text) {
  if (std::ranges::count(text, ',') + 1 != static_cast<std::ptrdiff_t>(domain::kRetryRungs)) {
    return false;
  }
  std::int64_t shortest = rule.minimum;
  for (std::chrono::milliseconds& rung : settings.retry.rungs) {
    const auto end = std::min(text.find(','), text.size());
    const auto number = parseInteger(text.substr(0, end));
    if (!number || *number < shortest || *number > rule.maximum) {
      return false;
    }
    shortest = *number;
    rung = std::chrono::milliseconds(*number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool assignActorKeys(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  auto keys = security::parsePseudonymKeys(text);
  if (!keys) {
    return false;
  }
  settings.actors.keys = *std::move(keys);
  return true;
}

bool assignAddress(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  const auto address = controllers::IpAddress::parse(text);
  if (address) {
    settings.http.address = text;
  }
  return address.has_value();
}

bool assignTrustedProxies(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  std::vector<domain::IpNetwork> networks;
  for (const std::string_view item : commaList(text)) {
    const auto network = domain::IpNetwork::parse(item);
    if (!network) {
      return false;
    }
    networks.push_back(*network);
  }
  settings.http.trustedProxies = std::move(networks);
  return true;
}

bool assignForwardedHeader(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  using enum controllers::ForwardedHeader;
  for (const auto header : {xForwardedFor, forwarded}) {
    if (text == controllers::headerName(header)) {
      settings.http.forwardedHeader = header;
      return true;
    }
  }
  return false;
}

bool assignLogLevel(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), domain::toLower);
  const auto level = telemetry::parseLogLevel(lower);
  settings.log.level = level.value_or(telemetry::LogLevel::info);
  return level.has_value();
}

bool assignLogFormat(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  if (text == "auto") {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    settings.log.format = terminal ? telemetry::LogFormat::text : telemetry::LogFormat::json;
    return true;
  }
  settings.log.format = text == "text" ? telemetry::LogFormat::text : telemetry::LogFormat::json;
  return text == "text" || text == "json";
}

bool assignRoles(const SettingRule& /*rule*/, Settings& settings, std::string_view text) {
  static constexpr std::array kRoles = {
      std::pair{std::string_view("api"), Role::api},
      std::pair{std::string_view("outbox"), Role::outbox},
      std::pair{std::string_view("consumer"), Role::consumer},
      std::pair{std::string_view("ops"), Role::ops},
  };
  std::set<Role> roles;
  for (const std::string_view item : commaList(text)) {
    const auto* const found =
        std::ranges::find(kRoles, item, &std::pair<std::string_view, Role>::first);
    if (found == kRoles.end()) {
      return false;
    }
    roles.insert(found->second);
  }
  settings.roles = std::move(roles);
  return !settings.roles.empty();
}

bool assignShutdownDeadline(const SettingRule& rule, Settings& settings, std::string_view text) {
  const auto number = numberWithin(rule, text);
  settings.shutdownDeadline = std::chrono::milliseconds(number.value_or(0));
  return number.has_value();
}

}  // namespace auth_errors::app
