// Stands between the socket and AMQP-CPP's parser: cuts the stream into whole frames, refuses those
// the parser can't take unharmed (it trusts lengths that decide over memory), and reads message
// headers itself. One connection, one thread. Only for this folder's own sources.
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
    refuse,      // `problem` says why
  };
  struct Next {
    Verdict verdict = Verdict::incomplete;
    std::size_t size = 0;         // bytes used up
    std::string_view frame = {};  // valid until the next call
    const char* problem = "";
  };

  // `maxFrame`: as negotiated; 0: not at all.
  Next next(std::string_view bytes, std::uint32_t maxFrame);

  // The headers of the message whose content header was the last to pass.
  Headers takeHeaders();

 private:
  Next passContentHeader(std::string_view frame);

  Headers headers_;
  std::string rewritten_;
};

}  // namespace auth_errors::messaging
