// Checks that a certificate and its key can be loaded and belong together, before anything listens,
// because the framework would only fail later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace auth_errors::app {

struct TlsFileProblem {
  bool ofKey;
  std::filesystem::path path;
  std::string allowed;
};

std::vector<TlsFileProblem> checkTlsFiles(const std::filesystem::path& certificate,
                                          const std::filesystem::path& key);

}  // namespace auth_errors::app
