// Who is calling: addresses, networks, and the client behind trusted proxies. Pure functions and
// plain values, free to use on any thread. Nothing a client sends is believed unless the peer that
// handed it on is in the list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/values/ip_address.h"

namespace auth_errors::controllers {

using domain::IpAddress;

// "10.0.0.0/8", "fd00::/8", or a bare address for that one alone.
class IpNetwork {
 public:
  // Refuses bits beyond the prefix: "10.1.2.3/8" is more likely a mistake than a wish.
  static std::optional<IpNetwork> parse(std::string_view text);

  [[nodiscard]] bool contains(const IpAddress& address) const;

 private:
  IpAddress base_;
  unsigned prefixBits_ = 128;  // of the mapped form
};

// Proxies write one of them and pass the other on as it came, so only a named one can be believed.
enum class ForwardedHeader : std::uint8_t { xForwardedFor, forwarded };

std::string_view headerName(ForwardedHeader header);

struct Client {
  IpAddress address;
  // It is the peer itself, on this machine. Never by what a header says, which may name loopback,
  // and never a trusted proxy, which asks for others even when it says nothing of them.
  bool local = false;
};

// The peer, or, when the peer is a trusted proxy, the rightmost address of the header that is not.
// An entry that is no address ends the walk at the last proxy that could be named. `headerValue`
// has all lines of the header, joined in their order.
Client resolveClient(const IpAddress& peer, ForwardedHeader header, std::string_view headerValue,
                     std::span<const IpNetwork> trusted);

}  // namespace auth_errors::controllers
