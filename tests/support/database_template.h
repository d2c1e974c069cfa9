// Template databases: filled once on a server, then copied for each test, which takes a fraction of
// the time. Any number of processes may ask at once and may die at any moment. A template stays on
// its server for later runs; nobody can connect to it, so that it can be copied at any time.
#pragma once

#include <functional>
#include <string>

#include "tests/support/test_database.h"

namespace auth_errors::tests {

// Makes the template `name`, filled by fill(url of the database), unless the server has it.
void ensureTemplate(PlainConnection& server, const std::string& name,
                    const std::function<void(const std::string& url)>& fill);

// The name of the template that prepareDatabase() has filled, made if need be. The name changes
// with the migrations and the keys.
std::string migratedTemplate(PlainConnection& server);

}  // namespace auth_errors::tests
