// Records when a show plays and when it stands still (a pause, its held last frame), so that frame
// rates leave out pauses.
//
// Reads no clock. Threads: one owner. Instants are nanoseconds of global time.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <nlohmann/json_fwd.hpp>

namespace tilewall::director {

class PlayedTime {
 public:
  /// Notes that the show plays from `at_ns` on. An open interval ends there.
  void play(std::int64_t at_ns);
  /// Notes that the show stands still from `at_ns` on.
  void stand(std::int64_t at_ns);

  /// The time played within [from_ns, until_ns].
  [[nodiscard]] std::int64_t played_ns(std::int64_t from_ns, std::int64_t until_ns) const noexcept;

  /// Its state, for restore() of another director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  struct Interval {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  };
  void end_at(std::int64_t at_ns);

  std::deque<Interval> intervals_;     // in order, without overlaps
  std::int64_t forgotten_ns_ = 0;      // sum of the intervals that are no longer kept
  std::int64_t forgotten_end_ns_ = 0;  // end of the last one of these
};

}  // namespace tilewall::director
