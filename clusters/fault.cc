#include "clusters/fault.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <json/value.h>

#include "encoding/json_writer.h"
#include "security/digest.h"

namespace auth_errors::clusters {
namespace {

Json::Value arrayOf(const std::vector<std::string>& texts) {
  Json::Value array(Json::arrayValue);
  for (const std::string& text : texts) {
    array.append(text);
  }
  return array;
}

}  // namespace

Fault faultOf(const domain::FaultTexts& texts) {
  Fault fault{.stackHash = {}, .fingerprint = domain::fingerprint(texts)};
  fault.stackHash = security::toHex(security::sha256(domain::hashedText(fault.fingerprint)));
  return fault;
}

Fault faultOf(const database::Result& result, std::size_t row, std::size_t first) {
  const auto optional = [&](std::size_t column) {
    return result.value<std::optional<std::string_view>>(row, first + column).value_or("");
  };
  return faultOf({.exceptionClass = optional(0),
                  .rootCauseClass = optional(1),
                  .exceptionMessage = optional(2),
                  .stacktrace = optional(3)});
}

std::string fingerprintJson(const domain::StackFingerprint& fingerprint) {
  Json::Value value(Json::objectValue);
  value["version"] = fingerprint.version;
  value["classes"] = arrayOf(fingerprint.classes);
  value["frames"] = arrayOf(fingerprint.frames);
  value["message"] = fingerprint.message.empty() ? Json::Value() : Json::Value(fingerprint.message);
  return encoding::toJson(value);
}

}  // namespace auth_errors::clusters
