#include "outbox/identity/installation.h"

namespace auth_errors::outbox {
namespace {

const database::Statement kReadInstallation{.name = "read_installation",
                                            .sql = "SELECT id::text FROM installation"};

const database::Statement kRenewInstallation{
    .name = "renew_installation",
    .sql = "UPDATE installation SET id = gen_random_uuid(), created_at = now() RETURNING id::text"};

}  // namespace

drogon::Task<domain::InstallationId> readInstallation(database::Client& client,
                                                      database::Deadline deadline) {
  const database::Result read = co_await client.run(kReadInstallation, deadline);
  co_return read.only<domain::InstallationId>();
}

drogon::Task<domain::InstallationId> renewInstallation(database::Client& client,
                                                       database::Deadline deadline) {
  const database::Result renewed = co_await client.run(kRenewInstallation, deadline);
  co_return renewed.only<domain::InstallationId>();
}

}  // namespace auth_errors::outbox
