// What of a show was not as its sources have it, as the ledger, the status and the report count it.

#include "player/director/statistics/damage.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::start;

namespace {

/// Two panels and an epoch of ten frames a second.
class DamagedShow {
 public:
  explicit DamagedShow(Rational rate = {10, 1}) {
    Timeline timeline;
    timeline.start = start;
    timeline.rate_fps = rate;
    timeline.end_frame = 1000;
    ledger_.open_epoch(1, own_ticks(timeline));
    for (std::size_t panel = 0; panel < 2; ++panel) ledger_.join(panel);
  }

  void show(std::size_t panel, std::int64_t tick, FrameDamage damage) {
    ledger_.add(panel, 1, {tick, tick, start.since_epoch.count() + tick * 100'000'000, 0, damage});
  }

  [[nodiscard]] DamageSummary damage(bool all_reported = true) const {
    return damage_of(ledger_, panels_, restarts_, all_reported);
  }
  [[nodiscard]] std::vector<PanelState>& panels() { return panels_; }
  [[nodiscard]] std::vector<Restart>& restarts() { return restarts_; }

 private:
  ShowLedger ledger_{2, false};
  std::vector<PanelState> panels_{2};
  std::vector<Restart> restarts_;
};

}  // namespace

TEST_CASE("a frame counts once, as the worst that any panel shows of it", "[director]") {
  DamagedShow show;
  show.show(0, 0, FrameDamage::none);
  show.show(1, 0, FrameDamage::none);
  CHECK_FALSE(show.damage().any());
  show.show(0, 1, FrameDamage::blocks);
  show.show(1, 1, FrameDamage::none);
  show.show(0, 2, FrameDamage::missing);
  show.show(1, 2, FrameDamage::missing);
  show.show(0, 3, FrameDamage::repeated);
  show.show(1, 3, FrameDamage::black);
  const DamageSummary damage = show.damage();
  CHECK(damage.frames_damaged == 1);
  CHECK(damage.frames_missing == 1);
  CHECK(damage.frames_repeated == 0);
  CHECK(damage.frames_black == 1);
  CHECK(damage.panels_black == 0);
  CHECK(damage.any());
}

TEST_CASE("the picture that a paused wall shows counts as one frame", "[director]") {
  DamagedShow show({0, 1});
  for (int i = 0; i < 3; ++i) show.show(0, 0, FrameDamage::missing);
  show.show(1, 0, FrameDamage::missing);
  CHECK(show.damage().frames_missing == 1);
}

TEST_CASE("a panel is black once others show pictures and it shows none", "[director]") {
  DamagedShow show;
  CHECK(show.damage().panels_black == 0);
  show.show(0, 0, FrameDamage::none);
  CHECK(show.damage(false).panels_black == 0);  // it may only not have reported yet
  CHECK(show.damage(true).panels_black == 1);
  show.show(1, 0, FrameDamage::black);
  CHECK(show.damage(false).panels_black == 1);
  show.show(1, 1, FrameDamage::repeated);
  CHECK(show.damage(false).panels_black == 0);
}

TEST_CASE("blocks are added up over panels and their processes, deaths over hosts", "[director]") {
  DamagedShow show;
  for (PanelState& panel : show.panels()) panel.totals.damaged_blocks = 3;
  show.panels()[1].damaged_blocks_before = 4;
  CHECK(show.damage().damaged_blocks == 10);
  show.restarts() = {{"decoder", "", 1.0, 1.5, false, "one"},
                     {"panel", "left", 2.0, 2.1, false, {}},
                     {"decoder", "", 3.0, std::nullopt, false, "two"}};
  CHECK(show.damage().decoder_deaths == 2);
}

TEST_CASE("damage is the same in words and in JSON, and none is said of none", "[director]") {
  CHECK(to_string(DamageSummary{}).empty());
  CHECK(damage_from_json(nlohmann::json::object()).any() == false);
  DamageSummary damage;
  damage.frames_missing = 62;
  damage.decoder_deaths = 1;
  damage.panels_black = 2;
  CHECK(to_string(damage) == "62 frames missing, 1 decoder death, 2 panels stayed black");
  damage.damaged_blocks = 9;  // of the frames that are missing
  CHECK(to_string(damage).find("blocks") == std::string::npos);
  CHECK(damage.any());
  DamageSummary blocks;
  blocks.frames_damaged = 2;
  blocks.damaged_blocks = 1;
  CHECK(to_string(blocks) == "2 frames damaged, 1 damaged block");
  CHECK(to_json(damage).at("frames_missing") == 62);
  CHECK(to_json(damage).at("damaged_blocks") == 9);
  CHECK(to_string(damage_from_json(to_json(damage))) == to_string(damage));
}
