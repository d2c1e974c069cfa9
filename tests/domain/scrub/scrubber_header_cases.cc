#include <array>

#include "tests/domain/scrub/scrubber_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kCases = std::to_array<ScrubCase>({
    // Authorization
    {"bearer", "Authorization: Bearer abc.def.ghi",
     "Authorization: Bearer [redacted:authorization]"},
    {"lower case", "authorization: bearer abcdef",
     "authorization: bearer [redacted:authorization]"},
    {"upper case", "AUTHORIZATION: BEARER ABCDEF",
     "AUTHORIZATION: BEARER [redacted:authorization]"},
    {"basic",
     "Authorization: Basic YWRtaW46cGFzcw==", "Authorization: Basic [redacted:authorization]"},
    {"proxy", "Proxy-Authorization: Basic YWRtaW46cGFzcw==",
     "Proxy-Authorization: Basic [redacted:authorization]"},
    {"digest", R"(Authorization: Digest username="bob", realm="r", response="deadbeef" refused)",
     "Authorization: Digest [redacted:authorization] refused"},
    {"digest escaped",
     R"("log":"Authorization: Digest username=\"bob\", response=\"deadbeef\" refused")",
     R"("log":"Authorization: Digest [redacted:authorization] refused")"},
    {"aws signature",
     "Authorization: AWS4-HMAC-SHA256 Credential=AKIA/20130524/s3/aws4_request, "
     "SignedHeaders=host;range, Signature=fe5f80 (403)",
     "Authorization: AWS4-HMAC-SHA256 [redacted:authorization] (403)"},
    {"token scheme", "Authorization: Token 9944b09199c62bcf",
     "Authorization: Token [redacted:authorization]"},
    {"negotiate", "Authorization: Negotiate YIIJvwYGKwYBBQUCoIIJszCC",
     "Authorization: Negotiate [redacted:authorization]"},
    {"unknown scheme", "Authorization: Acme k1-99aa77 next",
     "Authorization: [redacted:authorization] next"},
    {"unknown scheme with parameters", R"(Authorization: Acme id="a", mac="b" next)",
     "Authorization: [redacted:authorization] next"},
    {"no scheme", "Authorization: abcdef", "Authorization: [redacted:authorization]"},
    {"equals sign", "authorization=Bearer abcdef, host=x",
     "authorization=Bearer [redacted:authorization], host=x"},
    {"map in brackets", R"([authorization:"Bearer abcdef", host:"x"])",
     R"([authorization:"Bearer [redacted:authorization]", host:"x"])"},
    {"JSON", R"({"Authorization":"Bearer abcdef","Host":"x"})",
     R"({"Authorization":"Bearer [redacted:authorization]","Host":"x"})"},
    {"JSON escaped", R"({\"Authorization\":\"Bearer abcdef\"})",
     R"({\"Authorization\":\"Bearer [redacted:authorization]\"})"},
    {"JSON array", R"({"authorization":["Bearer abcdef"]})",
     R"({"authorization":[[redacted:authorization]]})"},
    {"curl", "curl -H 'Authorization: Bearer abcdef' https://api",
     "curl -H 'Authorization: Bearer [redacted:authorization]' https://api"},
    {"custom header", "X-Forwarded-Authorization: Bearer abcdef",
     "X-Forwarded-Authorization: Bearer [redacted:authorization]"},
    {"two lines", "Authorization: Bearer abcdef\nHost: example",
     "Authorization: Bearer [redacted:authorization]\nHost: example"},
    {"escaped newline", R"(Authorization: Bearer abcdef\r\nHost: x)",
     R"(Authorization: Bearer [redacted:authorization]\r\nHost: x)"},

    // Bearer
    {"in prose", "rejected Bearer a1b2c3d4 from peer",
     "rejected Bearer [redacted:bearer] from peer"},
    {"dotted", "Bearer abc.def.ghi", "Bearer [redacted:bearer]"},
    {"underscores", "bearer my_session_thing", "bearer [redacted:bearer]"},
    {"long letters", "Bearer abcdefghijklmnopqrstuvwxyz", "Bearer [redacted:bearer]"},
    {"Base64 padding", "Bearer c2VjcmV0MQ==", "Bearer [redacted:bearer]"},
    {"url encoded blank", "auth=Bearer%20a1b2c3d4", "auth=[redacted:token]"},
    {"plus as blank", "h:Bearer+a1b2c3d4", "h:Bearer+[redacted:bearer]"},
    {"colon", "Bearer: a1b2c3d4", "Bearer: [redacted:bearer]"},
    {"full stop", "got Bearer a1b2c3d4.", "got Bearer [redacted:bearer]."},
    {"in quotes", R"(header "Bearer a1b2c3d4" refused)",
     R"(header "Bearer [redacted:bearer]" refused)"},
    {"JWT", "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "Bearer [redacted:bearer]"},
    {"after an escaped newline", R"(x\nBearer a1b2c3d4)", R"(x\nBearer [redacted:bearer])"},

    // Basic
    {"user and password", "Basic YWRtaW46cGFzcw==", "Basic [redacted:basic]"},
    {"short", "sent Basic YTpi to proxy", "sent Basic [redacted:basic] to proxy"},
    {"without padding", "basic dXNlcjpwYXNzd29yZDEyMw", "basic [redacted:basic]"},
    {"url encoded blank", "Basic%20YWRtaW46cGFzcw==", "Basic%20[redacted:basic]"},
    {"in quotes", "'Basic YWRtaW46cGFzcw=='", "'Basic [redacted:basic]'"},

    // Cookies
    {"one", "Cookie: theme=dark", "Cookie: [redacted:cookie]"},
    {"several", "Cookie: a=b; JSESSIONID=A1B2; c=d", "Cookie: [redacted:cookie]"},
    {"then prose", "Cookie: a=b; c=d was refused", "Cookie: [redacted:cookie] was refused"},
    {"quoted value", R"(Cookie: a="b c"; d=e end)", "Cookie: [redacted:cookie] end"},
    {"set", "Set-Cookie: sid=abc; Path=/; HttpOnly; Secure", "Set-Cookie: [redacted:cookie]"},
    {"set with date", "Set-Cookie: sid=abc; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/",
     "Set-Cookie: [redacted:cookie]"},
    {"comma list", "Cookie: a=b, c=d", "Cookie: [redacted:cookie]"},
    {"map", "{cookie=a=b; c=d, host=example}", "{cookie=[redacted:cookie], host=example}"},
    {"brackets", R"([cookie:"a=b; c=d", host:"x"])", R"([cookie:"[redacted:cookie]", host:"x"])"},
    {"JSON", R"({"cookie":"a=b; c=d"})", R"({"cookie":"[redacted:cookie]"})"},
    {"JSON escaped", R"({\"Cookie\":\"a=b\"})", R"({\"Cookie\":\"[redacted:cookie]\"})"},
    {"curl", "curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: [redacted:cookie]' x"},
    {"script", R"(document.cookie = "a=b")", R"(document.cookie = "[redacted:cookie]")"},
    {"bare value", "Cookie: s%3Aj1k2l3m4n5", "Cookie: [redacted:cookie]"},

    // Session ids
    {"JSESSIONID", "JSESSIONID=ABCDEF", "JSESSIONID=[redacted:session]"},
    {"in a path", "/app/login;jsessionid=ABCDEF?x=1", "/app/login;jsessionid=[redacted:session]"},
    {"PHPSESSID", "PHPSESSID=abc; x", "PHPSESSID=[redacted:session]; x"},
    {"connect.sid", "connect.sid=s%3Aj1k2l3m4", "connect.sid=[redacted:session]"},
    {"ASP.NET", "ASP.NET_SessionId=abcdef", "ASP.NET_SessionId=[redacted:session]"},
    {"session_id", "session_id=42", "session_id=[redacted:session]"},
    {"sessionId in JSON", R"({"sessionId":"abc"})", R"({"sessionId":"[redacted:session]"})"},
    {"in prose", "Session ID: 9f8e7d6c5b expired", "Session ID: [redacted:session] expired"},
    {"framework cookie", "laravel_session=eyJpdiI6", "laravel_session=[redacted:session]"},
    {"sid", "?sid=a1b2c3d4e5", "?sid=[redacted:session]"},
});

}  // namespace

std::span<const ScrubCase> headerCases() { return kCases; }

}  // namespace auth_errors::domain
