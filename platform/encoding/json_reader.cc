#include "platform/encoding/json_reader.h"

#include <cstddef>
#include <format>
#include <memory>
#include <optional>
#include <utility>

#include <json/reader.h>

#include "domain/values/utf8.h"
#include "platform/encoding/json_syntax.h"

namespace auth_errors::encoding {
namespace {

constexpr std::size_t kMaximumDepth = 32;

std::unique_ptr<Json::CharReader> makeStrictReader() {
  Json::CharReaderBuilder builder;
  Json::CharReaderBuilder::strictMode(&builder.settings_);
  builder.settings_["strictRoot"] = false;  // a bare value is valid JSON; callers check for objects
  builder.settings_["skipBom"] = false;
  // One more than the depth of arrays and objects, for the innermost value.
  builder.settings_["stackLimit"] = static_cast<Json::UInt64>(kMaximumDepth + 1);
  return std::unique_ptr<Json::CharReader>(builder.newCharReader());
}

std::string describe(const JsonFault& fault) {
  switch (fault.kind) {
    case JsonFaultKind::syntax:
      return std::format("has a syntax error at byte {}", fault.at);
    case JsonFaultKind::unpairedSurrogate:
      return std::format("has an unpaired surrogate at byte {}", fault.at);
    case JsonFaultKind::tooDeep:
      return std::format("is nested more than {} levels deep", kMaximumDepth);
  }
  std::unreachable();
}

}  // namespace

std::expected<Json::Value, std::string> readJson(std::string_view text) {
  thread_local const std::unique_ptr<Json::CharReader> reader = makeStrictReader();
  if (text.empty()) {
    return std::unexpected("is empty");
  }
  if (!domain::isValidUtf8(text)) {
    return std::unexpected("is not valid UTF-8");
  }
  if (const auto fault = findJsonFault(text, kMaximumDepth)) {
    return std::unexpected(describe(*fault));
  }
  Json::Value value;
  if (!reader->parse(text.data(), text.data() + text.size(), &value, nullptr)) {
    // jsoncpp's own messages quote keys of the input.
    const auto errors = reader->getStructuredErrors();
    return std::unexpected(std::format("repeats a key, or has a number out of range, near byte {}",
                                       errors.empty() ? 0 : errors.front().offset_start));
  }
  return value;
}

std::expected<Json::Value, std::string> readJsonObject(std::string_view text) {
  auto value = readJson(text);
  if (value && !value->isObject()) {
    return std::unexpected("must be a JSON object");
  }
  return value;
}

}  // namespace auth_errors::encoding
