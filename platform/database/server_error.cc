#include "platform/database/server_error.h"

#include <algorithm>
#include <array>
#include <format>
#include <string_view>
#include <utility>

namespace auth_errors::database {
namespace {

using Condition = std::pair<std::string_view, std::string_view>;

constexpr auto kConditions = std::to_array<Condition>({
    {"22001", "string data right truncation"},
    {"22003", "numeric value out of range"},
    {"22007", "invalid datetime format"},
    {"22008", "datetime field overflow"},
    {"22012", "division by zero"},
    {"22021", "character not in repertoire"},
    {"22023", "invalid parameter value"},
    {"22P02", "invalid text representation"},
    {"22P03", "invalid binary representation"},
    {"22P05", "untranslatable character"},
    {"23502", "not null violation"},
    {"23503", "foreign key violation"},
    {"23505", "unique violation"},
    {"23514", "check violation"},
    {"23P01", "exclusion violation"},
});

std::string_view conditionName(std::string_view sqlState) {
  const auto* const found = std::ranges::find(kConditions, sqlState, &Condition::first);
  if (found != kConditions.end()) {
    return found->second;
  }
  return sqlState.starts_with("22") ? "data exception" : "integrity constraint violation";
}

}  // namespace

std::string errorField(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? std::string() : std::string(text);
}

bool endsSession(const PGresult* result) {
  const std::string severity = errorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity == "FATAL" || severity == "PANIC" || errorField(result, PG_DIAG_SQLSTATE).empty();
}

std::string safeMessage(const PGresult* result) {
  const std::string sqlState = errorField(result, PG_DIAG_SQLSTATE);
  if (!sqlState.starts_with("22") && !sqlState.starts_with("23")) {
    return std::format("{} ({})", errorField(result, PG_DIAG_MESSAGE_PRIMARY), sqlState);
  }
  std::string text = std::format("{} ({})", conditionName(sqlState), sqlState);
  for (const auto& [field, label] :
       std::to_array<std::pair<int, std::string_view>>({{PG_DIAG_TABLE_NAME, "table"},
                                                        {PG_DIAG_COLUMN_NAME, "column"},
                                                        {PG_DIAG_CONSTRAINT_NAME, "constraint"}})) {
    const std::string name = errorField(result, field);
    if (!name.empty()) {
      text += std::format(", {} {}", label, name);
    }
  }
  return text;
}

Error toError(const PGresult* result) {
  return {Failure::statement, safeMessage(result), errorField(result, PG_DIAG_SQLSTATE),
          errorField(result, PG_DIAG_CONSTRAINT_NAME)};
}

}  // namespace auth_errors::database
