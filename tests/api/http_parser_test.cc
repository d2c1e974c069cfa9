// Bytes that no well-behaved client sends. Each case is answered or disconnected, and the service
// survives. The refusals need the patches of patches/drogon, and are problem documents like all
// others.
#include <format>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/http_parser_fixture.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace std::string_view_literals;

using HttpParserChunks = HttpParser;
using HttpParserFraming = HttpParser;
using HttpParserBounds = HttpParser;

TEST_F(HttpParserChunks, SurvivesANegativeSize) {
  expectRefused(chunkedPost("2\r\n{}\r\n-2\r\n\r\n0\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, RefusesNonHexadecimalSizes) {
  for (const auto& size :
       {"-1"s,  "-2"s,  "+2"s,  "0x2"s, " 2"s, "\t2"s, "2 "s,  "2\t"s, ""s,   "g"s,
        "2g"s,  "2 2"s, "2,2"s, "2\0"s, "\0"s, "2\n"s, "2\r"s, "0x"s,  "-0"s, "00000000000000002"s,
        ";a=b"s}) {
    expectRefused(chunkedPost(size + "\r\n{}\r\n0\r\n\r\n"), 400);
    expectRefused(chunkedPost("2\r\n{}\r\n" + size + "\r\n{}\r\n0\r\n\r\n"), 400);
  }
}

TEST_F(HttpParserChunks, RefusesOverflowingSizes) {
  for (const auto* size : {"ffffffffffffffff", "fffffffffffffffe", "FFFFFFFFFFFFFFFD",
                           "8000000000000000", "7fffffffffffffff", "100000000"}) {
    expectRefused(chunkedPost(std::format("{}\r\n", size)), 413);
    expectRefused(chunkedPost(std::format("2\r\n{{}}\r\n{}\r\n", size)), 413);
  }
}

TEST_F(HttpParserChunks, RefusesABodyPastTheLimit) {
  expectRefused(chunkedPost(std::format("{:x}\r\n", kParserLimit + 1)), 413);
  const std::string half(kParserLimit / 2, ' ');
  const auto chunk = std::format("{:x}\r\n{}\r\n", half.size(), half);
  expectRefused(chunkedPost(chunk + chunk + "1\r\n"), 413);
}

TEST_F(HttpParserChunks, LimitsTheLengthOfASizeLine) {
  const std::string extension(300, 'a');
  expectRefused(chunkedPost("2;" + extension + "\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;" + extension), 400);
}

TEST_F(HttpParserChunks, RefusesControlCharactersInExtensions) {
  expectRefused(chunkedPost("2;a\n\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;a\rb\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;a\0b\r\n{}\r\n0\r\n\r\n"s), 400);
}

TEST_F(HttpParserChunks, RefusesAChunkLongerThanItsSize) {
  expectRefused(chunkedPost("1\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2\r\n{}xx0\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, RefusesTrailerFields) {
  expectRefused(chunkedPost("2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, AcceptsEveryValidSpellingOfASize) {
  const auto body = validBody();
  ASSERT_GT(body.size(), 0xa0U);
  const auto head = body.substr(0, 0xa);
  const auto rest = body.substr(0xa);
  for (const auto& format : {"a"s, "A"s, "0a"s, "000000000000000A"s, "a;name=value"s, "A ;name"s,
                             "a;q=\"quoted; text\""s, "a;" + std::string(200, 'n')}) {
    expectStored(chunkedPost(
        std::format("{}\r\n{}\r\n{:X}\r\n{}\r\n0\r\n\r\n", format, head, rest.size(), rest)));
  }
  expectStored(chunkedPost(std::format("{:x}\r\n{}\r\n000;last\r\n\r\n", body.size(), body)));
}

TEST_F(HttpParserChunks, AcceptsABodyInChunksOfOneByte) {
  std::string chunks;
  for (const char byte : validBody()) {
    chunks += std::format("1\r\n{}\r\n", byte);
  }
  expectStored(chunkedPost(chunks + "0\r\n\r\n"));
}

TEST_F(HttpParserChunks, AcceptsARequestSplitAtAnyByte) {
  const auto body = validBody();
  const auto request = chunkedPost(std::format(
      "{:x};name=a-value-longer-than-sixteen-bytes\r\n{}\r\n0\r\n\r\n", body.size(), body));
  RawClient client(servicePort(), 60s);
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    SCOPED_TRACE(cut);
    client.send(std::string_view(request).substr(0, cut));
    client.waitUntilRead();
    expectStored(client, std::string_view(request).substr(cut));
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(HttpParserFraming, RefusesContentLengthWithTransferEncoding) {
  const auto* chunks = "2\r\n{}\r\n0\r\n\r\n";
  expectRefused(post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", chunks), 400);
  expectRefused(post("Transfer-Encoding: chunked\r\nContent-Length: 12\r\n", chunks), 400);
  expectRefused(post("transfer-encoding: CHUNKED\r\ncontent-length: 0\r\n", chunks), 400);
  expectRefused(post("Transfer-Encoding: chunked\r\nContent-Length:\r\n", chunks), 400);
}

TEST_F(HttpParserFraming, RefusesARepeatedContentLength) {
  expectRefused(post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400);
  expectRefused(post("Content-Length: 2\r\ncontent-LENGTH: 40\r\n", "{}"), 400);
  expectRefused(post("Content-Length:\r\nContent-Length: 2\r\n", "{}"), 400);
  expectRefused(post("Content-Length: 2, 2\r\n", "{}"), 400);
}

TEST_F(HttpParserFraming, RefusesARepeatedTransferEncoding) {
  const auto* chunks = "2\r\n{}\r\n0\r\n\r\n";
  expectRefused(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks), 400);
  expectRefused(post("Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n", chunks), 400);
}

TEST_F(HttpParserFraming, RefusesANonNumericContentLength) {
  for (const auto* length :
       {"+2", "-2", "0x2", "2 2", "2,", "2;", "2.0", "2e0", "two", "2x", "", "18446744073709551616",
        "18446744073709551618", "99999999999999999999999999999999999999"}) {
    expectRefused(post(std::format("Content-Length: {}\r\n", length), "{}"), 400);
  }
}

TEST_F(HttpParserFraming, RefusesAContentLengthPastTheLimit) {
  expectRefused(post(std::format("Content-Length: {}\r\n", kParserLimit + 1), "{}"), 413);
  expectRefused(post("Content-Length: 18446744073709551615\r\n", "{}"), 413);
}

TEST_F(HttpParserFraming, RefusesTransferEncodingBeforeHttp11) {
  auto request = chunkedPost("2\r\n{}\r\n0\r\n\r\n");
  request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
  expectRefused(request, 400);
}

TEST_F(HttpParserFraming, RejectsOtherTransferCodingsAsNotImplemented) {
  for (const auto* coding : {"gzip", "gzip, chunked", "identity", "chunked, chunked", "chunked;a=b",
                             "xchunked", "chunkedx", "\"chunked\"", ""}) {
    expectRefused(post(std::format("Transfer-Encoding: {}\r\n", coding), "2\r\n{}\r\n0\r\n\r\n"),
                  501);
  }
}

TEST_F(HttpParserFraming, RefusesMalformedHeaderLines) {
  for (const auto& line : {"X-A : 1"s,
                           "X-A\t: 1"s,
                           " X-A: 1"s,
                           "\tfolded"s,
                           " folded: 1"s,
                           ": 1"s,
                           ":"s,
                           "no colon"s,
                           "\r"s,
                           "X A: 1"s,
                           "X(A): 1"s,
                           "X\0A: 1"s,
                           "X-\x80: 1"s,
                           "X-A: a\0b"s,
                           "X-A: a\nX-B: b"s,
                           "X-A: a\rb"s,
                           "X-A: \x01"s,
                           "X-A: \x7f"s,
                           "X-A: \x1b[31m"s,
                           "Content-Length : 2"s}) {
    expectRefused(getWith(line + "\r\n"), 400);
    expectRefused(getWith("X-Before: 1\r\n" + line + "\r\nX-After: 1\r\n"), 400);
  }
}

TEST_F(HttpParserFraming, DoesNotParseTheBodyOfAMalformedRequest) {
  expectRefused(getWith("no colon\r\n"s + std::string(kLive)), 400);
  expectRefused(post("Content-Length: 0\r\nContent-Length: 100\r\n", kLive), 400);
  expectRefused(post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", kLive), 400);
}

TEST_F(HttpParserFraming, RefusesControlCharactersInTheTarget) {
  for (const auto& target : {"/health\n/live"s, "/health\r/live"s, "/health\0live"s, "/\x7f"s}) {
    expectRefused("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  }
}

TEST_F(HttpParserFraming, RefusesUnsupportedVersions) {
  for (const auto* version : {"HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", "HTTP/1.10", ""}) {
    expectRefused(std::format("GET /health/live {}\r\nHost: localhost\r\n\r\n", version), 400);
  }
}

TEST_F(HttpParserFraming, AcceptsHeaderNamesAndCodingsInAnyCase) {
  const auto body = validBody();
  const auto chunks = std::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
  expectStored(post("tRANSFER-eNCODING: chunked\r\n", chunks));
  expectStored(post("Transfer-Encoding: Chunked\r\n", chunks));
  expectStored(post("Transfer-Encoding:\t CHUNKED \t\r\n", chunks));
  expectStored(post(std::format("CONTENT-length:{}\r\n", body.size()), body));
  expectStored(post(std::format("Content-Length: 000{}\t \r\n", body.size()), body));
}

TEST_F(HttpParserBounds, RefusesALongRequestLine) {
  const std::string path(9000, 'a');
  expectRefused("GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
  expectRefused("GET /?" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
  expectRefused("GET /api/auth-errors/" + path, 414);
}

TEST_F(HttpParserBounds, RefusesTooManyHeaders) {
  std::string headers;
  for (int number = 0; number < 120; ++number) {
    headers += std::format("X-{}: 1\r\n", number);
  }
  expectRefused(getWith(headers), 431);
}

TEST_F(HttpParserBounds, RefusesTooManyHeadersOfTheSameName) {
  std::string headers;
  for (int number = 0; number < 120; ++number) {
    headers += "X: 1\r\n";
  }
  expectRefused(getWith(headers), 431);
}

TEST_F(HttpParserBounds, RefusesHeadersWhoseTotalIsTooLarge) {
  std::string headers;
  for (int number = 0; number < 80; ++number) {
    headers += std::format("X-{}: {}\r\n", number, std::string(1000, 'a'));
  }
  expectRefused(getWith(headers), 431);
}

TEST_F(HttpParserBounds, RefusesAnEndlessHeader) {
  expectRefused("GET /health/live HTTP/1.1\r\nX-A: " + std::string(70'000, 'a'), 431);
}

TEST_F(HttpParserBounds, RefusesAnEndlessMethod) { expectRefused(std::string(70'000, 'A'), 400); }

TEST_F(HttpParserBounds, AcceptsAHundredHeaders) {
  std::string headers;
  for (int number = 1; number < 100; ++number) {  // Host is the 100th header
    headers += std::format("X-{}: {}\r\n", number, std::string(500, 'a'));
  }
  RawClient client(servicePort());
  for (int repetition = 0; repetition < 3; ++repetition) {
    client.send(getWith(headers));
    EXPECT_EQ(client.readAnswer().status, 200);
  }
}

TEST_F(HttpParserBounds, AcceptsALongRequestLine) {
  RawClient client(servicePort());
  client.send(std::format("GET /health/live?{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                          std::string(8000, 'a')));
  EXPECT_EQ(client.readAnswer().status, 200);
}

}  // namespace
}  // namespace auth_errors::tests
