// Copies of shown pictures, and what lies over a picture that is shown.

#include "player/panel/snapshot_taker.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/panel/back_buffer.hpp"
#include "player/panel/kept_snapshots.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall::panel;
using namespace tilewall::present;
using namespace tilewall::scene;
using namespace tilewall;
using test::at_ms;

namespace {

/// A movie of 100 frames at 10 frames a second, a tick for each.
Scene movie_scene(bool live = false) {
  Scene scene;
  scene.epoch = 1;
  SourceSpec source;
  source.live = live;
  scene.tick_grid = {at_ms(0), {10, 1}, 100};
  scene.regions.resize(1);
  scene.regions[0].source = std::make_shared<const SourceSpec>(source);
  scene.regions[0].timeline = {at_ms(0), {10, 1}, 0, 100, 0, 1, sync::LoopMode::once, std::nullopt};
  return scene;
}

class Taken {
 public:
  explicit Taken(std::vector<std::int64_t> frames, bool live = false)
      : scene_(movie_scene(live)), taker_(std::move(frames)) {}

  /// Shows a picture of 2 x 1 pixels, each byte of which is `value`.
  std::vector<PanelSnapshot> show(std::int64_t tick, const std::vector<SnapshotOrder>& orders = {},
                                  std::uint8_t value = 0) {
    DecodedPicture picture;
    picture.epoch = scene_.epoch;
    picture.tick = tick;
    picture.frame = tick;
    std::vector<std::uint8_t> pixels(8, value);
    std::vector<PanelSnapshot> sent;
    taker_.take({picture, scene_, {pixels.data(), {2, 1}, 8}, Inset{}}, orders,
                [&](PanelSnapshot snapshot) { sent.push_back(std::move(snapshot)); });
    return sent;
  }

 private:
  const Scene scene_;
  SnapshotTaker taker_;
};

/// Counts what it is given.
class CountingPresenter final : public Presenter {
 public:
  [[nodiscard]] std::string name() const override { return "counting"; }
  using Presenter::prepare;
  void prepare(const ImageView&, const Inset& inset) override {
    ++prepared;
    had_inset = !inset.empty();
  }
  LocalInstant swap() override { return local_now(); }
  [[nodiscard]] std::vector<OperatorInput> poll_input() override { return {}; }
  [[nodiscard]] ImageView shown() override { return {}; }

  int prepared = 0;
  bool had_inset = false;
};

}  // namespace

TEST_CASE("a wanted frame is copied once, when it is shown", "[panel]") {
  Taken taken({4});
  CHECK(taken.show(3).empty());
  const auto sent = taken.show(4, {}, 77);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].number == 0);
  CHECK(sent[0].wanted_frame == 4);
  CHECK(sent[0].shown_frame == 4);
  CHECK(sent[0].epoch == 1);
  CHECK(sent[0].tick == 4);
  CHECK(sent[0].size_px == SizePx{2, 1});
  CHECK(sent[0].pixels == std::vector<std::uint8_t>(8, 77));
  CHECK(taken.show(4).empty());
}

TEST_CASE("a skipped frame is answered by the next picture that is shown", "[panel]") {
  Taken taken({4, 5, 6, 9});
  CHECK(taken.show(3).empty());
  const auto sent = taken.show(6);
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].wanted_frame == 4);
  CHECK(sent[1].wanted_frame == 5);
  CHECK(sent[2].wanted_frame == 6);
  for (const PanelSnapshot& one : sent) CHECK(one.shown_frame == 6);
  CHECK(taken.show(8).empty());
}

TEST_CASE("a frame before the first picture of a scene was not skipped", "[panel]") {
  Taken taken({4});
  CHECK(taken.show(6).empty());
}

TEST_CASE("of a live source the first timestep from the wanted one on is copied", "[panel][live]") {
  Taken taken({5}, true);
  CHECK(taken.show(3).empty());
  const auto sent = taken.show(8);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].wanted_frame == 5);
  CHECK(sent[0].shown_frame == 8);
  CHECK(taken.show(9).empty());
}

TEST_CASE("an order is answered with its number and the frame that is shown", "[panel]") {
  Taken taken({});
  const auto sent = taken.show(6, {{12, 1, 5}, {13, 1, 6}});
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].number == 12);
  CHECK(sent[1].number == 13);
  CHECK(sent[1].wanted_frame == 6);
  CHECK(sent[1].shown_frame == 6);
}

TEST_CASE("a picture is prepared once for each of its marks", "[panel]") {
  CountingPresenter presenter;
  PictureRing ring({64, 64}, 3);
  BackBuffer back_buffer(presenter, ring, "p0-0", [] { return std::string("locked"); });
  const Scene scene = movie_scene();
  DecodedPicture picture;
  picture.epoch = 1;
  back_buffer.prepare(picture, {}, scene);
  back_buffer.prepare(picture, {}, scene);
  CHECK(presenter.prepared == 1);
  CHECK_FALSE(presenter.had_inset);
  back_buffer.prepare(picture, {false, "speed 2"}, scene);
  CHECK(presenter.prepared == 2);
  CHECK(presenter.had_inset);
  CHECK(back_buffer.marks().hint == "speed 2");
  picture.tick = 1;
  back_buffer.prepare(picture, {false, "speed 2"}, scene);
  CHECK(presenter.prepared == 3);
  back_buffer.forget();
  back_buffer.prepare(picture, {false, "speed 2"}, scene);
  CHECK(presenter.prepared == 4);
  const SwapTime swap = back_buffer.swap();
  CHECK(swap.swapped >= swap.began);
}

TEST_CASE("a held picture knows its hint, and until when the newest one lasts", "[panel]") {
  HeldPicture held;
  held.note_hint("paused", at_ms(700));
  CHECK(held.hint() == "paused");
  CHECK(held.hint_until() == at_ms(700));
  held.note_hint("", std::nullopt);
  CHECK(held.hint().empty());
  CHECK(held.hint_until() == at_ms(700));
}

TEST_CASE("nothing follows a paused grid's tick, nor the last one of a grid that ends", "[panel]") {
  sync::TickGrid grid;
  CHECK_FALSE(nothing_follows(grid, 1'000'000));
  grid.count = 10;
  CHECK_FALSE(nothing_follows(grid, 8));
  CHECK(nothing_follows(grid, 9));
  grid.rate_fps = {0, 1};
  CHECK(nothing_follows(grid, 0));
}

TEST_CASE("the director is told of pictures for snapshots again until they are written",
          "[panel]") {
  KeptSnapshots kept(20);
  const auto add = [&](std::int64_t frame, std::uint64_t number = 0) {
    PanelSnapshot snapshot;
    snapshot.number = number;
    snapshot.wanted_frame = frame;
    snapshot.size_px = {1, 2};
    snapshot.pixels.resize(8);
    kept.add(std::move(snapshot));
  };
  const auto told = [&](bool again) {
    std::vector<std::int64_t> frames;
    for (const KeptSnapshots::Picture& picture : kept.to_tell(again))
      frames.push_back(picture->wanted_frame);
    return frames;
  };
  using Frames = std::vector<std::int64_t>;
  add(1);
  CHECK(told(false) == Frames{1});
  add(2);
  CHECK(told(false) == Frames{2});
  CHECK(told(false) == Frames{});
  CHECK(told(true) == Frames{1, 2});
  kept.forget({0, 1});
  CHECK(told(true) == Frames{2});
  add(3);
  add(4);  // more than the memory holds: the oldest is forgotten
  CHECK(told(true) == Frames{3, 4});
  kept.forget({0, 3});
  add(5, 9);
  CHECK(told(false) == Frames{5});
  CHECK(told(true) == Frames{4});  // the order of a director that died is forgotten
  CHECK(kept.left().size() == 1);
  static_cast<void>(kept.band({{0, 4}, 0, 1}));
  CHECK(kept.left().size() == 1);
  static_cast<void>(kept.band({{0, 4}, 1, 1}));
  CHECK(kept.left().empty());
  static_cast<void>(told(true));
  CHECK(kept.left().size() == 1);
}

TEST_CASE("a band has the rows that were asked for, or none where there is no such picture",
          "[panel]") {
  KeptSnapshots kept;
  PanelSnapshot snapshot;
  snapshot.number = 7;
  snapshot.size_px = {2, 3};
  for (std::uint8_t i = 0; i < 24; ++i) snapshot.pixels.push_back(i);
  kept.add(snapshot);
  const auto band = [&](const SnapshotBand& asked) {
    const net::Message message = kept.band(asked);
    const SnapshotBand sent = snapshot_band_from_json(nlohmann::json::parse(message.text));
    CHECK(sent.name == asked.name);
    CHECK(sent.first_row == asked.first_row);
    CHECK(message.blob.size() == static_cast<std::size_t>(8 * sent.rows));
    return message.blob;
  };
  CHECK(band({{7, 0}, 1, 1}) == std::vector<std::uint8_t>{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(band({{7, 0}, 0, 3}) == snapshot.pixels);
  CHECK(band({{7, 0}, 2, 2}).empty());
  CHECK(band({{7, 0}, 4, 1}).empty());
  CHECK(band({{8, 0}, 0, 1}).empty());
}
