// JSON as the service writes it: compact, UTF-8 as it is. Pure functions and a small builder, free
// to use on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <json/value.h>

namespace auth_errors::encoding {

std::string toJson(const Json::Value& value);

// Appends one object to a text, members in the order of the calls. For rows that are written by the
// thousand: a Json::Value would copy every text and sort the members. Texts must be valid UTF-8.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(std::string& out);

  void text(std::string_view name, std::string_view value);
  void textOrNull(std::string_view name, const std::optional<std::string>& value);
  void number(std::string_view name, std::int64_t value);
  void null(std::string_view name);
  // What is JSON already.
  void json(std::string_view name, std::string_view value);
  void close();

 private:
  void member(std::string_view name);

  std::string& out_;
  bool empty_ = true;
};

}  // namespace auth_errors::encoding
