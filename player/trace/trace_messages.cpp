#include "player/trace/trace_messages.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::trace {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_names = 4096;
constexpr std::size_t max_name_bytes = 200;

void check(bool holds, const char* field, const char* expected) {
  if (!holds) throw InputError({"message"}, field, expected, "another value");
}

std::string name_from(const Json& json, const char* field) {
  check(json.is_string() && json.get_ref<const std::string&>().size() <= max_name_bytes, field,
        "a name of at most 200 bytes");
  return json.get<std::string>();
}

sync::TrackName track_from(const Json& json) {
  check(json.is_array() && json.size() == 2 && json[0].is_number_unsigned() &&
            json[0].get<std::uint64_t>() <= UINT16_MAX,
        "tracks", "[number, name]");
  return {json[0].get<std::uint16_t>(), name_from(json[1], "tracks")};
}

WireTraceEvent to_wire(const sync::BatchEvent& event) {
  return {event.start.since_epoch.count(),
          event.duration.count(),
          event.value,
          event.labels.frame,
          event.labels.tick,
          event.name,
          event.track,
          static_cast<std::uint8_t>(event.kind),
          {}};
}

sync::BatchEvent from_wire(const WireTraceEvent& wire, const sync::TraceBatch& batch) {
  check(wire.name < batch.names.size(), "events", "a name that the batch lists");
  check(std::any_of(batch.tracks.begin(), batch.tracks.end(),
                    [&](const sync::TrackName& track) { return track.track == wire.track; }),
        "events", "a track that the batch lists");
  check(wire.kind <= static_cast<std::uint8_t>(sync::TraceKind::counter), "events", "a known kind");
  return {GlobalInstant{Nanos(wire.start_ns)},
          Nanos(wire.duration_ns),
          wire.value,
          {wire.frame, wire.tick},
          wire.name,
          wire.track,
          static_cast<sync::TraceKind>(wire.kind)};
}

}  // namespace

Json to_json(const TraceHello& hello) {
  return {{"type", "trace_hello"},
          {"protocol", scene::control_protocol_version},
          {"role", hello.role},
          {"panel", hello.panel},
          {"pid", hello.pid},
          {"host", hello.host},
          {"director_axis", hello.director_axis}};
}

TraceHello trace_hello_from_json(const Json& json) {
  const int protocol = json_field<int>(json, "protocol");
  check(protocol == scene::control_protocol_version, "protocol", "this program's");
  return {name_from(json_field<Json>(json, "role"), "role"), json_field<int>(json, "panel"),
          json_field<int>(json, "pid"), name_from(json_field<Json>(json, "host"), "host"),
          json_field<bool>(json, "director_axis")};
}

Json to_json(const sync::TraceBatch& batch) {
  Json tracks = Json::array();
  for (const sync::TrackName& track : batch.tracks) tracks.push_back({track.track, track.name});
  return {{"type", "trace"},
          {"names", batch.names},
          {"tracks", std::move(tracks)},
          {"dropped", batch.dropped}};
}

std::vector<std::uint8_t> to_blob(const sync::TraceBatch& batch) {
  std::vector<std::uint8_t> blob(batch.events.size() * sizeof(WireTraceEvent));
  std::uint8_t* at = blob.data();
  for (const sync::BatchEvent& event : batch.events) {
    const WireTraceEvent wire = to_wire(event);
    std::memcpy(at, &wire, sizeof wire);
    at += sizeof wire;
  }
  return blob;
}

sync::TraceBatch trace_batch_from(const Json& json, std::span<const std::uint8_t> blob) {
  sync::TraceBatch batch;
  batch.dropped = json_field<std::uint64_t>(json, "dropped");
  for (const Json& name : json_field<std::vector<Json>>(json, "names"))
    batch.names.push_back(name_from(name, "names"));
  for (const Json& track : json_field<std::vector<Json>>(json, "tracks"))
    batch.tracks.push_back(track_from(track));
  check(batch.names.size() <= max_names && batch.tracks.size() <= max_names, "names", "fewer");
  check(blob.size() % sizeof(WireTraceEvent) == 0, "events", "whole ones");
  check(blob.size() / sizeof(WireTraceEvent) <= max_batch_events, "events", "fewer");
  for (std::size_t at = 0; at < blob.size(); at += sizeof(WireTraceEvent)) {
    WireTraceEvent wire;
    std::memcpy(&wire, blob.data() + at, sizeof wire);
    batch.events.push_back(from_wire(wire, batch));
  }
  return batch;
}

}  // namespace tilewall::trace
