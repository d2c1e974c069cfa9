// Filters the byte stream between the socket and AMQP-CPP's parser: splits it into whole frames,
// refuses those that would harm the parser (it trusts lengths that control allocations), and parses
// message headers itself. One connection, one thread. Only for this folder's own sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/messaging/message.h"

namespace auth_errors::messaging {

class FrameGuard {
 public:
  enum class Verdict : std::uint8_t {
    incomplete,  // more bytes are needed
    pass,        // `frame` may be parsed
    refuse,      // `problem` has the reason
  };
  struct Next {
    Verdict verdict = Verdict::incomplete;
    std::size_t size = 0;         // bytes consumed
    std::string_view frame = {};  // valid until the next call
    const char* problem = "";
  };

  // `maxFrame`: the negotiated size; 0 before the negotiation.
  Next next(std::string_view bytes, std::uint32_t maxFrame);

  // The headers of the message whose content header passed last.
  Headers takeHeaders();

 private:
  Next passContentHeader(std::string_view frame);

  Headers headers_;
  std::string rewritten_;
};

}  // namespace auth_errors::messaging
