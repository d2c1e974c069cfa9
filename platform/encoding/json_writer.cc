#include "platform/encoding/json_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <json/writer.h>

#include "domain/values/utf8.h"

namespace auth_errors::encoding {
namespace {

bool needsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void appendEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      std::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

void appendUnit(std::string& out, std::uint32_t unit) {
  std::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

// REQUIRES: `sequence` is one well-formed sequence of more than one byte.
std::uint32_t codePointOf(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence.front());
  std::uint32_t codePoint = lead & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) {
    codePoint = codePoint << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return codePoint;
}

}  // namespace

void appendJson(std::string& out, std::string_view text) {
  out += '"';
  for (auto rest = text.begin(); rest != text.end();) {
    const auto plainEnd = std::find_if(rest, text.end(), needsEscape);
    out.append(rest, plainEnd);
    rest = plainEnd;
    if (rest != text.end()) {
      appendEscaped(out, *rest++);
    }
  }
  out += '"';
}

void appendJson(std::string& out, std::nullopt_t /*none*/) { out += "null"; }

void appendJson(std::string& out, domain::Instant instant) {
  appendJson(out, domain::formatInstant(instant));
}

std::string toJson(const Json::Value& value) {
  static const Json::StreamWriterBuilder kWriter = [] {
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "";
    builder["emitUTF8"] = true;
    return builder;
  }();
  return Json::writeString(kWriter, value);
}

std::string inAscii(std::string_view json) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  constexpr std::uint32_t kFirstBeyondTheBasicPlane = 0x10000;
  std::string escaped;
  escaped.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t length = domain::utf8SequenceLength(json, at);
    if (length == 1) {
      escaped += json[at];
    } else if (length == 0) {
      appendUnit(escaped, kReplacement);
    } else if (const std::uint32_t point = codePointOf(json.substr(at, length));
               point < kFirstBeyondTheBasicPlane) {
      appendUnit(escaped, point);
    } else {
      const std::uint32_t rest = point - kFirstBeyondTheBasicPlane;
      appendUnit(escaped, 0xD800 + (rest >> 10U));
      appendUnit(escaped, 0xDC00 + (rest & 0x3FFU));
    }
    at += std::max<std::size_t>(length, 1);
  }
  return escaped;
}

JsonObjectWriter::JsonObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

void JsonObjectWriter::close() { out_ += '}'; }

void JsonObjectWriter::begin(std::string_view name) {
  if (!empty_) {
    out_ += ',';
  }
  empty_ = false;
  appendJson(out_, name);
  out_ += ':';
}

}  // namespace auth_errors::encoding
