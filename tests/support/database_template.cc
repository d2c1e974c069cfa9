#include "tests/support/database_template.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <vector>

#include <drogon/utils/Utilities.h>

#include "tests/support/api_keys.h"
#include "tests/support/project_paths.h"

namespace auth_errors::tests {
namespace {

constexpr std::size_t kDigestLength = 16;

// A digest of everything that determines the template's contents.
std::string digest() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(migrationsFolder())) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::string content = std::format("{}\n{}\n{}\n", kIngestKey, kViewerKey, kOperatorKey);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    content += path.filename().string() + '\n';
    content.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::string text = drogon::utils::getSha256(content).substr(0, kDigestLength);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool exists(PlainConnection& server, const std::string& name) {
  return server.queryValue(
             std::format("SELECT count(*) FROM pg_database WHERE datname = '{}'", name)) == "1";
}

}  // namespace

void ensureTemplate(PlainConnection& server, const std::string& name,
                    const std::function<void(const std::string& url)>& fill) {
  if (exists(server, name)) {
    return;
  }
  // The server releases the lock with this connection, even if this process is killed.
  PlainConnection maker(server.url());
  maker.queryText(std::format("SELECT pg_advisory_lock(hashtext('{}'))", name));
  if (exists(maker, name)) {
    return;
  }
  // Only the rename makes the template visible, so a process that dies earlier leaves no template.
  const std::string part = name + "_part";
  maker.execute(std::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", part));
  maker.execute(std::format("CREATE DATABASE {}", part));
  fill(urlWithDatabase(server.url(), part));
  maker.execute(std::format("ALTER DATABASE {} ALLOW_CONNECTIONS false", part));
  maker.execute(std::format("ALTER DATABASE {} RENAME TO {}", part, name));
  maker.execute(std::format("ALTER DATABASE {} IS_TEMPLATE true", name));
}

std::string migratedTemplate(PlainConnection& server) {
  std::string name = "template_" + digest();
  ensureTemplate(server, name, prepareDatabase);
  return name;
}

}  // namespace auth_errors::tests
