// What a panel tells of all the sources that it has open.

#include "player/panel/source_cache.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <map>
#include <string>

#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using namespace tilewall;

namespace {

/// An ordinary movie, whose decoder is at another process.
class CachedMovie final : public PictureSource {
 public:
  explicit CachedMovie(const DecoderStatus& status) : status_(status) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return {16, 16}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/,
                  const ImageView& /*picture*/, const ImageView* /*last_good*/) override {
    return DrawStatus::whole;
  }
  [[nodiscard]] std::optional<DecoderStatus> decoder_status() const override { return status_; }

 private:
  const DecoderStatus& status_;
  DrawCounters counters_;
};

class Cache {
 public:
  SourceCache& operator*() { return cache_; }
  SourceCache* operator->() { return &cache_; }

  /// What the movie's decoder tells from now on.
  DecoderStatus& status(const std::string& movie) { return statuses_[movie]; }

  void show(const std::string& movie) {
    auto spec = std::make_shared<SourceSpec>();
    spec->kind = SourceKind::movie;
    spec->path = movie;
    static_cast<void>(cache_.get(spec));
  }

  [[nodiscard]] std::vector<std::int64_t> deaths() const {
    std::vector<std::int64_t> died_ns;
    const auto decoder = cache_.totals().decoder;
    if (!decoder) return died_ns;
    for (const DecoderDeath& death : decoder->deaths) died_ns.push_back(death.died_ns);
    std::ranges::sort(died_ns);
    return died_ns;
  }

 private:
  std::map<std::string, DecoderStatus> statuses_;
  SourceCache cache_{[this](const SourceSpec& spec) {
    return std::make_unique<CachedMovie>(statuses_[spec.path]);
  }};
};

/// A volume of which a part is read.
class CachedVolume final : public PictureSource {
 public:
  explicit CachedVolume(VolumeStatus status) : status_(std::move(status)) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return {16, 16}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/,
                  const ImageView& /*picture*/, const ImageView* /*last_good*/) override {
    return DrawStatus::whole;
  }
  [[nodiscard]] std::optional<VolumeStatus> volume_status() const override { return status_; }

 private:
  VolumeStatus status_;
  DrawCounters counters_;
};

using Deaths = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the deaths of the decoders of all movies that are open are told", "[panel]") {
  Cache cache;
  CHECK_FALSE(cache->totals().decoder);
  cache.status("/left") = {
      {{1, 10, 1000, 7}}, DecodeDevice::cpu, "no device", {{100, 150}, {300, 0}}};
  cache.status("/right") = {{{2, 5, 500, 3}}, DecodeDevice::cuda, "", {{200, 250}}};
  cache.show("/left");
  cache.show("/right");
  CHECK(cache.deaths() == Deaths{100, 200, 300});
  const DecoderStatus both = *cache->totals().decoder;
  CHECK(sum_of(both.movies) == DecodedMovie{0, 15, 1500, 10});
  CHECK(both.device == DecodeDevice::cuda);  // the newest movie's
  CHECK(both.device_note == "no device");
}

TEST_CASE("deaths stay told when their movie is closed, and count once when it comes again",
          "[panel]") {
  Cache cache;
  cache.status("/first").deaths = {{100, 0}};
  cache.show("/first");
  cache->clear();
  cache.show("/second");
  CHECK(cache.deaths() == Deaths{100});
  cache.status("/first").deaths = {{100, 150}};
  cache.show("/first");
  CHECK(cache.deaths() == Deaths{100});
  CHECK(cache->totals().decoder->deaths.front().back_ns == 150);
}

TEST_CASE("what was decoded of a movie stays told when it is closed, and counts once", "[panel]") {
  Cache cache;
  cache.status("/first").movies = {{1, 10, 1000, 7}};
  cache.status("/second").movies = {{2, 5, 500, 3}};
  cache.show("/first");
  cache->clear();
  cache.show("/second");
  CHECK(sum_of(cache->totals().decoder->movies).pictures == 15);
  cache.status("/first").movies = {{1, 12, 1200, 8}};
  cache.show("/first");
  CHECK(sum_of(cache->totals().decoder->movies) == DecodedMovie{0, 17, 1700, 11});
}

namespace {

SourcePtr movie_at(const std::string& path) {
  SourceSpec spec;
  spec.kind = SourceKind::movie;
  spec.path = path;
  return std::make_shared<const SourceSpec>(spec);
}

/// A source one of whose threads may wait for a disk.
class BusySource final : public PictureSource {
 public:
  BusySource(const std::atomic<bool>& is_busy, std::atomic<int>& destroyed)
      : is_busy_(is_busy), destroyed_(destroyed) {}
  ~BusySource() override { ++destroyed_; }
  [[nodiscard]] SizePx size_px() const noexcept override { return {16, 16}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/,
                  const ImageView& /*picture*/, const ImageView* /*last_good*/) override {
    return DrawStatus::whole;
  }
  [[nodiscard]] bool is_busy() const override { return is_busy_; }

 private:
  const std::atomic<bool>& is_busy_;
  std::atomic<int>& destroyed_;
  DrawCounters counters_;
};

}  // namespace

TEST_CASE("a source that takes long to open keeps no other one waiting", "[panel]") {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  const std::atomic<bool> idle{false};
  std::atomic<int> destroyed{0};
  SourceCache cache([&](const SourceSpec& spec) {
    if (spec.path == "/hung") answered.wait();
    if (spec.path == "/bad") throw InputError("/bad: expected a movie, found none");
    return std::make_unique<BusySource>(idle, destroyed);
  });
  const SourcePtr hung = movie_at("/hung");
  CHECK(cache.find(hung) == nullptr);
  CHECK(cache.get(movie_at("/other")) != nullptr);
  CHECK(cache.get(hung, [] { return true; }) == nullptr);
  CHECK_FALSE(cache.is_open(hung));
  CHECK_THROWS_AS(cache.get(movie_at("/bad")), InputError);
  CHECK_THROWS_AS(cache.get(movie_at("/bad")), InputError);  // it was opened anew
  cache.clear();  // does not wait for the one that is being opened
  CHECK(destroyed == 1);
  CHECK(cache.find(hung) == nullptr);
  answer.set_value();
  CHECK(cache.get(hung) != nullptr);
  CHECK(cache.is_open(hung));
}

TEST_CASE("a source that waits for a disk is closed once that has answered", "[panel]") {
  std::atomic<bool> is_busy{false};
  std::atomic<int> destroyed{0};
  SourceCache cache(
      [&](const SourceSpec&) { return std::make_unique<BusySource>(is_busy, destroyed); });
  REQUIRE(cache.get(movie_at("/one")) != nullptr);
  is_busy = true;
  cache.clear();
  CHECK(destroyed == 0);
  cache.close_volumes_but({});
  CHECK(destroyed == 0);
  is_busy = false;
  cache.close_volumes_but({});  // the next scene begins
  CHECK(destroyed == 1);
}

TEST_CASE("all sources of a scene with many regions stay open", "[panel]") {
  const std::atomic<bool> idle{false};
  std::atomic<int> destroyed{0};
  SourceCache cache(
      [&](const SourceSpec&) { return std::make_unique<BusySource>(idle, destroyed); });
  std::vector<SourcePtr> regions;
  for (int i = 0; i < 40; ++i) regions.push_back(movie_at("/" + std::to_string(i)));
  cache.close_volumes_but(regions);
  for (const SourcePtr& one : regions) REQUIRE(cache.get(one) != nullptr);
  CHECK(destroyed == 0);
  CHECK(std::ranges::all_of(regions, [&](const SourcePtr& one) { return cache.is_open(one); }));
}

TEST_CASE("a cache takes the named sources of another one, with their figures", "[panel]") {
  const DecoderStatus status;
  int opened = 0;
  const SourceCache::Open open = [&](const SourceSpec&) {
    ++opened;
    return std::make_unique<CachedMovie>(status);
  };
  SourceCache running(open);
  SourceCache next(open);
  static_cast<void>(running.get(movie_at("/both")));
  static_cast<void>(next.get(movie_at("/both")));
  PictureSource* const both_next = next.get(movie_at("/both"));
  PictureSource* const only_next = next.get(movie_at("/next"));
  static_cast<void>(next.get(movie_at("/other")));
  CHECK(opened == 4);
  const std::vector<SourcePtr> named = {movie_at("/both"), movie_at("/next")};
  CHECK(running.take(next, named, false));
  CHECK(running.get(movie_at("/next")) == only_next);
  CHECK(running.get(movie_at("/both")) != both_next);  // its own goes on
  CHECK(running.take(next, named, true));
  CHECK(running.get(movie_at("/both")) == both_next);
  CHECK_FALSE(running.take(next, named, true));
  CHECK(next.is_open(movie_at("/other")));
  CHECK(opened == 4);
}

TEST_CASE("a cache closes what is not named", "[panel]") {
  const DecoderStatus status;
  SourceCache cache([&](const SourceSpec&) { return std::make_unique<CachedMovie>(status); });
  static_cast<void>(cache.get(movie_at("/first")));
  static_cast<void>(cache.get(movie_at("/second")));
  cache.close_but({movie_at("/second")});
  CHECK_FALSE(cache.is_open(movie_at("/first")));
  CHECK(cache.is_open(movie_at("/second")));
}

TEST_CASE("the newest volume is told, and how far the slowest one is", "[panel]") {
  const std::map<std::string, int> progress = {{"/old", 300}, {"/new", 700}};
  SourceCache cache([&](const SourceSpec& spec) {
    VolumeStatus status;
    status.progress = progress.at(spec.path);
    status.level = status.progress / 100;
    return std::make_unique<CachedVolume>(status);
  });
  CHECK_FALSE(cache.totals().volume);
  for (const char* const path : {"/old", "/new"}) {
    SourceSpec spec;
    spec.kind = SourceKind::volume;
    spec.path = path;
    REQUIRE(cache.get(std::make_shared<const SourceSpec>(spec)) != nullptr);
  }
  REQUIRE(cache.totals().volume);
  CHECK(cache.totals().volume->level == 7);
  CHECK(cache.totals().volume->progress == 300);
}

TEST_CASE("figures of sources are added up, also of those that were closed", "[panel]") {
  class Counting final : public PictureSource {
   public:
    explicit Counting(std::uint64_t first) {
      counters_.read_bytes = first;
      counters_.decoded_px = first + 1;
      counters_.decode_ns = first + 2;
      counters_.damaged_blocks = first + 3;
      counters_.damaged_frames = first + 4;
      counters_.received_bytes = first + 5;
      counters_.lost_packets = first + 6;
      counters_.repaired_packets = first + 7;
      counters_.samples = first + 8;
    }
    [[nodiscard]] SizePx size_px() const noexcept override { return {16, 16}; }
    [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
    DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/,
                    const ImageView& /*picture*/, const ImageView* /*last_good*/) override {
      return DrawStatus::whole;
    }

   private:
    DrawCounters counters_;
  };
  SourceCache cache([](const SourceSpec& spec) {
    return std::make_unique<Counting>(spec.path == "a" ? 100 : 2000);
  });
  const auto check = [&](std::uint64_t first, std::uint64_t sources) {
    const DecodeTotals totals = cache.totals();
    CHECK(totals.read_bytes == first);
    CHECK(totals.decoded_px == first + sources);
    CHECK(totals.decode_ns == first + 2 * sources);
    CHECK(totals.damaged_blocks == first + 3 * sources);
    CHECK(totals.damaged_frames == first + 4 * sources);
    CHECK(totals.received_bytes == first + 5 * sources);
    CHECK(totals.lost_packets == first + 6 * sources);
    CHECK(totals.repaired_packets == first + 7 * sources);
    CHECK(totals.samples == first + 8 * sources);
  };
  check(0, 0);
  for (const char* path : {"a", "b"}) {
    auto spec = std::make_shared<SourceSpec>();
    spec->path = path;
    static_cast<void>(cache.get(spec));
  }
  check(2100, 2);
  cache.clear();
  check(2100, 2);
}

TEST_CASE("beyond sixteen sources the one that was used longest ago is closed", "[panel]") {
  const DecoderStatus status;
  SourceCache cache([&](const SourceSpec&) { return std::make_unique<CachedMovie>(status); });
  const auto path = [](int i) { return "/" + std::to_string(i); };
  for (int i = 0; i < 16; ++i) static_cast<void>(cache.get(movie_at(path(i))));
  for (int i = 0; i < 16; ++i) CHECK(cache.is_open(movie_at(path(i))));
  static_cast<void>(cache.get(movie_at(path(0))));
  static_cast<void>(cache.get(movie_at(path(16))));
  CHECK(cache.is_open(movie_at(path(0))));
  CHECK_FALSE(cache.is_open(movie_at(path(1))));
  for (int i = 2; i <= 16; ++i) CHECK(cache.is_open(movie_at(path(i))));
}

TEST_CASE("a movie that grows stays open as it becomes longer, and one that was replaced does not",
          "[panel]") {
  const DecoderStatus status;
  int opened = 0;
  SourceCache cache([&](const SourceSpec&) {
    ++opened;
    return std::make_unique<CachedMovie>(status);
  });
  const auto spec = [](bool growing, std::int64_t frames, int fps) {
    SourceSpec movie;
    movie.kind = SourceKind::movie;
    movie.path = "/movie";
    movie.growing = growing;
    movie.frames = frames;
    movie.fps = {fps, 1};
    return std::make_shared<const SourceSpec>(movie);
  };
  static_cast<void>(cache.get(spec(true, 10, 24)));
  static_cast<void>(cache.get(spec(true, 20, 24)));
  CHECK(opened == 1);
  cache.clear();
  static_cast<void>(cache.get(spec(false, 10, 24)));
  static_cast<void>(cache.get(spec(false, 10, 24)));
  CHECK(opened == 2);
  static_cast<void>(cache.get(spec(false, 20, 24)));
  CHECK(opened == 3);
  static_cast<void>(cache.get(spec(false, 20, 25)));
  CHECK(opened == 4);
}

TEST_CASE("of closed movies the newest 128 deaths stay told", "[panel]") {
  Cache cache;
  for (std::int64_t i = 0; i < 130; ++i) cache.status("/many").deaths.push_back({1 + i, 0});
  cache.show("/many");
  cache->close_but({});
  cache.show("/other");
  const Deaths deaths = cache.deaths();
  REQUIRE(deaths.size() == 128);
  CHECK(deaths.front() == 3);
  CHECK(deaths.back() == 130);
}
