#include "triage/clusters/fault.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <json/value.h>

#include "domain/values/hex.h"
#include "domain/values/utf8.h"
#include "platform/encoding/json_reader.h"
#include "platform/encoding/json_writer.h"
#include "platform/hashing/digest.h"

namespace auth_errors::clusters {
namespace {

std::vector<std::string> textsOf(const Json::Value& array) {
  std::vector<std::string> texts;
  for (const Json::Value& text : array) {
    texts.push_back(text.asString());
  }
  return texts;
}

// A name truncated to its limit may end within a character. That is irrelevant for the hash, but it
// cannot be stored.
void dropBrokenEnd(std::string& text) {
  std::size_t whole = 0;
  while (whole < text.size()) {
    const std::size_t length = domain::utf8SequenceLength(text, whole);
    if (length == 0) {
      break;
    }
    whole += length;
  }
  text.resize(whole);
}

}  // namespace

Fault faultOf(const domain::FaultTexts& texts) {
  Fault fault{.stackHash = {}, .fingerprint = domain::fingerprint(texts)};
  fault.stackHash = domain::toHex(hashing::sha256(domain::hashedText(fault.fingerprint)));
  std::ranges::for_each(fault.fingerprint.classes, dropBrokenEnd);
  std::ranges::for_each(fault.fingerprint.frames, dropBrokenEnd);
  dropBrokenEnd(fault.fingerprint.message);
  return fault;
}

Fault toFault(const FaultRow& row) {
  return faultOf({.exceptionClass = row.exceptionClass.value_or(""),
                  .rootCauseClass = row.rootCauseClass.value_or(""),
                  .exceptionMessage = row.exceptionMessage.value_or(""),
                  .stacktrace = row.stacktrace.value_or("")});
}

std::string fingerprintJson(const domain::StackFingerprint& fingerprint) {
  return encoding::jsonObject([&fingerprint](encoding::JsonObjectWriter& object) {
           object.write("classes", encoding::jsonArray(fingerprint.classes));
           object.write("frames", encoding::jsonArray(fingerprint.frames));
           object.write("message", fingerprint.message.empty()
                                       ? std::nullopt
                                       : std::optional(fingerprint.message));
           object.write("version", fingerprint.version);
         })
      .text;
}

domain::StackFingerprint fingerprintFrom(std::string_view json) {
  const auto value = encoding::readJsonObject(json);
  if (!value) {
    throw std::runtime_error("cluster_route contains an invalid fingerprint");
  }
  return {.version = static_cast<std::uint16_t>((*value)["version"].asUInt()),
          .classes = textsOf((*value)["classes"]),
          .frames = textsOf((*value)["frames"]),
          .message = (*value)["message"].asString()};
}

}  // namespace auth_errors::clusters
