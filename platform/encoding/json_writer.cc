#include "platform/encoding/json_writer.h"

#include <algorithm>
#include <format>
#include <iterator>

#include <json/writer.h>

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
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      std::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void appendQuoted(std::string& out, std::string_view text) {
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

std::string toJson(const Json::Value& value) {
  static const Json::StreamWriterBuilder kWriter = [] {
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "";
    builder["emitUTF8"] = true;
    return builder;
  }();
  return Json::writeString(kWriter, value);
}

JsonObjectWriter::JsonObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

void JsonObjectWriter::text(std::string_view name, std::string_view value) {
  member(name);
  appendQuoted(out_, value);
}

void JsonObjectWriter::textOrNull(std::string_view name, const std::optional<std::string>& value) {
  if (value) {
    text(name, std::string_view(*value));
  } else {
    null(name);
  }
}

void JsonObjectWriter::number(std::string_view name, std::int64_t value) {
  member(name);
  std::format_to(std::back_inserter(out_), "{}", value);
}

void JsonObjectWriter::numberOrNull(std::string_view name, std::optional<std::int64_t> value) {
  if (value) {
    number(name, *value);
  } else {
    null(name);
  }
}

void JsonObjectWriter::boolean(std::string_view name, bool value) {
  json(name, value ? "true" : "false");
}

void JsonObjectWriter::null(std::string_view name) { json(name, "null"); }

void JsonObjectWriter::json(std::string_view name, std::string_view value) {
  member(name);
  out_ += value;
}

void JsonObjectWriter::close() { out_ += '}'; }

void JsonObjectWriter::member(std::string_view name) {
  if (!empty_) {
    out_ += ',';
  }
  empty_ = false;
  appendQuoted(out_, name);
  out_ += ':';
}

}  // namespace auth_errors::encoding
