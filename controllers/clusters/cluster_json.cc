#include "controllers/clusters/cluster_json.h"

#include <cstdint>
#include <format>
#include <iterator>
#include <vector>

#include "controllers/errors/error_json.h"
#include "controllers/errors/match_json.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using encoding::jsonArray;
using encoding::JsonObjectWriter;

std::string shareNames(const std::vector<clusters::Share>& shares) {
  return jsonArray(shares, [](std::string& out, const clusters::Share& share) {
    encoding::appendQuoted(out, share.name);
  });
}

std::string countsOf(const std::vector<clusters::Share>& shares) {
  return jsonArray(shares, [](std::string& out, const clusters::Share& share) {
    JsonObjectWriter object(out);
    object.text("name", share.name);
    object.number("errorCount", share.errorCount);
    object.close();
  });
}

std::string textsOf(const std::vector<std::string>& texts) {
  return jsonArray(texts, encoding::appendQuoted);
}

std::string signalsOf(const clusters::ClusterItem& item) {
  std::string out;
  JsonObjectWriter object(out);
  object.text("windowStartsAt", domain::formatInstant(item.signals.windowStartsAt));
  object.number("errors", item.signals.errors);
  object.json("expected", std::format("{:.2f}", item.signals.expected));
  object.boolean("burst", item.signals.burst);
  object.boolean("isNew", item.signals.isNew);
  object.number("actors", item.actorsInWindow);
  object.close();
  return out;
}

template <typename Shares>
void appendMembers(JsonObjectWriter& object, const clusters::ClusterItem& item, Shares sharesOf) {
  object.number("clusterId", item.id);
  object.text("title", item.title);
  object.text("exceptionClass", item.exceptionClass);
  object.text("state", item.state);
  object.text("stateChangedAt", domain::formatInstant(item.stateChangedAt));
  object.text("stateChangedBy", item.stateChangedBy);
  object.textOrNull("stateNote", item.stateNote);
  object.text("firstSeenAt", domain::formatInstant(item.firstSeenAt));
  object.text("lastSeenAt", domain::formatInstant(item.lastSeenAt));
  object.number("errorCount", item.errorCount);
  object.number("actorCount", item.actorCount);
  object.number("sampleErrorId", item.sampleErrorId);
  object.boolean("muted", item.muted);
  object.textOrNull("mutedUntil", item.mutedUntil.transform(domain::formatInstant));
  object.numberOrNull("mutedUntilCount", item.mutedUntilCount);
  object.textOrNull("mutedBy", item.mutedBy);
  object.json("services", sharesOf(item.services));
  object.json("environments", sharesOf(item.environments));
  object.json("signals", signalsOf(item));
}

void appendReason(std::string& out, const clusters::GroupingReason& reason) {
  JsonObjectWriter object(out);
  object.text("stackHash", reason.stackHash);
  object.number("version", reason.version);
  object.number("errorCount", reason.errorCount);
  object.json("classes", textsOf(reason.classes));
  object.json("frames", textsOf(reason.frames));
  object.textOrNull("message", reason.message);
  object.close();
}

void appendPoint(std::string& out, const clusters::ActivityPoint& point) {
  JsonObjectWriter object(out);
  object.text("startsAt", domain::formatInstant(point.startsAt));
  object.number("errorCount", point.errorCount);
  object.close();
}

void appendChange(std::string& out, const clusters::ClusterChange& change) {
  JsonObjectWriter object(out);
  object.text("from", change.from);
  object.text("to", change.to);
  object.text("cause", change.cause);
  object.text("changedBy", change.changedBy);
  object.text("changedAt", domain::formatInstant(change.changedAt));
  object.textOrNull("note", change.note);
  object.close();
}

void appendSplit(std::string& out, const clusters::ClusterSplit& split) {
  JsonObjectWriter object(out);
  object.number("splitId", split.id);
  object.number("fromClusterId", split.fromClusterId);
  object.number("toClusterId", split.toClusterId);
  object.json("match", matchToJson(split.match));
  object.text("createdAt", domain::formatInstant(split.createdAt));
  object.text("createdBy", split.createdBy);
  object.close();
}

void appendNumber(std::string& out, std::int64_t number) {
  std::format_to(std::back_inserter(out), "{}", number);
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
  object.numberOrNull("mergedInto", cluster.item.mergedInto);
  object.json("mergedFrom", jsonArray(cluster.mergedFrom, appendNumber));
  if (cluster.splitFrom) {
    std::string split;
    appendSplit(split, *cluster.splitFrom);
    object.json("splitFrom", split);
  } else {
    object.null("splitFrom");
  }
  object.json("whyGrouped", jsonArray(cluster.whyGrouped, appendReason));
  object.json("histogram24h", jsonArray(cluster.hours, appendPoint));
  object.json("histogram30d", jsonArray(cluster.days, appendPoint));
  object.json("members", jsonArray(cluster.members, appendSummary));
  object.json("transitions", jsonArray(cluster.changes, appendChange));
  object.json("splits", jsonArray(cluster.splits, appendSplit));
  object.close();
}

}  // namespace auth_errors::controllers
