#include "player/movie/staging/staged_prefetcher.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <numeric>

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::net;
using namespace tilewall::picture;

namespace {

constexpr std::size_t block_bytes = 100 << 10;
constexpr std::size_t budget_bytes = 10 * block_bytes;

/// Brings blocks when the test says so, or when the prefetcher waits.
class HandFetcher final : public BlockFetcher {
 public:
  struct Request {
    Ticket ticket = 0;
    std::int64_t frame = 0;
    int level = 0;
    std::size_t blocks = 0;
    Haste haste = Haste::now;
  };
  std::deque<Request> requests;         // not brought yet
  std::vector<std::int64_t> all_asked;  // frames, of all requests ever
  bool brings_alone = true;

  void bring_all() {
    for (; !requests.empty(); requests.pop_front()) bring(requests.front());
  }
  [[nodiscard]] std::vector<std::int64_t> frames_asked() const {
    std::vector<std::int64_t> frames;
    for (const Request& request : requests) frames.push_back(request.frame);
    return frames;
  }

  std::vector<Asked> fetch(std::int64_t frame, int level, std::vector<int> blocks,
                           Haste haste) override {
    requests.push_back({++tickets_, frame, level, blocks.size(), haste});
    all_asked.push_back(frame);
    std::vector<Asked> asked;
    asked.push_back({tickets_, std::move(blocks)});
    return asked;
  }
  void cancel(std::vector<Ticket> tickets) override {
    for (const Ticket ticket : tickets) {
      std::erase_if(requests, [&](const Request& request) { return request.ticket == ticket; });
      there_.erase(ticket);
    }
  }
  std::optional<Brought> take(Ticket ticket, std::size_t) override {
    const auto found = there_.find(ticket);
    if (found == there_.end()) return std::nullopt;
    Brought brought = std::move(found->second);
    there_.erase(found);
    return brought;
  }
  void give_back(SlabBuffer) noexcept override {}
  std::uint64_t news() const override { return news_; }
  void wait_for_news(std::uint64_t, LocalInstant) override {
    if (brings_alone) bring_all();
  }

 private:
  void bring(const Request& request) {
    Brought& brought = there_[request.ticket];
    brought.has_frame = true;
    brought.read_bytes = request.blocks * block_bytes + 100;  // with an index
    brought.memory.resize(request.blocks * block_bytes);
    for (std::size_t i = 0; i < request.blocks; ++i)
      brought.blocks.emplace_back(
          reinterpret_cast<const std::uint8_t*>(brought.memory.data()) + i * block_bytes,
          block_bytes);
    ++news_;
  }

  std::map<Ticket, Brought> there_;
  Ticket tickets_ = 0;
  std::uint64_t news_ = 0;
};

struct Staged {
  explicit Staged(std::shared_ptr<StageBudget> budget = std::make_shared<StageBudget>(budget_bytes))
      : fetcher(new HandFetcher),
        prefetcher(std::unique_ptr<BlockFetcher>(fetcher),
                   {std::move(budget), std::chrono::seconds(1), {}}) {
    prefetcher.select(0, one_block);
  }

  /// Draws the frame as a panel does, with the 48 next ones expected.
  void draw(std::int64_t frame) {
    const LoadedFrame* const loaded = prefetcher.take(frame);
    REQUIRE(loaded != nullptr);
    CHECK(loaded->has_index);
    expect_after(frame);
  }
  void expect_after(std::int64_t frame) {
    std::vector<std::int64_t> coming(48);
    std::iota(coming.begin(), coming.end(), frame + 1);
    prefetcher.expect(coming);
  }
  [[nodiscard]] std::uint64_t level() {
    prefetcher.count(counters);
    return counters.staged_bytes;
  }
  [[nodiscard]] bool has(std::int64_t frame) {
    const auto ready = prefetcher.ready(frame)->pictures;
    return std::any_of(ready.begin(), ready.end(),
                       [&](const ReadyPicture& picture) { return picture.first == frame; });
  }

  std::vector<int> one_block = {0};
  HandFetcher* fetcher;
  StagedPrefetcher prefetcher;
  DrawCounters counters;
};

}  // namespace

TEST_CASE("a prefetcher stages as many frames as its budget holds, and never more", "[staging]") {
  Staged staged;
  for (int frame = 0; frame < 60; ++frame) {
    staged.draw(frame);
    if (frame % 3 == 0) staged.fetcher->bring_all();
    CHECK(staged.level() <= budget_bytes);
  }
  CHECK(staged.level() > budget_bytes / 2);
  CHECK(staged.counters.stage_budget_bytes == budget_bytes);
  // Frames turn out larger than those before them.
  std::vector<int> three(3);
  std::iota(three.begin(), three.end(), 0);
  staged.prefetcher.select(0, three);
  for (int frame = 60; frame < 70; ++frame) {
    staged.draw(frame);
    staged.fetcher->bring_all();
    CHECK(staged.level() <= budget_bytes);
  }
}

TEST_CASE("after a seek the frame comes first, and what was expected is forgotten", "[staging]") {
  Staged staged;
  staged.draw(0);
  staged.fetcher->bring_all();
  staged.draw(1);
  REQUIRE_FALSE(staged.fetcher->requests.empty());
  CHECK_FALSE(staged.has(500));
  CHECK(staged.fetcher->frames_asked() == std::vector<std::int64_t>{500});
  staged.expect_after(500);
  const auto asked = staged.fetcher->frames_asked();
  CHECK(asked.front() == 500);
  CHECK(std::all_of(asked.begin(), asked.end(), [](std::int64_t frame) { return frame >= 500; }));
  for (const HandFetcher::Request& request : staged.fetcher->requests)
    CHECK((request.haste == BlockFetcher::Haste::now) == (request.frame == 500));
  CHECK(staged.level() == block_bytes);  // the picture that is shown
}

TEST_CASE("what no level wants any more is cancelled while a view zooms", "[staging]") {
  Staged staged;
  staged.draw(0);
  staged.draw(1);
  for (const int level : {1, 2, 3}) {
    staged.prefetcher.select(level, staged.one_block);
    CHECK_FALSE(staged.has(2));
    for (int tick = 0; tick < 8; ++tick) staged.expect_after(2);
    CHECK(std::all_of(
        staged.fetcher->requests.begin(), staged.fetcher->requests.end(),
        [&](const auto& request) { return request.frame == 2 || request.level == level; }));
  }
}

TEST_CASE("regions that share a movie leave each other's blocks alone", "[staging]") {
  Staged staged;
  const std::vector<int> others = {7};
  const auto times_asked = [&](int frame) {
    const auto& asked = staged.fetcher->all_asked;
    return std::count(asked.begin(), asked.end(), frame);
  };
  for (int tick = 0; tick < 30; ++tick) {
    const auto before = times_asked(tick);
    staged.prefetcher.select(0, staged.one_block);
    staged.draw(tick);
    staged.prefetcher.select(1, others);
    staged.draw(tick);
    staged.fetcher->bring_all();
    CAPTURE(tick);
    CHECK((tick == 0 || times_asked(tick) == before));
  }
}

TEST_CASE("the picture drawn last can be drawn again while the next one is late", "[staging]") {
  Staged staged;
  staged.draw(0);
  staged.fetcher->brings_alone = false;
  for (int late = 1; late < 9; ++late) {
    CHECK_FALSE(staged.has(late));
    staged.expect_after(late);
    CHECK(staged.has(0));
    staged.draw(0);
  }
}

TEST_CASE("a frame tells the bytes that were read for it and for others since the last one",
          "[staging]") {
  Staged staged;
  CHECK(staged.prefetcher.take(0)->read_bytes == block_bytes + 100);
  staged.expect_after(0);
  const std::size_t ahead = staged.fetcher->requests.size();
  REQUIRE(ahead >= 2);
  staged.fetcher->bring_all();
  CHECK(staged.prefetcher.take(1)->read_bytes == ahead * (block_bytes + 100));
  CHECK(staged.prefetcher.take(2)->read_bytes == 0);  // it was counted with the one before
}

TEST_CASE("the movies of one panel share its budget, and one that has passed lets go",
          "[staging]") {
  const auto budget = std::make_shared<StageBudget>(budget_bytes);
  Staged first(budget);
  Staged second(budget);
  const auto draw = [&](Staged& one, int frame) {
    one.draw(frame);
    one.fetcher->bring_all();
  };
  for (int frame = 0; frame < 20; ++frame) {
    draw(first, frame);
    draw(second, frame);
    CHECK(first.level() + second.level() <= budget_bytes);
  }
  CHECK(second.level() > budget_bytes / 8);
  for (int frame = 20; frame < 20 + 250; ++frame) draw(first, frame);
  CHECK(second.level() == 0);
  CHECK(first.level() > budget_bytes / 2);
  draw(second, 20);
}

TEST_CASE("a source may hold its part of the budget, and no more than others leave", "[stage]") {
  const auto budget = std::make_shared<StageBudget>(90);
  StageBudget::Share first(budget, [] {});
  CHECK(first.room() == 90);
  StageBudget::Share second(budget, [] {});
  StageBudget::Share third(budget, [] {});
  CHECK(first.room() == 90);  // the others are not drawn
  first.use();
  second.use();
  CHECK(first.room() == 45);
  CHECK(third.room() == 30);
  second.hold(70);  // from when it was alone
  CHECK(first.room() == 20);
  CHECK(second.room() == 45);
  second.hold(100);
  CHECK(first.room() == 0);
}
