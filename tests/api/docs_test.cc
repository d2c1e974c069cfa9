// docs/api.md is accurate: every command in it runs as written, in order, against the real service
// with a real broker, and its output is compared with the one shown.
#include <cstdio>
#include <format>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/delivery_fixture.h"
#include "tests/support/project_paths.h"
#include "tests/support/server_process.h"

namespace auth_errors::tests {
namespace {

using ::testing::HasSubstr;

struct Step {
  std::string command;
  std::string shown;  // empty if no output is shown
};

// The blocks marked `sh`, each with the unmarked block directly after it, if any.
std::vector<Step> stepsOf(const std::string& text) {
  std::vector<Step> steps;
  std::istringstream lines(text);
  bool inside = false;
  std::string kind;
  std::string block;
  bool directly = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) {
      if (inside) {
        block += line + "\n";
      } else if (!line.empty()) {
        directly = false;
      }
      continue;
    }
    inside = !inside;
    if (inside) {
      kind = line.substr(3);
      block.clear();
    } else if (kind == "sh") {
      steps.push_back({.command = block, .shown = {}});
      directly = true;
    } else if (kind.empty() && directly) {
      steps.back().shown = block;
      directly = false;
    }
  }
  return steps;
}

class Docs : public DeliveryTest {
 protected:
  Docs() : service_(start(withActorKey(options("api,outbox,consumer,ops")))) {}

  // Runs the command as in one shell: lower-case variables that a step sets are visible to later
  // steps.
  std::string run(const std::string& command) {
    const std::string names = (service_.directory() / "names.sh").string();
    const std::string script = std::format(
        "set -euo pipefail\ncd '{}'\nBASE_URL=http://127.0.0.1:{}\nINGEST_KEY={}\nVIEWER_KEY={}\n"
        "OPERATOR_KEY={}\nnames='{}'\n[ ! -e $names ] || . $names\n{}\n"
        "declare -p $(compgen -v | grep -x '[a-z]*') >$names\n",
        service_.directory().string(), service_.port(), kIngestKey, kViewerKey, kOperatorKey, names,
        command);
    const auto file = service_.directory() / "step.sh";
    std::ofstream(file) << script;
    FILE* pipe = ::popen(("bash " + file.string() + " 2>&1").c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
      output.push_back(static_cast<char>(c));
    }
    EXPECT_EQ(::pclose(pipe), 0) << command << output;
    return output;
  }

  // Whether every stored error is analysed, every job done, and every counter flushed.
  bool settled() {
    return eventually([&] {
      return number(
                 "SELECT (SELECT count(*) FROM auth_error WHERE status IN ('NEW', 'RETRY', "
                 "'ANALYSIS_REQUESTED')) + (SELECT count(*) FROM cluster_delta) + (SELECT "
                 "count(*) FROM rule_delta) + (SELECT count(*) FROM job WHERE status IN "
                 "('QUEUED', 'RUNNING'))") == 0;
    });
  }

  ServiceProcess& service_;

 private:
  static ServiceOptions withActorKey(ServiceOptions options) {
    options.environment["AUTH_ERRORS_ACTOR_KEYS"] = "1:" + std::string(64, 'k');
    return options;
  }
};

// "…" in the shown output matches any text.
bool matches(std::string_view shown, std::string_view actual) {
  static constexpr std::string_view kAnything = "…";
  const auto gap = shown.find(kAnything);
  if (gap == std::string_view::npos) {
    return shown == actual;
  }
  if (!actual.starts_with(shown.substr(0, gap))) {
    return false;
  }
  actual.remove_prefix(gap);
  shown.remove_prefix(gap + kAnything.size());
  for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped) {
    if (matches(shown, actual.substr(skipped))) {
      return true;
    }
  }
  return false;
}

std::string_view withoutLineEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

TEST_F(Docs, ApiExamplesShowTheActualResponses) {
  const std::vector<Step> steps = stepsOf(textOf(projectPath("docs/api.md")));
  ASSERT_GE(steps.size(), 25U);
  for (const Step& step : steps) {
    const std::string output = run(step.command);
    if (!step.shown.empty()) {
      EXPECT_TRUE(matches(withoutLineEnd(step.shown), withoutLineEnd(output)))
          << step.command << "\nshown:\n"
          << step.shown << "\nactual:\n"
          << output;
    }
    ASSERT_TRUE(settled()) << step.command;
  }
}

TEST_F(Docs, ReadmeExampleShowsTheActualResponse) {
  const std::string text = textOf(projectPath("README.md"));
  const auto begin = text.find("curl -i $BASE_URL");
  ASSERT_NE(begin, std::string::npos);
  const std::string output = run(text.substr(begin, text.find("```", begin) - begin));
  EXPECT_THAT(output, HasSubstr("201 Created"));
  EXPECT_THAT(output, HasSubstr(R"("requestId":"demo-1")"));
}

}  // namespace
}  // namespace auth_errors::tests
