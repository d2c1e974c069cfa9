// How much of what was handed to a connection still waits in its buffer. trantor buffers without
// bound and tells only how many bytes went out in all, TLS records included. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace auth_errors::controllers {

enum class Transport : std::uint8_t { plain, tls };

class SendWindow {
 public:
  SendWindow(std::size_t sentBefore, Transport transport)
      : handedOver_(sentBefore), transport_(transport) {}

  void handOver(std::size_t bytes) {
    handedOver_ += bytes;
    if (transport_ == Transport::tls) {
      handedOver_ += (bytes + kRecordBytes - 1) / kRecordBytes * kLeastRecordOverhead;
    }
  }

  // `sentInAll` never falls. A connection that sent more than was handed over has sent everything:
  // the surplus, such as longer TLS records than assumed, is forgotten and can't add up.
  std::size_t unsent(std::size_t sentInAll) {
    if (sentInAll > handedOver_) {
      handedOver_ = sentInAll;
    }
    return handedOver_ - sentInAll;
  }

 private:
  static constexpr std::size_t kRecordBytes = 16 * 1024;
  // Of TLS 1.3. Too little means some bytes more in the buffer; too much would stop the stream.
  static constexpr std::size_t kLeastRecordOverhead = 22;

  std::size_t handedOver_;
  Transport transport_;
};

}  // namespace auth_errors::controllers
