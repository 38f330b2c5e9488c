// When a show plays and when it stands still (a pause, its held last frame), so that rates leave
// the pauses out.
//
// Pure; one owner. Instants are nanoseconds of global time.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>

namespace tilewall::director {

class PlayedTime {
 public:
  /// The show plays from `at_ns` on. What played until then ends there.
  void play(std::int64_t at_ns);
  /// The show stands still from `at_ns` on.
  void stand(std::int64_t at_ns);

  /// How long it played within [from_ns, until_ns].
  [[nodiscard]] std::int64_t played_ns(std::int64_t from_ns, std::int64_t until_ns) const noexcept;

 private:
  struct Interval {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  };
  void end_at(std::int64_t at_ns);

  std::deque<Interval> intervals_;     // in order, without overlaps
  std::int64_t forgotten_ns_ = 0;      // played in intervals too old to be kept one by one
  std::int64_t forgotten_end_ns_ = 0;  // when the last one of these ended
};

}  // namespace tilewall::director
