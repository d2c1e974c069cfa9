#include "app/settings.h"

#include <algorithm>
#include <cstdlib>
#include <format>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include <json/json.h>
#include <unistd.h>

#include "app/setting_rules.h"
#include "app/tls_files.h"
#include "controllers/errors/batch_reader.h"
#include "domain/scrub/scrubber.h"
#include "domain/values/utf8.h"
#include "platform/security/organisation_patterns.h"

namespace auth_errors::app {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1024} * 1024;
constexpr std::size_t kMaxShownValue = 200;

std::string shown(std::string_view value) {
  // A value may be in the wrong variable, for example a password in that of an address.
  const domain::ScrubResult plain = domain::scrub(value, {});
  const std::string_view front = domain::firstCodePoints(plain.text, kMaxShownValue);
  return std::string(front) + (front.size() < plain.text.size() ? "…" : "");
}

std::expected<std::string, std::string> readFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    return std::unexpected("must be a readable file");
  }
  std::string text;
  text.resize(kMaxFileBytes + 1);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) {
    return std::unexpected("must be a file of at most 1 MiB");
  }
  return text;
}

constexpr std::string_view kVariablePrefix = "AUTH_ERRORS_";
constexpr std::string_view kFileSuffix = "_FILE";

bool isKnownVariable(std::string_view name) {
  return std::ranges::any_of(settingRules(), [name](const SettingRule& rule) {
    return name == rule.environment ||
           (rule.secret && name.ends_with(kFileSuffix) &&
            name.substr(0, name.size() - kFileSuffix.size()) == rule.environment);
  });
}

// Number of letters to change, insert or delete to turn one into the other.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row.front(), i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The most similar setting; empty if none is similar.
std::string_view nearestVariable(std::string_view name) {
  constexpr std::size_t kAlike = 3;
  const auto nearest = std::ranges::min(settingRules(), {}, [name](const SettingRule& rule) {
    return editDistance(name, rule.environment);
  });
  return editDistance(name, nearest.environment) <= kAlike ? nearest.environment
                                                           : std::string_view{};
}

// Reads values from their sources into the struct, and collects problems.
class Loader {
 public:
  explicit Loader(const SettingSources& sources) : sources_(sources) {}

  std::expected<LoadedSettings, std::vector<SettingProblem>> load() {
    if (sources_.file) {
      readConfigFile(*sources_.file);
    }
    for (const SettingRule& rule : settingRules()) {
      loadOne(rule);
    }
    checkTogether();
    makePatterns();
    if (!problems_.empty()) {
      return std::unexpected(std::move(problems_));
    }
    if (settings_.http.threads == 0) {
      settings_.http.threads = std::max(1U, std::thread::hardware_concurrency());
    }
    warn();
    return LoadedSettings{.settings = std::move(settings_),
                          .lines = std::move(lines_),
                          .warnings = std::move(warnings_)};
  }

 private:
  struct Given {
    std::string value;
    std::string source;
    std::string name;  // key or variable, for problems
    std::filesystem::path folder;
  };

  void problem(std::string_view key, std::string_view value, std::string_view allowed) {
    problems_.push_back(
        {.key = std::string(key), .value = shown(value), .allowed = std::string(allowed)});
  }

  void readConfigFile(const std::filesystem::path& path) {
    const auto text = readFile(path);
    if (!text) {
      problem("--config", path.string(), text.error());
      return;
    }
    Json::CharReaderBuilder builder;
    builder["rejectDupKeys"] = true;
    builder["failIfExtra"] = true;
    builder["stackLimit"] = 32;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value root;
    std::string fault;
    try {
      if (!reader->parse(text->data(), text->data() + text->size(), &root, &fault) ||
          !root.isObject()) {
        // The parser's messages quote keys and positions, but no values.
        std::ranges::replace(fault, '\n', ' ');
        problem(path.string(), "", "must be a JSON object" + (fault.empty() ? "" : ": " + fault));
        return;
      }
    } catch (const Json::Exception&) {
      problem(path.string(), "", "is nested too deeply");
      return;
    }
    flatten("", root);
  }

  void flatten(const std::string& prefix, const Json::Value& value) {
    if (const SettingRule* rule = settingRuleOf(prefix); rule != nullptr) {
      takeFromFile(*rule, value);
      return;
    }
    if (value.isObject() && (prefix.empty() || leadsToARule(prefix))) {
      for (const std::string& name : value.getMemberNames()) {
        flatten(prefix.empty() ? name : prefix + "." + name, value[name]);
      }
      return;
    }
    if (value.isArray() && prefix == "listeners") {
      for (Json::ArrayIndex i = 0; i < value.size(); ++i) {
        flatten(std::format("{}.{}", prefix, i), value[i]);
      }
      return;
    }
    problem(prefix, "",
            leadsToARule(prefix) ? "must be an object" : "unknown key; see serve --help");
  }

  static bool leadsToARule(const std::string& prefix) {
    return std::ranges::any_of(settingRules(), [&](const SettingRule& rule) {
      return rule.key.starts_with(prefix + ".");
    });
  }

  void takeFromFile(const SettingRule& rule, const Json::Value& value) {
    if (rule.secret) {
      problem(rule.key, "",
              std::format("secrets are not allowed in the file: set {0}, or {0}_FILE to the path "
                          "of a file that contains it",
                          rule.environment));
      return;
    }
    std::string text;
    if (value.isArray()) {
      for (const Json::Value& item : value) {
        if (!item.isString() || item.asString().contains('\n')) {
          problem(rule.key, "", "must be " + allowedText(rule));
          return;
        }
        if (!text.empty()) {
          text.push_back(rule.separator);
        }
        text.append(item.asString());
      }
    } else if (value.isObject() || value.isNull()) {
      problem(rule.key, "", "must be " + allowedText(rule));
      return;
    } else {
      text = value.asString();
    }
    fromFile_[rule.key] = std::move(text);
  }

  std::optional<Given> givenSecret(const SettingRule& rule) {
    const std::string name(rule.environment);
    const std::string fileVariable = name + "_FILE";
    const auto direct = sources_.environment(name);
    const auto path = sources_.environment(fileVariable);
    if (direct && path) {
      problem(fileVariable, *path, "only one of " + name + " and " + fileVariable + " may be set");
      return std::nullopt;
    }
    if (direct) {
      return Given{.value = *direct, .source = "environment", .name = name, .folder = {}};
    }
    if (!path) {
      return std::nullopt;
    }
    auto text = readFile(*path);
    if (!text) {
      problem(fileVariable, *path, text.error());
      return std::nullopt;
    }
    while (text->ends_with('\n') || text->ends_with('\r')) {
      text->pop_back();
    }
    return Given{
        .value = *std::move(text), .source = "file " + *path, .name = fileVariable, .folder = {}};
  }

  std::optional<Given> given(const SettingRule& rule) {
    if (rule.secret) {
      return givenSecret(rule);
    }
    if (rule.key == "custom_config.roles" && sources_.roles) {
      return Given{
          .value = *sources_.roles, .source = "command line", .name = "--roles", .folder = {}};
    }
    if (const auto value = sources_.environment(rule.environment)) {
      return Given{.value = *value,
                   .source = "environment",
                   .name = std::string(rule.environment),
                   .folder = {}};
    }
    if (const auto found = fromFile_.find(rule.key); sources_.file && found != fromFile_.end()) {
      return Given{.value = found->second,
                   .source = sources_.file->string(),
                   .name = std::string(rule.key),
                   .folder = sources_.file->parent_path()};
    }
    return std::nullopt;
  }

  void loadOne(const SettingRule& rule) {
    // Relative paths, including defaults, are relative to the config file; in the environment, to
    // the working directory.
    auto value = given(rule).value_or(
        Given{.value = std::string(rule.fallback),
              .source = "default",
              .name = std::string(rule.environment),
              .folder = sources_.file ? sources_.file->parent_path() : std::filesystem::path{}});
    if (rule.path && !value.value.empty()) {
      value.value = (value.folder / value.value).string();
    }
    const bool missingSecret = rule.secret && value.value.empty();
    if (!missingSecret && !rule.assign(rule, settings_, value.value)) {
      problem(value.name, rule.secret ? "" : value.value, "must be " + allowedText(rule));
    }
    std::string display = value.value;
    if (rule.secret) {
      display = value.value.empty() ? "(not set)" : "(set)";
    }
    std::ranges::replace(display, '\n', ' ');
    lines_.push_back({.key = rule.key,
                      .environment = rule.environment,
                      .value = std::move(display),
                      .source = value.source});
  }

  void checkTogether() {
    const auto alreadyNamed = [&](std::string_view name) {
      return std::ranges::any_of(
          problems_, [&](const SettingProblem& known) { return known.key.starts_with(name); });
    };
    if (settings_.database.url.empty() && !alreadyNamed("DATABASE_URL")) {
      problem("DATABASE_URL", "",
              "must be set: " + allowedText(*settingRuleOf("custom_config.database.url")));
    }
    if (sources_.forServing && settings_.broker.url.empty() && needsBroker(settings_.roles) &&
        !alreadyNamed("AMQP_URL")) {
      problem("AMQP_URL", "",
              "must be set for the roles outbox, consumer and ops: " +
                  allowedText(*settingRuleOf("custom_config.broker.url")));
    }
    std::error_code ignored;
    if (!settings_.broker.certificate.empty() &&
        !std::filesystem::is_regular_file(settings_.broker.certificate, ignored)) {
      problem("AUTH_ERRORS_BROKER_CERTIFICATE", settings_.broker.certificate.string(),
              "must be an existing file");
    }
    if (!std::filesystem::is_directory(settings_.database.migrations, ignored)) {
      problem("AUTH_ERRORS_MIGRATIONS", settings_.database.migrations.string(),
              "must be an existing folder");
    }
    const auto& http = settings_.http;
    if (http.tlsCertificate.empty() != http.tlsKey.empty()) {
      problem(http.tlsKey.empty() ? "AUTH_ERRORS_TLS_KEY" : "AUTH_ERRORS_TLS_CERTIFICATE", "",
              "certificate and key must be set together");
    } else if (!http.tlsCertificate.empty()) {
      for (const TlsFileProblem& fault : checkTlsFiles(http.tlsCertificate, http.tlsKey)) {
        problem(fault.ofKey ? "AUTH_ERRORS_TLS_KEY" : "AUTH_ERRORS_TLS_CERTIFICATE",
                fault.path.string(), fault.allowed);
      }
    }
    const std::size_t largestBody = std::max(http.maxBodyBytes, http.maxBatchBodyBytes);
    if (http.maxHeldBytes != 0 && http.maxHeldBytes < 2 * largestBody) {
      problem("AUTH_ERRORS_MAX_HELD", std::to_string(http.maxHeldBytes),
              std::format("must be at least twice the maximum body size of {} bytes", largestBody));
    }
    const std::size_t leastQueue =
        std::max(settings_.ingest.batchRows, controllers::kMaxBatchEntries);
    if (settings_.ingest.queueLimit < leastQueue && !alreadyNamed("AUTH_ERRORS_INGEST")) {
      problem("AUTH_ERRORS_INGEST_QUEUE_LIMIT", std::to_string(settings_.ingest.queueLimit),
              std::format("must be at least {}, the sum of the limits of a batch ({}) and of a "
                          "group commit ({})",
                          leastQueue, controllers::kMaxBatchEntries, settings_.ingest.batchRows));
    }
    if (settings_.ingest.queueBytes < http.maxBatchBodyBytes &&
        !alreadyNamed("AUTH_ERRORS_INGEST")) {
      problem("AUTH_ERRORS_INGEST_QUEUE_BYTES", std::to_string(settings_.ingest.queueBytes),
              std::format("must be at least the maximum batch size of {} bytes",
                          http.maxBatchBodyBytes));
    }
  }

  void makePatterns() {
    auto& scrub = settings_.scrub;
    auto made = security::OrganisationPatterns::make(scrub.patterns, scrub.allowed);
    if (made) {
      scrub.matcher = *std::move(made);
      return;
    }
    for (const security::PatternProblem& fault : made.error()) {
      problem(fault.list == security::PatternList::secrets ? "AUTH_ERRORS_SCRUB_PATTERNS"
                                                           : "AUTH_ERRORS_SCRUB_ALLOWED",
              fault.pattern, fault.reason);
    }
  }

  void warn() {
    for (const std::string& name : sources_.variables()) {
      if (name.starts_with(kVariablePrefix) && !isKnownVariable(name)) {
        const std::string_view meant = nearestVariable(name);
        warnings_.push_back(
            std::format("{} is not a known setting and has no effect{}", name,
                        meant.empty() ? "" : std::format("; did you mean {}?", meant)));
      }
    }
    if (sources_.forServing && settings_.roles.contains(Role::api) &&
        settings_.actors.keys.empty()) {
      warnings_.emplace_back(
          "AUTH_ERRORS_ACTOR_KEYS is not set: users, sessions and addresses are not stored, and "
          "errors cannot be searched by them");
    }
    // Either TLS terminates here, or at a proxy that should be configured as trusted.
    const auto& http = settings_.http;
    const auto address = controllers::IpAddress::parse(http.address);
    if (sources_.forServing && address && !address->isLoopback() && http.tlsCertificate.empty() &&
        http.trustedProxies.empty()) {
      warnings_.push_back(
          std::format("listening on {} without TLS and without trusted proxies: keys and errors "
                      "are sent as plain text, and clients behind a proxy cannot be told apart",
                      http.address));
    }
  }

  const SettingSources& sources_;
  std::map<std::string_view, std::string> fromFile_;
  Settings settings_;
  std::vector<SettingLine> lines_;
  std::vector<SettingProblem> problems_;
  std::vector<std::string> warnings_;
};

}  // namespace

bool needsBroker(const std::set<Role>& roles) {
  return std::ranges::any_of(roles, [](Role role) { return role != Role::api; });
}

std::string toText(const SettingProblem& problem) {
  return problem.value.empty()
             ? std::format("{}: {}", problem.key, problem.allowed)
             : std::format("{} is \"{}\": {}", problem.key, problem.value, problem.allowed);
}

std::optional<std::string> processEnvironment(std::string_view name) {
  // The main thread reads the settings before any other thread exists.
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> processVariables() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::expected<LoadedSettings, std::vector<SettingProblem>> loadSettings(
    const SettingSources& sources) {
  return Loader(sources).load();
}

std::string settingsHelp() {
  std::string text = "Settings: environment variable and key in config.json\n";
  for (const SettingRule& rule : settingRules()) {
    std::format_to(std::back_inserter(text), "  {}\n      {}\n      {}; {}", rule.environment,
                   rule.secret
                       ? std::format("or {}_FILE; not allowed in config.json", rule.environment)
                       : std::string(rule.key),
                   rule.help, allowedText(rule));
    text += rule.fallback.empty() ? "\n" : std::format("; default {}\n", rule.fallback);
  }
  return text;
}

}  // namespace auth_errors::app
