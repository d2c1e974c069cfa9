// The detectors, by name. Each examines one spot of a scan and returns what to redact, if anything.
// Pure functions: any thread; each is linear over a whole scan for any text. A detector that runs
// for nearly every word is a small function that rejects most of them; the rest is out of line, so
// that its large stack frame is set up only when needed.
#pragma once

#include <optional>
#include <string_view>

#include "domain/scrub/text.h"

namespace auth_errors::domain {

// Bytes that may separate a label, or a scheme, from its value.
inline constexpr std::string_view kAfterLabel = "=: \t\"'`\\%&[])>-|,\n\xE2\xEF";
inline constexpr std::string_view kAfterScheme = "=: \t+%\\";

// secret_pairs.cc: a label, a separator and its value, in any notation.
std::optional<Match> detectLabelledValue(const Scan& scan, Spot word);
std::optional<Match> detectForeignLabel(const Scan& scan, Spot mark);
std::optional<Match> detectSpokenCode(const Scan& scan, Spot word);

// secret_commands.cc: options and arguments of command lines.
std::optional<Match> detectCommandLine(const Scan& scan, Spot word);
std::optional<Match> detectPositionalArgument(const Scan& scan, Spot word);

// secret_calls.cc: arguments, literals and segments that are secrets by position.
std::optional<Match> detectCall(const Scan& scan, Spot word);
std::optional<Match> detectIdentifiedBy(const Scan& scan, Spot word);
std::optional<Match> detectInsertedRow(const Scan& scan, Spot word);
std::optional<Match> detectPathToken(const Scan& scan, Spot word);

// secret_headers.cc
std::optional<Match> authorizationCredentials(const Scan& scan, std::size_t begin, std::size_t end,
                                              bool quoted);
std::optional<Match> cookiePairs(const Scan& scan, std::size_t begin, bool commaContinues);
std::optional<Match> detectBearerToken(const Scan& scan, Spot word);
std::optional<Match> detectBasicCredentials(const Scan& scan, Spot word);
std::optional<Match> detectNegotiateToken(const Scan& scan, Spot word);

// First letters of vendor keys; words with other first letters never reach detectVendorKey.
inline constexpr std::string_view kVendorKeyLetters = "1ACEGHNPSabcdfghklnoprstwxy";

// secret_tokens.cc: values with a recognisable format.
std::optional<Match> detectJwt(const Scan& scan, Spot word);
std::optional<Match> detectPaseto(const Scan& scan, Spot word);
std::optional<Match> detectVendorKey(const Scan& scan, Spot word);
std::optional<Match> detectDiscordToken(const Scan& scan, Spot word);
std::optional<Match> detectTelegramToken(const Scan& scan, Spot word);
std::optional<Match> detectWebhookPath(const Scan& scan, Spot word);
std::optional<Match> detectAzureSecret(const Scan& scan, Spot mark);

// secret_blocks.cc
std::optional<Match> detectPemBlock(const Scan& scan, Spot mark);
std::optional<Match> detectCryptHash(const Scan& scan, Spot mark);
std::optional<Match> detectLdapHash(const Scan& scan, Spot mark);
std::optional<Match> detectNamedHash(const Scan& scan, Spot word);

// secret_personal.cc
std::optional<Match> detectEmail(const Scan& scan, Spot mark);
std::optional<Match> detectUrlUserinfo(const Scan& scan, Spot mark);
std::optional<Match> detectDriverUserinfo(const Scan& scan, Spot mark);
std::optional<Match> detectOracleUserinfo(const Scan& scan, Spot word);
std::optional<Match> detectCardNumber(const Scan& scan, Spot word);

}  // namespace auth_errors::domain
