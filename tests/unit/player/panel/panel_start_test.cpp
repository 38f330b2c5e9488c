// What a panel settles from its config before it shows anything, and what it keeps of what the
// director sends.

#include "player/panel/panel_start.hpp"

#include <catch2/catch.hpp>

#include "player/panel/open_source.hpp"
#include "player/panel/panel_inbox.hpp"
#include "player/panel/panel_warp.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/places.hpp"

using namespace tilewall::panel;
using namespace tilewall::placement;
using namespace tilewall::present;
using namespace tilewall::scene;
using namespace tilewall::wall;
using namespace tilewall;

namespace {

int decode_threads(const std::string& place) {
  PanelConfig config;
  config.decode_threads = 3;
  config.place = place;
  return with_decode_threads(config).decode_threads;
}

/// One that stands at the same instant, whatever is asked.
struct StandingClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

const auto no_pace = [] { return DrawPace(); };

}  // namespace

TEST_CASE("a panel has a decode thread for each CPU that is asked for", "[panel]") {
  CHECK(decode_threads("") == 3);
  CHECK(decode_threads("presenter=0") == 3);
  CHECK(decode_threads("decoders=all") == 3);
  CHECK(decode_threads("decoders=2-7") == 6);
  CHECK(decode_threads("decoders=5") == 1);
  CHECK(decode_threads("decoders=0-62") == 63);
  CHECK(decode_threads("decoders=0-63") == 64);
  CHECK(decode_threads("decoders=0-64") == 64);
  CHECK_THROWS_AS(decode_threads("decoders=two"), InputError);
}

TEST_CASE("a host draws in windows unless its panels are headless or show nothing", "[panel]") {
  PanelConfig config;
  config.presenter = "cpu";
  config.server = {"10.0.0.7:7000", true};
  const HostUse use = host_use(config, 4);
  CHECK(use.seats == 4);
  CHECK(use.windows);
  CHECK(use.server == "10.0.0.7:7000");
  CHECK(use.mounted);

  config.headless = true;
  CHECK_FALSE(host_use(config, 4).windows);
  config.headless = false;
  config.presenter = "null";
  CHECK_FALSE(host_use(config, 4).windows);
}

TEST_CASE("a panel that is not pinned has no places", "[panel]") {
  PanelConfig config;
  config.pin = false;
  config.place = "decoders=0";
  const PanelPlan plan = plan_placement(config, {0, 1});
  CHECK(plan.present.empty());
  CHECK(plan.decode.empty());
  CHECK(plan.receive.empty());
  CHECK(plan.memory_node == any_node);
}

TEST_CASE("a presenter is asked for what the config says", "[panel]") {
  PanelConfig config;
  config.name = "p2-1";
  config.presenter = "null";
  config.frame_buffer_px = {1080, 1920};
  config.window_px = {30, 40};
  config.rotation = Rotation::deg90;
  config.vsync = false;
  const PresenterOptions options = presenter_options(config);
  CHECK(options.kind == PresenterKind::null);
  CHECK(options.title == "tilewall p2-1");
  CHECK(options.frame_buffer_px == SizePx{1080, 1920});
  CHECK(options.window_px.x == 30);
  CHECK(options.window_px.y == 40);
  CHECK(options.rotation == Rotation::deg90);
  CHECK_FALSE(options.headless);
  CHECK_FALSE(options.vsync);

  config.presenter = "";
  config.headless = true;
  CHECK(presenter_options(config).kind == PresenterKind::automatic);
  CHECK(presenter_options(config).headless);
}

TEST_CASE("a panel tells a director that is started again what it has of the show", "[panel]") {
  const StandingClock clock;
  PanelInbox inbox(clock);
  const DirectorLink::Callbacks link =
      inbox.link_callbacks([](bool) { return std::vector<ShownBatch>(); },
                           [] {
                             DrawPace pace;
                             pace.mean_ns = 77;
                             return pace;
                           });
  CHECK_FALSE(link.standing());
  Scene scene;
  scene.version = 4;
  scene.epoch = 2;
  link.scene(scene, 0);
  REQUIRE(link.standing());
  CHECK(link.standing()->version == 4);
  CHECK(link.standing()->epoch == 2);
  CHECK_FALSE(link.standing()->primed);
  CHECK(link.standing()->pace.mean_ns == 77);
  CHECK(link.standing()->ready_end == 0);
  CHECK(link.standing()->released_end == 0);
  inbox.note_primed();
  inbox.note_ready(2, 7);
  inbox.note_ready(2, 5);
  inbox.note_ready(1, 90);  // an older epoch
  link.release({2, {{3, 10}, {4, 20}}});
  CHECK(link.standing()->primed);
  CHECK(link.standing()->ready_end == 8);
  CHECK(link.standing()->released_end == 5);
  CHECK(link.standing()->delay_ns == 20);
  scene.version = 5;
  scene.epoch = 3;
  link.scene(scene, 0);
  CHECK(link.standing()->ready_end == 0);
  CHECK(link.standing()->released_end == 0);
}

TEST_CASE("a panel keeps the first config, and does not wait for ever for it", "[panel]") {
  const StandingClock clock;
  PanelInbox inbox(clock);
  const DirectorLink::Callbacks link =
      inbox.link_callbacks([](bool) { return std::vector<ShownBatch>(); }, no_pace);
  CHECK_THROWS_AS(inbox.wait_for_config(std::chrono::milliseconds(0)), JobError);

  PanelConfig config;
  config.name = "first";
  link.config(config);
  config.name = "second";
  link.config(config);
  CHECK(inbox.wait_for_config(std::chrono::milliseconds(0)).name == "first");
}

TEST_CASE("what the director sends lies where the panel's threads look", "[panel]") {
  const StandingClock clock;
  PanelInbox inbox(clock);
  const DirectorLink::Callbacks link = inbox.link_callbacks(
      [](bool again) {
        std::vector<ShownBatch> batches(1);
        batches[0].epoch = again ? 11 : 12;
        return batches;
      },
      no_pace);
  CHECK_FALSE(inbox.quits());

  Scene scene;
  scene.epoch = 5;
  link.scene(scene, 70);
  REQUIRE(inbox.scenes().get());
  CHECK(inbox.scenes().get()->epoch == 5);
  CHECK_FALSE(inbox.change_stamp().drawn(4, test::at_ms(0)));
  const auto drawn = inbox.change_stamp().drawn(5, test::at_ms(0));
  REQUIRE(drawn);
  CHECK(drawn->epoch == 5);

  link.snapshot({8, 5, 20});
  DecodedPicture shown;
  shown.epoch = 5;
  shown.tick = 20;
  const std::vector<SnapshotOrder> orders = inbox.snapshot_orders().take(shown);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].number == 8);

  REQUIRE(link.report(false).size() == 1);
  CHECK(link.report(false)[0].epoch == 12);
  CHECK(link.report(true)[0].epoch == 11);
  link.quit();
  CHECK(inbox.quits());
}

TEST_CASE("the pattern that names a panel's place names its host", "[panel]") {
  const auto picture_of = [](const std::string& host) {
    PanelConfig config;
    config.host = host;
    config.frame_buffer_px = {320, 200};
    config.places =
        PanelPlaces(load_wall(tilewall::test::source_path("tests/data/walls/two-by-one.toml")), 0);
    const auto pattern =
        open_pattern("identify", config, flat_view(config, BezelMode::show, ContentMode::flat));
    std::vector<std::uint8_t> pixels(std::size_t{320} * 200 * 4);
    static_cast<void>(
        pattern->draw(0, {}, {pixels.data(), {320, 200}, std::size_t{320} * 4}, nullptr));
    return pixels;
  };
  // Compared before CHECK, which would print every pixel.
  const bool is_repeated = picture_of("h1") == picture_of("h1");
  const bool has_host = picture_of("h1") != picture_of("h2");
  const bool has_own_host = picture_of("") == picture_of(host_name());
  CHECK(is_repeated);
  CHECK(has_host);
  CHECK(has_own_host);
}
