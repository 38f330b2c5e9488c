// The report that a panel sends to the director a few times a second: the frames shown since the
// last report, and the totals since the start.
//
// Threads: the link's thread calls take(), the presenting thread and the decode thread add figures,
// and the main thread publishes the decoder. No function waits for a picture.
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

/// State, bound and holdover of the host's clock at `now`.
[[nodiscard]] scene::ReportedClock reported_clock(const sync::ClockStatus& status,
                                                  LocalInstant now);

/// The logged deaths of this host's processes, then the deaths of its decoders. `mapping` turns
/// their instants into global time; 0 means "not yet", and stays 0.
[[nodiscard]] std::vector<scene::HostRestart> host_restarts(
    const std::vector<trace::LoggedRestart>& logged,
    const std::optional<scene::DecoderStatus>& decoder, const ClockMapping& mapping);

/// The status with its deaths in global time; 0 stays 0.
[[nodiscard]] scene::DecoderStatus on_global_time(scene::DecoderStatus status,
                                                  const ClockMapping& mapping);

/// Copies the totals of a panel's sources into the batch.
void set_totals(scene::ShownBatch& batch, const DecodeTotals& totals, const ClockMapping& mapping);

class PanelReport {
 public:
  /// Names the decoder and ring that reports are about, for as long as this object lives. Starts
  /// the decoder. Its last totals stay in later reports.
  class Published {
   public:
    /// Everything referred to outlives this object.
    Published(PanelReport& report, DecodeAhead& decoder, PictureRing& ring) : report_(report) {
      report_.publish(&decoder, &ring);
    }
    ~Published() { report_.publish(nullptr, nullptr); }
    Published(const Published&) = delete;
    Published& operator=(const Published&) = delete;

   private:
    PanelReport& report_;
  };

  /// `clock` outlives this object. `restart_log` is the host's restart_log_file().
  PanelReport(const net::ClockPageReader& clock, std::filesystem::path restart_log);

  /// The frames shown since the last call, in one batch for each epoch. Without frames, one empty
  /// batch. Each batch has all totals. `again`: the frames of the last seconds come first, once
  /// more.
  [[nodiscard]] std::vector<scene::ShownBatch> take(bool again);

  /// How fast the published decoder draws; all 0 while none is published.
  [[nodiscard]] scene::DrawPace pace() const;

  void set_cores(std::string cores);
  void set_presenter(std::string name);
  void set_realtime(bool realtime) noexcept { realtime_ = realtime; }
  /// Sets the value of PresentLoop::present_time().
  void set_present_time(Nanos time) noexcept { present_ns_ = time.count(); }

  [[nodiscard]] ShownLog& shown() noexcept { return shown_; }
  [[nodiscard]] LateCounter& late() noexcept { return late_; }

 private:
  void publish(DecodeAhead* decoder, PictureRing* ring);
  void fill(scene::ShownBatch& batch) const;

  const net::ClockPageReader& clock_;
  const std::filesystem::path restart_log_;
  const std::filesystem::path host_memory_;  // the host's host_memory_file()
  ShownLog shown_;
  LateCounter late_;
  std::atomic<std::int64_t> present_ns_{0};
  std::atomic<bool> realtime_{true};  // true until the presenting thread knows
  mutable std::mutex mutex_;
  std::string cores_;               // guarded by mutex_
  std::string presenter_;           // guarded by mutex_
  DecodeAhead* decoder_ = nullptr;  // guarded by mutex_; null before and after the show
  PictureRing* ring_ = nullptr;     // guarded by mutex_; null where decoder_ is
  DecodeTotals last_totals_;        // guarded by mutex_; last totals of an ended decoder
};

/// Number of CPUs of this host; 0: unknown.
[[nodiscard]] int host_cpus() noexcept;

}  // namespace tilewall::panel
