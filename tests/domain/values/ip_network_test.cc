#include "domain/values/ip_network.h"

#include <string_view>

#include <gtest/gtest.h>

#include "domain/values/ip_address.h"

namespace auth_errors::domain {
namespace {

IpAddress address(std::string_view text) {
  const auto parsed = IpAddress::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(IpAddress{});
}

TEST(IpAddress, RoundTripsBothFamilies) {
  EXPECT_EQ(address("192.0.2.7").text(), "192.0.2.7");
  EXPECT_EQ(address("2001:db8::1").text(), "2001:db8::1");
  EXPECT_EQ(address("::ffff:192.0.2.7"), address("192.0.2.7"));
  for (const char* bad : {"", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", ":::", "1.2.3.4 "}) {
    EXPECT_FALSE(IpAddress::parse(bad)) << bad;
  }
}

TEST(IpAddress, RecognisesLoopback) {
  EXPECT_TRUE(address("127.0.0.1").isLoopback());
  EXPECT_TRUE(address("127.9.9.9").isLoopback());
  EXPECT_TRUE(address("::1").isLoopback());
  EXPECT_FALSE(address("128.0.0.1").isLoopback());
  EXPECT_FALSE(address("::2").isLoopback());
}

TEST(IpAddress, MapsTheAddressesOfOneClientToOneNetwork) {
  EXPECT_EQ(address("2001:db8::1").network(), address("2001:db8::ffff:ffff:ffff:ffff").network());
  EXPECT_NE(address("2001:db8::1").network(), address("2001:db8:0:1::1").network());
  EXPECT_NE(address("203.0.113.1").network(), address("203.0.113.2").network());
  EXPECT_EQ(address("203.0.113.1").network(), address("::ffff:203.0.113.1").network());
}

TEST(IpNetwork, ContainsExactlyItsAddresses) {
  const IpNetwork ten = *IpNetwork::parse("10.0.0.0/8");
  EXPECT_TRUE(ten.contains(address("10.255.1.2")));
  EXPECT_TRUE(ten.contains(address("::ffff:10.1.1.1")));
  EXPECT_FALSE(ten.contains(address("11.0.0.0")));
  const IpNetwork odd = *IpNetwork::parse("192.168.4.0/22");
  EXPECT_TRUE(odd.contains(address("192.168.7.255")));
  EXPECT_FALSE(odd.contains(address("192.168.8.0")));
  const IpNetwork v6 = *IpNetwork::parse("fd00::/8");
  EXPECT_TRUE(v6.contains(address("fdff::1")));
  EXPECT_FALSE(v6.contains(address("fe00::1")));
  EXPECT_FALSE(v6.contains(address("10.0.0.1")));
  const IpNetwork single = *IpNetwork::parse("::1");
  EXPECT_TRUE(single.contains(address("::1")));
  EXPECT_FALSE(single.contains(address("::2")));
  EXPECT_TRUE(IpNetwork::parse("0.0.0.0/0")->contains(address("9.9.9.9")));
  EXPECT_FALSE(IpNetwork::parse("0.0.0.0/0")->contains(address("2001:db8::1")));
}

TEST(IpNetwork, RefusesInvalidNetworks) {
  for (const char* bad : {"", "/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8x", "10.1.2.3/8",
                          "::/129", "fd00::1/8", "10.0.0.0/-1", "proxy.local"}) {
    EXPECT_FALSE(IpNetwork::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace auth_errors::domain
