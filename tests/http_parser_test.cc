// What reaches the service as bytes that no well-behaved client sends. Each case is answered or cut
// off, and the service lives on. The refusals need the patches of patches/drogon, and are problem
// documents like all others.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <format>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/json.h>

#include "tests/support/api_keys.h"
#include "tests/support/error_body.h"
#include "tests/support/http_client.h"
#include "tests/support/load_generator.h"
#include "tests/support/service_process.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::size_t kMebi = std::size_t{1} << 20U;
// The parser takes bodies somewhat longer than the route does, so that most of those that are too
// long are refused without an end of the connection.
constexpr std::size_t kParserLimit = 2 * kMebi;
constexpr std::string_view kLive = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post(std::string_view headers, std::string_view body) {
  return std::format(
      "POST /api/auth-errors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "X-API-Key: {}\r\n{}\r\n{}",
      kIngestKey, headers, body);
}

std::string chunkedPost(std::string_view chunks) {
  return post("Transfer-Encoding: chunked\r\n", chunks);
}

std::string getWith(std::string_view headers) {
  return std::format("GET /health/live HTTP/1.1\r\nHost: localhost\r\n{}\r\n", headers);
}

// Another error for each test; the same one again within a test.
std::string validBody() {
  static const auto kRun = std::chrono::system_clock::now().time_since_epoch().count();
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  ErrorBody body;
  body.requestId = std::format("{}-{}", test->name(), kRun);
  return body.json();
}

std::string withLength(std::string_view body) {
  return post(std::format("Content-Length: {}\r\n", body.size()), body);
}

std::string_view codeFor(int status) {
  static constexpr auto kCodes =
      std::to_array<std::pair<int, std::string_view>>({{400, "malformed_request"},
                                                       {413, "body_too_large"},
                                                       {414, "uri_too_long"},
                                                       {417, "expectation_failed"},
                                                       {431, "headers_too_large"},
                                                       {501, "not_implemented"}});
  const auto* const found =
      std::ranges::find(kCodes, status, &std::pair<int, std::string_view>::first);
  return found == kCodes.end() ? "no refusal of the parser" : found->second;
}

// The refusal of a request that the parser gave up: the last answer on its connection.
void expectLastRefusal(const HttpResponse& answer, int status) {
  ASSERT_EQ(answer.status, status);
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(answer.header("content-length"), std::to_string(answer.body.size()));
  Json::Value problem;
  ASSERT_TRUE(Json::Reader().parse(answer.body, problem)) << answer.body;
  EXPECT_EQ(problem["status"].asInt(), status);
  EXPECT_EQ(problem["code"].asString(), codeFor(status));
  EXPECT_EQ(problem["requestId"].asString(), answer.header("x-request-id"));
  EXPECT_NE(problem["requestId"].asString(), "");
}

// The value of "name{labels} value" in the text of /metrics; 0 if it is not there.
double metricIn(std::string_view text, std::string_view series) {
  const auto at = text.find(std::format("\n{} ", series));
  return at == std::string_view::npos
             ? 0
             : std::stod(std::string(text.substr(at + series.size() + 2, 32)));
}

std::string shown(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, 200)) {
    text += byte >= ' ' && byte < 0x7f ? std::string(1, byte)
                                       : std::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

// A connection that takes several answers in a row. Every wait ends at the deadline and throws.
class Client {
 public:
  explicit Client(std::uint16_t port, std::chrono::milliseconds patience = 10s)
      : port_(port),
        deadline_(Clock::now() + patience),
        connection_(RawConnection::connect(port, patience)) {
    if (!connection_) {
      throw std::runtime_error("the service is gone: " + connection_.error().message);
    }
  }

  // The service may close before it took everything: what it answered counts.
  void send(std::string_view bytes) { std::ignore = connection_->send(bytes, left()); }

  // Returns when the service has read all that was sent, so that the next bytes come by themselves.
  void waitUntilRead() const {
    // The kernel's table: "n: address:port peer state unsent:unread ...", in hexadecimal digits.
    const auto server = std::format(": 0100007F:{:04X} ", port_);
    constexpr std::size_t kState = 14;
    constexpr std::size_t kQueues = 17;
    while (Clock::now() < deadline_) {
      std::ifstream table("/proc/net/tcp");
      bool unread = false;
      for (std::string line; std::getline(table, line);) {
        const auto at = line.find(server);
        if (at == std::string::npos) {
          continue;
        }
        const auto rest = std::string_view(line).substr(at + server.size());
        const bool established = rest.substr(kState, 2) == "01";
        unread |= established && !rest.substr(kQueues, kQueues).ends_with(":00000000");
      }
      if (!unread) {
        return;
      }
      std::this_thread::yield();
    }
    throw std::runtime_error("the service has not read what was sent");
  }

  // Status 0 when the connection ended instead.
  HttpResponse readAnswer(bool toHead = false) {
    HttpResponseParser parser(toHead);
    parser.feed(std::exchange(received_, {}));
    while (parser.state() != HttpResponseParser::State::done) {
      const auto bytes = receive();
      if (bytes.empty()) {
        return parser.finish() == HttpResponseParser::State::done ? parser.take() : HttpResponse{};
      }
      if (parser.feed(bytes) == HttpResponseParser::State::malformed) {
        throw std::runtime_error(parser.problem());
      }
    }
    received_ = parser.rest();
    return parser.take();
  }

  bool readContinue() {
    while (!received_.contains("\r\n\r\n")) {
      const auto bytes = receive();
      if (bytes.empty()) {
        return false;
      }
      received_ += bytes;
    }
    const bool told = received_.starts_with("HTTP/1.1 100 ");
    if (told) {
      received_.erase(0, received_.find("\r\n\r\n") + 4);
    }
    return told;
  }

  // Everything up to the end of the connection, which must come.
  std::string readToEnd() {
    for (auto bytes = receive(); !bytes.empty(); bytes = receive()) {
      received_ += bytes;
    }
    return std::exchange(received_, {});
  }

 private:
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()));
  }

  // Empty at the end of the connection.
  std::string receive() {
    auto bytes = connection_->receive(left());
    if (!bytes && bytes.error().fault == TransportFault::timeout) {
      throw std::runtime_error("no answer and no end in time; so far: " + received_);
    }
    return bytes.value_or("");
  }

  std::uint16_t port_;
  Clock::time_point deadline_;
  std::expected<RawConnection, TransportError> connection_;
  std::string received_;
};

class HttpParser : public ::testing::Test {
 protected:
  // Not for the suite: a failure there counts as skipped.
  void SetUp() override {
    if (service_) {
      return;
    }
    database_ = std::make_unique<TestDatabase>();
    service_ = std::make_unique<ServiceProcess>(ServiceOptions{.databaseUrl = database_->url()});
  }

  static void TearDownTestSuite() {
    service_.reset();
    database_.reset();
  }

  void TearDown() override {
    if (service_) {
      expectAlive();
    }
  }

  static std::uint16_t servicePort() { return service_->port(); }

  static void expectAlive() {
    Client client(servicePort());
    client.send(kLive);
    EXPECT_EQ(client.readAnswer().status, 200);
  }

  // One answer with this status, and then the end of the connection: what followed the broken
  // request must not be taken as another one.
  static void expectRefused(std::string_view request, int status) {
    SCOPED_TRACE(shown(request));
    Client client(servicePort());
    client.send(request);
    expectLastRefusal(client.readAnswer(), status);
    EXPECT_EQ(client.readToEnd(), "");
  }

  static std::string metrics() {
    Client client(servicePort());
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.readAnswer().body;
  }

  // The log's lines that have this text.
  static std::size_t logged(std::string_view text) {
    const auto log = service_->logText();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++count;
    }
    return count;
  }

  static void expectStored(Client& client, std::string_view request) {
    client.send(request);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201)) << shown(request);
  }

  static void expectStored(std::string_view request) {
    Client client(servicePort());
    expectStored(client, request);
  }

 private:
  inline static std::unique_ptr<TestDatabase> database_;
  inline static std::unique_ptr<ServiceProcess> service_;
};

using HttpParserChunks = HttpParser;
using HttpParserFraming = HttpParser;
using HttpParserBounds = HttpParser;
using HttpParserOrder = HttpParser;
using HttpParserRefusals = HttpParser;

TEST_F(HttpParserChunks, NegativeSizeAfterAChunkDoesNotEndTheService) {
  expectRefused(chunkedPost("2\r\n{}\r\n-2\r\n\r\n0\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, RefusesSizesThatAreNotHexadecimalDigits) {
  for (const auto& size :
       {"-1"s,  "-2"s,  "+2"s,  "0x2"s, " 2"s, "\t2"s, "2 "s,  "2\t"s, ""s,   "g"s,
        "2g"s,  "2 2"s, "2,2"s, "2\0"s, "\0"s, "2\n"s, "2\r"s, "0x"s,  "-0"s, "00000000000000002"s,
        ";a=b"s}) {
    expectRefused(chunkedPost(size + "\r\n{}\r\n0\r\n\r\n"), 400);
    expectRefused(chunkedPost("2\r\n{}\r\n" + size + "\r\n{}\r\n0\r\n\r\n"), 400);
  }
}

TEST_F(HttpParserChunks, RefusesSizesThatWouldWrapAround) {
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

TEST_F(HttpParserChunks, BoundsTheLineOfASize) {
  const std::string extension(300, 'a');
  expectRefused(chunkedPost("2;" + extension + "\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;" + extension), 400);
}

TEST_F(HttpParserChunks, RefusesControlCharactersInExtensions) {
  expectRefused(chunkedPost("2;a\n\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;a\rb\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2;a\0b\r\n{}\r\n0\r\n\r\n"s), 400);
}

TEST_F(HttpParserChunks, RefusesAChunkThatDoesNotEndWhereItSaid) {
  expectRefused(chunkedPost("1\r\n{}\r\n0\r\n\r\n"), 400);
  expectRefused(chunkedPost("2\r\n{}xx0\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, RefusesTrailerFields) {
  expectRefused(chunkedPost("2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n"), 400);
}

TEST_F(HttpParserChunks, AcceptsEverySpellingOfASize) {
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

TEST_F(HttpParserChunks, AcceptsARequestThatArrivesInTwoPiecesCutAnywhere) {
  const auto body = validBody();
  const auto request = chunkedPost(std::format(
      "{:x};name=a-value-longer-than-sixteen-bytes\r\n{}\r\n0\r\n\r\n", body.size(), body));
  Client client(servicePort(), 60s);
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

TEST_F(HttpParserFraming, RefusesAContentLengthThatIsNotDigits) {
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

TEST_F(HttpParserFraming, DoesNotImplementOtherTransferCodings) {
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

TEST_F(HttpParserFraming, TakesNoRequestOutOfAMalformedOne) {
  expectRefused(getWith("no colon\r\n"s + std::string(kLive)), 400);
  expectRefused(post("Content-Length: 0\r\nContent-Length: 100\r\n", kLive), 400);
  expectRefused(post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", kLive), 400);
}

TEST_F(HttpParserFraming, RefusesControlCharactersInTheTarget) {
  for (const auto& target : {"/health\n/live"s, "/health\r/live"s, "/health\0live"s, "/\x7f"s}) {
    expectRefused("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  }
}

TEST_F(HttpParserFraming, RefusesOtherVersions) {
  for (const auto* version : {"HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", "HTTP/1.10", ""}) {
    expectRefused(std::format("GET /health/live {}\r\nHost: localhost\r\n\r\n", version), 400);
  }
}

TEST_F(HttpParserFraming, AcceptsNamesAndCodingsInAnyCase) {
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

TEST_F(HttpParserBounds, RefusesTooManyHeadersOfOneName) {
  std::string headers;
  for (int number = 0; number < 120; ++number) {
    headers += "X: 1\r\n";
  }
  expectRefused(getWith(headers), 431);
}

TEST_F(HttpParserBounds, RefusesHeadersThatAreTooLongTogether) {
  std::string headers;
  for (int number = 0; number < 80; ++number) {
    headers += std::format("X-{}: {}\r\n", number, std::string(1000, 'a'));
  }
  expectRefused(getWith(headers), 431);
}

TEST_F(HttpParserBounds, RefusesAHeaderThatNeverEnds) {
  expectRefused("GET /health/live HTTP/1.1\r\nX-A: " + std::string(70'000, 'a'), 431);
}

TEST_F(HttpParserBounds, RefusesAMethodThatNeverEnds) {
  expectRefused(std::string(70'000, 'A'), 400);
}

TEST_F(HttpParserBounds, AcceptsAHundredHeaders) {
  std::string headers;
  for (int number = 1; number < 100; ++number) {  // Host is the hundredth
    headers += std::format("X-{}: {}\r\n", number, std::string(500, 'a'));
  }
  Client client(servicePort());
  for (int repetition = 0; repetition < 3; ++repetition) {
    client.send(getWith(headers));
    EXPECT_EQ(client.readAnswer().status, 200);
  }
}

TEST_F(HttpParserBounds, AcceptsALongRequestLine) {
  Client client(servicePort());
  client.send(std::format("GET /health/live?{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                          std::string(8000, 'a')));
  EXPECT_EQ(client.readAnswer().status, 200);
}

TEST_F(HttpParserOrder, AnswersWhatCameBeforeAMalformedRequestFirst) {
  Client client(servicePort());
  client.send(std::string(kLive) + withLength(validBody()) + std::string(kLive) +
              getWith("no colon\r\n") + std::string(kLive));
  EXPECT_EQ(client.readAnswer().status, 200);
  EXPECT_EQ(client.readAnswer().status, 201);
  EXPECT_EQ(client.readAnswer().status, 200);
  expectLastRefusal(client.readAnswer(), 400);
  EXPECT_EQ(client.readToEnd(), "");
}

TEST_F(HttpParserOrder, AnswersABodyPastTheLimitAfterTheRequestsBeforeIt) {
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit + 1);
  const std::string sent(kMebi, 'x');
  for (const auto& tooLong : {post(length, ""), post(length, sent),
                              chunkedPost(std::format("{:x}\r\n{}", kMebi, sent)) +
                                  std::format("\r\n{:x}\r\n", kMebi + 1)}) {
    Client client(servicePort());
    client.send(std::string(kLive) + withLength(validBody()) + tooLong + std::string(kLive));
    EXPECT_EQ(client.readAnswer().status, 200);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
    expectLastRefusal(client.readAnswer(), 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserOrder, AnswersAMalformedRequestAfterTheOneBeingHandled) {
  Client client(servicePort());
  client.send(withLength(validBody()));
  client.waitUntilRead();
  client.send("no request at all\r\n\r\n");
  EXPECT_EQ(client.readAnswer().status, 201);
  expectLastRefusal(client.readAnswer(), 501);
  EXPECT_EQ(client.readToEnd(), "");
}

TEST_F(HttpParserOrder, AnswersPipelinedRequestsInOrder) {
  const auto body = validBody();
  const auto chunks = std::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
  std::string requests;
  for (int round = 0; round < 3; ++round) {
    requests += std::string(kLive) + withLength(body) + withLength("no JSON") + chunkedPost(chunks);
  }
  Client client(servicePort());
  client.send(requests);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(client.readAnswer().status, 200);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
    EXPECT_EQ(client.readAnswer().status, 400);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
  }
}

TEST_F(HttpParserOrder, KeepsAConnectionForManyRequests) {
  Client client(servicePort());
  for (int round = 0; round < 50; ++round) {
    client.send(kLive);
    ASSERT_EQ(client.readAnswer().status, 200);
    expectStored(client, withLength(validBody()));
  }
}

TEST_F(HttpParserOrder, ClosesTheConnectionOnRequest) {
  for (const auto* method : {"GET", "OPTIONS", "HEAD"}) {
    SCOPED_TRACE(method);
    const auto request = std::format("{} /health/live HTTP/1.1\r\nHost: localhost\r\n", method);
    Client alone(servicePort());
    alone.send(request + "Connection: close\r\n\r\n");
    EXPECT_THAT(alone.readToEnd(), StartsWith("HTTP/1.1 20"));
    Client second(servicePort());
    second.send(std::string(kLive) + request + "Connection: close\r\n\r\n" + std::string(kLive));
    EXPECT_EQ(second.readAnswer().status, 200);
    EXPECT_THAT(second.readToEnd(), StartsWith("HTTP/1.1 20"));
  }
}

TEST_F(HttpParserRefusals, DoNotImplementUnknownMethods) {
  expectRefused("FROB /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
  expectRefused("get /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
}

TEST_F(HttpParserRefusals, KnowNoOtherExpectations) {
  expectRefused(post("Expect: a-miracle\r\nContent-Length: 2\r\n", "{}"), 417);
}

TEST_F(HttpParserRefusals, NameTheLimitOfTheRoute) {
  Client client(servicePort());
  client.send(post(std::format("Content-Length: {}\r\n", kParserLimit + 1), ""));
  EXPECT_THAT(client.readAnswer().body, HasSubstr(std::format("At most {} bytes", kMebi)));
}

TEST_F(HttpParserRefusals, KeepTheRequestIdThatTheClientSent) {
  Client client(servicePort());
  client.send(getWith("X-Request-Id: mine-1\r\nno colon\r\n"));
  const auto answer = client.readAnswer();
  expectLastRefusal(answer, 400);
  EXPECT_EQ(answer.header("x-request-id"), "mine-1");
}

TEST_F(HttpParserRefusals, AnswerHeadWithoutTheBody) {
  for (const auto& [rest, status] :
       {std::pair{"/health/live HTTP/1.1\r\nno colon\r\n\r\n"s, 400},
        std::pair{"/health/live HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"s, 413},
        std::pair{"/" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 414}}) {
    SCOPED_TRACE(status);
    Client alone(servicePort());
    alone.send("HEAD " + rest);
    Client second(servicePort());
    second.send(withLength(validBody()) + "HEAD " + rest);
    EXPECT_THAT(second.readAnswer().status, AnyOf(200, 201));
    for (Client* client : {&alone, &second}) {
      const auto answer = client->readAnswer(true);
      EXPECT_EQ(answer.status, status);
      EXPECT_EQ(answer.header("content-type"), "application/problem+json");
      EXPECT_NE(answer.header("content-length"), "0");
      EXPECT_EQ(client->readToEnd(), "");
    }
  }
}

TEST_F(HttpParserRefusals, SpeakTheVersionOfTheClient) {
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit + 1);
  for (const auto& [request, status] :
       {std::pair{getWith("no colon\r\n"), 400}, std::pair{post(length, ""), 413}}) {
    auto old = request;
    old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
    expectRefused(old, status);
    Client client(servicePort());
    client.send(old);
    EXPECT_THAT(client.readToEnd(), StartsWith(std::format("HTTP/1.0 {} ", status)));
  }
  Client unknown(servicePort());
  unknown.send("GET / HTTP/9.9\r\n\r\n");
  EXPECT_THAT(unknown.readToEnd(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpParserRefusals, ReachAClientThatIsStillSending) {
  constexpr std::size_t kLength = 64 * kMebi;
  const std::string part(kMebi, 'x');
  for (const auto& head : {post(std::format("Content-Length: {}\r\n", kLength), ""),
                           chunkedPost(std::format("{:x}\r\n", kLength))}) {
    Client client(servicePort());
    client.send(head);
    for (std::size_t sent = 0; sent < kLength; sent += part.size()) {
      client.send(part);
    }
    expectLastRefusal(client.readAnswer(), 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserRefusals, AreCountedAndLoggedOnce) {
  constexpr auto kRejections =
      R"(auth_errors_rejections_total{key="none",reason="headers_too_large"})"sv;
  constexpr auto kAnswers = R"(auth_errors_http_requests_total{route="unmatched",status="4xx"})"sv;
  const auto before = metrics();
  const auto line = R"("code":"headers_too_large")"sv;
  const auto lines = logged(line);
  Client client(servicePort());
  client.send(withLength(validBody()) + getWith("X-Long: " + std::string(70'000, 'a') + "\r\n"));
  EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
  expectLastRefusal(client.readAnswer(), 431);
  EXPECT_EQ(client.readToEnd(), "");
  // A request ends after its answer was sent, and does not wait for the client to close as well.
  // The one that is left is that for the metrics.
  const auto deadline = Clock::now() + 10s;
  while (logged(line) == lines || metricIn(metrics(), "auth_errors_http_requests_in_flight") > 1) {
    ASSERT_LT(Clock::now(), deadline);
  }
  const auto after = metrics();
  EXPECT_EQ(metricIn(after, kRejections) - metricIn(before, kRejections), 1);
  EXPECT_EQ(metricIn(after, kAnswers) - metricIn(before, kAnswers), 1);
  EXPECT_EQ(logged(line) - lines, 1U);
}

TEST_F(HttpParserRefusals, KeepOtherRoutesBelowTheLimitOfTheLargest) {
  for (const auto* line : {"POST /api/auth-errors", "POST /nothing", "GET /health/live",
                           "DELETE /health/live", "HEAD /health/live"}) {
    SCOPED_TRACE(line);
    Client client(servicePort());
    client.send(std::format("{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", line,
                            kParserLimit + 1));
    EXPECT_EQ(client.readAnswer(std::string_view(line).starts_with("HEAD")).status, 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserRefusals, LeaveTheLargestRouteItsOwnLimit) {
  const auto batchOf = [](std::size_t length) {
    return std::format(
        "POST /api/auth-errors/batch HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        length);
  };
  Client client(servicePort());
  client.send(batchOf(17 * kMebi));
  EXPECT_TRUE(client.readContinue());
  expectRefused(batchOf(17 * kMebi + 1), 413);
}

TEST_F(HttpParser, LivesOnAfterAnUpgradeToWebSocket) {
  Client client(servicePort());
  client.send(
      getWith("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_NE(client.readAnswer().status, 101);
}

TEST_F(HttpParser, TellsTheClientToContinue) {
  const auto body = validBody();
  const auto chunks = std::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
  Client client(servicePort());
  client.send(post(std::format("Expect: 100-continue\r\nContent-Length: {}\r\n", body.size()), ""));
  EXPECT_TRUE(client.readContinue());
  expectStored(client, body);
  client.send(post("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", ""));
  EXPECT_TRUE(client.readContinue());
  expectStored(client, chunks);
}

TEST_F(HttpParser, RefusesAnExpectedBodyPastTheLimitBeforeItIsSent) {
  expectRefused(
      post(std::format("Expect: 100-continue\r\nContent-Length: {}\r\n", kParserLimit + 1), ""),
      413);
}

TEST_F(HttpParser, LivesOnWhateverTheTargetIs) {
  for (const auto* line : {"OPTIONS *",
                           "OPTIONS /health/live",
                           "CONNECT localhost:443",
                           "TRACE /",
                           "GET *",
                           "GET ",
                           "GET http://localhost/health/live",
                           "GET http://localhost",
                           "GET http://",
                           "GET //",
                           "GET ?",
                           "GET /../../etc/passwd",
                           "GET /%2e%2e/%2e%2e/etc/passwd",
                           "GET /%00",
                           "GET /%",
                           "GET /%f",
                           "GET /%zz",
                           "GET /health/live/%2f..",
                           "GET /?????",
                           "GET /?&=&=&",
                           "GET /?%=%&a",
                           "GET /.",
                           "GET /#",
                           "HEAD /health/live",
                           "PROPFIND /",
                           "POST /api/auth-errors/x",
                           "DELETE /api/auth-errors"}) {
    SCOPED_TRACE(line);
    Client client(servicePort());
    client.send(std::format("{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", line));
    EXPECT_THAT(client.readToEnd(), StartsWith("HTTP/1.1 "));
  }
}

TEST_F(HttpParser, LivesOnWhenClientsLeaveEarly) {
  const auto request = chunkedPost("2\r\n{}\r\n0\r\n\r\n");
  for (std::size_t length = 1; length < request.size(); length += 7) {
    Client client(servicePort());
    client.send(std::string_view(request).substr(0, length));
  }
}

// A service of its own, without a database, that has little room for requests.
class RequestMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t kBudget = 32 * kMebi;

  RequestMemory()
      : service_({.databaseUrl = "postgresql://127.0.0.1:1/nothing",
                  .environment = {{"AUTH_ERRORS_MAX_UNFINISHED", "32M"},
                                  // Nobody is to be ended for being slow, on slow machines either.
                                  {"AUTH_ERRORS_RECEIVE_DEADLINE_MS", "600000"}},
                  .waitUntilReady = false}) {}

  [[nodiscard]] std::uint16_t port() const { return service_.port(); }

  // Asks as any other client would, which has to be served whatever the others do.
  double metric(std::string_view series) {
    const auto answer = monitor_.get("/metrics", 5s);
    if (!answer || answer->status != 200) {
      throw std::runtime_error("a valid client is not served");
    }
    return metricIn(answer->body, series);
  }

  std::size_t resident() {
    return static_cast<std::size_t>(metric("process_resident_memory_bytes"));
  }

  // Read to their ends and then refused, which takes no database.
  static std::string refused(std::string_view body) {
    return std::format(
        "POST /health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
        body.size(), body);
  }
  static std::string refusedInChunks(std::string_view body) {
    return std::format(
        "POST /health/live HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "{:x}\r\n{}\r\n0\r\n\r\n",
        body.size(), body);
  }

  static void expectAtMost(std::size_t resident, std::size_t limit) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(resident, limit);
#else
    std::ignore = std::pair(resident, limit);  // they keep what was freed
#endif
  }

 private:
  ServiceProcess service_;
  HttpClient monitor_ = service_.client();
};

TEST_F(RequestMemory, EndsTheLargestUnfinishedRequestsPastTheBudget) {
  constexpr auto kEnded =
      R"(auth_errors_http_connections_closed_total{reason="unfinished_budget"})"sv;
  constexpr std::size_t kAttackers = 250;
  Client small(port(), 60s);
  small.send("POST /health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab");
  const auto before = resident();
  auto highest = before;
  std::vector<std::unique_ptr<Client>> attackers;
  const std::string half(kParserLimit - 100'000, 'x');
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit);
  for (std::size_t number = 0; number < kAttackers; ++number) {
    attackers.push_back(std::make_unique<Client>(port(), 60s));
    attackers.back()->send(number % 2 == 0
                               ? post(length, half)
                               : chunkedPost(std::format("{:x}\r\n{}", kParserLimit, half)));
    highest = std::max(highest, resident());
  }
  // In all they sent 475 MiB.
  std::cout << "resident " << before / kMebi << " MiB, at most " << highest / kMebi << " MiB\n";
  expectAtMost(highest, before + 4 * kBudget);
  const std::size_t fit = kBudget / half.size();
  const auto deadline = Clock::now() + 10s;
  while (metric(kEnded) < static_cast<double>(kAttackers - fit)) {
    ASSERT_LT(Clock::now(), deadline);
  }
  // Not more of them than necessary, but for loops that looked at the same moment.
  const std::size_t atLeastLeft = fit / 2;
  EXPECT_LT(metric(kEnded), static_cast<double>(kAttackers - atLeastLeft));
  small.send("cd");
  EXPECT_EQ(small.readAnswer().status, 405);
}

TEST_F(RequestMemory, HoldsNothingForRequestsThatAreDone) {
  constexpr std::size_t kClients = 100;
  const auto before = resident();
  std::vector<std::unique_ptr<Client>> clients;
  const std::string body(kParserLimit - 100'000, 'x');
  for (std::size_t number = 0; number < kClients; ++number) {
    clients.push_back(std::make_unique<Client>(port(), 60s));
    clients.back()->send(number % 2 == 0 ? refused(body) : refusedInChunks(body));
    ASSERT_EQ(clients.back()->readAnswer().status, 405);
  }
  std::cout << "resident " << before / kMebi << " MiB, then " << resident() / kMebi << " MiB\n";
  expectAtMost(resident(), before + kClients * body.size() / 4);
}

TEST_F(RequestMemory, TakesManyLargeRequestsOneAfterAnother) {
  Client client(port(), 60s);
  const std::string body(kMebi, ' ');
  for (std::size_t sent = 0; sent < 3 * kBudget; sent += body.size()) {
    client.send(refused(body));
    ASSERT_EQ(client.readAnswer().status, 405);
  }
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : engine_(seed) {}

  std::string mutated(std::string request) {
    for (auto count = upTo(4); count > 0; --count) {
      const auto at = upTo(request.size());
      switch (upTo(5)) {
        case 0:
          request.insert(at, kFragments[upTo(kFragments.size() - 1)]);
          break;
        case 1:
          request.insert(at, 1, static_cast<char>(upTo(255)));
          break;
        case 2:
          request.erase(at, upTo(8));
          break;
        case 3:
          request.insert(at, request.substr(upTo(request.size()), upTo(60)));
          break;
        case 4:
          request.resize(at);
          break;
        default:
          if (at < request.size()) {
            request[at] = static_cast<char>(upTo(255));
          }
      }
    }
    return request;
  }

  std::size_t upTo(std::size_t highest) {
    return std::uniform_int_distribution<std::size_t>(0, highest)(engine_);
  }

 private:
  static constexpr auto kFragments =
      std::to_array<std::string_view>({"\r\n",
                                       "\r\n\r\n",
                                       "\n",
                                       "\r",
                                       "\0"sv,
                                       ":",
                                       ";",
                                       " ",
                                       "-",
                                       "-2\r\n",
                                       "0\r\n\r\n",
                                       "ffffffffffffffff\r\n",
                                       "Content-Length: 5\r\n",
                                       "Transfer-Encoding: chunked\r\n",
                                       "Expect: 100-continue\r\n",
                                       "Connection: Upgrade\r\nUpgrade: websocket\r\n",
                                       "HTTP/1.1",
                                       "GET / HTTP/1.1\r\n\r\n",
                                       "Cookie: ;=;a=;=b; ;\r\n",
                                       "%00",
                                       "?&=",
                                       "Content-Encoding: gzip\r\n",
                                       "Content-Type: multipart/form-data; boundary=\r\n",
                                       "Range: bytes=-1-\r\n"});

  std::mt19937_64 engine_;
};

TEST_F(HttpParser, LivesOnAfterMutatedRequests) {
  Mutator mutator(testSeed());
  const std::vector<std::string> originals = {
      std::string(kLive), withLength("{}"), chunkedPost("2;a=b\r\n{}\r\n1\r\n \r\n0\r\n\r\n"),
      post("Expect: 100-continue\r\nContent-Length: 2\r\nCookie: a=b; c=d\r\n", "{}"),
      "GET http://localhost/api/auth-errors/1?a=b&c=%20 HTTP/1.0\r\nX: y\r\n\r\n"};
  for (int round = 0; round < 1000; ++round) {
    Client client(servicePort());
    auto request = mutator.mutated(originals[mutator.upTo(originals.size() - 1)]);
    const auto cut = mutator.upTo(request.size());
    client.send(std::string_view(request).substr(0, cut));
    client.send(std::string_view(request).substr(cut));
    if (round % 50 == 0) {
      expectAlive();
      ASSERT_FALSE(HasFailure()) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace auth_errors::tests
