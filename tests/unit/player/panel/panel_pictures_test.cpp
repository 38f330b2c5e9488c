// Pictures for clients that watch the wall: how a picture is made smaller, when one is wanted, and
// what is sent.

#include "player/panel/panel_pictures.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/panel/watched_picture.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::panel;

namespace {
namespace panel_pictures_test {

struct Pixels {
  Pixels(SizePx size, std::uint8_t blue, std::uint8_t green, std::uint8_t red)
      : size_px(size),
        bytes(std::size_t{4} * static_cast<std::size_t>(size.width) *
              static_cast<std::size_t>(size.height)) {
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      bytes[i] = blue;
      bytes[i + 1] = green;
      bytes[i + 2] = red;
      bytes[i + 3] = 255;
    }
  }
  [[nodiscard]] ImageView view() {
    return {bytes.data(), size_px, std::size_t{4} * static_cast<std::size_t>(size_px.width)};
  }

  SizePx size_px;
  std::vector<std::uint8_t> bytes;
};

LocalInstant pictures_at_ms(std::int64_t ms) { return {std::chrono::milliseconds(ms)}; }

/// A scene of one region.
scene::Scene watched_scene(std::uint64_t version) {
  scene::Scene scene;
  scene.version = version;
  scene.regions.emplace_back();
  scene.regions.front().source = std::make_shared<scene::SourceSpec>();
  return scene;
}

scene::WatchOrder order_of(std::int64_t delay_ms = 0) {
  return {true, 96, 75, 200, 10'000, delay_ms};
}

/// What PanelPictures sends.
class SentPictures {
 public:
  void add(const nlohmann::json& json, std::vector<std::uint8_t> jpeg) {
    const std::scoped_lock lock(mutex_);
    pictures_.push_back({scene::swapped_picture_from_json(json), std::move(jpeg)});
  }
  [[nodiscard]] PanelPictures::Send adder() {
    return [this](const nlohmann::json& json, std::vector<std::uint8_t> jpeg) {
      add(json, std::move(jpeg));
    };
  }
  [[nodiscard]] std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return pictures_.size();
  }
  struct Sent {
    scene::SwappedPicture shown;
    std::vector<std::uint8_t> jpeg;
  };
  [[nodiscard]] Sent last() const {
    const std::scoped_lock lock(mutex_);
    return pictures_.back();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Sent> pictures_;
};

}  // namespace panel_pictures_test

using namespace panel_pictures_test;

}  // namespace

TEST_CASE("a picture is made smaller by its longer side, and never larger", "[panel]") {
  CHECK(reduced_size_px({2560, 1600}, 512) == SizePx{512, 320});
  CHECK(reduced_size_px({1600, 2560}, 512) == SizePx{320, 512});
  CHECK(reduced_size_px({160, 96}, 512) == SizePx{160, 96});
  CHECK(reduced_size_px({1920, 1080}, 100) == SizePx{100, 56});
  CHECK(reduced_size_px({5000, 2}, 96) == SizePx{96, 1});
}

TEST_CASE("each pixel of the smaller picture is the mean of the place it stands for", "[panel]") {
  // Columns of 10 and 30 in turn, rows of 0 and 100 in turn, each twice as wide as a sample.
  Pixels large({64, 32}, 0, 0, 0);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x) {
      std::uint8_t* pixel = large.view().pixel(x, y);
      pixel[0] = x % 2 == 0 ? 10 : 30;
      pixel[1] = y % 2 == 0 ? 0 : 100;
      pixel[2] = 255;
    }
  SampledRows rows;
  CHECK(rows.empty());
  rows.prepare({64, 32}, {32, 16});
  rows.take(large.view(), {});
  REQUIRE(rows.reduced_px() == SizePx{32, 16});
  Pixels small({32, 16}, 0, 0, 0);
  rows.reduce(small.view());
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 32; ++x) {
      const std::uint8_t* pixel = small.view().pixel(x, y);
      REQUIRE(pixel[0] == 20);
      REQUIRE(pixel[1] == 50);
      REQUIRE(pixel[2] == 255);
      REQUIRE(pixel[3] == 255);
    }
}

TEST_CASE("a smaller picture's samples lie in the middle of what they stand for", "[panel]") {
  // Of 16 columns for each pixel four are read, at 2, 6, 10 and 14; of 16 rows two, at 4 and 12.
  Pixels large({32, 32}, 0, 0, 0);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      std::uint8_t* pixel = large.view().pixel(x, y);
      pixel[0] = x % 4 == 2 ? 200 : 0;
      pixel[1] = y % 8 == 4 ? 100 : 0;
    }
  SampledRows rows;
  rows.prepare({32, 32}, {2, 2});
  rows.take(large.view(), {});
  Pixels small({2, 2}, 0, 0, 0);
  rows.reduce(small.view());
  CHECK(small.bytes == Pixels({2, 2}, 200, 100, 0).bytes);
}

TEST_CASE("one colour stays itself at every factor, and the inset lies over it", "[panel]") {
  for (const SizePx reduced :
       {SizePx{97, 61}, SizePx{48, 30}, SizePx{33, 20}, SizePx{11, 7}, SizePx{1, 1}}) {
    Pixels large({97, 61}, 1, 128, 254);
    SampledRows rows;
    rows.prepare({97, 61}, reduced);
    rows.take(large.view(), {});
    Pixels small(reduced, 0, 0, 0);
    rows.reduce(small.view());
    CHECK(small.bytes == Pixels(reduced, 1, 128, 254).bytes);
  }
  Pixels black({40, 40}, 0, 0, 0);
  Pixels white({20, 10}, 255, 255, 255);
  SampledRows rows;
  rows.prepare({40, 40}, {8, 8});
  rows.take(black.view(), {white.view(), {30, 30}});
  Pixels small({8, 8}, 0, 0, 0);
  rows.reduce(small.view());
  CHECK(small.view().pixel(7, 7)[0] == 255);
  CHECK(small.view().pixel(6, 6)[0] == 255);
  CHECK(small.view().pixel(5, 6)[0] == 0);
  CHECK(small.view().pixel(6, 5)[0] == 0);
}

TEST_CASE("large pictures come less often than small ones", "[panel]") {
  PicturePace pace;
  pace.start(order_of(50), pictures_at_ms(1000));
  CHECK(pace.next() == pictures_at_ms(1050));
  pace.add(order_of(), pictures_at_ms(1060), 100);
  CHECK(pace.next() == pictures_at_ms(1260));
  pace.add(order_of(), pictures_at_ms(1300), 20'000);
  CHECK(pace.next() == pictures_at_ms(3300));
  // Orders that follow each other are no way around the budget.
  pace.start(order_of(), pictures_at_ms(1400));
  CHECK(pace.next() == pictures_at_ms(3300));
}

TEST_CASE("the first picture of a scene comes sooner than the next one of a movie", "[panel]") {
  scene::WatchOrder order = order_of();
  order.interval_ms = 2000;
  PicturePace pace;
  pace.add(order, pictures_at_ms(1000), 100);
  CHECK(pace.next() == pictures_at_ms(3000));
  CHECK(pace.soonest() == pictures_at_ms(1400));
  pace.add(order, pictures_at_ms(1400), 50'000);  // but not sooner than the budget allows
  CHECK(pace.soonest() == pictures_at_ms(6400));
  SentPictures sent;
  WatchedBy watched;
  PanelPictures pictures(watched, {96, 60}, sent.adder());
  Pixels shown({96, 60}, 1, 2, 3);
  order.interval_ms = 1'000'000;
  watched.set(order);
  pictures.note_swapped(true);
  REQUIRE(test::eventually([&] { return pictures.wants(pictures_at_ms(1000)); }));
  pictures.take(shown.view(), {}, {1, 1}, pictures_at_ms(1000));
  REQUIRE(test::eventually([&] { return sent.count() == 1; }));
  pictures.note_swapped(false);
  CHECK_FALSE(pictures.wants(pictures_at_ms(900'000)));
  pictures.note_swapped(true);
  CHECK(test::eventually([&] { return pictures.wants(pictures_at_ms(900'000)); }));
}

TEST_CASE("a panel sends its present picture after an order, and then new ones", "[panel]") {
  SentPictures sent;
  WatchedBy watched;
  PanelPictures pictures(watched, {192, 120}, sent.adder());
  Pixels shown({192, 120}, 200, 100, 50);
  std::int64_t now_ms = 1000;
  const auto take = [&](std::int64_t tick) {
    pictures.take(shown.view(), {}, {tick, tick}, pictures_at_ms(now_ms));
    const std::size_t before = static_cast<std::size_t>(tick);
    REQUIRE(test::eventually([&] { return sent.count() == before; }));
    now_ms += 10'000;
    // Its thread is done with the picture a little later.
    return test::eventually([&] {
      pictures.note_swapped(false);
      return pictures.wants(pictures_at_ms(now_ms));
    });
  };
  pictures.note_swapped(false);
  CHECK_FALSE(pictures.wants(pictures_at_ms(now_ms)));
  watched.set(order_of(100));
  CHECK_FALSE(pictures.wants(pictures_at_ms(now_ms)));
  now_ms += 100;
  REQUIRE(test::eventually([&] { return pictures.wants(pictures_at_ms(now_ms)); }));
  CHECK(take(1));
  CHECK(sent.last().shown == scene::SwappedPicture{1, 1, {96, 60}});
  const auto rgb = movie::decode_jpeg(sent.last().jpeg, {96, 60});
  CHECK(std::abs(rgb[0] - 50) < 4);
  CHECK(std::abs(rgb[1] - 100) < 4);
  CHECK(std::abs(rgb[2] - 200) < 4);
  CHECK(take(2));
  watched.set({});
  CHECK_FALSE(pictures.wants(pictures_at_ms(now_ms)));
  pictures.take(shown.view(), {}, {3, 3}, pictures_at_ms(now_ms));
  watched.set(order_of());
  // A further watcher gets the present picture again, once the pause is over.
  CHECK(test::eventually([&] { return pictures.wants(pictures_at_ms(now_ms + 10'000)); }));
  CHECK(sent.count() == 2);
}

TEST_CASE("room for a panel's pictures is made, and given back, by the thread that encodes",
          "[panel]") {
  SentPictures sent;
  WatchedBy watched;
  PanelPictures pictures(watched, {192, 120}, sent.adder());
  Pixels shown({192, 120}, 200, 100, 50);
  const auto is_wanted_at_ms = [&](std::int64_t ms) {
    pictures.note_swapped(false);
    return test::eventually([&] { return pictures.wants(pictures_at_ms(ms)); });
  };
  watched.set(order_of());
  // The presenting thread has no room for rows yet, and only asks for it.
  CHECK_FALSE(pictures.wants(pictures_at_ms(1000)));
  pictures.take(shown.view(), {}, {1, 1}, pictures_at_ms(1000));
  REQUIRE(is_wanted_at_ms(1000));
  CHECK(sent.count() == 0);
  pictures.take(shown.view(), {}, {1, 1}, pictures_at_ms(1000));
  REQUIRE(test::eventually([&] { return sent.count() == 1; }));
  // The same room is good for a further order of that size, but not for another size.
  watched.set(order_of());
  REQUIRE(is_wanted_at_ms(11'000));
  watched.set(order_of());
  CHECK(pictures.wants(pictures_at_ms(11'000)));
  scene::WatchOrder larger = order_of();
  larger.side_px = 192;
  watched.set(larger);
  CHECK_FALSE(pictures.wants(pictures_at_ms(11'000)));
  REQUIRE(is_wanted_at_ms(11'000));
  pictures.take(shown.view(), {}, {2, 2}, pictures_at_ms(11'000));
  REQUIRE(test::eventually([&] { return sent.count() == 2; }));
  CHECK(sent.last().shown.size_px == SizePx{192, 120});
  // While nobody watches, it is kept for a while only.
  REQUIRE(is_wanted_at_ms(21'000));
  watched.set({});
  CHECK_FALSE(pictures.wants(pictures_at_ms(12'000)));
  watched.set(larger);
  CHECK(pictures.wants(pictures_at_ms(21'000)));
  watched.set({});
  CHECK_FALSE(pictures.wants(pictures_at_ms(23'000)));
  watched.set(larger);
  CHECK_FALSE(pictures.wants(pictures_at_ms(33'000)));
  CHECK(is_wanted_at_ms(33'000));
}

TEST_CASE("a still costs one picture for each order, from the buffer that it was shown in",
          "[panel]") {
  SentPictures sent;
  WatchedBy watched;
  PanelPictures pictures(watched, {64, 40}, sent.adder());
  PictureRing ring({64, 40}, 3);
  WatchedPicture last(pictures, ring);
  const auto show = [&](std::int64_t tick) {
    DecodedPicture picture;
    picture.tick = tick;
    picture.buffer = *ring.acquire({});
    ring.push(picture);
    last.note_swapped(picture, watched_scene(1), {}, test::at_ms(7));
    ring.pop_shown();
  };
  const auto steps = [&] {
    for (int i = 0; i < 50; ++i) {
      last.step({});
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  last.step({});
  show(4);
  steps();
  CHECK(sent.count() == 0);
  watched.set({true, 96, 75, 0, 1'000'000'000, 0});
  CHECK(test::eventually([&] {
    last.step({});
    return sent.count() == 1;
  }));
  CHECK(sent.last().shown ==
        scene::SwappedPicture{
            4, 0, {64, 40}, scene::FrameDamage::none, test::at_ms(7).since_epoch.count()});
  steps();
  CHECK(sent.count() == 1);
  watched.set({true, 96, 75, 0, 1'000'000'000, 0});
  CHECK(test::eventually([&] {
    last.step({});
    return sent.count() == 2;
  }));
  last.note_swapped_again(test::at_ms(9));
  CHECK(test::eventually([&] {
    last.step({});
    return sent.count() == 3;
  }));
  CHECK(sent.last().shown.stamp_ns == test::at_ms(9).since_epoch.count());
  // While the picture is lent, the decode thread has the other buffers.
  const auto lent = ring.take_shown();
  REQUIRE(lent);
  for (int i = 0; i < 2; ++i) CHECK(*ring.acquire({}) != *lent);
  ring.drop(*lent);
  CHECK(ring.take_shown() == lent);
  ring.drop(*lent);
  CHECK(ring.acquire({}) == lent);
  CHECK_FALSE(ring.take_shown());
}
