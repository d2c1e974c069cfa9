#include "domain/values/instant.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

struct InstantCase {
  std::string text;
  std::string expected;  // empty if it is refused
};

TEST(Instant, ReadsIsoDateTimesWithAnOffset) {
  const std::vector<InstantCase> cases = {
      {"2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000000Z"},
      {"2026-01-31T09:30Z", "2026-01-31T09:30:00.000000Z"},
      {"2026-01-31t09:30:00z", "2026-01-31T09:30:00.000000Z"},
      {"2026-01-31T09:30:00.5+09:00", "2026-01-31T00:30:00.500000Z"},
      {"2026-01-31T09:30:00,25-0530", "2026-01-31T15:00:00.250000Z"},
      {"2026-01-31T23:30:00-02", "2026-02-01T01:30:00.000000Z"},
      {"2024-02-29T00:00:00.123456789Z", "2024-02-29T00:00:00.123456Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
      {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
      {"2026-01-31T09:30:00+18:00", "2026-01-30T15:30:00.000000Z"},
      {"", ""},
      {"2026-01-31", ""},
      {"2026-01-31T09:30:00", ""},
      {"2026-01-31 09:30:00Z", ""},
      {"2026-02-29T00:00:00Z", ""},
      {"2026-13-01T00:00:00Z", ""},
      {"2026-00-10T00:00:00Z", ""},
      {"2026-04-31T00:00:00Z", ""},
      {"2026-01-31T24:00:00Z", ""},
      {"2026-01-31T09:60:00Z", ""},
      {"2026-01-31T23:59:60Z", ""},
      {"2026-01-31T09:30:00.Z", ""},
      {"2026-01-31T09:30:00.1234567890Z", ""},
      {"2026-01-31T09:30:00+18:01", ""},
      {"2026-01-31T09:30:00+19:00", ""},
      {"2026-01-31T09:30:00+9:00", ""},
      {"2026-01-31T09:30:00Z ", ""},
      {"2026-01-31T09:30:00ZZ", ""},
      {" 2026-01-31T09:30:00Z", ""},
      {"0000-01-01T00:00:00Z", ""},
      {"02026-01-31T09:30:00Z", ""},
      {"2026-1-31T09:30:00Z", ""},
      {"2026-01-31T09:30:0Z", ""},
      {"1767225600", ""},
  };
  for (const InstantCase& c : cases) {
    const std::optional<Instant> instant = parseInstant(c.text);
    EXPECT_EQ(instant ? formatInstant(*instant) : "", c.expected) << "'" << c.text << "'";
  }
}

TEST(Instant, RoundTripsThroughItsFormat) {
  const auto instant = parseInstant("2026-07-01T12:34:56.789012Z");
  ASSERT_TRUE(instant);
  EXPECT_EQ(parseInstant(formatInstant(*instant)), instant);
}

}  // namespace
}  // namespace auth_errors::domain
