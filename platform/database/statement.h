// A named SQL statement. Usually a constant right above the function that runs it.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::database {

// Prepared under its name on each connection at first use, so a name must stand for one SQL text
// only. An empty name means: not prepared, parsed at each run.
//
// With more than a few parameters, they have names, so that nobody counts: `parameters` lists them
// in the order in which run() gets their values, and the SQL says $name instead of $1.
struct Statement {
  std::string name;
  std::string parameters = {};  // "outbox_id attempt error"
  std::string sql;

  bool operator==(const Statement&) const = default;
};

// The SQL as PostgreSQL takes it, each name replaced by its number. Throws std::logic_error for a
// name that is not listed, or listed and not used.
std::string numbered(const Statement& statement);

}  // namespace auth_errors::database
