// What clients ask of live sources, and what they are told of them.

#include "player/director/live_role.hpp"

#include "player/volume/volume_job.hpp"
#include "tests/unit/player/director/role_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::RoleShow;
using Json = nlohmann::json;

namespace {
namespace live_role_test {

scene::Region live_region(const std::string& name, const std::string& source) {
  volume::VolumeJob job;
  job.memory_bytes = std::size_t{1} << 30;
  job.live.emplace();
  job.live->name = source;
  job.live->listen = "127.0.0.1:7643";
  scene::SourceSpec spec = *volume_region(name).source;
  spec.path = volume::to_text(job);
  spec.live = true;
  return movie_region(name, std::make_shared<const scene::SourceSpec>(spec));
}

/// A movie, and below it two live sources that have not sent anything.
ShowOptions options_of_live_show() {
  ShowOptions options = test::options_of_two_panels();
  options.scene = first_scene({live_region("gas", "gs"), live_region("heat", "ht"),
                               movie_region("beside", movie_source(100'000))});
  return options;
}

std::string refusal_of(RoleShow& show, const Json& fields) {
  Json request = {{"type", "live"}};
  request.update(fields);
  try {
    static_cast<void>(show.live.change(request));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace live_role_test
}  // namespace

using namespace live_role_test;

TEST_CASE("who moves a live source names a verb, and a number of timesteps", "[director][live]") {
  RoleShow show(options_of_live_show());
  for (const std::int64_t by : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'001}})
    for (const char* const verb : {"back", "forward"}) {
      CAPTURE(by, verb);
      CHECK(refusal_of(show, {{"verb", verb}, {"by", by}}) ==
            "live: by: expected 1 to 1000000, found " + std::to_string(by));
    }
  for (const std::int64_t by : {1, 1'000'000})
    CHECK_THAT(refusal_of(show, {{"verb", "back"}, {"by", by}}), !Catch::Contains("1 to 1000000"));
  CHECK(refusal_of(show, {{"verb", "back"}}) == "live: by: expected a value, found none");
  CHECK(refusal_of(show, {{"verb", "stop"}}) ==
        "live: verb: expected edge, hold, back or forward, found \"stop\"");
  CHECK(refusal_of(show, {{"verb", "edge"}}) == "taken");
  CHECK(refusal_of(show, {{"verb", "edge"}, {"by", 3}}) ==
        "live: by: expected no such field, found one");
  CHECK(refusal_of(show, {{"verb", "edge"}, {"as", "kiosk"}}) ==
        "live: as: expected operator, found \"kiosk\"");
}

TEST_CASE("a live source is that of the region that is named, or the first one",
          "[director][live]") {
  RoleShow show(options_of_live_show());
  const auto name_of = [&](const Json& fields) {
    Json request = {{"type", "live"}, {"verb", "edge"}};
    request.update(fields);
    return show.live.change(request).at("name").get<std::string>();
  };
  CHECK(name_of(Json::object()) == "gs");
  CHECK(name_of({{"region", "heat"}}) == "ht");
  CHECK(refusal_of(show, {{"verb", "edge"}, {"region", "beside"}}) ==
        "live: region: expected a region with a live source, found beside");
  RoleShow other;
  CHECK(refusal_of(other, {{"verb", "edge"}}) ==
        "live: region: expected a region with a live source, found none in the scene");
}

TEST_CASE("the status tells each live source by its region, and panels that were late",
          "[director][live]") {
  RoleShow show(options_of_live_show());
  CHECK(show.live.status() == Json::array());  // none is known before the show begins
  show.start();
  show.live.step();
  const Json status = show.live.status();
  REQUIRE(status.size() == 2);
  CHECK(status[0].at("region") == "gas");
  CHECK(status[0].at("name") == "gs");
  CHECK(status[0].at("late") == 0);
  CHECK(status[0].at("late_by_panel") == Json::object());
  CHECK(status[1].at("region") == "heat");

  const auto shown = [&](std::size_t panel, std::int64_t timestep, std::int64_t ms) {
    scene::ShownBatch batch;
    batch.frames = {{timestep, timestep, ms * 1'000'000, 7}};
    show.live.note_shown(panel, batch);
  };
  for (const std::size_t panel : {0U, 1U}) shown(panel, 1, 1000);
  shown(0, 2, 2000);
  shown(1, 2, 2300);
  CHECK(show.live.status()[0].at("late") == 1);
  CHECK(show.live.status()[0].at("late_by_panel") == Json{{"right", 1}});
  shown(0, scene::no_timestep, 3000);
  CHECK(show.live.status()[0].at("late") == 1);
}

TEST_CASE("a wall without its live source tells what it waits for, in the region's place",
          "[director][live]") {
  RoleShow show(options_of_live_show());
  show.start();
  show.live.step();
  REQUIRE(test::eventually([&] {
    show.lifecycle.step();
    show.live.step();
    return !show.control.scene().regions[0].slate.empty();
  }));
  CHECK_THAT(show.control.scene().regions[0].slate, Catch::StartsWith("gs\nwaiting"));
  CHECK(show.control.scene().regions[2].slate.empty());
}
