// The states of an AuthError and their names, shared by JSON and SQL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/values/names.h"

namespace auth_errors::domain {

enum class AuthErrorStatus : std::uint8_t {
  fresh,
  retry,
  analysisRequested,
  analysisCompleted,
  processed,
  failed,
  resolved,
  ignored,
};

inline constexpr std::array<std::pair<AuthErrorStatus, std::string_view>, 8> kAuthErrorStatusNames{{
    {AuthErrorStatus::fresh, "NEW"},
    {AuthErrorStatus::retry, "RETRY"},
    {AuthErrorStatus::analysisRequested, "ANALYSIS_REQUESTED"},
    {AuthErrorStatus::analysisCompleted, "ANALYSIS_COMPLETED"},
    {AuthErrorStatus::processed, "PROCESSED"},
    {AuthErrorStatus::failed, "FAILED"},
    {AuthErrorStatus::resolved, "RESOLVED"},
    {AuthErrorStatus::ignored, "IGNORED"},
}};

constexpr const auto& namesOf(AuthErrorStatus /*any*/) { return kAuthErrorStatusNames; }
constexpr std::string_view toText(AuthErrorStatus status) {
  return kAuthErrorStatusNames.at(static_cast<std::size_t>(status)).second;
}

}  // namespace auth_errors::domain
