// What the decoder of a movie does next.

#include "player/movie/decoder/decode_plan.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace tilewall;
using namespace tilewall::movie;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::vector<FrameReach> each_of(std::int64_t first, std::int64_t end) {
  std::vector<FrameReach> held;
  for (std::int64_t frame = first; frame < end; ++frame) held.push_back({frame, frame + 1});
  return held;
}

DecodeState state_at(std::int64_t position) { return {1000, position, false, 8, 10 * second_ns}; }

}  // namespace

TEST_CASE("the decoder goes on ahead of the panels until the slots are full", "[movie]") {
  const std::vector<FrameRequest> requests = {{100, 1, 0}, {102, 1, 0}};
  CHECK(next_target(state_at(100), requests, {}, {}) == 100);
  CHECK(next_target(state_at(104), requests, each_of(100, 104), {}) == 104);
  CHECK_FALSE(next_target(state_at(110), requests, each_of(100, 110), {}));
  CHECK_FALSE(next_target(state_at(110), {}, {}, {}));
}

TEST_CASE("frames that cannot be had are passed over", "[movie]") {
  const std::vector<FrameRequest> requests = {{100, 1, 0}};
  CHECK(next_target(state_at(100), requests, {}, each_of(100, 103)) == 103);
}

TEST_CASE("the start is decoded while the end is still shown", "[movie]") {
  const std::vector<FrameRequest> requests = {{996, 1, 0}};
  DecodeState state = state_at(1000);
  state.at_end = true;
  CHECK(next_target(state, requests, each_of(996, 1000), {}) == 0);
  CHECK(distance_of({0, 1}, requests, 1000) == 4);
  const std::vector<FrameRequest> within = {{4, 1, 0}};
  CHECK(distance_of({3, 6}, within, 1000) == 0);
  CHECK(distance_of({995, 996}, requests, 1000) == 999);
  CHECK(distance_of({995, 996}, requests, 0) == far_away);
  // Backwards, a picture's last frame is its nearest one: those from 3 to 5 are shown from 5 on.
  const std::vector<FrameRequest> backwards = {{10, -1, 0}};
  CHECK(distance_of({3, 6}, backwards, 1000) == 5);
  CHECK(distance_of({10, 12}, backwards, 1000) == 0);
}

TEST_CASE("frames just behind a panel count as far ahead, and are kept for it", "[movie]") {
  const std::vector<FrameRequest> requests = {{100, 1, 0, false, 3, 24}, {102, 1, 0, false, 3, 24}};
  CHECK(distance_of({99, 100}, requests, 1000) == 24);
  CHECK(distance_of({97, 98}, requests, 1000) == 24);
  CHECK(distance_of({96, 97}, requests, 1000) == 994);  // in the next round
  CHECK(distance_of({96, 97}, requests, 0) == far_away);
  const std::vector<FrameRequest> backwards = {{100, -1, 0, false, 3, 24}};
  CHECK(distance_of({101, 102}, backwards, 0) == 24);
  CHECK(distance_of({104, 105}, backwards, 0) == far_away);
  const std::vector<FrameRequest> short_loop = {{4, 1, 0, false, 3, 24}};
  CHECK(distance_of({3, 4}, short_loop, 10) == 9);  // it comes again before that
}

TEST_CASE("backwards, blocks are decoded whole, one jump each", "[movie]") {
  const std::vector<FrameRequest> requests = {{100, -1, 0}};
  CHECK(next_target(state_at(400), requests, {}, {}) == 97);
  CHECK(next_target(state_at(98), requests, each_of(97, 98), {}) == 100);  // on its way there
  CHECK_FALSE(next_target(state_at(101), requests, each_of(97, 101), {}));
  const std::vector<FrameRequest> later = {{98, -1, 0}};
  CHECK_FALSE(next_target(state_at(101), later, each_of(97, 99), {}));
  const std::vector<FrameRequest> last = {{97, -1, 0}};
  CHECK(next_target(state_at(101), last, each_of(97, 98), {}) == 93);
  CHECK(next_target(state_at(101), std::vector<FrameRequest>{{1, -1, 0}}, {}, {}) == 0);
}

TEST_CASE("a panel elsewhere gets its frames when it has waited for a while", "[movie]") {
  const std::int64_t now_ns = state_at(0).now_ns;
  const std::vector<FrameRequest> fresh = {{100, 1, 0}, {700, 1, now_ns - 1000}};
  CHECK(next_target(state_at(101), fresh, each_of(100, 101), {}) == 101);
  CHECK(next_target(state_at(104), fresh, each_of(100, 104), {}) == 700);  // they have enough
  const std::vector<FrameRequest> waiting = {{100, 1, 0}, {700, 1, now_ns - second_ns}};
  CHECK(next_target(state_at(101), waiting, each_of(100, 101), {}) == 700);
  const std::vector<FrameRequest> others_longer = {{100, 1, now_ns - 2 * second_ns},
                                                   {700, 1, now_ns - second_ns}};
  CHECK(next_target(state_at(98), others_longer, {}, {}) == 100);
}

TEST_CASE("panels at many places of the movie all get on", "[movie]") {
  // A decoder that does as planned, with panels that draw what is there.
  std::vector<FrameRequest> requests = {{10, 1, 0}, {12, 1, 0}, {500, 1, 0}, {900, -1, 0}};
  std::vector<std::int64_t> drawn(requests.size());
  std::set<std::int64_t> held;
  DecodeState state{1000, 0, false, 8, 0};
  for (int turn = 0; turn < 20'000; ++turn) {
    state.now_ns += 5'000'000;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      FrameRequest& request = requests[i];
      if (held.contains(request.frame)) {
        ++drawn[i];
        request = {(request.frame + request.direction + 1000) % 1000, request.direction, 0};
      } else if (request.waiting_since_ns == 0) {
        request.waiting_since_ns = state.now_ns;
      }
    }
    std::vector<FrameReach> reaches;
    for (const std::int64_t frame : held) reaches.push_back({frame, frame + 1});
    const auto target = next_target(state, requests, reaches, {});
    if (!target) continue;
    if (*target < state.position || *target > state.position + 96) state.position = *target;
    const std::int64_t frame = state.position++;
    if (distance_of({frame, frame + 1}, requests, 1000) >= state.slots) continue;
    held.insert(frame);
    if (held.size() <= static_cast<std::size_t>(state.slots)) continue;
    std::int64_t farthest = frame;
    for (const std::int64_t other : held)
      if (distance_of({other, other + 1}, requests, 1000) >
          distance_of({farthest, farthest + 1}, requests, 1000))
        farthest = other;
    held.erase(farthest);
  }
  CAPTURE(drawn);
  for (const std::int64_t count : drawn) CHECK(count > 200);
}
