// Writes compact JSON with unescaped UTF-8. Pure functions and a small builder, usable from any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <json/value.h>

#include "domain/identity/ids.h"

namespace auth_errors::encoding {

std::string toJson(const Json::Value& value);

// A string with its quotation marks.
void appendQuoted(std::string& out, std::string_view text);

// An array whose elements `append(out, element)` writes.
template <typename Elements, typename Append>
std::string jsonArray(const Elements& elements, Append append) {
  std::string array = "[";
  for (const auto& element : elements) {
    array += array.size() > 1 ? "," : "";
    append(array, element);
  }
  return array + "]";
}

// Appends one object to a text, with members in the order of the calls. For rows written by the
// thousand: a Json::Value would copy every text and sort the members. Texts must be valid UTF-8.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(std::string& out);

  void text(std::string_view name, std::string_view value);
  void textOrNull(std::string_view name, const std::optional<std::string>& value);
  void number(std::string_view name, std::int64_t value);
  void numberOrNull(std::string_view name, std::optional<std::int64_t> value);
  template <typename Tag>
  void number(std::string_view name, domain::Id<Tag> id) {
    number(name, id.value());
  }
  template <typename Tag>
  void numberOrNull(std::string_view name, std::optional<domain::Id<Tag>> id) {
    numberOrNull(name, id.transform(&domain::Id<Tag>::value));
  }
  void boolean(std::string_view name, bool value);
  void null(std::string_view name);
  // A value that is already JSON.
  void json(std::string_view name, std::string_view value);
  void close();

 private:
  void member(std::string_view name);

  std::string& out_;
  bool empty_ = true;
};

}  // namespace auth_errors::encoding
