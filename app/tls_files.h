// Do a certificate and its key load, and belong together? Asked before anything listens, because
// the framework itself would only say so by failing.
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
