#include "controllers/http/entity_tag.h"

#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

TEST(EntityTag, IsFoundInAListWeakOrStrong) {
  for (const char* header :
       {R"("a")", R"(W/"a")", R"("b", "a")", R"("b" ,W/"a" , "c")", "*", " * ", R"(,,"a",)"}) {
    EXPECT_TRUE(matchesEntityTag(header, R"("a")")) << header;
  }
  for (const char* header : {"", "a", R"("b")", R"("A")", R"("a-gzip")", R"(w/"a")", "**", ","}) {
    EXPECT_FALSE(matchesEntityTag(header, R"("a")")) << header;
  }
}

}  // namespace
}  // namespace auth_errors::controllers
