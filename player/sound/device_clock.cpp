#include "player/sound/device_clock.hpp"

#include <algorithm>
#include <cmath>

#include "sync/saturating.hpp"

namespace tilewall::sound {

namespace {

constexpr double bin_s = 0.25;
constexpr std::size_t max_bins = 32;
constexpr double step_s = std::chrono::duration<double>(DeviceClock::step_limit).count();
// Pulls the slope of a short window, which noise could tilt, towards nought: s^2, as the sum that
// it is added to. Of two bins it takes a quarter, of a second 3 %.
constexpr double slope_ridge = 0.01;

Nanos nanos(double seconds) { return sync::saturating_nanos(seconds * 1e9); }

}  // namespace

DeviceClock::DeviceClock(int rate_hz, Nanos latency) : rate_hz_(rate_hz), latency_(latency) {}

void DeviceClock::add(std::int64_t frame, LocalInstant asked) {
  if (!started_) {
    started_ = true;
    first_frame_ = frame;
    first_asked_ = asked;
    bin_end_s_ = bin_s;
  }
  Point point;
  point.stream_s = static_cast<double>(frame - first_frame_) / rate_hz_;
  point.late_s = std::chrono::duration<double>(asked - first_asked_).count() - point.stream_s;
  if (point.stream_s >= bin_end_s_) {
    close_bin();
    bin_ = point;
    bin_end_s_ = point.stream_s + bin_s;
  } else if (point.late_s < bin_.late_s) {
    bin_ = point;
  }
  fit();
}

bool DeviceClock::off_the_line(const Point& point) const noexcept {
  return bins_.size() > 1 && std::abs(point.late_s - line_at(point.stream_s)) > step_s;
}

void DeviceClock::close_bin() {
  const bool off = off_the_line(bin_);
  off_in_a_row_ = off ? off_in_a_row_ + 1 : 0;
  if (off_in_a_row_ > 1) {
    ++steps_;
    off_in_a_row_ = 0;
    bins_.clear();
  }
  // One that is off alone is held back: the next one tells what it was.
  if (off && off_in_a_row_ == 1) return;
  bins_.push_back(bin_);
  if (bins_.size() > max_bins) bins_.pop_front();
}

void DeviceClock::fit() {
  // A bin that has just begun may hold nothing but a late request.
  const bool alone = bins_.empty();
  const double count = static_cast<double>(alone ? 1 : bins_.size());
  Point sum = alone ? bin_ : Point{};
  for (const Point& point : bins_) {
    sum.stream_s += point.stream_s;
    sum.late_s += point.late_s;
  }
  middle_ = {sum.stream_s / count, sum.late_s / count};
  double products = 0;
  double squares = slope_ridge;
  for (const Point& point : bins_) {
    const double x = point.stream_s - middle_.stream_s;
    products += x * (point.late_s - middle_.late_s);
    squares += x * x;
  }
  slope_ = std::clamp(products / squares, -max_rate_error, max_rate_error);
}

double DeviceClock::line_at(double stream_s) const noexcept {
  return middle_.late_s + slope_ * (stream_s - middle_.stream_s);
}

LocalInstant DeviceClock::heard(std::int64_t frame) const noexcept {
  const double stream_s = static_cast<double>(frame - first_frame_) / rate_hz_;
  return first_asked_ + nanos(stream_s + line_at(stream_s)) + latency_;
}

double DeviceClock::rate_error() const noexcept { return 1.0 / (1.0 + slope_) - 1.0; }

bool StandstillWatch::stands_still(std::optional<LocalInstant> asked_at) noexcept {
  looks_ = asked_at == last_asked_at_ ? looks_ + 1 : 0;
  last_asked_at_ = asked_at;
  return looks_ > most_looks_;
}

ServoStep DriftServo::step(double error_s) noexcept {
  if (std::abs(error_s) > jump_limit_s) return {true, 0};
  return {false, std::clamp(-error_s / time_constant_s, -max_steer, max_steer)};
}

}  // namespace tilewall::sound
