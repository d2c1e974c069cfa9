#include "platform/database/connection_settings.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <format>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace auth_errors::database {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;
using OptionTexts = std::map<std::string, std::string, std::less<>>;

// Settings that the statements and the guarantees of this layer rely on, including that the
// server's log does not quote parameters of failed statements, such as search terms. They override
// the defaults of the role and the database; the URL's own options follow them.
constexpr std::string_view kPinned =
    "-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c TimeZone=UTC "
    "-c DateStyle=ISO -c IntervalStyle=postgres -c standard_conforming_strings=on "
    "-c bytea_output=hex -c log_parameter_max_length_on_error=0";

std::vector<std::string> partsOf(std::string_view list) {
  std::vector<std::string> parts;
  for (const auto part : list | std::views::split(',')) {
    parts.emplace_back(std::string_view(part));
  }
  return parts;
}

// Ports are checked here because libpq checks them only when connecting and quotes the invalid
// text, which is part of the password if that contains a slash.
bool arePorts(std::string_view list) {
  return std::ranges::all_of(partsOf(list), [](const std::string& text) {
    int port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    return text.empty() || (failure == std::errc() && end == text.data() + text.size() &&
                            port > 0 && port <= 65'535);
  });
}

void takeTexts(OptionTexts& texts, const Options& options) {
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val != nullptr && *option->val != '\0') {
      texts[option->keyword] = option->val;
    }
  }
}

// libpq's message about an invalid URL is not passed on, because it may quote the password.
OptionTexts parseUrl(const std::string& url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) {
    throw std::invalid_argument("the database URL must start with postgresql://");
  }
  char* message = nullptr;
  const Options parsed(PQconninfoParse(url.c_str(), &message));
  PQfreemem(message);
  if (!parsed) {
    throw std::invalid_argument("the database URL is not valid");
  }
  OptionTexts texts;
  takeTexts(texts, parsed);
  if (texts.contains("port") && !arePorts(texts.at("port"))) {
    throw std::invalid_argument("the database URL has a bad port");
  }
  if (texts.contains("service")) {
    throw std::invalid_argument("the database URL must name its servers itself, not a service");
  }
  return texts;
}

// The servers that libpq will connect to, according to the URL and the environment. Empty if the
// lists do not match; libpq reports that itself.
std::vector<ServerAddress> serversOf(const OptionTexts& url) {
  OptionTexts all;
  takeTexts(all, Options(PQconndefaults()));
  for (const auto& [keyword, value] : url) {
    all[keyword] = value;
  }
  const std::vector<std::string> hosts = partsOf(all["host"]);
  const std::vector<std::string> addresses = partsOf(all["hostaddr"]);
  const std::vector<std::string> ports = partsOf(all["port"]);
  const std::size_t count = std::max({hosts.size(), addresses.size(), std::size_t{1}});
  const auto fits = [count](const std::vector<std::string>& list) {
    return list.empty() || list.size() == count;
  };
  if (!fits(hosts) || !fits(addresses) || (ports.size() > 1 && !fits(ports))) {
    return {};
  }
  std::vector<ServerAddress> servers(count);
  for (std::size_t i = 0; i < count; ++i) {
    servers[i] = {.host = hosts.empty() ? "" : hosts[i],
                  .address = addresses.empty() ? "" : addresses[i],
                  .port = ports.empty() ? "" : ports[ports.size() == 1 ? 0 : i]};
  }
  return servers;
}

std::string listOf(const std::vector<ServerAddress>& servers, std::string ServerAddress::* part) {
  std::string list;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    list.append(i == 0 ? "" : ",").append(servers[i].*part);
  }
  return list;
}

}  // namespace

bool ServerAddress::isName() const {
  // A path, or a name in Linux's abstract namespace, denotes a Unix-domain socket.
  return address.empty() && !host.empty() && !host.starts_with('/') && !host.starts_with('@');
}

ConnectionSettings::ConnectionSettings(const ClientOptions& options)
    : connectTimeout_(options.connectTimeout), cancelGrace_(options.cancelGrace) {
  OptionTexts url = parseUrl(options.url);
  const std::string serverOptions = std::format(
      "-c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} {} {} "
      "{}",
      options.statementTimeout.count(), options.lockTimeout.count(),
      options.idleInTransactionTimeout.count(),
      options.parallelPlans ? "" : "-c max_parallel_workers_per_gather=0", url["options"], kPinned);
  texts_ = {
      // Defaults, before the URL, which may override them. GSS negotiation costs a round trip.
      {"application_name", options.applicationName},
      {"gssencmode", "disable"},
      {"keepalives", "1"},
      {"keepalives_idle", "10"},
      {"keepalives_interval", "5"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", std::to_string(options.tcpUserTimeout.count())},
      {"dbname", options.url},
      // After the URL: settings that this layer relies on.
      {"client_encoding", "UTF8"},
      {"options", serverOptions},
  };
  servers_ = serversOf(url);
  for (const ServerAddress& server : servers_) {
    if (server.isName()) {
      names_.push_back(server.host);
    }
  }
}

std::vector<ServerAddress> ConnectionSettings::reachable(
    const std::vector<workers::HostLookup::Found>& found, std::size_t attempt) const {
  std::vector<ServerAddress> servers;
  std::size_t name = 0;
  for (const ServerAddress& server : servers_) {
    if (!server.isName()) {
      servers.push_back(server);
      continue;
    }
    for (const std::string& address : found.at(name).addresses) {
      servers.push_back({.host = server.host, .address = address, .port = server.port});
    }
    ++name;
  }
  if (!servers.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(attempt % servers.size());
    std::ranges::rotate(servers, servers.begin() + first);
  }
  return servers;
}

PGconn* ConnectionSettings::startConnecting(const std::vector<ServerAddress>& servers) const {
  auto texts = texts_;
  if (!servers.empty()) {
    texts.emplace_back("host", listOf(servers, &ServerAddress::host));
    texts.emplace_back("hostaddr", listOf(servers, &ServerAddress::address));
    texts.emplace_back("port", listOf(servers, &ServerAddress::port));
  }
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : texts) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  return PQconnectStartParams(keywords.data(), values.data(), 1);
}

}  // namespace auth_errors::database
