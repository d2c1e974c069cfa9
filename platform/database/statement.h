// A named SQL statement. Usually a constant right above the function that runs it.
#pragma once

#include <string>

namespace auth_errors::database {

// Prepared under its name on each connection at first use, so a name must stand for one SQL text
// only. An empty name means: not prepared, parsed at each run.
struct Statement {
  std::string name;
  std::string sql;
};

}  // namespace auth_errors::database
