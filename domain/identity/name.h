// Typed names: an owner cannot be passed as an instance, nor a queue as an exchange. Plain values
// that own their text, usable from any thread.
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

// The process that did something: host and process id, or the name from the settings.
using InstanceName = Name<struct InstanceNameTag>;

// Identifies the event of a message or a row: a UUID.
using EventId = Name<struct EventIdTag>;

// Identifies an installation: a database, and the messages published from it.
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
