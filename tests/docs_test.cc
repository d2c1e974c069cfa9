// docs/api.md does what it says: every command in it is run as it stands there, in order, against
// the real service, and its answer is compared with the one that is shown.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_fixture.h"

namespace auth_errors::tests {
namespace {

struct Step {
  std::string command;
  std::string shown;  // empty: nothing is shown
};

// The blocks marked `sh`, each with the unmarked block that follows it directly, if one does.
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

class ApiDocs : public ApiTest {
 protected:
  std::string run(const std::string& command) {
    const std::string script =
        "set -euo pipefail\nBASE_URL=http://127.0.0.1:" + std::to_string(service_.port()) +
        "\nINGEST_KEY=" + std::string(kIngestKey) + "\nVIEWER_KEY=" + std::string(kViewerKey) +
        "\nOPERATOR_KEY=" + std::string(kOperatorKey) + "\n" + command;
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
};

// "…" in what is shown stands for anything.
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

TEST_F(ApiDocs, DoWhatTheyShow) {
  std::stringstream text;
  text << std::ifstream(PROJECT_API_DOCS).rdbuf();
  const std::vector<Step> steps = stepsOf(text.str());
  ASSERT_GE(steps.size(), 8U);
  for (const Step& step : steps) {
    const std::string output = run(step.command);
    if (!step.shown.empty()) {
      EXPECT_TRUE(matches(withoutLineEnd(step.shown), withoutLineEnd(output)))
          << step.command << "\nshown:\n"
          << step.shown << "\nreal:\n"
          << output;
    }
  }
}

}  // namespace
}  // namespace auth_errors::tests
