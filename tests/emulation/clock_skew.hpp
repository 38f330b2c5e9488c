// Differences of an emulated host's clocks from this machine's: offset, drift, and the date, which
// may be set while the host runs. They lie in a small file that the bench writes and
// skewed_clock.cpp maps inside the host's processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>

namespace tilewall::test {

/// Layout of the file. The host's clocks begin to drift where the machine's CLOCK_MONOTONIC and
/// CLOCK_REALTIME are at their anchors.
struct ClockSkew {
  static constexpr std::uint64_t magic_value = 0x57454b5357540001;

  std::uint64_t magic = magic_value;
  std::int64_t offset_ns = 0;  ///< Added to CLOCK_MONOTONIC
  double drift_ppm = 0;        ///< Drift of both clocks; > 0: they run fast
  std::int64_t anchor_monotonic_ns = 0;
  std::int64_t anchor_realtime_ns = 0;
  std::atomic<std::int64_t> date_step_ns{0};  ///< added to CLOCK_REALTIME from now on

  [[nodiscard]] std::int64_t monotonic_ns(std::int64_t machine_ns) const noexcept {
    return machine_ns + offset_ns + drifted(machine_ns - anchor_monotonic_ns);
  }
  [[nodiscard]] std::int64_t realtime_ns(std::int64_t machine_ns) const noexcept {
    return machine_ns + drifted(machine_ns - anchor_realtime_ns) +
           date_step_ns.load(std::memory_order_relaxed);
  }

  /// The machine's clocks when the host's show that; exact to a nanosecond.
  [[nodiscard]] std::int64_t machine_monotonic_ns(std::int64_t host_ns) const noexcept {
    return undrifted(host_ns - offset_ns - anchor_monotonic_ns) + anchor_monotonic_ns;
  }
  [[nodiscard]] std::int64_t machine_realtime_ns(std::int64_t host_ns) const noexcept {
    const std::int64_t elapsed_ns =
        host_ns - anchor_realtime_ns - date_step_ns.load(std::memory_order_relaxed);
    return undrifted(elapsed_ns) + anchor_realtime_ns;
  }

 private:
  [[nodiscard]] std::int64_t drifted(std::int64_t elapsed_ns) const noexcept {
    return static_cast<std::int64_t>(static_cast<double>(elapsed_ns) * drift_ppm * 1e-6);
  }
  [[nodiscard]] std::int64_t undrifted(std::int64_t elapsed_ns) const noexcept {
    const double slower = drift_ppm * 1e-6 / (1 + drift_ppm * 1e-6);
    return elapsed_ns - static_cast<std::int64_t>(static_cast<double>(elapsed_ns) * slower);
  }
};
static_assert(std::is_standard_layout_v<ClockSkew> && sizeof(ClockSkew) == 48 &&
              offsetof(ClockSkew, magic) == 0 && offsetof(ClockSkew, offset_ns) == 8 &&
              offsetof(ClockSkew, drift_ppm) == 16 &&
              offsetof(ClockSkew, anchor_monotonic_ns) == 24 &&
              offsetof(ClockSkew, anchor_realtime_ns) == 32 &&
              offsetof(ClockSkew, date_step_ns) == 40);

/// Variable that names the file.
inline constexpr const char* clock_skew_variable = "TILEWALL_TEST_CLOCK_SKEW";

}  // namespace tilewall::test
