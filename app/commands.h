// What `auth-errors serve | migrate | check-config | keys | actor-keys | installation | parked` do,
// given the command line's words. Each runs on the main thread and returns the process's exit code.
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
  std::string configFile;  // empty: ./config.json if there is one
  std::optional<std::string> roles;
};

struct KeyArguments {
  std::string name;
  std::string role;
  std::optional<std::string> serviceName;
  std::optional<std::int64_t> rateLimit;
};

struct ParkedArguments {
  std::optional<std::string> installation;  // only its messages
  std::optional<std::string> prefix;        // of the work queue that they are returned to
};

int serve(const CommandLine& commandLine);
int migrate(const CommandLine& commandLine);
int checkConfig(const CommandLine& commandLine);

// Prints the new key, and nothing else, to stdout.
int createKey(const CommandLine& commandLine, const KeyArguments& arguments);
int listKeys(const CommandLine& commandLine);
int revokeKey(const CommandLine& commandLine, const KeyArguments& arguments);

// The fingerprints that the database knows.
int listActorKeys(const CommandLine& commandLine);
int forgetActorKey(const CommandLine& commandLine, std::int32_t version);

// Prints the id, and nothing else, to stdout.
int showInstallation(const CommandLine& commandLine);
int renewInstallation(const CommandLine& commandLine);

// Messages of other installations that instances have found in their queues.
int listParked(const CommandLine& commandLine, const ParkedArguments& arguments);
int returnParked(const CommandLine& commandLine, const ParkedArguments& arguments);
int dropParked(const CommandLine& commandLine, const ParkedArguments& arguments);

std::string versionText();

// On stderr, scrubbed: it may quote what a library was given.
void reportFailure(std::string_view what);

}  // namespace auth_errors::app
