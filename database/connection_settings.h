// ClientOptions as libpq takes them. Immutable, so any thread may read it. Only for this folder's
// own sources.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "database/client.h"

namespace auth_errors::database {

class ConnectionSettings {
 public:
  // Throws std::invalid_argument, without quoting it, on a bad URL.
  explicit ConnectionSettings(const ClientOptions& options);

  // Null-terminated arrays for PQconnectStartParams, valid as long as this object.
  [[nodiscard]] const char* const* keywords() const { return keywords_.data(); }
  [[nodiscard]] const char* const* values() const { return values_.data(); }
  [[nodiscard]] std::chrono::milliseconds connectTimeout() const { return connectTimeout_; }
  [[nodiscard]] std::chrono::milliseconds cancelGrace() const { return cancelGrace_; }

  ConnectionSettings(const ConnectionSettings&) = delete;
  ConnectionSettings& operator=(const ConnectionSettings&) = delete;
  ConnectionSettings(ConnectionSettings&&) = delete;
  ConnectionSettings& operator=(ConnectionSettings&&) = delete;
  ~ConnectionSettings() = default;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<const char*> keywords_;
  std::vector<const char*> values_;
  std::chrono::milliseconds connectTimeout_;
  std::chrono::milliseconds cancelGrace_;
};

}  // namespace auth_errors::database
