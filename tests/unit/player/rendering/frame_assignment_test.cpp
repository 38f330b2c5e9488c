#include "player/rendering/ranks/frame_assignment.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <set>

using tilewall::rendering::FrameAssignment;

namespace {

std::vector<std::int64_t> frames(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("ranks get runs of neighbouring frames, and single ones at the end", "[ranks]") {
  FrameAssignment assignment(frames(1000), 2);
  std::vector<std::int64_t> first;
  for (int i = 0; i < 32; ++i) first.push_back(*assignment.next(0, 0));
  CHECK(first == frames(32));
  CHECK(*assignment.next(1, 0) == 32);
  CHECK(*assignment.next(0, 0) == 64);
  // Two ranks that are equally fast have the last frames in turn.
  FrameAssignment few(frames(9), 2);
  CHECK(*few.next(0, 0) == 0);
  CHECK(*few.next(1, 0) == 1);
  CHECK(*few.next(0, 0) == 2);
}

TEST_CASE("a rank without work takes over the end of another one's run", "[ranks]") {
  FrameAssignment assignment(frames(64), 1);
  FrameAssignment two(frames(16), 2);
  CHECK(*two.next(0, 0) == 0);  // has 0, 1
  CHECK(two.under_way(0) == 1);
  std::vector<std::int64_t> second;
  while (const auto frame = two.next(1, 0)) second.push_back(*frame);
  CHECK(second.back() == 1);
  CHECK(second.size() == 15);
  CHECK_FALSE(two.next(0, 0));
}

TEST_CASE("every frame is finished once, whichever ranks are lost", "[ranks]") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 1 + random() % 4;
    FrameAssignment assignment(frames(static_cast<std::int64_t>(random() % 200)), ranks);
    std::vector<std::vector<std::int64_t>> has(ranks);
    std::multiset<std::int64_t> finished;
    const std::size_t all = [&] {
      FrameAssignment counted = assignment;
      std::size_t count = 0;
      while (counted.next(0, 0)) ++count;
      return count;
    }();
    double now_s = 0;
    while (!assignment.complete()) {
      now_s += 0.1;
      const std::size_t rank = random() % ranks;
      if (random() % 20 == 0) {
        std::vector<std::int64_t> lost = assignment.lose(rank);
        std::ranges::sort(has[rank]);
        CHECK(lost == has[rank]);
        has[rank].clear();
      } else if (random() % 2 == 0 && !has[rank].empty()) {
        CHECK(assignment.finish(has[rank].back(), now_s));
        CHECK_FALSE(assignment.finish(has[rank].back(), now_s));
        finished.insert(has[rank].back());
        has[rank].pop_back();
      } else if (const auto frame = assignment.next(rank, now_s)) {
        has[rank].push_back(*frame);
      }
      CHECK(assignment.under_way(rank) == has[rank].size());
    }
    CHECK(finished.size() == all);
    CHECK(std::set<std::int64_t>(finished.begin(), finished.end()).size() == all);
  }
}

TEST_CASE("a frame that takes far longer than others is given to a second rank", "[ranks]") {
  FrameAssignment assignment(frames(3), 2);
  const std::int64_t slow = *assignment.next(0, 0);
  const std::int64_t quick = *assignment.next(1, 0);
  CHECK_FALSE(assignment.overdue(1, 1000));  // nobody knows how long a frame takes
  CHECK(assignment.finish(quick, 2));
  const std::int64_t last = *assignment.next(1, 2);
  CHECK(assignment.finish(last, 4));
  CHECK_FALSE(assignment.next(1, 4));
  CHECK_FALSE(assignment.overdue(1, 15));  // 2 s a frame
  CHECK_FALSE(assignment.overdue(0, 17));  // its own
  CHECK(assignment.overdue(1, 17) == slow);
  CHECK_FALSE(assignment.overdue(1, 18));  // it has it already
  CHECK(assignment.under_way(0) == 1);
  CHECK(assignment.under_way(1) == 1);
  CHECK(assignment.has(0, slow));
  CHECK(assignment.has(1, slow));
  CHECK_FALSE(assignment.has(0, quick));
  SECTION("where the second one hangs too, a third one gets it") {
    FrameAssignment three(frames(2), 3);
    CHECK(*three.next(0, 0) == 0);
    CHECK(*three.next(1, 0) == 1);
    CHECK(three.finish(1, 1));
    CHECK(three.overdue(1, 20) == 0);
    CHECK_FALSE(three.overdue(2, 25));
    CHECK(three.overdue(2, 30) == 0);
    CHECK_FALSE(three.has(1, 0));
  }
  SECTION("the first one to finish it counts") {
    CHECK(assignment.finish(slow, 20));
    CHECK_FALSE(assignment.finish(slow, 21));
    CHECK(assignment.complete());
  }
  SECTION("it stays with the second one where the first one is lost") {
    CHECK(assignment.lose(0).empty());
    CHECK_FALSE(assignment.next(0, 20));
    CHECK(assignment.oldest(1) == slow);
    CHECK(assignment.finish(slow, 21));
    CHECK(assignment.complete());
  }
  SECTION("it stays with the first one where the second one is lost") {
    CHECK(assignment.lose(1).empty());
    CHECK(assignment.oldest(0) == slow);
    CHECK(assignment.overdue(1, 30) == slow);
  }
}

TEST_CASE("the oldest frame of a rank is the one that it had first", "[ranks]") {
  FrameAssignment assignment(frames(4), 1);
  CHECK_FALSE(assignment.oldest(0));
  const std::int64_t first = *assignment.next(0, 1);
  const std::int64_t second = *assignment.next(0, 2);
  CHECK(assignment.oldest(0) == first);
  CHECK(assignment.finish(first, 3));
  CHECK(assignment.oldest(0) == second);
}
