#include "platform/database/request.h"

#include <utility>

namespace auth_errors::database {

void Request::succeed(Result result) {
  if (!done()) {
    result_ = std::move(result);
    holder.reset();
    complete();
  }
}

void Request::fail(const Error& error) {
  if (!done()) {
    failure_ = std::make_exception_ptr(error);
    holder.reset();
    complete();
  }
}

void Request::expire() {
  if (const auto has = holder.lock()) {
    has->expire(std::static_pointer_cast<Request>(shared_from_this()));
  } else {
    fail(Error(Failure::outcomeUnknown, "deadline passed"));
  }
}

Result Request::take() {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  return std::move(result_);
}

}  // namespace auth_errors::database
