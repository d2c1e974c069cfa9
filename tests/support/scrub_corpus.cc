#include "tests/support/scrub_corpus.h"

#include <algorithm>
#include <format>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "domain/scrub/kinds.h"
#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"
#include "domain/scrub/site_learned.h"
#include "domain/scrub/sites.h"
#include "tests/support/project_paths.h"

namespace auth_errors::tests {
namespace {

constexpr std::string_view kOpening = "⟦";
constexpr std::string_view kClosing = "⟧";

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      plain += text[at];
      continue;
    }
    ++at;
    const char code = at < text.size() ? text[at] : '\0';
    if (code != 'n' && code != 't' && code != '\\') {
      throw std::runtime_error("unknown escape");
    }
    plain += code == 'n' ? '\n' : code == 't' ? '\t' : '\\';
  }
  return plain;
}

CorpusLine lineOf(std::string_view row) {
  const std::size_t tab = row.find('\t');
  if (tab == std::string_view::npos || tab == 0) {
    throw std::runtime_error("missing ecosystem or tab");
  }
  CorpusLine line{.ecosystem = std::string(row.substr(0, tab)), .text = {}, .secrets = {}};
  const std::string marked = unescaped(row.substr(tab + 1));
  std::string_view rest = marked;
  for (;;) {
    const std::size_t open = rest.find(kOpening);
    line.text += rest.substr(0, open);
    if (open == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(open + kOpening.size());
    const std::size_t close = rest.find(kClosing);
    if (close == std::string_view::npos || close == 0) {
      throw std::runtime_error("unterminated or empty secret");
    }
    line.secrets.emplace_back(rest.substr(0, close));
    line.places.push_back(line.text.size());
    line.text += rest.substr(0, close);
    rest.remove_prefix(close + kClosing.size());
  }
  return line;
}

// The text without its secrets, which may remain.
std::string withoutSecrets(const CorpusLine& line) {
  std::string rest;
  std::size_t at = 0;
  for (const std::string& secret : line.secrets) {
    const std::size_t found = line.text.find(secret, at);
    rest += line.text.substr(at, found - at) + "\n";
    at = found + secret.size();
  }
  return rest + line.text.substr(at);
}

std::string withoutMarkers(std::string_view text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t marker = std::min(domain::nextMarker(text, at), text.size());
    rest.append(text.substr(at, marker - at)).append("\n");
    at = marker == text.size() ? marker : marker + domain::markerLengthAt(text, marker);
  }
  return rest;
}

bool survives(std::string_view secret, std::string_view output, std::string_view allowed) {
  constexpr std::size_t kPiece = 6;
  const std::size_t length = std::min(secret.size(), kPiece);
  for (std::size_t at = 0; at + length <= secret.size(); ++at) {
    const std::string_view piece = secret.substr(at, length);
    if (output.contains(piece) && !allowed.contains(piece)) {
      return true;
    }
  }
  return false;
}

struct Part {
  std::size_t begin;
  std::size_t end;
};

// A text with the places of its secrets.
struct MarkedText {
  std::string text;
  std::vector<Part> secrets;
};

MarkedText markedText(const CorpusLine& line) {
  MarkedText marked{.text = line.text, .secrets = {}};
  for (std::size_t i = 0; i < line.secrets.size(); ++i) {
    marked.secrets.push_back(
        {.begin = line.places[i], .end = line.places[i] + line.secrets[i].size()});
  }
  return marked;
}

// What the detectors leave of it, which is what is judged.
MarkedText withoutDetected(const MarkedText& marked) {
  const auto moved = [&](std::size_t place) {
    return domain::withoutDetected(marked.text, place).front;
  };
  MarkedText left{.text = domain::withoutDetected(marked.text, 0).text, .secrets = {}};
  for (const Part& secret : marked.secrets) {
    left.secrets.push_back({.begin = moved(secret.begin), .end = moved(secret.end)});
  }
  return left;
}

// The fraction of [begin, end) that is secret.
double secretShare(const MarkedText& marked, std::size_t begin, std::size_t end) {
  std::size_t inside = 0;
  for (const Part& secret : marked.secrets) {
    const std::size_t first = std::max(secret.begin, begin);
    const std::size_t last = std::min(secret.end, end);
    inside += first < last ? last - first : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(std::max<std::size_t>(end - begin, 1));
}

void addExamples(const MarkedText& marked, std::vector<Example>& examples) {
  domain::forEachSite(
      marked.text, [&](const domain::Line& line, std::size_t i, const domain::Site& site,
                       std::optional<domain::RedactionKind> rule) {
        const double share = secretShare(marked, site.begin, site.end);
        // A quoted text with a secret somewhere in it teaches nothing: its words are values as
        // well.
        if (share == 0 || share >= 0.5) {
          domain::Features features;
          readFeatures(line, i, site, rule, features);
          const auto all = features.all();
          examples.push_back({.features = {all.begin(), all.end()}, .secret = share > 0});
        }
        return share >= 0.5;
      });
}

// E-mail addresses have a marker of their own, and are no secrets: whether nothing else differs.
bool differsByAddresses(std::string_view text, std::string_view output) {
  const std::string_view marker = domain::markerOf(domain::RedactionKind::email);
  while (true) {
    const std::size_t next = output.find(marker);
    const std::string_view piece = output.substr(0, next);
    if (!text.starts_with(piece)) {
      return false;
    }
    text.remove_prefix(piece.size());
    if (next == std::string_view::npos) {
      return text.empty();
    }
    output.remove_prefix(next + marker.size());
    const std::string_view behind = output.substr(0, std::min(output.find(marker), output.size()));
    const std::size_t at = text.find('@');
    const std::size_t end =
        behind.empty() ? text.size() : text.find(behind, std::min(at, text.size()));
    if (at == std::string_view::npos || end == std::string_view::npos ||
        text.substr(0, end).contains(' ')) {
      return false;
    }
    text.remove_prefix(end);
  }
}

}  // namespace

std::filesystem::path openCorpus() { return projectPath("tests/corpus/open.tsv"); }

std::filesystem::path heldOutCorpus() { return projectPath("tests/corpus/held_out.tsv"); }

std::vector<CorpusLine> readCorpus(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw std::runtime_error("cannot read " + file.string());
  }
  std::vector<CorpusLine> lines;
  for (std::string row; std::getline(stream, row);) {
    try {
      lines.push_back(lineOf(row));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(
          std::format("{}:{}: {}", file.string(), lines.size() + 1, error.what()));
    }
  }
  return lines;
}

std::vector<Example> examplesOf(std::span<const CorpusLine> lines) {
  std::vector<Example> examples;
  for (const CorpusLine& line : lines) {
    const MarkedText marked = markedText(line);
    // As it is judged, and once more with what the detectors know, for what they do not.
    addExamples(withoutDetected(marked), examples);
    addExamples(marked, examples);
  }
  return examples;
}

std::uint64_t digestOf(std::span<const Example> examples) {
  std::uint64_t digest = 0xCBF29CE484222325U;
  const auto add = [&](std::uint32_t number) { digest = (digest ^ number) * 0x100000001B3U; };
  for (const Example& example : examples) {
    add(example.secret ? 1 : 0);
    std::ranges::for_each(example.features, add);
  }
  return digest;
}

double CorpusResult::recall() const {
  return secrets == 0 ? 1 : static_cast<double>(removed) / static_cast<double>(secrets);
}

double CorpusResult::touchedShare() const {
  return cleanLines == 0 ? 0 : static_cast<double>(touched) / static_cast<double>(cleanLines);
}

CorpusResult measureScrubber(const std::vector<CorpusLine>& lines) {
  CorpusResult result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CorpusLine& line = lines[i];
    const std::string output =
        domain::sanitise(line.text, domain::kMaxStacktraceCodePoints, {}).text.value_or("");
    if (line.secrets.empty()) {
      ++result.cleanLines;
      if (!differsByAddresses(domain::tidy(line.text), output)) {
        ++result.touched;
        result.failures.push_back({i + 1, line.text, output, ""});
      }
      continue;
    }
    const std::string allowed = withoutSecrets(line);
    const std::string left = withoutMarkers(output);
    for (const std::string& secret : line.secrets) {
      ++result.secrets;
      if (survives(secret, left, allowed)) {
        result.failures.push_back({i + 1, line.text, output, secret});
      } else {
        ++result.removed;
      }
    }
  }
  return result;
}

}  // namespace auth_errors::tests
