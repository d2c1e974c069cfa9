// Tracks how much of the data handed to a connection is still buffered. trantor buffers without
// limit and only reports the total number of bytes sent, TLS records included. Pure; usable from
// any thread.
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

  // `sentInAll` never decreases. A connection that sent more than was handed over has sent
  // everything: the surplus, e.g. from longer TLS records than assumed, is discarded and does not
  // accumulate.
  std::size_t unsent(std::size_t sentInAll) {
    if (sentInAll > handedOver_) {
      handedOver_ = sentInAll;
    }
    return handedOver_ - sentInAll;
  }

 private:
  static constexpr std::size_t kRecordBytes = 16 * 1024;
  // For TLS 1.3. Too low a value means a few more bytes in the buffer; too high a value would stop
  // the stream.
  static constexpr std::size_t kLeastRecordOverhead = 22;

  std::size_t handedOver_;
  Transport transport_;
};

}  // namespace auth_errors::controllers
