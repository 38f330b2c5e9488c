// What the director makes of its sound process, and what the two say to each other.

#include "player/director/sound_service.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using Json = nlohmann::json;

namespace {

using namespace std::chrono_literals;

const SoundHello hello{42, "front"};
constexpr LocalInstant noon{1h};

SoundStatus playing_sound() {
  SoundStatus status;
  status.device = "alsa";
  status.state = "playing";
  status.played_s = 3;
  status.offset_ms = {0.1, 0.2, 0.3};
  status.resample_ppm = -150;
  status.underruns = 2;
  status.notes = {"a note"};
  return status;
}

}  // namespace

TEST_CASE("messages of the sound process survive the wire", "[sound][wire]") {
  const SoundStatus status = sound_status_from_json(Json::parse(to_json(playing_sound()).dump()));
  CHECK(status.device == "alsa");
  CHECK(status.state == "playing");
  CHECK(status.played_s == 3);
  CHECK(status.offset_ms.max == 0.3);
  CHECK(status.resample_ppm == -150);
  CHECK(status.underruns == 2);
  CHECK(status.notes == playing_sound().notes);
  const SoundHello read = sound_hello_from_json(to_json(hello));
  CHECK(read.pid == 42);
  CHECK(read.host == "front");
}

TEST_CASE("a sound message without a field is refused by its name", "[sound][wire][bad-input]") {
  const Json whole = to_json(playing_sound());
  for (const auto& [field, value] : whole.items()) {
    if (field == "type") continue;
    Json json = whole;
    json.erase(field);
    CHECK_THROWS_AS(sound_status_from_json(json), InputError);
  }
  Json json = whole;
  json["offset_ms"] = {1, 2};
  CHECK_THROWS_AS(sound_status_from_json(json), InputError);
  json = to_json(hello);
  json["protocol"] = scene::control_protocol_version + 1;
  CHECK_THROWS_AS(sound_hello_from_json(json), InputError);
}

TEST_CASE("the service says why there is no sound", "[sound]") {
  SoundService off(false);
  CHECK_FALSE(off.want());
  CHECK(off.report(noon).at("state") == "off");
  CHECK(off.notes().empty());
  CHECK(SoundService(true).report(noon).at("state") == "no sound");
  CHECK(SoundService(true).notes().empty());
  SoundService missing(true);
  CHECK(missing.want());
  CHECK_FALSE(missing.want());  // one process is enough
  CHECK(missing.status(noon).at("state") == "missing");
  CHECK(missing.notes().size() == 1);
}

TEST_CASE("the service reports what the newest process said", "[sound]") {
  SoundService service(true);
  CHECK(service.want());
  service.welcome(7, hello);
  CHECK(service.connection() == ConnectionId{7});
  service.take(playing_sound(), noon);
  CHECK(service.status(noon).at("state") == "playing");
  service.lose();
  CHECK(service.report(noon).at("state") == "played");
  CHECK(service.report(noon).at("host") == "front");
  CHECK(service.report(noon).at("device") == "alsa");
  CHECK(service.report(noon).at("offset_ms").at("p99") == 0.2);
  CHECK(service.status(noon).at("state") == "missing");
  CHECK(service.notes() == playing_sound().notes);
}

TEST_CASE("a sound process that says nothing any more is stalled, not playing", "[sound]") {
  SoundService service(true);
  CHECK(service.want());
  service.welcome(7, hello);
  service.take(playing_sound(), noon);
  CHECK(service.status(noon + 1900ms).at("state") == "playing");
  CHECK(service.status(noon + 2100ms).at("state") == "stalled");
  CHECK(service.report(noon + 2100ms).at("state") == "played");
  service.take(playing_sound(), noon + 3s);
  CHECK(service.status(noon + 3s).at("state") == "playing");
}
