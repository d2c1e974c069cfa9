// Writes compact JSON with unescaped UTF-8. Pure functions and a small builder, usable from any
// thread.
#pragma once

#include <concepts>
#include <format>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include <json/value.h>

#include "domain/identity/ids.h"
#include "domain/values/instant.h"

namespace auth_errors::encoding {

// A text that is already JSON.
struct JsonText {
  std::string text;
};

// A value of any type that a member or an element may have. Texts must be valid UTF-8.
void appendJson(std::string& out, std::string_view text);
void appendJson(std::string& out, std::nullopt_t none);
void appendJson(std::string& out, domain::Instant instant);
inline void appendJson(std::string& out, const JsonText& json) { out += json.text; }
void appendJson(std::string& out, std::same_as<bool> auto flag) { out += flag ? "true" : "false"; }
template <std::integral Number>
  requires(!std::same_as<Number, bool>)
void appendJson(std::string& out, Number number) {
  std::format_to(std::back_inserter(out), "{}", number);
}
template <typename Tag>
void appendJson(std::string& out, domain::Id<Tag> id) {
  appendJson(out, id.value());
}
template <typename Value>
void appendJson(std::string& out, const std::optional<Value>& value) {
  value ? appendJson(out, *value) : appendJson(out, std::nullopt);
}

// An array whose elements `append(out, element)` writes.
template <typename Elements, typename Append>
JsonText jsonArray(const Elements& elements, Append append) {
  JsonText array{"["};
  for (const auto& element : elements) {
    array.text += array.text.size() > 1 ? "," : "";
    append(array.text, element);
  }
  array.text += ']';
  return array;
}

template <std::ranges::range Elements>
JsonText jsonArray(const Elements& elements) {
  return jsonArray(elements, [](std::string& out, const auto& each) { appendJson(out, each); });
}

// For JSON that was read and changed. Sorts the members.
std::string toJson(const Json::Value& value);

// The same JSON with all characters beyond ASCII escaped.
std::string inAscii(std::string_view json);

// Appends one object to a text, with members in the order of the calls. For rows written by the
// thousand: a Json::Value would copy every text and sort the members.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(std::string& out);

  template <typename Value>
  void write(std::string_view name, const Value& value) {
    begin(name);
    appendJson(out_, value);
  }
  // Omits the member if there is no value.
  template <typename Value>
  void writeIfAny(std::string_view name, const std::optional<Value>& value) {
    if (value) {
      write(name, *value);
    }
  }
  void close();

 private:
  void begin(std::string_view name);

  std::string& out_;
  bool empty_ = true;
};

// The object whose members `fill(writer)` writes.
template <typename Fill>
JsonText jsonObject(Fill fill) {
  JsonText json;
  JsonObjectWriter object(json.text);
  fill(object);
  object.close();
  return json;
}

}  // namespace auth_errors::encoding
