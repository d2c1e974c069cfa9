// Template databases: filled once per server and copied for each test, which is much faster than
// migrating. Safe for concurrent processes, which may die at any moment. A template remains on its
// server for later runs; it refuses connections, so that it can always be copied.
#pragma once

#include <functional>
#include <string>

#include "tests/support/test_database.h"

namespace auth_errors::tests {

// Creates the template `name` with fill(url of the database), unless it exists.
void ensureTemplate(PlainConnection& server, const std::string& name,
                    const std::function<void(const std::string& url)>& fill);

// The name of the template that prepareDatabase() fills, created on demand. The name depends on the
// migrations and the keys.
std::string migratedTemplate(PlainConnection& server);

}  // namespace auth_errors::tests
