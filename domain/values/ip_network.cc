#include "domain/values/ip_network.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace auth_errors::domain {
namespace {

constexpr unsigned kMappedBits = 96;

}  // namespace

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) {
    return std::nullopt;
  }
  IpNetwork network;
  network.base_ = *address;
  if (slash == std::string_view::npos) {
    return network;
  }
  const std::string_view bits = text.substr(slash + 1);
  unsigned prefix = 0;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), prefix);
  const bool v4 = address->isIpV4() && text.find(':') == std::string_view::npos;
  if (error != std::errc{} || end != bits.data() + bits.size() || prefix > (v4 ? 32U : 128U)) {
    return std::nullopt;
  }
  network.prefixBits_ = prefix + (v4 ? kMappedBits : 0);
  for (unsigned bit = network.prefixBits_; bit < 128; ++bit) {
    if ((address->bytes().at(bit / 8) & (0x80U >> (bit % 8))) != 0) {
      return std::nullopt;
    }
  }
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const {
  const auto& ours = base_.bytes();
  const auto& theirs = address.bytes();
  const std::size_t whole = prefixBits_ / 8;
  if (!std::equal(ours.begin(), ours.begin() + static_cast<std::ptrdiff_t>(whole),
                  theirs.begin())) {
    return false;
  }
  const unsigned rest = prefixBits_ % 8;
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - rest));
  return rest == 0 || (ours.at(whole) & mask) == (theirs.at(whole) & mask);
}

}  // namespace auth_errors::domain
