// /api/clusters over HTTP, against the real service and a real PostgreSQL.
#include <algorithm>
#include <format>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kClusters = "/api/clusters";
constexpr std::string_view kErrors = "/api/auth-errors";

class ClustersApi : public ApiTest {
 protected:
  Json::Value page(std::string_view query) {
    const HttpResponse response = get(std::format("{}{}", kClusters, query));
    EXPECT_EQ(response.status, 200) << query << response.body;
    return parseJson(response.body);
  }
  std::vector<domain::ClusterId> idsOf(std::string_view query) {
    return idsIn<domain::ClusterId>(page(query), "clusterId");
  }
  Json::Value cluster(domain::ClusterId id) {
    const HttpResponse response = get(std::format("{}/{}", kClusters, id));
    EXPECT_EQ(response.status, 200) << response.body;
    return parseJson(response.body);
  }
  std::set<std::string> problemsOf(std::string_view query) {
    const HttpResponse response = get(std::format("{}{}", kClusters, query));
    EXPECT_EQ(response.status, 400) << query;
    return errorsOf(parseJson(response.body));
  }
  template <typename Id>
  static std::vector<Id> idsIn(const Json::Value& list, const char* name) {
    std::vector<Id> ids;
    for (const Json::Value& item : list["items"]) {
      ids.push_back(idFrom<Id>(item[name]));
    }
    return ids;
  }
};

TEST_F(ClustersApi, ListsClustersWithAllTheirFields) {
  const auto id = plantCluster(database_, {.title = "Timeout in \"Cart\"",
                                           .errorCount = 12,
                                           .actorCount = 3,
                                           .sampleErrorId = domain::ErrorId(77),
                                           .firstSeenAt = "timestamptz '2026-01-01 00:00:00.5Z'"});
  database_.execute(
      std::format("UPDATE cluster SET state_note = 'known', muted_until = now() + "
                  "interval '1 day', muted_by = 'ann' WHERE id = {}",
                  id));
  plantFacet(database_, id, "service", "bank", 2);
  plantFacet(database_, id, "service", "shop", 10);
  plantFacet(database_, id, "environment", "production", 12);
  plantFacet(database_, id, "actor", "v1:x");
  plantActivity(database_, id, "5min", "date_bin('5 minutes', now(), 'epoch')", 11);
  const Json::Value list = page("");
  ASSERT_THAT(list["items"], SizeIs(1));
  EXPECT_TRUE(list["nextCursor"].isNull());
  const Json::Value& item = list["items"][0];
  EXPECT_EQ(idFrom<domain::ClusterId>(item["clusterId"]), id);
  EXPECT_EQ(item["title"].asString(), "Timeout in \"Cart\"");
  EXPECT_EQ(item["exceptionClass"].asString(), "BadCredentials");
  EXPECT_EQ(item["state"].asString(), "OPEN");
  EXPECT_EQ(item["stateChangedBy"].asString(), "planted");
  EXPECT_EQ(item["stateNote"].asString(), "known");
  EXPECT_EQ(item["firstSeenAt"].asString(), "2026-01-01T00:00:00.500000Z");
  EXPECT_EQ(item["errorCount"].asInt64(), 12);
  EXPECT_EQ(item["actorCount"].asInt64(), 3);
  EXPECT_EQ(item["sampleErrorId"].asInt64(), 77);
  EXPECT_EQ(item["muted"], Json::Value(true));
  EXPECT_EQ(item["mutedBy"].asString(), "ann");
  EXPECT_TRUE(item["mutedUntilCount"].isNull());
  EXPECT_EQ(item["services"], parseJson(R"(["shop","bank"])"));
  EXPECT_EQ(item["environments"], parseJson(R"(["production"])"));
  EXPECT_EQ(item["signals"]["errors"].asInt64(), 11);
  EXPECT_EQ(item["signals"]["expected"].asDouble(), 0.0);
  EXPECT_EQ(item["signals"]["burst"], Json::Value(true));
  EXPECT_EQ(item["signals"]["isNew"], Json::Value(false));
  EXPECT_EQ(item["signals"]["actors"].asInt64(), 1);
  EXPECT_FALSE(item["signals"]["windowStartsAt"].asString().empty());
}

TEST_F(ClustersApi, PagesThroughEverySortOrder) {
  for (int i = 0; i < 11; ++i) {
    plantCluster(database_,
                 {.errorCount = i % 3,
                  .firstSeenAt = std::format("timestamptz 'epoch' + interval '{} days'", i * 5 % 4),
                  .lastSeenAt = std::format("timestamptz '2026-01-0{}Z'", i * 3 % 4 + 1)});
  }
  for (const std::string sort : {"", "lastSeen", "firstSeen", "count"}) {
    const std::string query = "?limit=3" + (sort.empty() ? "" : "&sort=" + sort);
    std::vector<domain::ClusterId> seen;
    Json::Value cursor;
    do {
      const Json::Value part =
          page(query + (cursor.isNull() ? "" : "&cursor=" + cursor.asString()));
      std::ranges::copy(idsIn<domain::ClusterId>(part, "clusterId"), std::back_inserter(seen));
      cursor = part["nextCursor"];
    } while (!cursor.isNull());
    EXPECT_EQ(seen, idsOf(sort.empty() ? "" : "?sort=" + sort)) << sort;
    std::ranges::sort(seen);
    EXPECT_THAT(seen, SizeIs(11)) << sort;
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << sort;
  }
}

TEST_F(ClustersApi, RefusesACursorOfAnotherSortOrList) {
  for (int i = 0; i < 3; ++i) {
    plantCluster(database_);
  }
  const auto cursorOf = [this](const std::string& query) {
    return page(query)["nextCursor"].asString();
  };
  const std::string byTime = cursorOf("?limit=1");
  EXPECT_THAT(problemsOf("?sort=count&cursor=" + byTime), ElementsAre("cursor:invalid"));
  EXPECT_THAT(problemsOf("?cursor=" + byTime + "&sort=firstSeen"), ElementsAre("cursor:invalid"));
  EXPECT_THAT(problemsOf("?cursor=" + cursorOf("?limit=1&sort=count")),
              ElementsAre("cursor:invalid"));
  plantError(database_);
  plantError(database_);
  const std::string errorsCursor =
      parseJson(get(std::format("{}?limit=1", kErrors)).body)["nextCursor"].asString();
  EXPECT_THAT(problemsOf("?cursor=" + errorsCursor), ElementsAre("cursor:invalid"));
  EXPECT_EQ(get(std::format("{}?cursor={}", kErrors, byTime)).status, 400);
}

TEST_F(ClustersApi, ReportsAllInvalidParametersAtOnce) {
  EXPECT_THAT(problemsOf("?sort=title&state=CLOSED&muted=maybe&limit=0&from=today&color=red&q="),
              ElementsAre("color:unknown", "from:invalid", "limit:out_of_range", "muted:invalid",
                          "q:invalid", "sort:invalid", "state:invalid"));
  EXPECT_THAT(problemsOf("?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z"),
              ElementsAre("to:out_of_range"));
  // Forged cursors: a time before the database's calendar begins, and a negative count.
  EXPECT_THAT(problemsOf("?cursor=AgCAAAAAAAAAAAAAAAAAAAAB"), ElementsAre("cursor:invalid"));
  EXPECT_THAT(problemsOf("?sort=count&cursor=AgL__________wAAAAAAAAAB"),
              ElementsAre("cursor:invalid"));
}

TEST_F(ClustersApi, FiltersByEachParameter) {
  const auto shop = plantCluster(database_, {.title = "50%_off in Cart",
                                             .exceptionClass = "a.B",
                                             .state = "RESOLVED",
                                             .firstSeenAt = "timestamptz '2026-01-01Z'",
                                             .lastSeenAt = "timestamptz '2026-01-03Z'"});
  const auto bank = plantCluster(database_);
  database_.execute(std::format(
      "UPDATE cluster SET muted_until_count = 50, muted_by = 'ann' WHERE id = {}", bank));
  plantFacet(database_, shop, "service", "web shop");
  plantFacet(database_, bank, "environment", "production");
  EXPECT_THAT(idsOf("?state=RESOLVED"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?serviceName=web+shop"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?environment=production"), ElementsAre(bank));
  EXPECT_THAT(idsOf("?exceptionClass=a.B"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?muted=true"), ElementsAre(bank));
  EXPECT_THAT(idsOf("?muted=false"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?q=%25_OFF"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?q=%25%25"), IsEmpty());
  EXPECT_THAT(idsOf("?from=2026-01-03T00:00:00Z&to=2026-01-04T00:00:00Z"), ElementsAre(shop));
  EXPECT_THAT(idsOf("?to=2026-01-01T00:00:00Z"), IsEmpty());
  EXPECT_THAT(idsOf("?state=OPEN&muted=false"), IsEmpty());
}

TEST_F(ClustersApi, ShowsAClusterWithAllItsDetails) {
  const auto id = plantCluster(database_);
  const auto error = plantError(database_, "ANALYSIS_COMPLETED");
  const std::string hash(64, 'a');
  plantMember(database_, id, error);
  plantFacet(database_, id, "service", "shop", 4);
  plantFacet(database_, id, "hash", hash, 9);
  plantRoute(database_, id, hash,
             R"({"version":2,"classes":["BadCredentials"],"frames":["a.B.c"],"message":null})");
  database_.execute(std::format(
      "INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, "
      "changed_at) VALUES ({0}, 'RESOLVED', 'REGRESSED', 'regression', 'instance', now());"
      "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_message, created_at, "
      "created_by) VALUES ({0}, 99, 'timeout', now(), 'ann')",
      id));
  const Json::Value body = cluster(id);
  EXPECT_EQ(idFrom<domain::ClusterId>(body["clusterId"]), id);
  EXPECT_TRUE(body["mergedInto"].isNull());
  EXPECT_EQ(body["services"], parseJson(R"([{"name":"shop","errorCount":4}])"));
  EXPECT_EQ(body["environments"], Json::Value(Json::arrayValue));
  EXPECT_EQ(body["whyGrouped"],
            parseJson(std::format(R"([{{"stackHash":"{}","version":{},"errorCount":9,)"
                                  R"("classes":["BadCredentials"],"frames":["a.B.c"],)"
                                  R"("message":null}}])",
                                  hash, domain::kStackHashVersion)));
  EXPECT_THAT(body["histogram24h"], SizeIs(24));
  EXPECT_THAT(body["histogram30d"], SizeIs(30));
  ASSERT_THAT(body["members"], SizeIs(1));
  EXPECT_EQ(idFrom<domain::ErrorId>(body["members"][0]["authErrorId"]), error);
  EXPECT_FALSE(body["members"][0].isMember("stacktrace"));
  ASSERT_THAT(body["transitions"], SizeIs(1));
  EXPECT_EQ(body["transitions"][0]["from"].asString(), "RESOLVED");
  EXPECT_EQ(body["transitions"][0]["cause"].asString(), "regression");
  ASSERT_THAT(body["splits"], SizeIs(1));
  EXPECT_EQ(body["splits"][0]["toClusterId"].asInt64(), 99);
  EXPECT_EQ(body["splits"][0]["match"]["message"].asString(), "timeout");
  EXPECT_TRUE(body["splits"][0]["match"]["serviceName"].isNull());
  EXPECT_TRUE(body["signals"].isMember("burst"));
}

TEST_F(ClustersApi, ShowsTheTargetOfAMergedClusterAndDoesNotListIt) {
  const auto target = plantCluster(database_);
  const auto merged = plantCluster(database_, {.mergedInto = target});
  EXPECT_EQ(idFrom<domain::ClusterId>(cluster(merged)["mergedInto"]), target);
  EXPECT_EQ(cluster(merged)["state"].asString(), "MERGED");
  EXPECT_EQ(cluster(target)["state"].asString(), "OPEN");
  EXPECT_EQ(cluster(target)["mergedFrom"], parseJson(std::format("[{}]", merged)));
  EXPECT_THAT(idsOf(""), ElementsAre(target));
}

TEST_F(ClustersApi, AnswersWith404ForUnknownIds) {
  for (const char* id : {"1", "999999999999", "x", "01", "-1", "99999999999999999999"}) {
    const HttpResponse response = get(std::format("{}/{}", kClusters, id));
    EXPECT_EQ(response.status, 404) << id;
    EXPECT_EQ(parseJson(response.body)["code"].asString(), "not_found") << id;
  }
}

TEST_F(ClustersApi, ListsTheErrorsOfACluster) {
  const auto id = plantCluster(database_);
  const auto other = plantCluster(database_);
  std::vector<domain::ErrorId> members;
  for (int i = 0; i < 7; ++i) {
    members.push_back(plantError(database_, i == 3 ? "PROCESSED" : "ANALYSIS_COMPLETED"));
    plantMember(database_, id, members.back());
    plantMember(database_, other, plantError(database_, "ANALYSIS_COMPLETED"));
  }
  std::ranges::reverse(members);
  std::vector<domain::ErrorId> seen;
  std::string cursor;
  do {
    const Json::Value part =
        parseJson(get(std::format("{}?clusterId={}&limit=3{}", kErrors, id, cursor)).body);
    std::ranges::copy(idsIn<domain::ErrorId>(part, "authErrorId"), std::back_inserter(seen));
    cursor = part["nextCursor"].isNull() ? "" : "&cursor=" + part["nextCursor"].asString();
  } while (!cursor.empty());
  EXPECT_EQ(seen, members);
  const auto filtered = [&](const std::string& filters) {
    return idsIn<domain::ErrorId>(
        parseJson(get(std::format("{}?clusterId={}{}", kErrors, id, filters)).body), "authErrorId");
  };
  EXPECT_THAT(filtered("&status=PROCESSED"), ElementsAre(members.at(3)));
  EXPECT_EQ(filtered("&from=2026-01-01T00:00:00Z"), members);
  EXPECT_THAT(filtered("&to=2026-01-01T00:00:00Z"), IsEmpty());
  for (const char* wrong : {"0", "x", "-1"}) {
    EXPECT_EQ(get(std::format("{}?clusterId={}", kErrors, wrong)).status, 400) << wrong;
  }
}

TEST_F(ClustersApi, ListsTheClustersOfAnError) {
  const auto error = plantError(database_, "ANALYSIS_COMPLETED");
  const std::string path = std::format("{}/{}", kErrors, error);
  EXPECT_EQ(parseJson(get(path).body)["clusters"], Json::Value(Json::arrayValue));
  const auto id = plantCluster(database_, {.title = "one", .state = "IGNORED"});
  plantMember(database_, id, error);
  EXPECT_EQ(parseJson(get(path).body)["clusters"],
            parseJson(std::format(R"([{{"clusterId":{},"title":"one","state":"IGNORED"}}])", id)));
}

}  // namespace
}  // namespace auth_errors::tests
