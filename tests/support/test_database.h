// A dedicated database for one test, on the server that DATABASE_URL names (as superuser), dropped
// at the end. For one thread at a time. Checks use plain synchronous libpq, independent of the
// database layer under test. Without a server it throws, which fails the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace auth_errors::tests {

// A row with every value in the server's text format; NULL is nullopt. Tests compare rows with the
// matchers of row_matchers.h.
struct TextRow {
  std::shared_ptr<const std::vector<std::string>> columns;  // names, shared by all rows of a result
  std::vector<std::optional<std::string>> cells;

  [[nodiscard]] const std::optional<std::string>& at(std::size_t column) const {
    return cells.at(column);
  }
  [[nodiscard]] const std::optional<std::string>& front() const { return cells.at(0); }
  bool operator==(const TextRow& other) const { return cells == other.cells; }
};
// For failure messages: (status: "DONE", total: "3", note: NULL)
void PrintTo(const TextRow& row, std::ostream* out);  // NOLINT(readability-identifier-naming)

// A synchronous connection.
class PlainConnection {
 public:
  explicit PlainConnection(const std::string& url);
  ~PlainConnection();
  PlainConnection(PlainConnection&&) noexcept;
  PlainConnection& operator=(PlainConnection&&) noexcept;
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  // Runs one or more statements; throws std::runtime_error with the server's message.
  void execute(const std::string& sql);
  std::vector<TextRow> queryText(const std::string& sql);
  // The only row; throws unless there is exactly one.
  TextRow queryRow(const std::string& sql);
  // The first column of the only row; throws unless there is exactly one row and it is not NULL.
  std::string queryValue(const std::string& sql);

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  struct Handle;
  std::string url_;
  std::unique_ptr<Handle> handle_;
};

// DATABASE_URL; throws if unset.
std::string serverUrl();
// The same server with another database.
std::string urlWithDatabase(const std::string& url, const std::string& database);

// The same server on another port, such as a proxy's.
std::string urlWithPort(const std::string& url, std::uint16_t port);
// Throws if the URL has no port.
std::uint16_t portOf(const std::string& url);

enum class Contents {
  migrated,  // the schema of the migrations, and the keys of api_keys.h
  nothing,
};

class TestDatabase {
 public:
  explicit TestDatabase(Contents contents = Contents::migrated);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;
  TestDatabase(TestDatabase&&) = delete;
  TestDatabase& operator=(TestDatabase&&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& url() const { return url_; }

  void execute(const std::string& sql) { connection_->execute(sql); }
  std::vector<TextRow> queryText(const std::string& sql) { return connection_->queryText(sql); }
  TextRow queryRow(const std::string& sql) { return connection_->queryRow(sql); }
  std::string queryValue(const std::string& sql) { return connection_->queryValue(sql); }
  template <typename Id>
  Id queryId(const std::string& sql) {
    return Id(std::stoll(queryValue(sql)));
  }

 private:
  std::string name_;
  std::string url_;
  std::optional<PlainConnection> connection_;
};

}  // namespace auth_errors::tests
