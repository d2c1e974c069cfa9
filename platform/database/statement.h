// A named SQL statement. Usually a constant right above the function that runs it.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::database {

// Prepared under its name on each connection at first use, so a name must identify a single SQL
// text. With an empty name it is not prepared but parsed at each run.
//
// Statements with more than a few parameters name them: `parameters` lists the names in the order
// of run()'s values, and the SQL uses $name instead of $1.
struct Statement {
  std::string name;
  std::string parameters = {};  // "outbox_id attempt error"
  std::string sql;

  bool operator==(const Statement&) const = default;
};

// The SQL with each name replaced by its number. Throws std::logic_error for a name that is not
// listed, or listed and not used.
std::string numbered(const Statement& statement);

}  // namespace auth_errors::database
