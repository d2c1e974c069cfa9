// Who is calling: the client behind trusted proxies. Pure functions and
// plain values, free to use on any thread. Nothing a client sends is believed unless the peer that
// handed it on is in the list.
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
