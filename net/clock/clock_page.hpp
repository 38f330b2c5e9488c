// The host's ClockBoard in a small file that all its processes map: written by the host service,
// read by the panels.
//
// The file stands in the run directory and goes with it. A writer that is started again goes on in
// the same file, so readers keep their mapping of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>

#include "net/clock/clock_board.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

/// Layout of the file.
struct ClockPage {
  static constexpr std::uint64_t magic_value = 0x454741504b435754;  // 'TWCKPAGE'
  static constexpr std::uint32_t version_value = 2;

  std::atomic<std::uint64_t> magic;  ///< set last
  std::uint32_t version;
  std::uint32_t size_bytes;
  ClockBoard board;
};
// A status is copied in words, so another size or offset of its fields needs another version_value.
static_assert(
    std::is_trivially_copyable_v<sync::ClockStatus> && sizeof(sync::ClockStatus) == 144 &&
    offsetof(sync::ClockStatus, mapping) == 0 && offsetof(sync::ClockStatus, state) == 40 &&
    offsetof(sync::ClockStatus, daemon) == 44 &&
    offsetof(sync::ClockStatus, round_trip_min) == 48 &&
    offsetof(sync::ClockStatus, drift_ppb) == 56 && offsetof(sync::ClockStatus, samples) == 64 &&
    offsetof(sync::ClockStatus, rejected) == 72 && offsetof(sync::ClockStatus, lost) == 80 &&
    offsetof(sync::ClockStatus, restarts) == 88 && offsetof(sync::ClockStatus, failovers) == 96);
static_assert(offsetof(sync::ClockStatus, daemon_boot_id) == 104 &&
              offsetof(sync::ClockStatus, axis_boot_id) == 112 &&
              offsetof(sync::ClockStatus, utc_minus_global) == 120 &&
              offsetof(sync::ClockStatus, updated) == 128 &&
              offsetof(sync::ClockStatus, heard) == 136);
static_assert(sizeof(ClockMapping) == 40 && offsetof(ClockMapping, anchor_local) == 0 &&
              offsetof(ClockMapping, anchor_global) == 8 &&
              offsetof(ClockMapping, rate_ppb) == 16 &&
              offsetof(ClockMapping, bound_at_anchor) == 24 &&
              offsetof(ClockMapping, bound_growth_ppb) == 32);
static_assert(std::is_standard_layout_v<ClockPage> && sizeof(ClockPage) == 1344 &&
              offsetof(ClockPage, magic) == 0 && offsetof(ClockPage, version) == 8 &&
              offsetof(ClockPage, size_bytes) == 12 && offsetof(ClockPage, board) == 64);

struct ClockPageTraits {
  using Raw = ClockPage*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw page) noexcept;
};
using UniqueClockPage = UniqueHandle<ClockPageTraits>;

/// Reads a page. Any number of threads may do so at once.
class ClockPageReader : public GlobalClock {
 public:
  /// Empty where there is no page of this version (yet). Throws JobError where it cannot be opened.
  [[nodiscard]] static std::unique_ptr<ClockPageReader> try_open(const std::filesystem::path& path);

  explicit ClockPageReader(UniqueClockPage page) noexcept : page_(std::move(page)) {}

  /// The newest publication. Its mapping is unknown where there is none yet.
  [[nodiscard]] sync::ClockStatus status() const noexcept;
  [[nodiscard]] ClockMapping mapping() const noexcept override { return status().mapping; }

 private:
  UniqueClockPage page_;
};

/// Waits until the page exists and its clock has locked. Throws JobError where that takes longer
/// than `limit`.
[[nodiscard]] std::unique_ptr<ClockPageReader> wait_for_clock_page(
    const std::filesystem::path& path, std::chrono::milliseconds limit);

/// Writes a page. Threads: one owner. A file has at most one writer at a time.
class ClockPageWriter {
 public:
  /// Opens the page at `path`, or creates it. Throws JobError naming the file.
  explicit ClockPageWriter(const std::filesystem::path& path);

  void publish(const sync::ClockStatus& status) noexcept { page_.get()->board.publish(status); }

  /// What an earlier writer published last in this boot of the host; empty where there is none.
  [[nodiscard]] const std::optional<sync::ClockStatus>& previous() const noexcept {
    return previous_;
  }

 private:
  UniqueClockPage page_;
  std::optional<sync::ClockStatus> previous_;
};

}  // namespace tilewall::net
