#include "player/director/client_service.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_subscribers = 64;

constexpr std::size_t max_error_bytes = 1000;

/// The field's value; null where the request has none.
Json field_of(const Json& request, const char* field) {
  const auto found = request.is_object() ? request.find(field) : request.end();
  return request.is_object() && found != request.end() ? *found : Json(nullptr);
}

/// The frame of the named region at the change's instant; the first region's where there is none of
/// that name.
std::int64_t frame_of(const CommandOutcome& outcome, const Json& region) {
  for (const scene::Region& one : outcome.scene->regions)
    if (one.name == region) return one.timeline.frame_at(outcome.at);
  return outcome.scene->regions.front().timeline.frame_at(outcome.at);
}

}  // namespace

void ClientService::take(ConnectionId from, const Json& request) {
  try {
    if (field_of(request, "type") != "subscribe") return ask(from, request);
    if (subscribers_.size() >= max_subscribers)
      throw InputError({"subscribe"}, "", "64 subscribers at most", "more");
    subscribers_.insert(from);
    confirm(from, request);
  } catch (const InputError& error) {
    refuse(from, request, error.what());
  }
}

void ClientService::ask(ConnectionId from, const Json& request) {
  const Json head = {{"id", field_of(request, "id")}, {"region", field_of(request, "region")}};
  control_.ask({command_of(request, wall_), [this, from, head](const CommandOutcome& outcome) {
                  if (!outcome.refusal.empty()) return refuse(from, head, outcome.refusal);
                  server_.send(from, {{"type", "done"},
                                      {"id", head.at("id")},
                                      {"version", outcome.version},
                                      {"at_ns", outcome.at.since_epoch.count()},
                                      {"now_ns", now_().since_epoch.count()},
                                      {"frame", frame_of(outcome, head.at("region"))}});
                }});
}

void ClientService::confirm(ConnectionId to, const Json& request) {
  server_.send(to, {{"type", "done"}, {"id", field_of(request, "id")}});
}

void ClientService::refuse(ConnectionId to, const Json& request, const std::string& error) {
  server_.send(to, {{"type", "refused"},
                    {"id", field_of(request, "id")},
                    {"error", error.substr(0, max_error_bytes)}});
}

void ClientService::tell(const std::string& event, Json details) {
  details["type"] = "event";
  details["event"] = event;
  for (const ConnectionId id : subscribers_) server_.send(id, details);
}

}  // namespace tilewall::director
