// Owns a libpq result. Only for this folder's own sources.
#pragma once

#include <memory>

#include <libpq-fe.h>

#include "platform/database/result.h"

namespace auth_errors::database {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

class Result::Data {
 public:
  explicit Data(ResultHandle handle) : handle_(std::move(handle)) {}

  [[nodiscard]] const PGresult* get() const { return handle_.get(); }

 private:
  ResultHandle handle_;
};

}  // namespace auth_errors::database
