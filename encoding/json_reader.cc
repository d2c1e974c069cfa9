#include "encoding/json_reader.h"

#include <format>
#include <memory>

#include <json/reader.h>

#include "domain/utf8.h"

namespace auth_errors::encoding {
namespace {

constexpr int kMaximumDepth = 32;

std::unique_ptr<Json::CharReader> makeStrictReader() {
  Json::CharReaderBuilder builder;
  Json::CharReaderBuilder::strictMode(&builder.settings_);
  builder.settings_["strictRoot"] = false;  // a bare value is JSON too; callers ask for objects
  builder.settings_["skipBom"] = false;
  builder.settings_["stackLimit"] = kMaximumDepth;
  return std::unique_ptr<Json::CharReader>(builder.newCharReader());
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
  Json::Value value;
  try {
    if (!reader->parse(text.data(), text.data() + text.size(), &value, nullptr)) {
      // jsoncpp's own messages quote keys of the input.
      const auto errors = reader->getStructuredErrors();
      return std::unexpected(std::format("has a syntax error or a repeated key near byte {}",
                                         errors.empty() ? 0 : errors.front().offset_start));
    }
  } catch (const Json::Exception&) {
    return std::unexpected(std::format("is nested more than {} levels deep", kMaximumDepth));
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
