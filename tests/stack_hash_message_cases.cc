#include <array>

#include "tests/stack_hash_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kMeeting = std::to_array<TracePair>({
    {"number", "user 1 not found", "user 20771 not found"},
    {"number with a sign", "balance -17 is too low", "balance -4.5 is too low"},
    {"UUID", "session 3fa85f64-5717-4562-b3fc-2c963f66afa6 expired",
     "session 0b1c2d3e-0000-4000-8000-abcdefabcdef expired"},
    {"hexadecimal", "no key 0x7fff12ab", "no key 0x00010000"},
    {"hash without a digit", "no commit deadbeef", "no commit cafebabe"},
    {"date and time", "expired at 2026-01-01T00:00:00Z",
     "expired at 2025-12-31T23:59:59.123+01:00"},
    {"date and time in words", "expired on Mon Jan 12 10:11:12 UTC 2026",
     "expired on Tue Feb 3 01:02:03 UTC 2026"},
    {"IPv4", "refused from 10.0.0.1:5432", "refused from 192.168.17.4:61022"},
    {"IPv6", "refused from 2001:db8::1", "refused from fe80::1ff:fe23:4567:890a"},
    {"e-mail", "no account for bob@example.com", "no account for eve@shop.example"},
    {"e-mail, redacted", "no account for bob@example.com", "no account for [redacted:email]"},
    {"redacted as another kind", "bad [redacted:token]", "bad [redacted:jwt]"},
    {"number, redacted", "no user 4711", "no user [redacted:user-id]"},
    {"path", "cannot read /etc/keys/a.pem", "cannot read /srv/keys/other.pem"},
    {"path of Windows", "cannot read C:\\keys\\a.pem", "cannot read D:\\other\\b.pem"},
    {"address", "GET https://idp.example/token?x=1 failed",
     "GET https://login.example/oauth failed"},
    {"double quotes", "no user \"bob\" here", "no user \"eve smith\" here"},
    {"single quotes", "no user 'bob' here", "no user 'o'neil' here"},
    {"backquotes", "no user `bob` here", "no user `eve` here"},
    {"redacted in quotes", "no user 'bob' here", "no user '[redacted:user-id]' here"},
    {"list", "unknown scopes [1, 2, 3]", "unknown scopes [7]"},
    {"id behind a sign", "no such entry user:4711", "no such entry user:12"},
    {"assignment", "denied: uid=1000", "denied: uid=33"},
    {"blanks", "login  failed", "login failed"},
});

constexpr auto kParting = std::to_array<TracePair>({
    {"words", "user not found", "token expired"},
    {"one word", "user 1 not found", "user 1 not active"},
    {"digest", "cannot verify SHA256", "cannot verify SHA512"},
    {"protocol", "OAuth2 failed", "SAML2 failed"},
    {"label of an id", "no entry user:17", "no entry group:17"},
    {"apostrophe", "can't log in", "can't log out"},
    {"value and none", "no user 17", "no user"},
    {"assignment's name", "uid=1000 denied", "gid=1000 denied"},
    {"word behind a quoted one", "'a' is locked", "'a' is deleted"},
});

}  // namespace

LanguageCases messageCases() {
  return {.language = "message", .meeting = kMeeting, .parting = kParting};
}

}  // namespace auth_errors::domain
