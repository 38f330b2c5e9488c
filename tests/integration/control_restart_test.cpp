// Processes that an operator starts again while the show goes on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sync/base/process.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {
namespace restart_test {

constexpr int restarted_frames = 12;

std::vector<Json> restarts_of(const Json& report, const std::string& role) {
  std::vector<Json> found;
  for (const Json& restart : report.at("restarts"))
    if (restart.at("role") == role) found.push_back(restart);
  return found;
}

/// Whether the wall shows frames, all of its panels among them.
bool shows_all(WallClient& client) {
  const Json status = client.ask({{"type", "status"}});
  const auto shows = [](const Json& panel) { return panel.at("connected") == true; };
  return status.at("frames_shown") > 0 && std::ranges::all_of(status.at("per_panel"), shows);
}

pid_t pid_of(const ControlledShow& show, const std::string& role) {
  return pid_in(show.run_dir() / "pids" / role);
}

bool has_another(const ControlledShow& show, const std::string& role, pid_t than) {
  return eventually([&] {
    const pid_t now = pid_of(show, role);
    return now > 0 && now != than && is_alive(now) && !is_alive(than);
  });
}

/// A volume of 8 x 8 x 8 voxels.
void write_voxels(const std::filesystem::path& file) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 8, 8), }";
  header.resize(117, ' ');
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int i = 0; i < 8 * 8 * 8; ++i) to.put(static_cast<char>(i % 251));
}

}  // namespace restart_test
}  // namespace

TEST_CASE("a panel is restarted by its name and once, and the wall goes on", "[control]") {
  using namespace restart_test;
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, restarted_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return shows_all(client); }));
  REQUIRE(client.ask({{"type", "subscribe"}}).at("type") == "done");
  const pid_t first = pid_of(show, "panel-1");
  const pid_t other = pid_of(show, "panel-0");
  const Json request = {
      {"type", "restart"}, {"role", "panel"}, {"panel", "c1r0"}, {"once", "r1"}, {"person", "Ada"}};
  CHECK(client.ask(request).at("type") == "done");
  CHECK(has_another(show, "panel-1", first));
  REQUIRE(eventually([&] { return shows_all(client); }));
  const pid_t second = pid_of(show, "panel-1");
  CHECK(client.ask(request).at("type") == "done");  // repeated: answered, and not obeyed
  for (const Json& wrong :
       {Json{{"role", "panel"}, {"panel", "c7r7"}},
        Json{{"role", "panel"}, {"panel", "c1r0"}, {"as", "guest"}},
        Json{{"role", "launcher"}, {"host", "nowhere"}}, Json{{"role", "director"}}}) {
    Json asked = wrong;
    asked["type"] = "restart";
    CHECK(client.ask(asked).at("type") == "refused");
  }
  CHECK(pid_of(show, "panel-1") == second);
  CHECK(pid_of(show, "panel-0") == other);
  std::vector<Json> told;
  for (const Json& event : client.events())
    if (event.at("event") == "command") told.push_back(event);
  REQUIRE(told.size() == 5);
  CHECK(told[0].at("request").at("role") == "panel");
  CHECK(told[0].at("person") == "Ada");
  CHECK(told[0].at("error").is_null());
  CHECK(told[1].at("error").is_string());
  const Json report = show.finish();
  CHECK_FALSE(report.contains("error"));
  const auto restarts = restarts_of(report, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c1r0");
  CHECK(restarts[0].at("back_s").is_number());
  for (const ShownHash& shown : shown_by(report, "c1r0"))
    REQUIRE(shown.hash == numbered_hash(shown.frame, "c1r0"));
}

TEST_CASE("a host's launcher is restarted, and its panels come back into step", "[control]") {
  using namespace restart_test;
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, restarted_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return shows_all(client); }));
  const pid_t launcher = pid_of(show, "mpirun");
  const pid_t panel = pid_of(show, "panel-0");
  const ProgramResult typed = show.ctl({"restart", "launcher"});
  CAPTURE(typed.err);
  CHECK(typed.exit_code == 0);
  CHECK(typed.out == "restart: done\n");
  CHECK(has_another(show, "mpirun", launcher));
  CHECK(has_another(show, "panel-0", panel));
  REQUIRE(eventually([&] { return shows_all(client); }));
  const std::string expected =
      "tilewall: ctl restart: expected panel NAME, caster [HOST], decoder [HOST] or launcher "
      "[HOST], found ";
  CHECK(show.ctl({"restart"}).err == expected + "nothing\n");
  CHECK(show.ctl({"restart", "panel"}).err == expected + "\"panel\"\n");
  CHECK(show.ctl({"restart", "wall"}).err == expected + "\"wall\"\n");
  const Json report = show.finish();
  CHECK_FALSE(report.contains("error"));
  const auto launchers = restarts_of(report, "launcher");
  REQUIRE(launchers.size() == 1);
  CHECK(launchers[0].at("back_s").is_number());
  for (const std::string& name : pair_panels)
    for (const ShownHash& shown : shown_by(report, name))
      REQUIRE(shown.hash == numbered_hash(shown.frame, name));
}

TEST_CASE("a host's casters are restarted, and draw the volume on", "[control]") {
  using namespace restart_test;
  const TemporaryFolder folder;
  write_voxels(folder / "ball.npy");
  ControlledShow show(folder / "ball.npy", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return shows_all(client); }));
  const pid_t caster = pid_of(show, "caster");
  REQUIRE(is_alive(caster));
  CHECK(show.ctl({"restart", "caster", host_name()}).out == "restart: done\n");
  CHECK(has_another(show, "caster", caster));
  const Json turned =
      client.ask({{"type", "camera"}, {"orbit_deg", {30, 10, 0}}, {"glide_s", 0.1}});
  CAPTURE(turned.dump());
  CHECK(turned.at("type") == "done");
  CHECK(turned.at("shown") == Json(pair_panels));
  const Json report = show.finish();
  CHECK_FALSE(report.contains("error"));
  CHECK(restarts_of(report, "panel").empty());
  REQUIRE(restarts_of(report, "caster").size() == 1);
  CHECK(restarts_of(report, "caster")[0].at("host") == host_name());
}

TEST_CASE("a host's decoders are restarted, and decode the movie on", "[control]") {
  using namespace restart_test;
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = pair_canvas_px;
  options.frames = 48;
  make_counting_movie(folder / "movie.mp4", options);
  ControlledShow show(folder / "movie.mp4", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return shows_all(client); }));
  const pid_t decoder = pid_of(show, "decoder");
  REQUIRE(is_alive(decoder));
  CHECK(show.ctl({"restart", "decoder"}).out == "restart: done\n");
  CHECK(has_another(show, "decoder", decoder));
  const auto shown = [&] {
    return client.ask({{"type", "status"}}).at("frames_shown").get<std::int64_t>();
  };
  const std::int64_t before = shown();
  CHECK(eventually([&] { return shown() > before + 10; }));
  const Json report = show.finish();
  CHECK_FALSE(report.contains("error"));
  CHECK(restarts_of(report, "panel").empty());
  CHECK(restarts_of(report, "decoder").size() == 1);
}
