#include "controllers/http/field_reader.h"

#include <format>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/value.h>

namespace auth_errors::controllers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StrEq;

TEST(FieldReader, ReportsEachUnknownField) {
  Json::Value body(Json::objectValue);
  body["type"] = "FAIL";
  body["nota"] = "a";
  body["tpye"] = Json::nullValue;
  const FieldReader reader(body);
  const auto problem = [](const char* name) {
    return AllOf(
        Field(&domain::FieldProblem::field, StrEq(name)),
        Field(&domain::FieldProblem::code, StrEq("unknown_field")),
        Field(&domain::FieldProblem::message, "is unknown; known fields: type, note and by"));
  };
  EXPECT_THAT(reader.unknownFieldProblems({"type", "note", "by"}),
              ElementsAre(problem("nota"), problem("tpye")));
  EXPECT_THAT(reader.unknownFieldProblems({"type", "nota", "tpye"}), IsEmpty());
}

TEST(FieldReader, LimitsTheReportedFieldsAndTheLengthOfTheirNames) {
  Json::Value body(Json::objectValue);
  for (int i = 0; i < 1'000; ++i) {
    body[std::format("{:0>5000}ü", i)] = i;
  }
  EXPECT_THAT(FieldReader(body).unknownFieldProblems({"type"}), SizeIs(10));
  Json::Value one(Json::objectValue);
  one[std::string(1'023, 'x') + "üü"] = 1;
  EXPECT_THAT(FieldReader(one).unknownFieldProblems({"type"}),
              ElementsAre(Field(&domain::FieldProblem::field, std::string(1'023, 'x') + "ü")));
}

}  // namespace
}  // namespace auth_errors::controllers
