// What a panel tells the director a few times a second: the frames that it showed since the last
// report, and its totals so far.
//
// Threads: the link's thread calls take(); the presenting thread and the decode thread add what
// they did; the main thread publishes the decoder. Nothing here waits for a picture.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "net/clock/clock_page.hpp"
#include "player/panel/decode_ahead.hpp"
#include "player/panel/panel_counters.hpp"
#include "player/scene/messages.hpp"
#include "player/trace/restart_log.hpp"

namespace tilewall::panel {

/// How the clock of this host is at `now`.
[[nodiscard]] scene::ReportedClock reported_clock(const sync::ClockStatus& status,
                                                  LocalInstant now);

/// The deaths that were logged on this host, then those of its movies' decoders, where there are
/// any. `mapping` turns their instants into global ones; 0, which is "not yet", stays 0.
[[nodiscard]] std::vector<scene::HostRestart> host_restarts(
    const std::vector<trace::LoggedRestart>& logged,
    const std::optional<scene::DecoderStatus>& decoder, const ClockMapping& mapping);

/// The same status with global instants; 0 stays 0.
[[nodiscard]] scene::DecoderStatus on_global_time(scene::DecoderStatus status,
                                                  const ClockMapping& mapping);

/// Fills in what the sources of a panel did so far.
void set_totals(scene::ShownBatch& batch, const DecodeTotals& totals, const ClockMapping& mapping);

class PanelReport {
 public:
  /// The decoder that reports are about, and its ring, for as long as this lives. The decoder
  /// begins to decode; the totals that it ends with stay in the reports.
  class Published {
   public:
    /// Everything referred to outlives this.
    Published(PanelReport& report, DecodeAhead& decoder, PictureRing& ring) : report_(report) {
      report_.publish(&decoder, &ring);
    }
    ~Published() { report_.publish(nullptr, nullptr); }
    Published(const Published&) = delete;
    Published& operator=(const Published&) = delete;

   private:
    PanelReport& report_;
  };

  /// `clock` outlives this. `restart_log`: the host's, as restart_log_file() names it.
  PanelReport(const net::ClockPageReader& clock, std::filesystem::path restart_log);

  /// The shown frames, a batch for each epoch that they belong to, or one batch without frames.
  /// Each batch has all totals.
  [[nodiscard]] std::vector<scene::ShownBatch> take();

  /// How fast the published decoder draws.
  [[nodiscard]] scene::DrawPace pace() const;

  void set_cores(std::string cores);
  void set_presenter(std::string name);
  void set_realtime(bool realtime) noexcept { realtime_ = realtime; }
  /// As PresentLoop::present_time().
  void set_present_time(Nanos time) noexcept { present_ns_ = time.count(); }

  [[nodiscard]] ShownLog& shown() noexcept { return shown_; }
  [[nodiscard]] LateCounter& late() noexcept { return late_; }

 private:
  void publish(DecodeAhead* decoder, PictureRing* ring);
  void fill(scene::ShownBatch& batch) const;

  const net::ClockPageReader& clock_;
  const std::filesystem::path restart_log_;
  ShownLog shown_;
  LateCounter late_;
  std::atomic<std::int64_t> present_ns_{0};
  std::atomic<bool> realtime_{true};  // until the presenting thread has asked
  mutable std::mutex mutex_;
  std::string cores_;               // guarded by mutex_
  std::string presenter_;           // guarded by mutex_
  DecodeAhead* decoder_ = nullptr;  // guarded by mutex_; null before and after the show
  PictureRing* ring_ = nullptr;     // guarded by mutex_; as the one before
  DecodeTotals last_totals_;        // guarded by mutex_; of the decoder that has ended
};

/// CPUs that this host has; 0: unknown.
[[nodiscard]] int host_cpus() noexcept;

}  // namespace tilewall::panel
