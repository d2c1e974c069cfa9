#include "domain/scrub/words.h"

#include <array>
#include <cstddef>
#include <span>

namespace auth_errors::domain {
namespace {

// The words that a name may end with, by family, without accents on ASCII letters.

// Chosen by people, in the languages that they speak: `passe` of mot de passe, `community` of SNMP.
constexpr auto kPasswordStems = std::to_array<std::string_view>(
    {"password",    "passwords", "passwd",     "passwort",     "passord",      "passphrase",
     "passcode",    "pass",      "passe",      "pwd",          "pw",           "psw",
     "pswd",        "pword",     "psk",        "cred",         "creds",        "credential",
     "credentials", "kennwort",  "wachtwoord", "losenord",     "salasana",     "adgangskode",
     "heslo",       "haslo",     "jelszo",     "lozinka",      "parola",       "parol",
     "senha",       "clave",     "contrasena", "contrasenya",  "sifre",        "sifrem",
     "sifreniz",    "userinfo",  "sandi",      "pasword",      "passwrod",     "passw",
     "authtok",     "bindpw",    "rootpw",     "securestring", "ugfzc3dvcmq6", "vxnlcm5hbwu6",
     "passin",      "passout",   "storepass",  "keypass",      "userpass",     "dbpass",
     "community",   "mnemonic"});

constexpr auto kSecretStems = std::to_array<std::string_view>({"secret", "secrets"});

// Made by programs: `stamp` of SecurityStamp.
constexpr auto kTokenStems = std::to_array<std::string_view>(
    {"schlussel", "sleutel",   "klucz",  "chave",  "token",   "tokens",    "jwt",
     "jws",       "jwe",       "csrf",   "xsrf",   "jeton",   "ticket",    "assertion",
     "verifier",  "signature", "sig",    "hmac",   "salt",    "hash",      "hashes",
     "pvk",       "stamp",     "apikey", "appkey", "authkey", "secretkey", "privatekey",
     "accesskey", "seed",      "webhook"});

constexpr auto kKeyStems = std::to_array<std::string_view>(
    {"key", "keys", "auth", "authorization", "bearer", "nonce", "response", "state"});

constexpr auto kSessionStems =
    std::to_array<std::string_view>({"cookie", "cookies", "session", "sessions", "sess", "sessid",
                                     "sessionid", "sid", "jsessionid", "phpsessid"});

constexpr auto kCodeStems = std::to_array<std::string_view>(
    {"factor", "otp", "sms", "totp", "hotp", "pin", "puk", "tan", "mfa", "2fa", "cvv", "cvc"});

constexpr auto kPlainCodeStems =
    std::to_array<std::string_view>({"code", "codes", "kod", "codigo"});

constexpr auto kValueStems = std::to_array<std::string_view>(
    {"value",  "val",       "input",      "submitted",    "entered",  "typed",     "expected",
     "actual", "got",       "want",       "wanted",       "received", "provided",  "supplied",
     "given",  "presented", "attempted",  "confirmation", "confirm",  "again",     "repeat",
     "old",    "new",       "current",    "previous",     "was",      "data",      "content",
     "reply",  "answer",    "string",     "arg",          "args",     "arguments", "param",
     "params", "parameter", "parameters", "bindings",     "plain",    "raw",       "series",
     "integer"});

constexpr auto kHarmlessStems = std::to_array<std::string_view>(
    {"id",           "ids",        "kid",        "identifier",  "jti",         "jkt",
     "ray",          "reference",  "uid",        "gid",         "pid",         "tid",
     "oid",          "guid",       "user",       "users",       "username",    "usuario",
     "utilisateur",  "benutzer",   "gebruiker",  "utente",      "konto",       "login",
     "name",         "names",      "account",    "acct",        "principal",   "owner",
     "member",       "host",       "hostname",   "server",      "address",     "addr",
     "ip",           "port",       "uri",        "url",         "path",        "file",
     "line",         "column",     "char",       "status",      "error",       "errors",
     "err",          "errno",      "reason",     "message",     "msg",         "description",
     "type",         "kind",       "mode",       "method",      "class",       "level",
     "time",         "date",       "timestamp",  "at",          "expires",     "expiry",
     "exp",          "iat",        "nbf",        "ttl",         "age",         "duration",
     "elapsed",      "ms",         "size",       "len",         "length",      "count",
     "attempts",     "attempt",    "version",    "realm",       "domain",      "tenant",
     "org",          "client",     "app",        "application", "aud",         "audience",
     "iss",          "issuer",     "sub",        "subject",     "scope",       "scopes",
     "role",         "roles",      "provider",   "trace",       "span",        "request",
     "correlation",  "activity",   "event",      "instance",    "node",        "pod",
     "container",    "image",      "commit",     "revision",    "rev",         "sha",
     "sha1",         "sha256",     "md5",        "digest",      "etag",        "tag",
     "traceparent",  "tracestate", "serial",     "thumbprint",  "fingerprint", "alg",
     "algorithm",    "mechanism",  "schema",     "table",       "database",    "db",
     "constraint",   "index",      "module",     "function",    "thread",      "service",
     "region",       "bucket",     "arn",        "dn",          "cn",          "build",
     "release",      "object",     "resource",   "device",      "counter",     "field",
     "timeout",      "limit",      "interval",   "offset",      "delivery",    "job",
     "batch",        "partition",  "policy",     "certificate", "cert",        "origin",
     "inresponseto", "nodeid",     "engine",     "checksum",    "ref",         "consumer",
     "customer",     "holder",     "workstation"});

// What may stand behind the stem without changing what the name stands for: passwordHash,
// tokenValue, session_id, otp_attempt.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"id",       "value",     "val",       "str",          "string",   "raw",       "text",
     "plain",    "plaintext", "confirm",   "new",          "old",      "again",     "repeat",
     "input",    "hash",      "salt",      "digest",       "hex",      "b64",       "data",
     "attempt",  "base64",    "base",      "confirmation", "state",    "index",     "provided",
     "received", "expected",  "supplied",  "sent",         "saisi",    "saisie",    "entered",
     "typed",    "given",     "submitted", "ingresado",    "inserito", "eingegeben"});

// badCredentials, invalid_token, INCORRECT_PASSWORD: the name of a fault, which announces nothing.
constexpr auto kFaults =
    std::to_array<std::string_view>({"bad", "invalid", "wrong", "missing", "no", "incorrect",
                                     "expired", "unknown", "insufficient", "failed", "weak"});

// Before `key` and `code`: what makes them the name of something public or of an error.
constexpr auto kHarmlessBefore = std::to_array<std::string_view>(
    {"pg",          "db",        "mysql",       "ora",      "ldap",     "smtp",      "kdc",
     "ua",          "agent",     "identity",    "throttle", "rate",     "limit",     "lock",
     "idempotency", "dedup",     "translation", "lookup",   "comp",     "sha",       "sha1",
     "sha256",      "md5",       "commit",      "content",  "query",    "file",      "body",
     "primary",     "foreign",   "public",      "cache",    "routing",  "partition", "duplicate",
     "sort",        "shard",     "map",         "config",   "registry", "row",       "unique",
     "index",       "composite", "object",      "message",  "error",    "status",    "exit",
     "response",    "http",      "return",      "result",   "reason",   "country",   "zip",
     "area",        "lang",      "language",    "currency", "vendor",   "sql",       "state",
     "sub",         "minor",     "major",       "source",   "op",       "bar",       "hash",
     "uni",         "err",       "postal",      "license",  "resp",     "fault",     "event",
     "category",    "group",     "type",        "native",   "oauth"});

// Words that end like a stem and are none.
constexpr auto kExceptions = std::to_array<std::string_view>(
    {"bypass",    "compass",    "encompass", "surpass",   "trespass",   "overpass", "underpass",
     "monkey",    "turkey",     "donkey",    "hockey",    "jockey",     "whiskey",  "keycloak",
     "opcode",    "barcode",    "unicode",   "hashcode",  "passkey",    "hotkey",   "cookieless",
     "webauth",   "oauth",      "noauth",    "preauth",   "reauth",     "userauth", "encode",
     "decode",    "urlencode",  "urldecode", "transcode", "geocode",    "zipcode",  "statuscode",
     "errorcode", "fehlercode", "foutcode",  "compcode",  "reasoncode", "errcode",  "exitcode",
     "sqlcode",   "returncode", "pincode"});

// Before `key` and `code`: what makes them secrets.
constexpr auto kSecretBefore = std::to_array<std::string_view>(
    {"verification",   "confirmation", "security",   "recovery", "backup",    "access",
     "authentication", "login",        "sms",        "device",   "user",      "activation",
     "reset",          "invite",       "invitation", "passcode", "factor",    "time",
     "authorization",  "auth",         "mfa",        "2fa",      "pairing",   "unlock",
     "scratch",        "your",         "api",        "secret",   "private",   "signing",
     "encryption",     "unseal",       "master",     "shared",   "functions", "subscription",
     "account",        "admin",        "stripe",     "jwt"});

// In the names of calls and constructors that take credentials.
constexpr auto kCredentialWords = std::to_array<std::string_view>(
    {"auth",        "authenticate", "login",   "logon",    "signin",   "bind",   "credential",
     "credentials", "creds",        "cred",    "password", "passwd",   "pass",   "pwd",
     "pw",          "verify",       "compare", "connect",  "checkpw",  "hashpw", "token",
     "otp",         "totp",         "pin",     "secret",   "cookie",   "code",   "verifier",
     "csrf",        "connection",   "imap",    "crypt",    "validate", "check",  "attempt",
     "unlock",      "decrypt",      "session", "valid"});

struct ForeignStem {
  std::string_view word;
  Family family;
};

// In scripts that the stems can't be written in.
constexpr auto kForeignStems = std::to_array<ForeignStem>({
    {"错误", Family::harmless},   {"编号", Family::harmless},     {"エラー", Family::harmless},
    {"오류", Family::harmless},   {"ошибк", Family::harmless},    {"пароль", Family::password},
    {"Пароль", Family::password}, {"пароля", Family::password},   {"密码", Family::password},
    {"密碼", Family::password},   {"口令", Family::password},     {"パスワード", Family::password},
    {"暗証番号", Family::code},   {"비밀번호", Family::password}, {"패스워드", Family::password},
    {"암호", Family::password},   {"인증번호", Family::code},     {"인증코드", Family::code},
    {"验证码", Family::code},     {"驗證碼", Family::code},       {"認証コード", Family::code},
    {"код", Family::plainCode},   {"入力値", Family::value},      {"값", Family::value},
    {"令牌", Family::token},      {"токен", Family::token},       {"토큰", Family::token},
    {"トークン", Family::token},
});

// All of these words in one table that is made by the compiler, since each word of a text is looked
// up in it.
class Vocabulary {
 public:
  constexpr Vocabulary() {
    addStems(kPasswordStems, Family::password);
    addStems(kSecretStems, Family::secret);
    addStems(kTokenStems, Family::token);
    addStems(kKeyStems, Family::key);
    addStems(kSessionStems, Family::session);
    addStems(kCodeStems, Family::code);
    addStems(kPlainCodeStems, Family::plainCode);
    addStems(kValueStems, Family::value);
    addStems(kHarmlessStems, Family::harmless);
    for (const std::string_view word : kQualifiers) {
      entry(word).qualifies = true;
    }
    for (const std::string_view word : kFaults) {
      entry(word).fault = true;
    }
    for (const std::string_view word : kHarmlessBefore) {
      entry(word).harmlessBefore = true;
    }
    for (const std::string_view word : kSecretBefore) {
      entry(word).secretBefore = true;
    }
    for (const std::string_view word : kExceptions) {
      entry(word).exception = true;
    }
    for (const std::string_view word : kCredentialWords) {
      entry(word).credentials = true;
    }
  }

  [[nodiscard]] constexpr std::span<const KnownWord> words() const {
    return std::span(words_).subspan(1, count_);
  }

  [[nodiscard]] constexpr const KnownWord& find(std::string_view word, WordHash hash) const {
    for (std::size_t slot = slotOf(hash);; slot = (slot + 1) % kSlots) {
      const KnownWord& known = words_[slots_[slot]];
      if (slots_[slot] == kUnknown || known.text == word) {
        return known;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = 2048;
  static constexpr std::size_t kMostWords = 768;
  static constexpr std::size_t kUnknown = 0;  // the first entry is no word's

  static constexpr std::size_t slotOf(WordHash hash) { return (hash ^ (hash >> 16U)) % kSlots; }

  constexpr void addStems(std::span<const std::string_view> words, Family family) {
    for (const std::string_view word : words) {
      entry(word).family = family;
    }
  }

  constexpr KnownWord& entry(std::string_view word) {
    std::size_t slot = slotOf(hashOf(word));
    while (slots_[slot] != kUnknown && words_[slots_[slot]].text != word) {
      slot = (slot + 1) % kSlots;
    }
    if (slots_[slot] == kUnknown) {
      slots_[slot] = static_cast<std::uint16_t>(++count_);
    }
    KnownWord& known = words_[slots_[slot]];
    known.text = word;
    return known;
  }

  // Apart from the words, so that a lookup that finds nothing touches little memory.
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<KnownWord, kMostWords + 1> words_{};
  std::size_t count_ = 0;
};

constexpr Vocabulary kVocabulary;

// Stems and qualifiers end with few pairs of letters: most words are dismissed by theirs.
constexpr std::size_t kLetters = 26;

constexpr std::array<bool, kLetters * kLetters> kEndings = [] {
  std::array<bool, kLetters * kLetters> endings{};
  const auto add = [&](std::string_view word) {
    while (!word.empty() && (word.back() < 'a' || word.back() > 'z')) {
      word.remove_suffix(1);
    }
    if (word.size() >= 2 && word[word.size() - 2] >= 'a') {
      endings[static_cast<std::size_t>(word[word.size() - 2] - 'a') * kLetters +
              static_cast<std::size_t>(word.back() - 'a')] = true;
    }
  };
  for (const KnownWord& word : kVocabulary.words()) {
    if (word.family != Family::none || word.qualifies) {
      add(word.text);
    }
  }
  add("info");  // user_info
  return endings;
}();

}  // namespace

const KnownWord& knownWord(std::string_view word, WordHash hash) {
  return kVocabulary.find(word, hash);
}

bool endsLikeStem(char secondLast, char last) {
  return kEndings[static_cast<std::size_t>(secondLast - 'a') * kLetters +
                  static_cast<std::size_t>(last - 'a')];
}

Family foreignFamilyOf(std::string_view name) {
  for (const ForeignStem& stem : kForeignStems) {
    if (name.contains(stem.word)) {
      return stem.family;
    }
  }
  return Family::none;
}

}  // namespace auth_errors::domain
