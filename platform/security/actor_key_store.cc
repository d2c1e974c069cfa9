#include "platform/security/actor_key_store.h"

#include <algorithm>
#include <utility>

#include "platform/database/row_reader.h"

namespace auth_errors::security {
namespace {

const database::Statement kListActorKeys{
    .name = "list_actor_keys",
    .sql =
        "SELECT version, fingerprint, first_seen_at, first_seen_by FROM actor_key "
        "ORDER BY version"};

const database::Statement kNoteActorKeys{
    .name = "note_actor_keys",
    .sql =
        "INSERT INTO actor_key (version, fingerprint, first_seen_at, first_seen_by) "
        "SELECT version, fingerprint, now(), $3 "
        "FROM unnest($1::int[], $2::text[]) AS given (version, fingerprint) ORDER BY version "
        "ON CONFLICT (version) DO NOTHING"};

const database::Statement kForgetActorKey{
    .name = "forget_actor_key",
    .sql = "DELETE FROM actor_key WHERE version = $1 RETURNING version"};

}  // namespace

drogon::Task<std::vector<KnownActorKey>> listActorKeys(database::Client& client,
                                                       database::Deadline deadline) {
  const database::Result result = co_await client.run(kListActorKeys, {}, deadline);
  std::vector<KnownActorKey> keys;
  keys.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    database::RowReader reader(result, row);
    KnownActorKey& key = keys.emplace_back();
    reader.next(key.version);
    reader.next(key.fingerprint);
    reader.next(key.firstSeenAt);
    reader.next(key.firstSeenBy);
  }
  co_return keys;
}

drogon::Task<void> noteActorKeys(database::Client& client, std::vector<PseudonymKey> keys,
                                 std::string seenBy, database::Deadline deadline) {
  std::vector<std::int32_t> versions;
  std::vector<std::string> fingerprints;
  for (const PseudonymKey& key : keys) {
    versions.push_back(key.version);
    fingerprints.push_back(fingerprintOf(key));
  }
  database::Parameters parameters;
  parameters.addArray(versions).addArray(fingerprints).add(seenBy);
  co_await client.run(kNoteActorKeys, std::move(parameters), deadline);
}

drogon::Task<bool> forgetActorKey(database::Client& client, std::int32_t version,
                                  database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(version);
  const database::Result result =
      co_await client.run(kForgetActorKey, std::move(parameters), deadline);
  co_return !result.empty();
}

ActorKeyComparison compareActorKeys(const std::vector<PseudonymKey>& keys,
                                    const std::vector<KnownActorKey>& known) {
  ActorKeyComparison comparison;
  for (const PseudonymKey& key : keys) {
    const auto found = std::ranges::find(known, std::int32_t{key.version}, &KnownActorKey::version);
    if (found == known.end()) {
      comparison.fresh.push_back(key.version);
    } else if (found->fingerprint != fingerprintOf(key)) {
      comparison.different.push_back(key.version);
    }
  }
  for (const KnownActorKey& each : known) {
    const bool ours = std::ranges::any_of(
        keys, [&](const PseudonymKey& key) { return key.version == each.version; });
    if (!ours) {
      comparison.missing.push_back(each.version);
    }
  }
  return comparison;
}

}  // namespace auth_errors::security
