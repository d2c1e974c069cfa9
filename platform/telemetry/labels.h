// Values of metric labels. Every value creates a series in Prometheus, so there must be few: they
// come from the name table of an enumeration or are constants in the code, never from a request.
// The only exception are names of API keys, of which a limited number are distinguished.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "domain/values/names.h"

namespace auth_errors::telemetry {

// A compile-time constant text.
class CodeText {
 public:
  // Implicit, so that literals can be passed directly.
  consteval CodeText(const char* text) : text_(text) {}
  consteval CodeText(std::string_view text) : text_(text) {}

  constexpr operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

// A label whose values are names known only at run time. At most kMost are distinguished: the
// others share "other". No name is "none".
struct RuntimeName {
  static constexpr std::size_t kMost = 200;
};

// A label's values as text: the primary template for enumerations, using their name table.
template <typename Label>
class LabelValues {
 public:
  static_assert(std::is_enum_v<Label>, "a label is an enumeration, CodeText or RuntimeName");
  static_assert(domain::namesEachValueOnce<Label>(), "see namesOf() of this enumeration");

  using Value = Label;

  static constexpr std::size_t kCount = namesOf(Label{}).size();

  static std::vector<std::string_view> all() {
    std::vector<std::string_view> texts;
    for (const auto& [value, name] : namesOf(Label{})) {
      texts.push_back(name);
    }
    return texts;
  }
  static std::string text(Label value) {
    return std::string(namesOf(Label{}).at(static_cast<std::size_t>(value)).second);
  }
};

template <>
class LabelValues<CodeText> {
 public:
  using Value = CodeText;

  static std::vector<std::string_view> all() { return {}; }
  static std::string text(CodeText value) { return std::string(std::string_view(value)); }
};

template <>
class LabelValues<RuntimeName> {
 public:
  using Value = std::string_view;

  static std::vector<std::string_view> all() { return {}; }
  std::string text(std::string_view name);

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace auth_errors::telemetry
