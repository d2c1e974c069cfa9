#include <array>

#include "tests/domain/scrub/scrubber_cases.h"

namespace auth_errors::domain {
namespace {

constexpr auto kCases = std::to_array<ScrubCase>({
    // JWT and PASETO
    {"JWT", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl back",
     "got [redacted:jwt] back"},
    {"JWT without signature", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "[redacted:jwt]."},
    {"JWT cut", "eyJhbGciOiJIUzI1NiJ9.eyJzdW", "[redacted:jwt]"},
    {"JWE", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..aXY.Y2lwaGVy.dGFn", "[redacted:jwt]"},
    {"JWT in a path", "/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln/x",
     "/verify/[redacted:jwt]/x"},
    {"JWT url encoded before", "x%3DeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
     "x%3D[redacted:jwt]"},
    {"JWT after an escaped newline", R"(a\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln)",
     R"(a\n[redacted:jwt])"},
    {"JWT in quotes", R"(parse("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"))",
     R"(parse("[redacted:jwt]"))"},
    {"two JWTs", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aa,eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.bb",
     "[redacted:jwt],[redacted:jwt]"},
    {"PASETO", "v4.local.AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "[redacted:token]"},
    {"PASETO with footer", "v2.public.AAECAwQFBgcICQoLDA0ODxAREhMUFRYX.Zm9v x",
     "[redacted:token] x"},

    // Vendors
    {"AWS access key",
     "key AKIA"
     "IOSFODNN7EXAMPLE used",
     "key [redacted:aws] used"},
    {"AWS temporary key",
     "ASIA"
     "IOSFODNN7EXAMPLE",
     "[redacted:aws]"},
    {"GitHub personal",
     "ghp"
     "_16C7e42F292c6912E7710c838347Ae178B4a",
     "[redacted:github]"},
    {"GitHub OAuth",
     "gho"
     "_16C7e42F292c6912E7710c838347Ae178B4a",
     "[redacted:github]"},
    {"GitHub server",
     "ghs"
     "_16C7e42F292c6912E7710c838347Ae178B4a",
     "[redacted:github]"},
    {"GitHub fine grained",
     "github"
     "_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
     "[redacted:github]"},
    {"GitLab",
     "glpat"
     "-ABCDEFGHIJ1234567890",
     "[redacted:gitlab]"},
    {"GitLab deploy",
     "gldt"
     "-ABCDEFGHIJ1234567890",
     "[redacted:gitlab]"},
    {"Slack bot",
     "xoxb"
     "-123456789012-abcdefABCDEF",
     "[redacted:slack]"},
    {"Slack user",
     "xoxp"
     "-123456789012-abcdef",
     "[redacted:slack]"},
    {"Slack app",
     "xapp"
     "-1-A0123456789-1234567890-abcdef",
     "[redacted:slack]"},
    {"Slack webhook", "https://hooks.slack.com/services/T000/B000/XXXX failed",
     "https://hooks.slack.com/services/[redacted:slack] failed"},
    {"Discord webhook", "https://discord.com/api/webhooks/1234/abc-DEF",
     "https://discord.com/api/webhooks/[redacted:vendor-key]"},
    {"Stripe secret",
     "sk"
     "_live_4eC39HqLyjWDarjtT1zdp7dc",
     "[redacted:stripe]"},
    {"Stripe test",
     "sk"
     "_test_4eC39HqLyjWDarjtT1zdp7dc",
     "[redacted:stripe]"},
    {"Stripe restricted",
     "rk"
     "_live_4eC39HqLyjWDarjtT1zdp7dc",
     "[redacted:stripe]"},
    {"Stripe webhook",
     "whsec"
     "_4eC39HqLyjWDarjtT1zdp7dc",
     "[redacted:stripe]"},
    {"Google API",
     "AIza"
     "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
     "[redacted:google]"},
    {"Google access",
     "ya29"
     ".a0AfH6SMBx1y2z3-abcdefghij",
     "[redacted:google]"},
    {"Google client secret",
     "GOCSPX"
     "-a1b2c3d4e5f6g7h8i9j0k1l2",
     "[redacted:google]"},
    {"Twilio",
     "SK"
     "0123456789abcdef0123456789abcdef",
     "[redacted:vendor-key]"},
    {"SendGrid",
     "SG"
     ".ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
     "[redacted:vendor-key]"},
    {"npm",
     "npm"
     "_abcdefghijklmnopqrstuvwxyz0123456789",
     "[redacted:vendor-key]"},
    {"PyPI",
     "pypi"
     "-AgEIcHlwaS5vcmcCJDAxMjM0NTY3LTg5YWItY2RlZg",
     "[redacted:vendor-key]"},
    {"Hugging Face",
     "hf"
     "_abcdefghijklmnopqrstuvwxyz012345",
     "[redacted:vendor-key]"},
    {"OpenAI",
     "sk"
     "-abcdefghijklmnopqrst0123456789",
     "[redacted:vendor-key]"},
    {"OpenAI project",
     "sk"
     "-proj-abc_DEF-0123456789abcdef",
     "[redacted:vendor-key]"},
    {"Anthropic",
     "sk"
     "-ant-api03-abcDEF012345_-xyz",
     "[redacted:vendor-key]"},
    {"DigitalOcean",
     "dop"
     "_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     "[redacted:vendor-key]"},
    {"Shopify",
     "shpat"
     "_0123456789abcdef0123456789abcdef",
     "[redacted:vendor-key]"},
    {"Telegram",
     "110201543:"
     "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
     "[redacted:vendor-key]"},
    {"Telegram in a URL",
     "https://api.telegram.org/bot110201543:"
     "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe",
     "https://api.telegram.org/bot[redacted:vendor-key]/getMe"},
    {"Discord bot",
     "MTIzNDU2Nzg5MDEyMzQ1Njc4."
     "Gabc12.abcdefghijklmnopqrstuvwxyz01",
     "[redacted:vendor-key]"},
    {"Mailgun",
     "key"
     "-0123456789abcdef0123456789abcdef",
     "[redacted:vendor-key]"},
    {"Vault",
     "hvs"
     ".CAESIJ1234567890abcdefgh",
     "[redacted:vendor-key]"},
    {"our own API key",
     "aek"
     "_n0PqZb8RkT2vYw5xLmAc7dFgHj9KsEuI3o1B4t6XyQa",
     "[redacted:vendor-key]"},
    {"Databricks",
     "dapi"
     "0123456789abcdef0123456789abcdef",
     "[redacted:vendor-key]"},
    {"Square",
     "sq0atp"
     "-abcdefghij0123456789AB",
     "[redacted:vendor-key]"},
    {"Docker",
     "dckr"
     "_pat_abcdefghij0123456789ABC",
     "[redacted:vendor-key]"},
    {"this service's",
     "key aek"
     "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO-_ refused",
     "key [redacted:vendor-key] refused"},
    {"this service's, random",
     "X-Key=aek"
     "_Zm9vYmFyMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY",
     "X-Key=[redacted:vendor-key]"},
    {"this service's, in a query",
     "?x=aek"
     "_Zm9vYmFyMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY&y=1",
     "?x=[redacted:vendor-key]&y=1"},
    {"this service's, cut",
     "aek"
     "_Zm9vYmFyMTIzNDU2Nzg5MDEyMzQ1Njc4",
     "[redacted:vendor-key]"},
    {"Google refresh",
     "1//"
     "0gabcdefghijklmnopqrstuvwxyz0123456789",
     "[redacted:google]"},
    {"Entra client secret",
     "bad value aBc8Q"
     "~abcdefghijklmnopqrstuvwxyz01234567 for app",
     "bad value [redacted:azure] for app"},
    {"Bitbucket",
     "ATBB"
     "abcdefghijklmnopqrstuvwxyz012345",
     "[redacted:vendor-key]"},
    {"Sonar",
     "sqp"
     "_0123456789abcdef0123456789abcdef01234567",
     "[redacted:vendor-key]"},
    {"NuGet",
     "oy2"
     "abcdefghijklmnopqrstuvwxyz0123456789abcdefg",
     "[redacted:vendor-key]"},
    {"Supabase",
     "sb"
     "_secret_abcdefghij0123456789",
     "[redacted:vendor-key]"},
    {"Doppler",
     "dp"
     ".st.prd.abcdefghijklmnopqrstuvwxyz0123456789",
     "[redacted:vendor-key]"},
    {"after an underscore",
     "deploy_ghp"
     "_16C7e42F292c6912E7710c838347Ae178B4a",
     "deploy_[redacted:github]"},
    {"after a colon",
     "value:ghp"
     "_16C7e42F292c6912E7710c838347Ae178B4a.",
     "value:[redacted:github]."},
    {"url encoded before",
     "a%20ghp"
     "_16C7e42F292c6912E7710c838347Ae178B4a",
     "a%20[redacted:github]"},

    // PEM
    {"PEM", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----\nnext",
     "[redacted:pem]\nnext"},
    {"PEM certificate",
     "x -----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE----- y",
     "x [redacted:pem] y"},
    {"PEM with escaped newlines",
     R"("key":"-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n")",
     R"("key":"[redacted:pem]\n")"},
    {"PEM escaped twice", R"(-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----)",
     "[redacted:pem]"},
    {"PEM on one line", "-----BEGIN PUBLIC KEY----- MIIBIjANBgkqhkiG9w0B -----END PUBLIC KEY-----",
     "[redacted:pem]"},
    {"PEM cut",
     "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\nggSjAgEAAoIBAQC7",
     "[redacted:pem]"},
    {"PEM cut by a trace",
     "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n\tat "
     "com.acme.Keys.load(Keys.java:9)",
     "[redacted:pem]\n\tat com.acme.Keys.load(Keys.java:9)"},
    {"PEM cut by a setting",
     "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\nnextSettingOfTheFile=true",
     "[redacted:pem]\nnextSettingOfTheFile=true"},
    {"PEM encrypted",
     "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIE\n"
     "-----END RSA PRIVATE KEY-----",
     "[redacted:pem]"},
    {"PEM url encoded", "-----BEGIN+PRIVATE+KEY-----%0AMIIEvQ%0A-----END+PRIVATE+KEY-----",
     "[redacted:pem]"},
    {"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdG\n-----END PGP PRIVATE KEY BLOCK-----",
     "[redacted:pem]"},

    // Password hashes
    {"bcrypt", "stored $2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy here",
     "stored [redacted:password-hash] here"},
    {"argon2", "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub",
     "[redacted:password-hash]"},
    {"sha512 crypt", "$6$rounds=5000$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO",
     "[redacted:password-hash]"},
    {"md5 crypt", "$1$O3JMY.Tw$AdLnLjQ/5jXF9.MTp3gHv/", "[redacted:password-hash]"},
    {"LDAP", "hash {SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g= end", "hash [redacted:password-hash] end"},
    {"Spring bcrypt", "{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy",
     "[redacted:password-hash]"},
    {"Spring noop", "{noop}hunter2", "[redacted:password-hash]"},
    {"Django", "pbkdf2_sha256$260000$salt$aGFzaGhhc2hoYXNoaGFzaA==", "[redacted:password-hash]"},
    {"NTLM", "aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0 dumped",
     "[redacted:password-hash] dumped"},
    {"SCRAM", "SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVkc3RvcmVkc3RvcmVk:c2VydmVy",
     "[redacted:password-hash]"},
});

}  // namespace

std::span<const ScrubCase> shapeCases() { return kCases; }

}  // namespace auth_errors::domain
