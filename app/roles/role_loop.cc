#include "app/roles/role_loop.h"

#include "platform/workers/loop_lag.h"

namespace auth_errors::app::roles {

trantor::EventLoop& RoleLoop::running() {
  if (!thread_) {
    thread_ = std::make_unique<trantor::EventLoopThread>(name_);
    thread_->run();
    workers::measureLag(*thread_->getLoop(), context_.metrics.loopLag[measuredAs_]);
  }
  return *thread_->getLoop();
}

}  // namespace auth_errors::app::roles
