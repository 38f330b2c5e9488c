// The options of live sources: names, ranks, policies and what only stored volumes have.

#include "player/cli/options/live_options.hpp"

#include <catch2/catch.hpp>

#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::cli;

namespace {

volume::LiveJob live_job(const std::string& input, const LiveArguments& arguments,
                         const VolumeArguments& volume = {}) {
  scene::LiveShape shape;
  shape.name = "gs";
  const scene::SourceSpec source = open_live(input, shape, arguments, volume, {});
  CHECK(source.live);
  CHECK(source.kind == scene::SourceKind::volume);
  const volume::VolumeJob job = volume::volume_job_of(source.path);
  CHECK(job.path == "live:gs");
  return job.live.value();
}

std::string live_refusal(const std::string& input, const LiveArguments& arguments,
                         const VolumeArguments& volume = {}) {
  try {
    static_cast<void>(live_job(input, arguments, volume));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

LiveArguments with_policy(const std::string& policy) {
  LiveArguments arguments;
  arguments.policy = policy;
  return arguments;
}

}  // namespace

TEST_CASE("a live source listens on this machine unless its ranks do", "[live]") {
  LiveArguments arguments;
  CHECK(live_job("live:gs", arguments).listen == "127.0.0.1:7643");
  CHECK(live_job("live:gs", arguments).ranks.empty());
  arguments.listen = "10.0.0.1:99";
  CHECK(live_job("live:gs", arguments).listen == "10.0.0.1:99");
  CHECK(live_refusal("tilewall://h1:1,h2:2/gs", arguments) ==
        "--live-listen: expected an input live:NAME, found \"tilewall://h1:1,h2:2/gs\"");
  const volume::LiveJob connects = live_job("tilewall://h1:1,h2:2/gs", {});
  CHECK(connects.listen.empty());
  CHECK(connects.ranks == std::vector<std::string>{"h1:1", "h2:2"});
}

TEST_CASE("ranks wait five seconds for the wall where each timestep counts", "[live]") {
  const volume::LiveJob newest = live_job("live:gs", with_policy("newest"));
  CHECK(newest.policy == net::LivePolicy::newest);
  CHECK(newest.wait_s == live_job("live:gs", {}).wait_s);
  const volume::LiveJob every = live_job("live:gs", with_policy("every"));
  CHECK(every.policy == net::LivePolicy::every);
  CHECK(every.wait_s == 5);
  const volume::LiveJob nth = live_job("live:gs", with_policy("nth:4"));
  CHECK(nth.policy == net::LivePolicy::nth);
  CHECK(nth.nth == 4);
  CHECK(nth.wait_s == 5);
  CHECK(live_job("live:gs", with_policy("nth:1000000")).nth == 1'000'000);
  CHECK(live_refusal("live:gs", with_policy("nth:1000001")) ==
        "--live-policy: expected a number from 1 to 1e+06, found \"1000001\"");
  CHECK_FALSE(live_refusal("live:gs", with_policy("nth:0")).empty());
  CHECK(live_refusal("live:gs", with_policy("all")) ==
        "--live-policy: expected newest, every, or nth:N, found \"all\"");
  LiveArguments waits = with_policy("every");
  waits.wait_s = "60";
  CHECK(live_job("live:gs", waits).wait_s == 60);
  waits.wait_s = "61";
  CHECK(live_refusal("live:gs", waits) ==
        "--live-wait: expected a number from 0 to 60, found \"61\"");
  waits.wait_s = "0";
  CHECK(live_job("live:gs", waits).wait_s == 0);
}

TEST_CASE("a live field has a name, and a range that rises where it is quantised", "[live]") {
  LiveArguments arguments;
  arguments.field = "u";
  arguments.quantise = "-1,2.5";
  const volume::LiveJob job = live_job("live:gs", arguments);
  CHECK(job.field == "u");
  REQUIRE(job.quantise);
  CHECK((*job.quantise)[0] == -1);
  CHECK((*job.quantise)[1] == 2.5);
  arguments.quantise = "2,2";
  CHECK(live_refusal("live:gs", arguments) == "--quantise: expected MIN below MAX, found \"2,2\"");
  arguments.quantise = "1";
  CHECK(live_refusal("live:gs", arguments) == "--quantise: expected MIN,MAX, found \"1\"");
  arguments.quantise.clear();
  arguments.field = "a/b";
  CHECK(live_refusal("live:gs", arguments).starts_with("--field"));
}

TEST_CASE("a live source has no options of stored volumes", "[live]") {
  const auto refused = [](const std::function<void(VolumeArguments&)>& set) {
    VolumeArguments volume;
    set(volume);
    const std::string line = live_refusal("live:gs", {}, volume);
    return line.substr(0, line.find(':'));
  };
  CHECK(refused([](VolumeArguments&) {}).empty());
  CHECK(refused([](VolumeArguments& one) { one.dataset = "d"; }) == "--dataset");
  CHECK(refused([](VolumeArguments& one) { one.component = 0; }) == "--component");
  CHECK(refused([](VolumeArguments& one) { one.level = 0; }) == "--level");
  CHECK(refused([](VolumeArguments& one) { one.fixed = {"x=1"}; }) == "--axis");
  CHECK(refused([](VolumeArguments& one) { one.levels = "nearest"; }) == "--levels");
  CHECK(refused([](VolumeArguments& one) { one.up = "z"; }) == "--up");
  CHECK(refused([](VolumeArguments& one) { one.stretch = "1,1,2"; }) == "--stretch");
  CHECK(refused([](VolumeArguments& one) { one.time = "3"; }) == "--time");
}

TEST_CASE("live options have the names of a show file and back", "[live]") {
  LiveArguments arguments;
  CHECK(to_named(arguments).empty());
  CHECK_FALSE(arguments.any());
  for (std::string LiveArguments::*const option :
       {&LiveArguments::listen, &LiveArguments::field, &LiveArguments::policy,
        &LiveArguments::wait_s, &LiveArguments::quantise}) {
    LiveArguments one;
    one.*option = "x";
    CHECK(one.any());
    CHECK(to_named(one).size() == 1);
  }
  arguments.listen = "a";
  arguments.field = "b";
  arguments.policy = "c";
  arguments.wait_s = "d";
  arguments.quantise = "e";
  const std::map<std::string, std::string> named = {{"live_listen", "a"},
                                                    {"field", "b"},
                                                    {"live_policy", "c"},
                                                    {"live_wait", "d"},
                                                    {"quantise", "e"}};
  CHECK(to_named(arguments) == named);
  CHECK(to_named(live_arguments(named)) == named);
  CHECK(live_arguments({{"fps", "3"}}).any() == false);
}

TEST_CASE("an input names a live source by its beginning", "[live]") {
  CHECK(find_live("live:gs").value().name == "gs");
  CHECK(find_live("live:gs").value().grid[0] == 0);  // not known before it connects
  CHECK_FALSE(find_live("movie.mp4"));
  CHECK_FALSE(find_live("tilewall://127.0.0.1:1/"));  // a server, none of its exports
  CHECK_THROWS_AS(find_live("live:a/b"), InputError);
  CHECK_NOTHROW(expect_live_name("tilewall://h:1/", "", "gs"));
  CHECK_NOTHROW(expect_live_name("tilewall://h:1/gs", "gs", "gs"));
  CHECK_THROWS_WITH(
      expect_live_name("tilewall://h:1/sg", "sg", "gs"),
      "tilewall://h:1/sg: name: expected gs, the live source that is there, found sg");
  CHECK(await_live("live:gs", {}).value().name == "gs");
}
