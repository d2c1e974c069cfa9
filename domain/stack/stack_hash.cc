#include "domain/stack/stack_hash.h"

#include <algorithm>
#include <array>
#include <utility>

#include "domain/scrub/sanitiser.h"
#include "domain/stack/message.h"
#include "domain/stack/names.h"
#include "domain/stack/paths.h"
#include "domain/stack/text.h"
#include "domain/stack/trace.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

// Namespaces of libraries and runtimes, which are not used in a cluster's title.
constexpr auto kLibraryNamespaces = std::to_array<std::string_view>({
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.springframework.",
    "org.apache.",
    "org.hibernate.",
    "org.eclipse.",
    "org.keycloak.",
    "org.jboss.",
    "org.postgresql.",
    "io.netty.",
    "io.undertow.",
    "io.vertx.",
    "io.jsonwebtoken.",
    "io.grpc.",
    "io.ktor.",
    "io.quarkus.",
    "io.micronaut.",
    "reactor.",
    "com.zaxxer.",
    "com.nimbusds.",
    "com.fasterxml.",
    "System.",
    "Microsoft.",
    "Npgsql.",
    "Grpc.",
    "runtime.",
    "runtime/",
    "net/http.",
    "reflect.",
    "sync.",
    "testing.",
    "github.com/gin-gonic/",
    "github.com/labstack/echo",
    "google.golang.org/",
    "golang.org/",
    "std::",
    "core::",
    "alloc::",
    "tokio::",
    "hyper::",
    "axum::",
    "actix_",
    "tower::",
    "futures",
    "backtrace::",
    "anyhow::",
    "__rust_",
    "boost::",
    "grpc::",
    "grpc_",
    "__libc_",
    "__GI_",
    "__asan",
    "__interceptor_",
    "__cxa_",
    "Illuminate\\",
    "Symfony\\",
    "Laravel\\",
    "Closure->",
    "Promise.",
    "Array.",
});

constexpr auto kRuntimeFunctions = std::to_array<std::string_view>(
    {"panic", "raise", "abort", "_start", "start_thread", "rust_begin_unwind", "forEach"});

bool isLibraryFrame(std::string_view frame) {
  const std::size_t place = frame.rfind('(');
  if (place != std::string_view::npos) {
    return isLibraryPlace(before(frame.substr(place + 1), ")"));
  }
  return std::ranges::contains(kRuntimeFunctions, frame) ||
         std::ranges::any_of(kLibraryNamespaces,
                             [frame](std::string_view name) { return frame.starts_with(name); });
}

void addClass(std::vector<std::string>& classes, std::string name) {
  if (!name.empty()) {
    classes.push_back(std::move(name));
  }
}

// Clients send the root cause with or without its package.
bool names(std::string_view one, std::string_view other) {
  return simpleName(one) == simpleName(other);
}

// The result replaces a message, so it is no longer than one: a one-line text may be as long as a
// trace.
std::string_view firstLine(std::string_view text) {
  return trimmedLine(firstCodePoints(before(text, "\n"), kMaxMessageCodePoints));
}

}  // namespace

StackFingerprint fingerprint(const FaultTexts& fault) {
  StackFingerprint result;
  addClass(result.classes, cleanName(fault.exceptionClass));
  std::vector<TraceSection> sections = readTrace(fault.stacktrace, kMaxHashedFrames);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    // The client names the outermost exception.
    if (i > 0 || result.classes.empty()) {
      addClass(result.classes, std::move(sections[i].exceptionClass));
    }
    for (std::string& frame : sections[i].frames) {
      if (result.frames.size() == kMaxHashedFrames) {
        break;
      }
      result.frames.push_back(std::move(frame));
    }
  }
  if (std::string root = cleanName(fault.rootCauseClass);
      result.classes.empty() || !names(result.classes.back(), root)) {
    addClass(result.classes, std::move(root));
  }
  if (result.frames.empty()) {
    result.message = parameterised(fault.exceptionMessage.empty() ? firstLine(fault.stacktrace)
                                                                  : fault.exceptionMessage);
  }
  return result;
}

std::string stackHashContent(const FaultTexts& fault) { return hashedText(fingerprint(fault)); }

std::string hashedText(const StackFingerprint& parts) {
  std::string content = "stack-hash-" + std::to_string(parts.version);
  for (const std::string& name : parts.classes) {
    content.append("\nclass ").append(name);
  }
  for (const std::string& frame : parts.frames) {
    content.append("\nat ").append(frame);
  }
  if (parts.frames.empty()) {
    content.append("\nmessage ").append(parts.message);
  }
  return content;
}

std::string clusterTitle(const StackFingerprint& fingerprint) {
  std::string title(fingerprint.classes.empty() ? std::string_view("Error")
                                                : simpleName(fingerprint.classes.front()));
  if (!fingerprint.frames.empty()) {
    const auto own = std::ranges::find_if_not(fingerprint.frames, isLibraryFrame);
    title += " in ";
    title += own == fingerprint.frames.end() ? fingerprint.frames.front() : *own;
  } else if (!fingerprint.message.empty()) {
    title += ": ";
    title += fingerprint.message;
  }
  title.resize(firstCodePoints(title, kMaxTitleCodePoints).size());
  return title;
}

}  // namespace auth_errors::domain
