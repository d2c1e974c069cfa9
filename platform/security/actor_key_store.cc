#include "platform/security/actor_key_store.h"

#include <algorithm>

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
  const database::Result listed = co_await client.run(kListActorKeys, deadline);
  co_return listed.as<KnownActorKey>();
}

drogon::Task<void> noteActorKeys(database::Client& client, std::vector<PseudonymKey> keys,
                                 domain::InstanceName seenBy, database::Deadline deadline) {
  const auto versionOf = [](const PseudonymKey& key) { return std::int32_t{key.version}; };
  co_await client.run(kNoteActorKeys, deadline, database::columns(keys, versionOf, fingerprintOf),
                      seenBy);
}

drogon::Task<bool> forgetActorKey(database::Client& client, std::int32_t version,
                                  database::Deadline deadline) {
  const database::Result forgotten = co_await client.run(kForgetActorKey, deadline, version);
  co_return !forgotten.empty();
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
