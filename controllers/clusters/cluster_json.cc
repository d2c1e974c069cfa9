#include "controllers/clusters/cluster_json.h"

#include <format>
#include <string>
#include <vector>

#include "controllers/errors/error_json.h"
#include "controllers/errors/match_json.h"
#include "domain/identity/ids.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using encoding::jsonArray;
using encoding::JsonObjectWriter;
using encoding::JsonText;

JsonText shareNames(const std::vector<clusters::Share>& shares) {
  return jsonArray(shares, [](std::string& out, const clusters::Share& share) {
    encoding::appendJson(out, share.name);
  });
}

JsonText countsOf(const std::vector<clusters::Share>& shares) {
  return jsonArray(shares, [](std::string& out, const clusters::Share& share) {
    JsonObjectWriter object(out);
    object.write("name", share.name);
    object.write("errorCount", share.errorCount);
    object.close();
  });
}

JsonText signalsOf(const clusters::ClusterItem& item) {
  return encoding::jsonObject([&item](JsonObjectWriter& object) {
    object.write("windowStartsAt", item.signals.windowStartsAt);
    object.write("errors", item.signals.errors);
    object.write("expected", JsonText(std::format("{:.2f}", item.signals.expected)));
    object.write("burst", item.signals.burst);
    object.write("isNew", item.signals.isNew);
    object.write("actors", item.actorsInWindow);
  });
}

template <typename Shares>
void appendMembers(JsonObjectWriter& object, const clusters::ClusterItem& item, Shares sharesOf) {
  object.write("clusterId", item.id);
  object.write("title", item.title);
  object.write("exceptionClass", item.exceptionClass);
  object.write("state", item.state);
  object.write("stateChangedAt", item.stateChangedAt);
  object.write("stateChangedBy", item.stateChangedBy);
  object.write("stateNote", item.stateNote);
  object.write("firstSeenAt", item.firstSeenAt);
  object.write("lastSeenAt", item.lastSeenAt);
  object.write("errorCount", item.errorCount);
  object.write("actorCount", item.actorCount);
  object.write("sampleErrorId", item.sampleErrorId);
  object.write("muted", item.muted);
  object.write("mutedUntil", item.mutedUntil);
  object.write("mutedUntilCount", item.mutedUntilCount);
  object.write("mutedBy", item.mutedBy);
  object.write("services", sharesOf(item.services));
  object.write("environments", sharesOf(item.environments));
  object.write("signals", signalsOf(item));
}

void appendReason(std::string& out, const clusters::GroupingReason& reason) {
  JsonObjectWriter object(out);
  object.write("stackHash", reason.stackHash);
  object.write("version", reason.version);
  object.write("errorCount", reason.errorCount);
  object.write("classes", jsonArray(reason.classes));
  object.write("frames", jsonArray(reason.frames));
  object.write("message", reason.message);
  object.close();
}

void appendPoint(std::string& out, const clusters::ActivityPoint& point) {
  JsonObjectWriter object(out);
  object.write("startsAt", point.startsAt);
  object.write("errorCount", point.errorCount);
  object.close();
}

void appendChange(std::string& out, const clusters::ClusterChange& change) {
  JsonObjectWriter object(out);
  object.write("from", change.from);
  object.write("to", change.to);
  object.write("cause", change.cause);
  object.write("changedBy", change.changedBy);
  object.write("changedAt", change.changedAt);
  object.write("note", change.note);
  object.close();
}

void appendSplit(std::string& out, const clusters::ClusterSplit& split) {
  JsonObjectWriter object(out);
  object.write("splitId", split.id);
  object.write("fromClusterId", split.fromClusterId);
  object.write("toClusterId", split.toClusterId);
  object.write("match", matchToJson(split.match));
  object.write("createdAt", split.createdAt);
  object.write("createdBy", split.createdBy);
  object.close();
}

}  // namespace

void appendJson(std::string& out, const clusters::ClusterItem& item) {
  JsonObjectWriter object(out);
  appendMembers(object, item, shareNames);
  object.close();
}

void appendJson(std::string& out, const clusters::WholeCluster& cluster) {
  JsonObjectWriter object(out);
  appendMembers(object, cluster.item, countsOf);
  object.write("mergedInto", cluster.item.mergedInto);
  object.write("mergedFrom", jsonArray(cluster.mergedFrom));
  object.write("splitFrom", cluster.splitFrom.transform([](const clusters::ClusterSplit& split) {
    JsonText json;
    appendSplit(json.text, split);
    return json;
  }));
  object.write("whyGrouped", jsonArray(cluster.whyGrouped, appendReason));
  object.write("histogram24h", jsonArray(cluster.hours, appendPoint));
  object.write("histogram30d", jsonArray(cluster.days, appendPoint));
  object.write("members", jsonArray(cluster.members, appendSummary));
  object.write("transitions", jsonArray(cluster.changes, appendChange));
  object.write("splits", jsonArray(cluster.splits, appendSplit));
  object.close();
}

}  // namespace auth_errors::controllers
