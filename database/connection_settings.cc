#include "database/connection_settings.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <libpq-fe.h>

namespace auth_errors::database {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

// Ports are checked here because libpq does so only when it connects, and then quotes what stands
// there: part of the password, if that has a slash.
bool arePorts(std::string_view list) {
  return std::ranges::all_of(list | std::views::split(','), [](auto part) {
    const std::string_view text(part);
    int port = 0;
    const auto [end, failure] = std::from_chars(text.begin(), text.end(), port);
    return text.empty() ||
           (failure == std::errc() && end == text.end() && port > 0 && port <= 65'535);
  });
}

// The URL's own server options, which ours must not push out. libpq's words on a bad URL are not
// passed on: they may quote the password.
std::string serverOptionsOf(const std::string& url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) {
    throw std::invalid_argument("the database URL must start with postgresql://");
  }
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(
      PQconninfoParse(url.c_str(), &message));
  PQfreemem(message);
  if (!parsed) {
    throw std::invalid_argument("the database URL is not valid");
  }
  std::string options;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    const std::string_view keyword = option->keyword;
    if (option->val == nullptr) {
      continue;
    }
    if (keyword == "port" && !arePorts(option->val)) {
      throw std::invalid_argument("the database URL has a bad port");
    }
    if (keyword == "options") {
      options = option->val;
    }
  }
  return options;
}

}  // namespace

ConnectionSettings::ConnectionSettings(const ClientOptions& options)
    : connectTimeout_(options.connectTimeout), cancelGrace_(options.cancelGrace) {
  const std::string serverOptions = std::format(
      "-c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} {}",
      options.statementTimeout.count(), options.lockTimeout.count(),
      options.idleInTransactionTimeout.count(), serverOptionsOf(options.url));
  texts_ = {
      // Before the URL: defaults, which it may override. GSS negotiation costs a round trip.
      {"application_name", options.applicationName},
      {"gssencmode", "disable"},
      {"keepalives", "1"},
      {"keepalives_idle", "10"},
      {"keepalives_interval", "5"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", std::to_string(options.tcpUserTimeout.count())},
      {"dbname", options.url},
      // After it: what the layer relies on.
      {"client_encoding", "UTF8"},
      {"options", serverOptions},
  };
  for (const auto& [keyword, value] : texts_) {
    keywords_.push_back(keyword.c_str());
    values_.push_back(value.c_str());
  }
  keywords_.push_back(nullptr);
  values_.push_back(nullptr);
}

}  // namespace auth_errors::database
