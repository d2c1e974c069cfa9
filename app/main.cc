#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <print>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/settings.h"
#include "domain/scrub/scrubber.h"
#include "platform/database/client.h"

namespace app = auth_errors::app;

int main(int argc, char** argv) {
  try {
    auth_errors::database::ignoreSessionEnvironment();
    app::CommandLine commandLine;
    CLI::App parser("Ingests authentication errors and tracks each one until it is resolved.",
                    "auth-errors");
    parser.set_version_flag("--version", app::versionText());
    parser.require_subcommand(0, 1);
    parser.fallthrough();
    parser.add_option("--config", commandLine.configFile,
                      "JSON file with settings; default ./config.json, if present");

    CLI::App* serve = parser.add_subcommand("serve", "Run the service until SIGTERM");
    serve->add_option("--roles", commandLine.roles,
                      "Comma-separated: api,outbox,consumer,ops; all by default");
    serve->footer(app::settingsHelp());
    serve->get_formatter()->enable_footer_formatting(false);  // the footer has its own line breaks
    CLI::App* migrate =
        parser.add_subcommand("migrate", "Apply pending migrations to the database");
    CLI::App* check = parser.add_subcommand("check-config", "Validate and show the settings");
    check->add_option("--roles", commandLine.roles, "The roles to validate for");

    app::KeyArguments key;
    CLI::App* keys = parser.add_subcommand("keys", "Create, list and revoke API keys");
    keys->require_subcommand(1);
    CLI::App* create =
        keys->add_subcommand("create", "Create a key and print it; it cannot be shown again");
    create->add_option("--name", key.name, "Name in logs, metrics and for revocation")->required();
    create->add_option("--role", key.role, "ingest, viewer or operator")->required();
    create->add_option("--service", key.serviceName,
                       "The only serviceName that the key may send errors of");
    create->add_option("--rate-limit", key.rateLimit, "Requests per second; 0: unlimited");
    CLI::App* list = keys->add_subcommand("list", "List all keys without their secrets");
    CLI::App* revoke = keys->add_subcommand("revoke", "Revoke a key permanently");
    revoke->add_option("--name", key.name, "Name of the key")->required();

    std::int32_t actorKeyVersion = 0;
    CLI::App* actorKeys =
        parser.add_subcommand("actor-keys", "List and forget fingerprints of actor keys");
    actorKeys->require_subcommand(1);
    CLI::App* listActorKeys =
        actorKeys->add_subcommand("list", "List the fingerprints in the database");
    CLI::App* forgetActorKey = actorKeys->add_subcommand(
        "forget", "Forget the fingerprint of a version that is no longer in use");
    forgetActorKey->add_option("version", actorKeyVersion, "Version of the actor key")->required();

    CLI::App* installation =
        parser.add_subcommand("installation", "Show and renew the installation id of the database");
    installation->require_subcommand(1);
    CLI::App* showId = installation->add_subcommand("show", "Print the installation id");
    CLI::App* renewId =
        installation->add_subcommand("renew", "Give a cloned database a new installation id");

    app::ParkedArguments parkedArguments;
    CLI::App* parked = parser.add_subcommand(
        "parked", "Handle messages of other installations found in the queues");
    parked->require_subcommand(1);
    CLI::App* listParked = parked->add_subcommand("list", "List parked messages");
    CLI::App* returnParked =
        parked->add_subcommand("return", "Send parked messages back to a work queue");
    CLI::App* dropParked = parked->add_subcommand("drop", "Delete parked messages");
    for (CLI::App* command : {listParked, returnParked, dropParked}) {
      command->add_option("--installation", parkedArguments.installation,
                          "Only messages of this installation");
    }
    returnParked->add_option("--prefix", parkedArguments.prefix,
                             "Prefix of the work queue; default: this installation's own");

    try {
      parser.parse(argc, argv);
      if (parser.get_subcommands()
              .empty()) {  // checked here, so that a misspelt subcommand is reported first
        throw CLI::RequiredError::Subcommand(1);
      }
    } catch (const CLI::ParseError& error) {
      std::ostringstream complaint;
      const int code = parser.exit(error, std::cout, complaint);
      std::print(stderr, "{}", auth_errors::domain::scrub(complaint.str(), {}).text);
      return code == 0 ? app::kExitOk : app::kExitUsage;
    }
    const std::vector<std::pair<const CLI::App*, std::function<int()>>> commands = {
        {serve, [&] { return app::serve(commandLine); }},
        {migrate, [&] { return app::migrate(commandLine); }},
        {check, [&] { return app::checkConfig(commandLine); }},
        {create, [&] { return app::createKey(commandLine, key); }},
        {list, [&] { return app::listKeys(commandLine); }},
        {revoke, [&] { return app::revokeKey(commandLine, key); }},
        {listActorKeys, [&] { return app::listActorKeys(commandLine); }},
        {forgetActorKey, [&] { return app::forgetActorKey(commandLine, actorKeyVersion); }},
        {showId, [&] { return app::showInstallation(commandLine); }},
        {renewId, [&] { return app::renewInstallation(commandLine); }},
        {listParked, [&] { return app::listParked(commandLine, parkedArguments); }},
        {returnParked, [&] { return app::returnParked(commandLine, parkedArguments); }},
        {dropParked, [&] { return app::dropParked(commandLine, parkedArguments); }},
    };
    const auto chosen =
        std::ranges::find_if(commands, [](const auto& command) { return command.first->parsed(); });
    return chosen->second();
  } catch (const std::invalid_argument& error) {
    // An invalid setting that only the library using it can detect, such as a database URL.
    app::reportFailure(error.what());
    return app::kExitUsage;
  } catch (const std::exception& error) {
    app::reportFailure(error.what());
    return app::kExitFailure;
  }
}
