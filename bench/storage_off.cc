// The service's request path without the database: real HTTP, key, JSON, validation and scrubbing,
// with a store that responds immediately. The difference to the service is the cost of storage.
// Usage: storage_off PORT THREADS, with the key in INGEST_KEY.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <print>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/HttpAppFramework.h>

#include "controllers/errors/auth_errors_controller.h"
#include "controllers/errors/error_intake.h"
#include "controllers/http/dispatcher.h"
#include "controllers/http/gatekeeper.h"
#include "controllers/http/metrics.h"
#include "domain/identity/ids.h"
#include "platform/hashing/digest.h"
#include "platform/security/key_ring.h"

namespace {

using namespace auth_errors;

constexpr std::size_t kMaxBodyBytes = std::size_t{1024} * 1024;

std::uint16_t numberFrom(std::string_view text) {
  std::uint16_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

drogon::Task<std::vector<outbox::IngestBatcher::Answer>> answerAtOnce(
    std::vector<domain::AcceptedError> errors) {
  co_return std::vector<outbox::IngestBatcher::Answer>(
      errors.size(), outbox::StoredError{.id = domain::ErrorId(1), .status = {}});
}

void serve(std::uint16_t port, std::size_t threads, std::string_view secret) {
  drogon::HttpAppFramework& app = drogon::app();
  telemetry::Registry registry;
  const auto metrics = std::make_shared<controllers::Metrics>(registry);
  controllers::AuthErrorsController authErrors([](std::vector<domain::AcceptedError> errors, auto,
                                                  auto) { return answerAtOnce(std::move(errors)); },
                                               {}, controllers::ErrorIntake({}, *metrics));
  auto ring = std::make_shared<const security::KeyRing>(
      std::vector<security::ActiveKey>{{.key = {.id = domain::KeyId(1),
                                                .name = "bench",
                                                .role = security::KeyRole::ingest,
                                                .serviceName = {},
                                                .rateLimit = 0},
                                        .digest = hashing::sha256(secret)}},
      security::Rate{}, nullptr);
  std::make_shared<controllers::Dispatcher>(
      controllers::DispatcherOptions{
          .routes = {{.method = drogon::Post,
                      .pattern = "/api/auth-errors",
                      .access = controllers::Access::ingest,
                      .handler =
                          controllers::to(authErrors, &controllers::AuthErrorsController::create),
                      .body = controllers::Body::json,
                      .maxBodyBytes = kMaxBodyBytes}},
          .trustedProxies = {},
          .gatekeeper =
              std::make_shared<controllers::Gatekeeper>([ring] { return ring; }, security::Rate{}),
          .maxBodyBytes = kMaxBodyBytes,
          .requestDeadline = std::chrono::seconds(5),
          .metrics = metrics,
          .traffic = std::make_shared<controllers::Traffic>(),
          .takeOn = {},
          .nextSlice = {},
          .letPass = {}})
      ->install(app);
  app.addListener("127.0.0.1", port).setThreadNum(threads).setUploadPath("/dev/null/uploads");
  app.setLogLevel(trantor::Logger::kFatal).enableServerHeader(false).run();
}

}  // namespace

int main(int count, char** words) {
  const char* const secret = std::getenv("INGEST_KEY");  // NOLINT(concurrency-mt-unsafe)
  if (count != 3 || secret == nullptr) {
    std::println(stderr, "storage_off PORT THREADS, with the key in INGEST_KEY");
    return EXIT_FAILURE;
  }
  serve(numberFrom(words[1]), numberFrom(words[2]), secret);
  return EXIT_SUCCESS;
}
