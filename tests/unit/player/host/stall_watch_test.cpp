// Which decoders hang, and which are slow or starved.

#include "player/host/stall_watch.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::host;
using namespace std::chrono_literals;
using Task = StallWatch::Task;

namespace {

/// A decoder that gets nothing done, looked at every 100 ms.
class IdleDecoder {
 public:
  /// Per second of time: computed, and the share of looks that find it ready to run.
  IdleDecoder(std::chrono::nanoseconds cpu_per_s, double running_share)
      : cpu_per_s_(cpu_per_s), running_share_(running_share) {
    watch_.started(0, now_);
  }

  /// Whether it is found to hang within `span`.
  bool hangs_within(std::chrono::milliseconds span, Task task = Task::picture) {
    bool hangs = false;
    for (const auto until = now_ + span; now_ < until && !hangs;) {
      now_ += gap_;
      activity_.cpu += cpu_per_s_ / 10;
      running_ += running_share_;
      activity_.runs = running_ >= 1;
      if (activity_.runs) running_ -= 1;
      hangs = watch_.hangs(task, progress_, now_, [this] { return activity_; });
    }
    return hangs;
  }

  void decodes_a_picture() { ++progress_; }
  void goes_on(std::chrono::nanoseconds cpu_per_s, double running_share) {
    cpu_per_s_ = cpu_per_s;
    running_share_ = running_share;
  }
  void waits_for(std::chrono::nanoseconds waited) { activity_.waited += waited; }
  void finds_every_slot_in_use() { ++activity_.full_waits; }
  void looks_are_every(std::chrono::milliseconds gap) { gap_ = gap; }
  void looks_are_missed_for(std::chrono::milliseconds span) { now_ += span; }

 private:
  StallWatch watch_;
  StallWatch::TimePoint now_{1h};
  std::chrono::milliseconds gap_{100};
  std::uint64_t progress_ = 0;
  ProcessActivity activity_;
  std::chrono::nanoseconds cpu_per_s_;
  double running_share_;
  double running_ = 0;
};

}  // namespace

TEST_CASE("a decoder that is blocked while panels wait hangs", "[movie]") {
  IdleDecoder blocked(0ms, 0);
  CHECK_FALSE(blocked.hangs_within(1500ms));
  CHECK(blocked.hangs_within(500ms));
  IdleDecoder resting(10ms, 0.1);  // it looks around between its rests
  CHECK(resting.hangs_within(2s));
}

TEST_CASE("a decoder for which nobody waits does not hang", "[movie]") {
  IdleDecoder idle(0ms, 0);
  CHECK_FALSE(idle.hangs_within(10min, Task::none));
  CHECK_FALSE(idle.hangs_within(1500ms));  // counted from the first wait on
  CHECK(idle.hangs_within(500ms));
}

TEST_CASE("a look between two frames that are waited for does not begin anew", "[movie]") {
  IdleDecoder blocked(0ms, 0);
  CHECK_FALSE(blocked.hangs_within(1s));
  CHECK_FALSE(blocked.hangs_within(100ms, Task::none));
  CHECK(blocked.hangs_within(1s));
}

TEST_CASE("a starved decoder is not blamed, however little it computes", "[movie]") {
  IdleDecoder starved(25ms, 0.95);  // 2.5 % of a core, as of nice 10 beside eight busy loops
  CHECK_FALSE(starved.hangs_within(60s));
  starved.goes_on(0ms, 0);  // and then its disk dies
  CHECK(starved.hangs_within(3500ms));
}

TEST_CASE("a decoder that computes for ever hangs, with a processor or with a small share of one",
          "[movie]") {
  IdleDecoder spinning(1s, 1);
  CHECK_FALSE(spinning.hangs_within(8s));
  CHECK(spinning.hangs_within(1s));
  IdleDecoder starved(100ms, 1);
  CHECK_FALSE(starved.hangs_within(40s));
  CHECK(starved.hangs_within(2s));
}

TEST_CASE("a slow decoder that gets on is not blamed", "[movie]") {
  IdleDecoder slow(1s, 1);
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(slow.hangs_within(7s));
    slow.decodes_a_picture();
  }
}

TEST_CASE("opening a file may take longer than a picture", "[movie]") {
  IdleDecoder blocked(0ms, 0);
  CHECK_FALSE(blocked.hangs_within(12s, Task::open_file));
  CHECK(blocked.hangs_within(500ms, Task::open_file));
}

TEST_CASE("a host service that was stopped itself blames no decoder", "[movie]") {
  IdleDecoder blocked(0ms, 0);
  CHECK_FALSE(blocked.hangs_within(1s));
  blocked.looks_are_missed_for(1min);
  CHECK_FALSE(blocked.hangs_within(1500ms));
  CHECK(blocked.hangs_within(500ms));
}

TEST_CASE("a decoder that waits for a processor between its looks around is not blamed",
          "[movie]") {
  IdleDecoder starved(5ms, 0.1);
  for (int i = 0; i < 20; ++i) {
    starved.waits_for(120ms);
    CHECK_FALSE(starved.hangs_within(500ms));
  }
  CHECK(starved.hangs_within(3s));
}

TEST_CASE("a decoder whose pictures are all being read is not blamed", "[movie]") {
  IdleDecoder full(5ms, 0.1);
  for (int i = 0; i < 20; ++i) {
    full.finds_every_slot_in_use();
    CHECK_FALSE(full.hangs_within(500ms));
  }
  CHECK(full.hangs_within(3s));
}

TEST_CASE("a starved watcher gives a decoder more time", "[movie]") {
  IdleDecoder blocked(0ms, 0);
  blocked.looks_are_every(800ms);
  CHECK_FALSE(blocked.hangs_within(5s));
  CHECK(blocked.hangs_within(3s));
}
