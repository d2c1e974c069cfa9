// Randomly mutated requests: none of them crashes the service.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/http_parser_fixture.h"
#include "tests/support/load_generator.h"

namespace auth_errors::tests {
namespace {

using namespace std::string_view_literals;

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

TEST_F(HttpParser, SurvivesMutatedRequests) {
  Mutator mutator(testSeed());
  const std::vector<std::string> originals = {
      std::string(kLive), withLength("{}"), chunkedPost("2;a=b\r\n{}\r\n1\r\n \r\n0\r\n\r\n"),
      post("Expect: 100-continue\r\nContent-Length: 2\r\nCookie: a=b; c=d\r\n", "{}"),
      "GET http://localhost/api/auth-errors/1?a=b&c=%20 HTTP/1.0\r\nX: y\r\n\r\n"};
  for (int round = 0; round < 1000; ++round) {
    RawClient client(servicePort());
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
