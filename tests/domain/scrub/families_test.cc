#include "domain/scrub/families.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

struct NamedFamily {
  std::string_view name;
  Family family;
};

void expectFamilies(const std::vector<NamedFamily>& rows) {
  for (const auto& [name, family] : rows) {
    EXPECT_EQ(familyOf(name), family) << name;
  }
}

TEST(ScrubFamilies, DependOnTheLastWordOfAName) {
  expectFamilies({{"password", Family::password},
                  {"dbPassword", Family::password},
                  {"DB_PASS", Family::password},
                  {"X-Auth-Token", Family::token},
                  {"users.api_token", Family::token},
                  {"client_secret", Family::secret},
                  {"session", Family::session},
                  {"otp", Family::code},
                  {"value", Family::value},
                  {"username", Family::harmless},
                  {"tokenizer", Family::none},
                  {"passenger", Family::none}});
}

TEST(ScrubFamilies, SplitCompoundWords) {
  expectFamilies({{"dbpass", Family::password},
                  {"SMSESSION", Family::session},
                  {"ASPXAUTH", Family::key},
                  {"mytoken", Family::token},
                  {"reqid", Family::harmless}});
}

TEST(ScrubFamilies, IgnoreSuffixesOfTheStem) {
  expectFamilies({{"password1", Family::password},
                  {"passwordHash", Family::password},
                  {"tokenValue", Family::token},
                  {"session_id", Family::session},
                  {"X-Hub-Signature-256", Family::token},
                  {"_shibsession_64656661756c74", Family::session},
                  {"_shibsession_64656661756c74abcd", Family::session}});
}

TEST(ScrubFamilies, ExcludeNamesOfThingsAndFaults) {
  expectFamilies({{"token_id", Family::harmless},
                  {"user_id", Family::harmless},
                  {"invalid_token", Family::none},
                  {"badCredentials", Family::none},
                  {"monkey", Family::none},
                  {"bypass", Family::none},
                  {"public_key", Family::harmless},
                  {"error_code", Family::harmless}});
}

TEST(ScrubFamilies, CoverOtherLanguages) {
  expectFamilies({{"contraseña", Family::password},
                  {"hasło", Family::password},
                  {"lösenord", Family::password},
                  {"пароль", Family::password},
                  {"密码", Family::password},
                  {"验证码", Family::code}});
}

TEST(ScrubFamilies, AreNoneWithoutAName) {
  expectFamilies({{"", Family::none}, {"-", Family::none}, {"42", Family::none}});
  EXPECT_EQ(familyOf(std::string(100, 'x') + "_password"), Family::none);
}

TEST(ScrubFamilies, DistinguishKeysAndCodesByTheWordBefore) {
  EXPECT_EQ(familyBehind(Family::plainCode, "error"), Family::harmless);
  EXPECT_EQ(familyBehind(Family::plainCode, "Recovery"), Family::code);
  EXPECT_EQ(familyBehind(Family::key, "API"), Family::token);
  EXPECT_EQ(familyBehind(Family::key, "primary"), Family::harmless);
  EXPECT_EQ(familyBehind(Family::key, "some"), Family::key);
  EXPECT_EQ(familyBehind(Family::password, "error"), Family::password);
}

TEST(ScrubFamilies, RecogniseCallsThatTakeCredentials) {
  for (const std::string_view name :
       {"login", "HTTPBasicAuth", "Credentials", "verify_password", "ldap.bind"}) {
    EXPECT_TRUE(takesCredentials(name)) << name;
  }
  for (const std::string_view name : {"format", "println", "", "authority"}) {
    EXPECT_FALSE(takesCredentials(name)) << name;
  }
}

}  // namespace
}  // namespace auth_errors::domain
