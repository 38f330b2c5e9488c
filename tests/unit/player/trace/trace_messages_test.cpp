// The trace's batches on the wire.

#include "player/trace/trace_messages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::trace;
using Json = nlohmann::json;

namespace {

TraceBatch example() {
  TraceBatch batch;
  batch.names = {"decode", "level"};
  batch.tracks = {{1, "c0r0 decode"}, {3, "c0r0 present"}};
  batch.events = {
      {GlobalInstant{Nanos(0x0102030405060708)}, Nanos(77), 0, {5, 6}, 0, 1, TraceKind::span},
      {GlobalInstant{Nanos(-1)}, Nanos(0), 2.5, {}, 1, 3, TraceKind::counter}};
  batch.dropped = 4;
  return batch;
}

Json json_of(const TraceBatch& batch) { return Json::parse(to_json(batch).dump()); }

}  // namespace

TEST_CASE("a batch survives the wire", "[trace]") {
  const TraceBatch batch = example();
  CHECK(trace_batch_from(json_of(batch), to_blob(batch)) == batch);
}

TEST_CASE("an event's bytes are these", "[trace]") {
  const std::vector<std::uint8_t> golden = {
      8,   7,   6,   5,   4,   3,   2,   1,    // start
      77,  0,   0,   0,   0,   0,   0,   0,    // duration
      0,   0,   0,   0,   0,   0,   0,   0,    // value
      5,   0,   0,   0,   0,   0,   0,   0,    // frame
      6,   0,   0,   0,   0,   0,   0,   0,    // tick
      0,   0,   1,   0,   0,   0,   0,   0,    // name, track, kind
      255, 255, 255, 255, 255, 255, 255, 255,  // start
      0,   0,   0,   0,   0,   0,   0,   0,    // duration
      0,   0,   0,   0,   0,   0,   4,   64,   // value 2.5
      0,   0,   0,   0,   0,   0,   0,   128,  // no frame
      0,   0,   0,   0,   0,   0,   0,   128,  // no tick
      1,   0,   3,   0,   2,   0,   0,   0};   // name, track, kind
  CHECK(to_blob(example()) == golden);
}

TEST_CASE("a batch whose events do not match what it lists is refused", "[trace]") {
  const Json json = json_of(example());
  const std::vector<std::uint8_t> blob = to_blob(example());
  const auto refused = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bad = blob;
    bad[at] = value;
    CHECK_THROWS_AS(trace_batch_from(json, bad), InputError);
  };
  refused(40, 2);     // no such name
  refused(42, 2);     // no such track
  refused(44, 3);     // no such kind
  refused(41, 0xff);  // far beyond
  for (std::size_t length = 0; length < blob.size(); ++length) {
    if (length % sizeof(WireTraceEvent) == 0) continue;
    const std::vector<std::uint8_t> cut(blob.begin(),
                                        blob.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(trace_batch_from(json, cut), InputError);
  }
  const std::vector<std::uint8_t> flood((max_batch_events + 1) * sizeof(WireTraceEvent));
  CHECK_THROWS_AS(trace_batch_from(json, flood), InputError);
}

TEST_CASE("a batch lists up to 4096 names and as many tracks", "[trace]") {
  TraceBatch batch;
  batch.names.assign(4096, "name");
  batch.tracks.assign(4096, {1, "track"});
  CHECK(trace_batch_from(json_of(batch), {}).tracks.size() == 4096);
  TraceBatch names = batch;
  names.names.emplace_back("one more");
  CHECK_THROWS_AS(trace_batch_from(json_of(names), {}), InputError);
  TraceBatch tracks = batch;
  tracks.tracks.push_back({2, "one more"});
  CHECK_THROWS_AS(trace_batch_from(json_of(tracks), {}), InputError);
}

TEST_CASE("a batch with a field missing or of another type is refused by name", "[trace]") {
  for (const char* field : {"names", "tracks", "dropped"}) {
    Json json = json_of(example());
    CAPTURE(field);
    json[field] = Json::object({{"x", 1}});
    CHECK_THROWS_WITH(trace_batch_from(json, {}), Catch::Contains(field));
    json.erase(field);
    CHECK_THROWS_WITH(trace_batch_from(json, {}), Catch::Contains(field));
  }
  for (const Json& tracks :
       {Json::array({1}), Json::array({{1}}), Json::array({{-1, "a"}}), Json::array({{70000, "a"}}),
        Json::array({{1, 2}}), Json::array({{1, std::string(201, 'a')}})}) {
    Json json = json_of(example());
    json["tracks"] = tracks;
    CHECK_THROWS_AS(trace_batch_from(json, {}), InputError);
  }
}

TEST_CASE("a trace's hello survives its JSON, and one of another protocol is refused", "[trace]") {
  const TraceHello hello{"panel", 3, 4711, "wall-07", true};
  Json json = Json::parse(to_json(hello).dump());
  const TraceHello back = trace_hello_from_json(json);
  CHECK(back.role == hello.role);
  CHECK(back.panel == 3);
  CHECK(back.pid == 4711);
  CHECK(back.host == hello.host);
  CHECK(back.director_axis);
  json["protocol"] = control_protocol_version + 1;
  CHECK_THROWS_WITH(trace_hello_from_json(json), Catch::Contains("protocol"));
}
