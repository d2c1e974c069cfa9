// What `auth-errors serve | migrate | check-config` do, given the command line's words. Each runs
// on the main thread and returns the process's exit code.
#pragma once

#include <optional>
#include <string>

#include "app/settings.h"

namespace auth_errors::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

struct CommandLine {
  std::string configFile;  // empty: ./config.json if there is one
  std::optional<std::string> roles;
};

int serve(const CommandLine& commandLine);
int migrate(const CommandLine& commandLine);
int checkConfig(const CommandLine& commandLine);

std::string versionText();

}  // namespace auth_errors::app
