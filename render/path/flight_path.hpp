// A flight of a camera past key cameras, as a pure function of time.
//
// Between two stops the camera flies at an even speed: as much of the way in equal times. The way
// is that of the eye, of what it looks at, and of the view's turning at that distance together: the
// root of the sum of the three squares. So eyes that circle something, or go straight, have an even
// speed of their own, and a view turns no faster where the eye nearly rests. After a stop and
// before one the speed rises from 0 and falls to 0 within the ease. Keys with times of their own
// make it faster or slower; the speed has no jump there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/path/camera_curve.hpp"

namespace tilewall::render {

struct FlightKey {
  VolumeCamera camera;
  std::optional<double> time_s = std::nullopt;  ///< Arrival; empty: as the speed has it
  double hold_s = 0;                            ///< How long the camera stays here
  bool stops = false;                           ///< Whether it comes to rest although hold_s is 0
};

struct FlightOptions {
  /// From the first key to the end of the last one's hold. Empty: by the times of keys, or else
  /// usual_leg_s for each way from key to key.
  std::optional<double> duration_s = std::nullopt;
  double ease_s = 1;  ///< How long the speed rises or falls; less where the way is short
};

inline constexpr double usual_leg_s = 3;
inline constexpr double longest_flight_s = 24 * 3600;
inline constexpr std::size_t most_flight_keys = 10'000;

/// A place on the way: between key and key + 1.
struct FlightPlace {
  std::size_t key = 0;
  double share = 0;  ///< Share of the way, in [0, 1]; of the time where the camera rests
  bool operator==(const FlightPlace&) const = default;
};

/// What is wrong with the keys of a flight.
struct FlightFault {
  std::optional<std::size_t> key;  ///< Empty: the flight as a whole
  std::string field;
  std::string expected;
  std::string found;
};

/// Finds the first fault: fewer than two or too many keys, a camera that looks nowhere or along its
/// `up`, times that do not rise or leave no time for holds, two equal cameras with no time between
/// them. Empty: FlightPath takes the keys.
[[nodiscard]] std::optional<FlightFault> fault_of(const std::vector<FlightKey>& keys,
                                                  const FlightOptions& options);

/// Immutable; any thread may use it.
class FlightPath {
 public:
  /// @pre no fault_of(keys, options)
  FlightPath(std::vector<FlightKey> keys, const FlightOptions& options);

  [[nodiscard]] const std::vector<FlightKey>& keys() const noexcept { return keys_; }
  [[nodiscard]] double duration_s() const noexcept { return departures_.back(); }
  /// When the camera comes to a key, and when it leaves it.
  [[nodiscard]] double arrival_s(std::size_t key) const { return arrivals_[key]; }
  [[nodiscard]] double departure_s(std::size_t key) const { return departures_[key]; }

  /// Length of the way of eye, target and turning together, in world units.
  [[nodiscard]] double length() const noexcept { return way_.back(); }

  // At an instant in [0, duration_s()]; before and after it the camera is at the first or last key.
  [[nodiscard]] FlightPlace place_at(double time_s) const;
  [[nodiscard]] VolumeCamera camera_at(double time_s) const;

 private:
  /// From a stop to the next one.
  struct Run {
    std::size_t first = 0;  ///< keys
    std::size_t last = 0;
    double begin_s = 0;  ///< departure from the first key
    double end_s = 0;    ///< arrival at the last one
    double rise_s = 0;   ///< how long the speed rises, and falls
    double fall_s = 0;
    /// Place on the way by time, where keys on it have times of their own.
    std::optional<MonotoneCurve> timed;
  };

  void measure();
  void set_times(const FlightOptions& options);
  void add_run(std::size_t first, std::size_t last, double ease_s);
  void time_keys_of(const Run& run);
  [[nodiscard]] double way_at(const Run& run, double time_s) const;
  [[nodiscard]] double way_of(std::size_t key) const;
  [[nodiscard]] double curve_at(double way) const;

  std::vector<FlightKey> keys_;
  CameraCurve curve_;
  std::vector<double> way_;  ///< Length of the way up to each step of the curve
  std::vector<double> arrivals_;
  std::vector<double> departures_;
  std::vector<Run> runs_;
};

}  // namespace tilewall::render
