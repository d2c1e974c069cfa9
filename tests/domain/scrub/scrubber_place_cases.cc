// Values that follow no known label, recognised by their position in a call, a tuple or a sentence.
#include <array>

#include "tests/domain/scrub/scrubber_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kCases = std::to_array<ScrubCase>({
    {"compound label", "login failed dbpass=hunter for bob",
     "login failed dbpass=[redacted:password] for bob"},
    {"two compound labels", "newpass=geheim&oldpass=alt&user=bob",
     "newpass=[redacted:password]&oldpass=[redacted:password]&user=bob"},
    {"positional argument", "requests.get(url, auth=HTTPBasicAuth('svc','hunter'))",
     "requests.get(url, auth=HTTPBasicAuth('svc','[redacted:api-key]'))"},
    {"tuple of a keyword", "post(auth=('svc','hunter'))",
     "post(auth=('svc','[redacted:api-key]'))"},
    {"list of pairs", "data=[('user','bob'),('password','hunter')]",
     "data=[('user','bob'),('password','[redacted:password]')]"},
    {"Erlang tuple", R"({user,"bob"},{password,"hunter"})",
     R"({user,"bob"},{password,"[redacted:password]"})"},
    {"Erlang map", R"(#{<<"user">> => <<"bob">>,<<"password">> => <<"hunter">>})",
     R"(#{<<"user">> => <<"bob">>,<<"password">> => <<"[redacted:password]">>})"},
    {"case class", "MatchError: Credentials(bob,hunter) (of class Credentials)",
     "MatchError: Credentials(bob,[redacted:password]) (of class Credentials)"},
    {"PHP frame", "#0 /srv/Auth.php(12): Auth->login('bob', 'hunter')",
     "#0 /srv/Auth.php(12): Auth->login('bob', '[redacted:password]')"},
    {"words between a code and its label", "Invalid OTP entered: 492031",
     "Invalid OTP entered: [redacted:otp]"},
    {"words between a token and its label", "Refresh token not found: 9f86d081884c7d65",
     "Refresh token not found: [redacted:token]"},
    {"words between a key and its label", "API key revoked: k3y-9f86d081",
     "API key revoked: [redacted:token]"},
    {"value before its label", "Duplicate entry '9f86d081884c7d65' for key 'users.api_token'",
     "Duplicate entry '[redacted:api-key]' for key 'users.api_token'"},
    {"OAuth code in JSON", R"({"grant_type":"authorization_code","code":"SplxlOBeZQQYbYS6WxSbIA"})",
     R"({"grant_type":"authorization_code","code":"[redacted:otp]"})"},
    {"device code", "device_code=GmRhmhcxhwAzkoEqiMEg pending",
     "device_code=[redacted:otp] pending"},
    {"out-of-band code", "oobCode=ABCdef123_xyz456 expired", "oobCode=[redacted:otp] expired"},
    {"session cookie by its suffix", "SMSESSION=Ahk3fJ29dkLsPq rejected",
     "SMSESSION=[redacted:session] rejected"},
    {"authentication cookie by its suffix", ".ASPXAUTH=1F2E3D4C5B6A79880F1E2D3C",
     ".ASPXAUTH=[redacted:api-key]"},
    {"header by its suffix", "x-functions-key: q7RtZx0Lw9KpV2mN4sBd",
     "x-functions-key: [redacted:token]"},
    {"sqlcmd", "sqlcmd -S db -U sa -P hunter2 -Q x",
     "sqlcmd -S db -U sa -P [redacted:password] -Q x"},
    {"sqlplus", "sqlplus scott/tiger@orcl", "sqlplus scott/[redacted:password]@orcl"},
    {"ideographic space", "password:　hunter2 wrong", "password:　[redacted:password] wrong"},
    {"many blanks", "password =          hunter2", "password =          [redacted:password]"},
    {"no-break space", "password = hunter2 wrong", "password = [redacted:password] wrong"},
    {"quoted value before its label", "'hunter2' is not a valid password",
     "'[redacted:password]' is not a valid password"},
    {"spoken code", "Your verification code is 492031", "Your verification code is [redacted:otp]"},
    {"code in a sentence", "The code 492031 is wrong", "The code [redacted:otp] is wrong"},
    {"parts of one link", "GET /confirm-email/MTg:q7RtZx0Lw9KpV2mN:Zt0pQ5vXc8LmN2bYkR7sJdHf 404",
     "GET /confirm-email/[redacted:opaque][redacted:opaque] 404"},
    {"looks alone", "lookup of q7RtZx0Lw9KpV2mN4sBd8HcY failed",
     "lookup of [redacted:opaque] failed"},
});

constexpr auto kKept = std::to_array<KeptCase>({
    {"rule of a password", "password must have 8 characters"},
    {"code of an error", "error code: 401"},
    {"code of a process", "exit code: 137"},
    {"trace id", "traceId=4bf92f3577b34da6a3ce929d0e0e4736 spanId=00f067aa0ba902b7"},
    {"commit", "built from commit 3c8673548a1b320c31c4e1c322df90a0e91e854c"},
    {"digest", "image app@sha256:9b2a4c6d8e0f1a3b5c7d9e1f2a4b6c8d0e2f4a6b8c0d2e4f6a8b0c2d4e6f8a0b"},
    {"pod", "pod auth-service-7d9f8b6c5d-x2x4z is not ready"},
    {"principal", "Preauthentication failed for alice@CORP.EXAMPLE"},
    {"list of fields", "missing: ['username', 'password', 'email']"},
    {"symbol", "_ZN4auth12TokenManager7refreshERKNSt7__cxx1112basic_stringIcEE"},
});

}  // namespace

std::span<const ScrubCase> placeCases() { return kCases; }

std::span<const KeptCase> keptPlaceCases() { return kKept; }

}  // namespace auth_errors::domain
