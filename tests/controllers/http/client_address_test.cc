#include "controllers/http/client_address.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

IpAddress address(std::string_view text) {
  const auto parsed = IpAddress::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(IpAddress{});
}

std::vector<IpNetwork> networks(const std::vector<std::string>& texts) {
  std::vector<IpNetwork> result;
  for (const std::string& text : texts) {
    const auto parsed = IpNetwork::parse(text);
    EXPECT_TRUE(parsed) << text;
    result.push_back(parsed.value_or(IpNetwork{}));
  }
  return result;
}

std::string client(std::string_view peer, std::string_view value,
                   const std::vector<std::string>& trusted,
                   ForwardedHeader header = ForwardedHeader::xForwardedFor) {
  return resolveClient(address(peer), header, value, networks(trusted)).address.text();
}

bool isLocal(std::string_view peer, std::string_view value,
             const std::vector<std::string>& trusted) {
  return resolveClient(address(peer), ForwardedHeader::xForwardedFor, value, networks(trusted))
      .local;
}

TEST(ClientAddress, IsThePeerWhenThePeerIsNotTrusted) {
  EXPECT_EQ(client("203.0.113.9", "1.1.1.1", {}), "203.0.113.9");
  EXPECT_EQ(client("203.0.113.9", "1.1.1.1", {"10.0.0.0/8"}), "203.0.113.9");
}

TEST(ClientAddress, IsThePeerIfATrustedProxySendsNoHeader) {
  EXPECT_EQ(client("10.0.0.1", "", {"10.0.0.0/8"}), "10.0.0.1");
}

TEST(ClientAddress, IsTheRightmostUntrustedAddress) {
  const std::vector<std::string> trusted = {"10.0.0.0/8"};
  EXPECT_EQ(client("10.0.0.1", "203.0.113.9", trusted), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.2", trusted), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.1", "6.6.6.6,203.0.113.9 ,\t10.0.0.2", trusted), "203.0.113.9");
}

TEST(ClientAddress, IsTheFirstProxyIfAllAreTrusted) {
  EXPECT_EQ(client("10.0.0.1", "10.0.0.3, 10.0.0.2", {"10.0.0.0/8"}), "10.0.0.3");
}

TEST(ClientAddress, StopsAtAnInvalidEntry) {
  const std::vector<std::string> trusted = {"10.0.0.0/8"};
  EXPECT_EQ(client("10.0.0.1", "203.0.113.9, unknown, 10.0.0.2", trusted), "10.0.0.2");
  EXPECT_EQ(client("10.0.0.1", "203.0.113.9,,", trusted), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", "<script>", trusted), "10.0.0.1");
}

TEST(ClientAddress, AcceptsPortsAndBrackets) {
  const std::vector<std::string> trusted = {"10.0.0.0/8"};
  EXPECT_EQ(client("10.0.0.1", "203.0.113.9:4711", trusted), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.1", "[2001:db8::1]:4711", trusted), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", "2001:db8::1", trusted), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", "[2001:db8::1", trusted), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", "203.0.113.9:http", trusted), "10.0.0.1");
}

TEST(ClientAddress, ReadsTheForwardedHeaderIfConfigured) {
  const std::vector<std::string> trusted = {"10.0.0.0/8"};
  const auto forwarded = ForwardedHeader::forwarded;
  EXPECT_EQ(client("10.0.0.1", "for=203.0.113.9;proto=https", trusted, forwarded), "203.0.113.9");
  EXPECT_EQ(
      client("10.0.0.1", R"(for=6.6.6.6, proto=http;For="[2001:db8::1]:80")", trusted, forwarded),
      "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", "for=_hidden", trusted, forwarded), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", "by=203.0.113.9", trusted, forwarded), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", R"(for="a,b", for=203.0.113.9)", trusted, forwarded), "203.0.113.9");
}

TEST(ClientAddress, IsLocalOnlyByItsPeerAddress) {
  EXPECT_TRUE(isLocal("127.0.0.1", "", {}));
  EXPECT_TRUE(isLocal("::1", "", {"10.0.0.0/8"}));
  EXPECT_TRUE(isLocal("127.0.0.1", "203.0.113.9", {}));
  EXPECT_FALSE(isLocal("203.0.113.9", "127.0.0.1", {}));
  for (const char* text :
       {"127.0.0.1", "::1", "::ffff:127.0.0.1", "[::1]:80", "127.9.9.9, 10.0.0.2",
        "127.0.0.1, unknown", "unknown", ",", "203.0.113.9"}) {
    EXPECT_FALSE(isLocal("10.0.0.1", text, {"10.0.0.0/8"})) << text;
    EXPECT_FALSE(isLocal("127.0.0.1", text, {"127.0.0.0/8", "10.0.0.0/8"})) << text;
    EXPECT_FALSE(isLocal("10.0.0.1", text, {"0.0.0.0/0", "::/0"})) << text;
  }
}

// Some proxies forward an empty header as sent by the client.
TEST(ClientAddress, IsNotLocalBehindAProxyWithoutAHeader) {
  for (const char* text : {"", " ", "\t"}) {
    EXPECT_FALSE(isLocal("127.0.0.1", text, {"127.0.0.0/8"}));
    EXPECT_FALSE(isLocal("::1", text, {"::1"}));
  }
}

TEST(ClientAddress, LimitsTheEntriesItExamines) {
  std::string chain = "6.6.6.6";
  for (int i = 0; i < 1000; ++i) {
    chain += ",10.0.0.2";
  }
  EXPECT_EQ(client("10.0.0.1", chain, {"10.0.0.0/8"}), "10.0.0.2");
}

}  // namespace
}  // namespace auth_errors::controllers
