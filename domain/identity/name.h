// Texts that name something, as a type for each kind: an owner can't stand where an instance is
// expected, nor a queue where an exchange is. Plain values that own their text; any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <format>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace auth_errors::domain {

template <typename Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  friend auto operator<=>(const Name&, const Name&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Name& name) { return out << name.text_; }

 private:
  std::string text_;
};

// Which process did something: host and process, or what the settings say.
using InstanceName = Name<struct InstanceNameTag>;

// Which event a message or a row stands for: a UUID.
using EventId = Name<struct EventIdTag>;

// Which installation a database is, and a message belongs to.
using InstallationId = Name<struct InstallationIdTag>;

}  // namespace auth_errors::domain

template <typename Tag>
struct std::hash<auth_errors::domain::Name<Tag>> {
  std::size_t operator()(const auth_errors::domain::Name<Tag>& name) const noexcept {
    return std::hash<std::string>()(name.text());
  }
};

template <typename Tag>
struct std::formatter<auth_errors::domain::Name<Tag>> : std::formatter<std::string_view> {
  auto format(const auth_errors::domain::Name<Tag>& name, auto& context) const {
    return std::formatter<std::string_view>::format(name.text(), context);
  }
};
