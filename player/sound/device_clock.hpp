// When the frames handed to a sound device are heard, learned from when it asks for them.
//
// A device asks for frame N of its stream when it has room for it; that is seldom on time, and
// never too early once it runs: the thread that is asked may sleep or wait for a core. So of each
// quarter of a second only the least delayed request counts, and a line through those of the last 8
// s says both the device's rate and where it is. A device that stops for a while (an underrun, a
// laptop's lid) no longer fits the line, which then begins anew.
//
// Threads: one owner. Pure: instants are arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "sync/global_time.hpp"

namespace tilewall::sound {

class DeviceClock {
 public:
  /// Real devices keep within 0.1 %; drivers that sleep instead of playing do not.
  static constexpr double max_rate_error = 0.03;
  /// Requests of two quarters of a second off the line by more than this: the device has stepped.
  static constexpr Nanos step_limit = std::chrono::milliseconds(4);

  /// `latency`: from the request for a frame to when it is heard.
  DeviceClock(int rate_hz, Nanos latency);

  /// The device asked for the frames from `frame` on. @pre both rise from call to call
  void add(std::int64_t frame, LocalInstant asked);

  /// When `frame` is heard. @pre something was added
  [[nodiscard]] LocalInstant heard(std::int64_t frame) const noexcept;

  /// The device's rate against this host's clock, minus 1: > 0 is fast.
  [[nodiscard]] double rate_error() const noexcept;

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 private:
  /// A request, as seconds of the stream at the nominal rate, and how late it came by these.
  struct Point {
    double stream_s = 0;
    double late_s = 0;
  };
  void close_bin();
  [[nodiscard]] bool off_the_line(const Point& point) const noexcept;
  void fit();
  [[nodiscard]] double line_at(double stream_s) const noexcept;

  const double rate_hz_;
  const Nanos latency_;
  bool started_ = false;
  std::int64_t first_frame_ = 0;
  LocalInstant first_asked_;
  double bin_end_s_ = 0;
  Point bin_;               // the least late of the current bin
  std::deque<Point> bins_;  // those before it
  int off_in_a_row_ = 0;
  std::uint64_t steps_ = 0;
  Point middle_;      // mean of the points, through which the fitted line goes
  double slope_ = 0;  // seconds late a second: < 0 is a fast device
};

/// Finds a device that stands still: one that has not asked for samples between many looks. Pure.
class StandstillWatch {
 public:
  /// `most_looks`: looks in a row that may find the same request.
  explicit StandstillWatch(int most_looks) noexcept : most_looks_(most_looks) {}

  /// `asked_at`: the newest request; empty before the first one.
  [[nodiscard]] bool stands_still(std::optional<LocalInstant> asked_at) noexcept;

 private:
  const int most_looks_;
  std::optional<LocalInstant> last_asked_at_;
  int looks_ = 0;
};

/// Keeps the sound on its schedule while it plays: by how much faster or slower than the schedule
/// it runs for the moment, or that it must jump.
///
/// The device's own drift is known (DeviceClock) and reckoned with before; what is left for this is
/// the error that has come about: sound rendered for an instant minus the sound due then. > 0:
/// AHEAD. Pure.
struct ServoStep {
  bool jump = false;  ///< to the sound that is due, instead of steering
  double steer = 0;   ///< the sound's speed is the schedule's times 1 + steer
};

class DriftServo {
 public:
  /// A twelfth of a semitone, for a moment: not heard.
  static constexpr double max_steer = 0.005;
  /// An error is mended to a third in this time.
  static constexpr double time_constant_s = 2.0;
  /// Beyond it the sound jumps: steering would take seconds.
  static constexpr double jump_limit_s = 0.015;

  [[nodiscard]] static ServoStep step(double error_s) noexcept;
};

}  // namespace tilewall::sound
