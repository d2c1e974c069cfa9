// The commands `auth-errors serve | migrate | check-config | keys | actor-keys | installation |
// parked`, with parsed arguments. Each runs on the main thread and returns the exit code of the
// process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/settings.h"

namespace auth_errors::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

struct CommandLine {
  std::string configFile;  // empty: ./config.json, if present
  std::optional<std::string> roles;
};

struct KeyArguments {
  std::string name;
  std::string role;
  std::optional<std::string> serviceName;
  std::optional<std::int64_t> rateLimit;
};

struct ParkedArguments {
  std::optional<std::string> installation;  // only messages of this installation
  std::optional<std::string> prefix;        // of the work queue that they are returned to
};

int serve(const CommandLine& commandLine);
int migrate(const CommandLine& commandLine);
int checkConfig(const CommandLine& commandLine);

// Prints the new key, and nothing else, to stdout.
int createKey(const CommandLine& commandLine, const KeyArguments& arguments);
int listKeys(const CommandLine& commandLine);
int revokeKey(const CommandLine& commandLine, const KeyArguments& arguments);

// Lists the fingerprints in the database.
int listActorKeys(const CommandLine& commandLine);
int forgetActorKey(const CommandLine& commandLine, std::int32_t version);

// Prints the id, and nothing else, to stdout.
int showInstallation(const CommandLine& commandLine);
int renewInstallation(const CommandLine& commandLine);

// Messages of other installations that were found in this installation's queues.
int listParked(const CommandLine& commandLine, const ParkedArguments& arguments);
int returnParked(const CommandLine& commandLine, const ParkedArguments& arguments);
int dropParked(const CommandLine& commandLine, const ParkedArguments& arguments);

std::string versionText();

// Prints to stderr, scrubbed, because the text may quote input.
void reportFailure(std::string_view what);

}  // namespace auth_errors::app
