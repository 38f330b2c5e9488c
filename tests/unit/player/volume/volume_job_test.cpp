// What tells a caster which volume it draws, as text.

#include "player/volume/volume_job.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::volume;
using Json = nlohmann::json;

namespace {

Json live_job_json() {
  VolumeJob job;
  job.path = "live:gs";
  job.memory_bytes = 1;
  Json json = Json::parse(to_text(job));
  json["live"] = {{"name", "gs"},  {"listen", "a:1"},      {"ranks", Json::array()},
                  {"field", "u"},  {"policy", "nth"},      {"nth", 3},
                  {"wait_s", 2.5}, {"keeps_camera", true}, {"quantise", {0.25, 0.75}}};
  return json;
}

}  // namespace

TEST_CASE("a caster's job has each setting under its own name", "[view]") {
  render::VolumeOptions options;
  options.dataset = "rho";
  const Json json = {
      {"path", "/a"},      {"served", "tilewall://h:1/a"}, {"options", render::to_json(options)},
      {"memory_bytes", 7}, {"stretch", {2.0, 3.0, 4.0}},   {"caster", "gl"}};
  VolumeJob job = volume_job_of(json.dump());
  CHECK(job.path == "/a");
  CHECK(job.served == "tilewall://h:1/a");
  CHECK(job.options.dataset == "rho");
  CHECK(job.memory_bytes == 7);
  CHECK(job.stretch.x == 2);
  CHECK(job.stretch.y == 3);
  CHECK(job.stretch.z == 4);
  CHECK(job.caster == CasterChoice::gl);
  CHECK_FALSE(job.live);
  CHECK(volume_job_of(to_text(job)) == job);
  job.caster = CasterChoice::scalar;
  CHECK(volume_job_of(to_text(job)) == job);
  for (const auto& [field, wrong] :
       std::vector<std::pair<std::string, Json>>{{"memory_bytes", 0},
                                                 {"stretch", {0.0, 1.0, 1.0}},
                                                 {"stretch", {1.0, -1.0, 1.0}},
                                                 {"stretch", {1.0, 1.0, 1e12}},
                                                 {"stretch", {1.0, 1.0}},
                                                 {"caster", "gpu"}}) {
    CAPTURE(field, wrong.dump());
    Json changed = json;
    changed[field] = wrong;
    CHECK_THROWS_AS(volume_job_of(changed.dump()), InputError);
  }
}

TEST_CASE("a live source either listens or connects, and its job says how", "[view][live]") {
  const VolumeJob job = volume_job_of(live_job_json().dump());
  REQUIRE(job.live);
  CHECK(job.live->name == "gs");
  CHECK(job.live->listen == "a:1");
  CHECK(job.live->ranks.empty());
  CHECK(job.live->field == "u");
  CHECK(job.live->policy == net::LivePolicy::nth);
  CHECK(job.live->nth == 3);
  CHECK(job.live->wait_s == 2.5);
  CHECK(job.live->keeps_camera);
  CHECK(job.live->quantise == std::array<double, 2>{0.25, 0.75});
  CHECK(volume_job_of(to_text(job)) == job);
  const auto is_taken = [](const auto& change) {
    Json json = live_job_json();
    change(json.at("live"));
    try {
      return volume_job_of(json.dump()).live.has_value();
    } catch (const InputError&) {
      return false;
    }
  };
  const std::vector<std::string> two = {"h1:1", "h2:1"};
  CHECK(is_taken([&](Json& live) { live["listen"] = "", live["ranks"] = two; }));
  CHECK_FALSE(is_taken([&](Json& live) { live["ranks"] = two; }));
  CHECK_FALSE(is_taken([](Json& live) { live["listen"] = ""; }));
  CHECK(is_taken([](Json& live) {
    live["listen"] = "", live["ranks"] = std::vector<std::string>(1024, "h:1");
  }));
  CHECK_FALSE(is_taken([](Json& live) {
    live["listen"] = "", live["ranks"] = std::vector<std::string>(1025, "h:1");
  }));
  CHECK(is_taken([](Json& live) { live["nth"] = 1; }));
  CHECK_FALSE(is_taken([](Json& live) { live["nth"] = 0; }));
  CHECK(is_taken([](Json& live) { live["wait_s"] = 0; }));
  CHECK(is_taken([](Json& live) { live["wait_s"] = 60; }));
  CHECK_FALSE(is_taken([](Json& live) { live["wait_s"] = 60.5; }));
  CHECK_FALSE(is_taken([](Json& live) { live["wait_s"] = -0.5; }));
}

TEST_CASE("the list of volumes that a show serves comes back as it was", "[view][remote]") {
  const std::vector<VolumeExport> exports = {{"a", "/x/a", {"/x/b", "/x/c"}}, {"d", "/d", {}}};
  CHECK(volume_exports_of(to_text(exports), "list") == exports);
  CHECK_THROWS_WITH(volume_exports_of("{}", "list"), Catch::StartsWith("list: volumes: "));
}
