// Typed ids from numbers: in expectations, and in the answers of the service. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <json/value.h>

namespace auth_errors::tests {

template <typename Id>
std::vector<Id> ids(std::initializer_list<std::int64_t> numbers) {
  std::vector<Id> made;
  for (const std::int64_t number : numbers) {
    made.emplace_back(number);
  }
  return made;
}

// The id in a member of an answer.
template <typename Id>
Id idFrom(const Json::Value& member) {
  return Id(member.asInt64());
}

}  // namespace auth_errors::tests
