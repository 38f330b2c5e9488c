// A panel in a window on an X server of our own, under a director that only listens: what the
// operator's hand does comes to it as messages. Says so where it cannot run.

#include <X11/keysym.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/operator_messages.hpp"
#include "player/scene/source_catalogue.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show_secret.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;
using namespace tilewall::present;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace tilewall::wall;
using Json = nlohmann::json;

namespace {

constexpr unsigned left = 1, wheel_forth = 4;
constexpr SizePx panel_px{160, 100};
constexpr RectF canvas_px{1000, 500, 320, 200};  // two canvas pixels to one of the panel
constexpr PointPx window_px{20, 10};

PanelConfig panel_config(const Xvfb& server) {
  PanelConfig config;
  config.name = "c0r0";
  config.frame_buffer_px = panel_px;
  config.lit_mm = {160, 100};
  config.places.set(BezelMode::hide, ContentMode::arc_length,
                    {{2000, 1000}, canvas_px, PanelMap::onto(canvas_px, panel_px)});
  config.display = server.display_name();
  config.window_px = window_px;
  config.presenter = "cpu";
  return config;
}

/// A pattern that is shown from now on.
Scene ramp_scene() {
  SourceSpec spec;
  spec.kind = SourceKind::pattern;
  spec.path = "ramp";
  spec.size_px = {2000, 1000};
  Region region;
  region.name = "all";
  region.canvas_px = {0, 0, 2000, 1000};
  region.source = std::make_shared<const SourceSpec>(std::move(spec));
  region.timeline.end_frame = 1;
  region.timeline.start = GlobalInstant{local_now().since_epoch};
  Scene scene;
  scene.version = scene.epoch = 1;
  scene.bezels = BezelMode::hide;
  scene.regions = {region};
  scene.since = region.timeline.start;
  scene.tick_grid = plan_tick_grid(scene.regions, scene.since);
  return scene;
}

/// Answers the panel's hello and takes down everything else.
class ListeningDirector {
 public:
  explicit ListeningDirector(const PanelConfig& config)
      : config_(config), listening_(listen_tcp(resolve("127.0.0.1:0", "test"))) {
    port_ = local_address(listening_.get()).port();
    server_.emplace(
        std::move(listening_), ControlServer::Options{key_of(Protocol::control)},
        ControlServer::Handler{[this](ConnectionId from, const Json& json,
                                      std::vector<std::uint8_t>&&) { take(from, json); },
                               [](ConnectionId) {}});
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void poll() { server_->poll(std::chrono::milliseconds(5)); }
  void quit() { server_->send(panel_, Json{{"type", "quit"}}); }

  [[nodiscard]] bool shown() const { return shown_; }
  /// Messages of keys and the pointer.
  [[nodiscard]] const std::vector<Json>& input() const { return input_; }
  void forget() { input_.clear(); }

 private:
  void take(ConnectionId from, const Json& json) {
    const auto type = json.at("type").get<std::string>();
    if (type == "hello") {
      panel_ = from;
      server_->join(from);
      server_->send(from, to_json(config_));
      send_scene();
    }
    if (type == "failed") FAIL(json.dump());
    if (type == "shown" && !json.at("frames").empty()) shown_ = true;
    if (type == "key" || type == "pointer") input_.push_back(json);
  }

  void send_scene() {
    const Json scene = to_json(ramp_scene(), sources_);
    for (const Json& piece : sources_.messages(1)) server_->send(panel_, piece);
    server_->send(panel_, Json{{"type", "scene"}, {"scene", scene}, {"join_tick", 0}});
  }

  const test::OwnSecret secret_;
  const PanelConfig config_;
  SourceCatalogue sources_;
  UniqueFd listening_;
  std::uint16_t port_ = 0;
  std::optional<ControlServer> server_;
  ConnectionId panel_ = 0;
  bool shown_ = false;
  std::vector<Json> input_;
};

/// A clock that is in step with itself.
void publish_own_clock(const std::filesystem::path& page) {
  ClockStatus status;
  status.mapping = {};
  status.state = ClockState::locked;
  ClockPageWriter(page).publish(status);
}

}  // namespace

TEST_CASE("keys, wheel, drags and double clicks on a panel come to the director, in canvas pixels",
          "[panel][window]") {
  const auto server = Xvfb::start({400, 300}, 24);
  if (!server) {
    WARN("skipped: Xvfb is not installed or does not start");
    return;
  }
  const TemporaryFolder folder;
  publish_own_clock(folder / "clock");
  ListeningDirector director(panel_config(*server));
  RunningProgram panel({test::program_path("tilewall-panel"), "--director", director.address(),
                        "--panel", "0", "--clock-page", (folder / "clock").string(), "--movies",
                        (folder / "movies").string(), "--seat", "0", "--seats", "1"});
  const auto comes = [&](const std::function<bool()>& what) {
    return eventually([&] {
      director.poll();
      return what();
    });
  };
  const auto sum = [&](const char* kind) {
    CanvasPointer all;
    for (const Json& json : director.input()) {
      if (json.at("type") != "pointer" || json.at("kind") != kind) continue;
      const CanvasPointer one = pointer_from_json(json);
      all = {one.kind,
             one.at_px,
             {all.by_px.x + one.by_px.x, all.by_px.y + one.by_px.y},
             all.steps + one.steps};
    }
    return all;
  };
  const auto point_at = [&](int x, int y) {
    server->move_pointer({window_px.x + x, window_px.y + y});
  };
  REQUIRE(comes([&] { return director.shown(); }));

  server->press_key(server->window_at({40, 40}), XK_x, 0);
  REQUIRE(comes([&] { return !director.input().empty(); }));
  CHECK(director.input().front() == Json{{"type", "key"}, {"key", "view_one_to_one"}});

  point_at(30, 40);
  for (int i = 0; i < 5; ++i) server->click(wheel_forth);
  CHECK(comes([&] {
    return sum("wheel") == CanvasPointer{PointerKind::wheel, {1061, 581}, {}, 5};
  }));

  director.forget();
  server->hold_button(left);
  point_at(31, 41);
  CHECK(comes([&] { return sum("drag").by_px == PointF{2, 2}; }));  // the pointer is captured now
  for (int i = 2; i <= 100; ++i) point_at(30 + i, 40 + i);
  server->release_button(left);
  CHECK(comes([&] {
    return sum("drag") == CanvasPointer{PointerKind::drag, {1061, 581}, {200, 200}, 0};
  }));
  CHECK(director.input().size() < 50);  // of 100 moves

  point_at(60, 70);
  server->click(left);
  server->click(left);
  CHECK(comes([&] { return sum("double_click").at_px == PointF{1121, 641}; }));
  director.quit();
  CHECK(comes([&] { return server->window_at({40, 40}) == None; }));
  const ProgramResult end = panel.wait(std::chrono::seconds(10));
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}
