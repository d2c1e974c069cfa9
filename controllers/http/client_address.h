// The client behind trusted proxies. Pure functions and plain values, usable from any thread.
// Headers are only believed if a trusted proxy sent them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/values/ip_address.h"
#include "domain/values/ip_network.h"

namespace auth_errors::controllers {

using domain::IpAddress;
using domain::IpNetwork;

// Proxies write one of these headers and forward the other unchanged, so only the configured one is
// trusted.
enum class ForwardedHeader : std::uint8_t { xForwardedFor, forwarded };

std::string_view headerName(ForwardedHeader header);

struct Client {
  IpAddress address;
  // The client is the peer itself, on this machine. Never derived from a header, which may claim
  // loopback, and never a trusted proxy, which acts for others even if it sends no header.
  bool local = false;
};

// The peer or, if it is a trusted proxy, the rightmost untrusted address in the header. An entry
// that is not an address ends the search at the last identified proxy. `headerValue` has all lines
// of the header, joined in order.
Client resolveClient(const IpAddress& peer, ForwardedHeader header, std::string_view headerValue,
                     std::span<const IpNetwork> trusted);

}  // namespace auth_errors::controllers
