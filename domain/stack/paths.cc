#include "domain/stack/paths.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kSitePackages = "site-packages";
constexpr std::string_view kPython = "python";
constexpr std::string_view kNodeScheme = "node:";

// Folders that contain libraries, and the canonical spelling of each.
struct LibraryFolder {
  std::string_view folder;
  std::string_view spelling;
};
constexpr std::array<LibraryFolder, 5> kLibraryFolders{{
    {"site-packages", kSitePackages},
    {"dist-packages", kSitePackages},
    {"node_modules", "node_modules"},
    {"gems", "gems"},
    {"vendor", "vendor"},
}};

// Folders that depend on where a build or a release was installed.
constexpr auto kRoots = std::to_array<std::string_view>({
    "app",      "application", "apps",    "assets",   "bin",       "build",      "builds",
    "bundle",   "chunks",      "code",    "current",  "debug",     "deploy",     "dist",
    "function", "home",        "htdocs",  "html",     "httpdocs",  "include",    "js",
    "lib",      "local",       "obj",     "opt",      "out",       "output",     "project",
    "public",   "public_html", "release", "releases", "repo",      "root",       "server",
    "source",   "src",         "srv",     "static",   "target",    "task",       "tmp",
    "users",    "usr",         "var",     "work",     "workspace", "workspaces", "www",
    "wwwroot",
});

// Folders whose children are named after a user, a job or a release.
constexpr auto kParentsOfRoots =
    std::to_array<std::string_view>({"builds", "home", "releases", "users", "tmp"});

template <std::size_t Size>
bool isOneOf(std::string_view folder, const std::array<std::string_view, Size>& lowerCase) {
  return std::ranges::any_of(lowerCase,
                             [folder](std::string_view word) { return equalsWord(folder, word); });
}

// "python3.11", "Python311", "python311.zip": contains the standard library.
bool isPythonFolder(std::string_view folder) {
  return folder.size() > kPython.size() && startsWithWord(folder, 0, kPython) &&
         isDigit(folder[kPython.size()]);
}

std::string_view libraryFolder(std::string_view folder) {
  if (isPythonFolder(folder) || folder == kPython) {
    return kPython;
  }
  for (const LibraryFolder& row : kLibraryFolders) {
    if (folder == row.folder) {
      return row.spelling;
    }
  }
  return {};
}

// "v1", "V2": the version of an interface, which exists next to others, not of a release.
bool isInterfaceVersion(std::string_view folder) {
  constexpr std::size_t kMaxDigits = 2;
  return folder.size() > 1 && folder.size() <= kMaxDigits + 1 && toLower(folder.front()) == 'v' &&
         isAllDigits(folder.substr(1));
}

// A folder that is a number, a date, a version, a hash or a redacted value.
bool isVolatile(std::string_view folder) {
  if (isInterfaceVersion(folder)) {
    return false;
  }
  std::size_t digits = 0;
  std::size_t others = 0;
  for (const char c : folder) {
    digits += isDigit(c) ? 1U : 0U;
    others += isAlnum(c) && !isDigit(c) ? 1U : 0U;
  }
  return (digits > 0 && digits >= others) || isHexHash(folder, 7) || folder.contains("[redacted");
}

// "devise-4.9.2" and "express@4.18.2" without their versions, "rails-3f2a9c1b" without its commit.
std::string_view withoutVersion(std::string_view folder) {
  for (std::size_t at = 1; at + 1 < folder.size(); ++at) {
    const std::string_view rest = folder.substr(at + 1);
    const bool numbered =
        isDigit(rest[0]) || (rest[0] == 'v' && rest.size() > 1 && isDigit(rest[1]));
    if ((folder[at] == '@' && numbered) ||
        (folder[at] == '-' && (isDigit(rest[0]) || isHexHash(rest, 7)))) {
      return folder.substr(0, at);
    }
  }
  return folder;
}

constexpr std::size_t kBundleHash = 8;

// The hash that bundlers append after a dash: eight characters of base 64 or, if all are capitals,
// of base 32, unlike any word. A word may have a leading capital and a trailing number.
bool isBundleHash(std::string_view text) {
  if (text.size() != kBundleHash) {
    return false;
  }
  std::size_t numbers = 0;
  std::size_t capitals = 0;
  std::size_t small = 0;
  std::size_t signs = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!isOf(text[i], kBase64UrlChar)) {
      return false;
    }
    numbers += isDigit(text[i]) && (i == 0 || !isDigit(text[i - 1])) ? 1U : 0U;
    capitals += isOf(text[i], kUpperChar) ? 1U : 0U;
    small += isOf(text[i], kLowerChar) ? 1U : 0U;
    signs += isAlnum(text[i]) ? 0U : 1U;
  }
  if (small == 0) {
    return capitals > 0 && signs == 0;
  }
  const bool capitalised = isOf(text.front(), kUpperChar);
  const std::size_t inner = capitals - (capitalised ? 1 : 0);
  const bool numberInside = numbers > 0 && !isDigit(text.back());
  return inner >= 2 || (inner == 1 && numbers > 0) || (signs == 0 && numbers >= 2) ||
         (capitalised && (numberInside || (signs > 0 && capitals + numbers >= 2)));
}

constexpr std::size_t kMinHash = 6;

std::string_view withoutHashSuffix(std::string_view word) {
  for (;;) {
    // A hash may contain the separator.
    if (word.size() > kBundleHash + 1 && word[word.size() - kBundleHash - 1] == '-' &&
        isBundleHash(word.substr(word.size() - kBundleHash))) {
      word.remove_suffix(kBundleHash + 1);
      continue;
    }
    const std::size_t dash = word.find_last_of("-_~");
    if (dash == std::string_view::npos || dash == 0) {
      return word;
    }
    const std::string_view suffix = word.substr(dash + 1);
    // "sha_256.py" and "sha_512.py" are different files.
    const bool numbered = isAllDigits(suffix) && (word[dash] != '_' || suffix.size() >= kMinHash);
    if (!isHexHash(suffix, kMinHash) && !numbered) {
      return word;
    }
    word = word.substr(0, dash);
  }
}

// A position followed by other text was not recognised: "login.js:42:7, <anonymous>".
std::string_view withoutOddPosition(std::string_view name) {
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    if (name[at] == ':' && isDigit(name[at + 1])) {
      return name.substr(0, at);
    }
  }
  return name;
}

// Folders in which a bundler may name a file by its hash alone.
constexpr auto kBundleFolders =
    std::to_array<std::string_view>({"_nuxt", "_astro", "chunks", "nodes", "entry", "immutable"});

// "main.3f2a9c1b.js" becomes main.js, "jquery-3.6.0.min.js" jquery.min.js, "libssl.so.3" libssl.so.
void appendFileName(std::string& out, std::string_view name, bool bundled = false) {
  name = withoutOddPosition(name);
  const std::size_t begin = out.size();
  const bool sole = !name.contains('.');
  bool first = true;
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const bool last = dot == name.size();
    const std::string_view word = last && !sole ? name : withoutHashSuffix(name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
    // Names such as ed25519.py are not hashes, so the first word must be longer to count as one.
    const bool generated = isAllDigits(word) || isHexHash(word, first ? kMinHash + 2 : kMinHash) ||
                           ((bundled || !first) && !last && isBundleHash(word));
    if (generated && !sole) {
      if (first) {
        out += '*';
      }
    } else if (!word.empty()) {
      if (out.size() > begin) {
        out += '.';
      }
      out += word;
    }
    first = false;
  }
}

// Removes the version and the brackets of a route group, "(auth)", which would be mistaken for the
// brackets of the frame.
std::string_view folderName(std::string_view folder) {
  folder = withoutVersion(folder);
  const std::size_t begin = folder.find_first_not_of('(');
  return begin == std::string_view::npos
             ? std::string_view{}
             : folder.substr(begin, folder.find_last_not_of(')') + 1 - begin);
}

// Scheme, host, query and fragment of a URL only depend on where a file was served from.
std::string_view withoutAddress(std::string_view path) {
  path = before(path, " line ");
  path = path.substr(0, path.find_first_of("?#"));
  const std::size_t scheme = path.find("://");
  if (scheme != std::string_view::npos) {
    path.remove_prefix(scheme + 3);
    path.remove_prefix(std::min(path.find('/'), path.size()));
    path = before(path, "//&");  // Metro's query
  }
  return path;
}

class PathReader {
 public:
  explicit PathReader(std::string_view path) : rest_(path) {}

  // False at the end. Skips empty folders and dots.
  bool next(std::string_view& folder) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find_first_of("/\\"), rest_.size());
      folder = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (!folder.empty() && folder != "." && folder != "..") {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

void appendLibraryPlace(std::string& out, std::string_view library, std::string_view below) {
  out += library;
  out += '/';
  PathReader folders(below);
  std::string_view folder;
  std::string_view following;
  bool more = folders.next(folder);
  // Windows has the standard library one folder deeper.
  if (library == kPython && equalsWord(folder, "lib")) {
    more = folders.next(folder);
  }
  while (more) {
    more = folders.next(following);
    if (!more) {
      appendFileName(out, folder);
    } else if (!isVolatile(folder)) {
      out.append(folderName(folder)).append("/");
    }
    folder = following;
  }
}

void appendOwnPlace(std::string& out, std::string_view path) {
  PathReader folders(path);
  std::string_view parent;
  std::string_view folder;
  std::string_view previous;
  std::string_view file;
  std::string_view next;
  while (folders.next(next)) {
    if (!file.empty() && !isVolatile(file)) {
      folder = file;
      parent = previous;
    }
    previous = file;
    file = next;
  }
  const bool isDrive = folder.ends_with(':');
  folder = folderName(folder);
  if (!folder.empty() && !isDrive && !isOneOf(folder, kRoots) &&
      !isOneOf(parent, kParentsOfRoots)) {
    const std::string_view versioned = folderName(parent);
    if (isInterfaceVersion(folder) && !versioned.empty() && !isVolatile(versioned) &&
        !isOneOf(versioned, kRoots)) {
      out.append(versioned).append("/");
    }
    out.append(folder).append("/");
  }
  // A number or hash alone does not identify a file: "blob:https://shop.example/3fa85f64-…".
  if (!isVolatile(file) || file.contains('.')) {
    appendFileName(out, file, isOneOf(folder, kBundleFolders));
  } else if (out.ends_with('/')) {
    out.pop_back();
  }
}

}  // namespace

void appendPlace(std::string& out, std::string_view path) {
  if (path.starts_with('<')) {
    // "<frozen importlib._bootstrap>", "<ipython-input-3-5f2a>": only the kind is kept.
    out += path.substr(0, runEnd(path, 1, kLowerChar | kUpperChar));
    out += '>';
    return;
  }
  path = withoutAddress(path);
  if (path.starts_with(kNodeScheme)) {
    out += path;
    return;
  }
  std::string_view library;
  std::string_view below;
  PathReader folders(path);
  for (std::string_view folder; folders.next(folder);) {
    const std::string_view spelling = libraryFolder(folder);
    if (!spelling.empty() && !folders.rest().empty()) {
      library = spelling;
      below = folders.rest();
    }
  }
  if (library.empty()) {
    appendOwnPlace(out, path);
  } else {
    appendLibraryPlace(out, library, below);
  }
}

bool isLibraryPlace(std::string_view place) {
  if (place.starts_with(kNodeScheme) || place.starts_with('<')) {
    return true;
  }
  const std::string_view folder = before(place, "/");
  return folder.size() < place.size() && libraryFolder(folder) == folder;
}

}  // namespace auth_errors::domain
