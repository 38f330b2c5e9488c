// What a panel tells of all the sources that it has open.

#include "player/panel/source_shelf.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace tilewall;

namespace {

/// An ordinary movie, whose decoder is at another process.
class ShelvedMovie final : public PictureSource {
 public:
  explicit ShelvedMovie(const DecoderStatus& status) : status_(status) {}
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

class Shelf {
 public:
  SourceShelf& operator*() { return shelf_; }
  SourceShelf* operator->() { return &shelf_; }

  /// What the movie's decoder tells from now on.
  DecoderStatus& status(const std::string& movie) { return statuses_[movie]; }

  void show(const std::string& movie) {
    auto spec = std::make_shared<SourceSpec>();
    spec->kind = SourceKind::movie;
    spec->path = movie;
    static_cast<void>(shelf_.get(spec));
  }

  [[nodiscard]] std::vector<std::int64_t> deaths() const {
    std::vector<std::int64_t> died_ns;
    const auto decoder = shelf_.totals().decoder;
    if (!decoder) return died_ns;
    for (const DecoderDeath& death : decoder->deaths) died_ns.push_back(death.died_ns);
    std::ranges::sort(died_ns);
    return died_ns;
  }

 private:
  std::map<std::string, DecoderStatus> statuses_;
  SourceShelf shelf_{[this](const SourceSpec& spec) {
    return std::make_unique<ShelvedMovie>(statuses_[spec.path]);
  }};
};

using Deaths = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the deaths of the decoders of all movies that are open are told", "[panel]") {
  Shelf shelf;
  CHECK_FALSE(shelf->totals().decoder);
  shelf.status("/left") = {
      {{1, 10, 1000, 7}}, DecodeDevice::cpu, "no device", {{100, 150}, {300, 0}}};
  shelf.status("/right") = {{{2, 5, 500, 3}}, DecodeDevice::cuda, "", {{200, 250}}};
  shelf.show("/left");
  shelf.show("/right");
  CHECK(shelf.deaths() == Deaths{100, 200, 300});
  const DecoderStatus both = *shelf->totals().decoder;
  CHECK(sum_of(both.movies) == DecodedMovie{0, 15, 1500, 10});
  CHECK(both.device == DecodeDevice::cuda);  // the newest movie's
  CHECK(both.device_note == "no device");
}

TEST_CASE("deaths stay told when their movie is closed, and count once when it comes again",
          "[panel]") {
  Shelf shelf;
  shelf.status("/first").deaths = {{100, 0}};
  shelf.show("/first");
  shelf->clear();
  shelf.show("/second");
  CHECK(shelf.deaths() == Deaths{100});
  shelf.status("/first").deaths = {{100, 150}};
  shelf.show("/first");
  CHECK(shelf.deaths() == Deaths{100});
  CHECK(shelf->totals().decoder->deaths.front().back_ns == 150);
}

TEST_CASE("what was decoded of a movie stays told when it is closed, and counts once", "[panel]") {
  Shelf shelf;
  shelf.status("/first").movies = {{1, 10, 1000, 7}};
  shelf.status("/second").movies = {{2, 5, 500, 3}};
  shelf.show("/first");
  shelf->clear();
  shelf.show("/second");
  CHECK(sum_of(shelf->totals().decoder->movies).pictures == 15);
  shelf.status("/first").movies = {{1, 12, 1200, 8}};
  shelf.show("/first");
  CHECK(sum_of(shelf->totals().decoder->movies) == DecodedMovie{0, 17, 1700, 11});
}
