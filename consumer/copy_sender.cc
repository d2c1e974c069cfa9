#include "consumer/copy_sender.h"

#include <algorithm>
#include <utility>

#include "domain/retry/backoff.h"
#include "platform/workers/worker.h"

namespace auth_errors::consumer {
namespace {

using messaging::PublishResult;

}  // namespace

CopySender::CopySender(trantor::EventLoop& loop, messaging::Publisher& publisher, Options options)
    : publisher_(publisher), options_(std::move(options)), stop_(loop), sent_(loop) {}

void CopySender::send(std::vector<Copy> copies) {
  if (copies.empty()) {
    return;
  }
  ++sending_;
  drogon::async_run([this, copies = std::move(copies)]() mutable -> drogon::Task<> {
    co_await sendAll(std::move(copies));
    --sending_;
    sent_.notifyAll();
  });
}

drogon::Task<bool> CopySender::finish(std::chrono::steady_clock::time_point deadline) {
  return sent_.until([this] { return sending_ == 0; }, deadline);
}

void CopySender::stop() {
  stop_.raise();
  publisher_.close();
}

drogon::Task<> CopySender::sendAll(std::vector<Copy> copies) {
  domain::Backoff backoff(workers::kShortPauses.shortest, workers::kShortPauses.longest);
  while (true) {
    copies = co_await sendOnce(std::move(copies));
    if (copies.empty()) {
      faults_.succeeded();
      co_return;
    }
    if (stop_.raised()) {
      co_return;
    }
    faults_.failed("the broker did not take them");
    co_await stop_.rest(backoff.next());
  }
}

// Returns the copies that are still to be sent.
drogon::Task<std::vector<Copy>> CopySender::sendOnce(std::vector<Copy> copies) {
  std::vector<messaging::Publication> publications;
  publications.reserve(copies.size());
  for (const Copy& copy : copies) {
    publications.push_back(copy.publication);
  }
  const std::vector<PublishResult> results = co_await publisher_.publish(
      std::move(publications), std::chrono::steady_clock::now() + options_.publishDeadline);
  std::vector<Copy> left;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    switch (results.at(i)) {
      case PublishResult::confirmed:
        options_.settle(copies[i].tags);
        break;
      case PublishResult::unsendable:
        options_.reject(copies[i].tags);
        break;
      case PublishResult::returned:
      case PublishResult::nacked:
      case PublishResult::unavailable:
        left.push_back(std::move(copies[i]));
        break;
    }
  }
  if (std::ranges::contains(results, PublishResult::returned)) {
    publisher_.declareAgain("a retry queue or the dead-letter queue is missing");
  }
  co_return left;
}

}  // namespace auth_errors::consumer
