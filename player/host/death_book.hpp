// What to do about a decoder that dies: when to start it again, and which frames to leave alone
// because it dies of them. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace tilewall {

/// Frames [first, end) that decoders die of; none while end is 0.
struct CrashZone {
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool operator==(const CrashZone&) const = default;
};

class DeathBook {
 public:
  static constexpr int most_in_a_row = 12;
  static constexpr std::int64_t recovered_pictures = 48;  ///< a decoder with so many was healthy
  static constexpr std::int64_t same_place_frames = 64;
  static constexpr std::int64_t first_zone_frames = 32;

  /// A decoder died at `position` after `pictures` of its own; empty: it had not opened the file,
  /// so no frame is to blame. Returns how long to wait before the next one is started; empty: not
  /// again.
  [[nodiscard]] std::optional<std::chrono::milliseconds> add(std::optional<std::int64_t> position,
                                                             std::int64_t pictures);

  /// Grows fourfold with each death at the same place from the second on.
  [[nodiscard]] const CrashZone& zone() const noexcept { return zone_; }

 private:
  void note_place(std::int64_t position, bool healthy);

  int in_a_row_ = 0;
  int same_place_ = 0;
  std::int64_t place_ = 0;
  CrashZone zone_;
};

}  // namespace tilewall
