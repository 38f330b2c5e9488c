// A panel's show: the picture ring, the decoder that fills it, and the loop that presents the
// pictures, all connected to the director's link.
//
// Threads: one owner, the presenting thread. The decoder's thread calls back into this class.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "player/panel/decode_ahead.hpp"
#include "player/panel/director_link.hpp"
#include "player/panel/panel_inbox.hpp"
#include "player/panel/panel_report.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/present_loop.hpp"
#include "player/placement/placement_plan.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::panel {

/// The message to the director that ends the show because of `error`.
[[nodiscard]] nlohmann::json failure_message(const std::exception& error);

class PanelShow {
 public:
  /// Parts of the panel's process, which outlive the show.
  struct Parts {
    const scene::PanelConfig& config;
    const net::ClockPageReader& clock;
    PanelInbox& inbox;
    PanelReport& report;
    DirectorLink& link;
  };

  /// Starts to decode. `movies` is the host service's socket; `trace` may be null.
  PanelShow(const Parts& parts, const std::filesystem::path& movies,
            const placement::PanelPlan& plan, present::Presenter& presenter,
            sync::TraceRecorder* trace);

  /// Presents until the director sends quit, SIGTERM arrives, or decoding has failed. Each turn of
  /// the loop counts in `turns` for the keeper's watchdog; null: nobody watches.
  void run(SharedCounter* turns);

 private:
  [[nodiscard]] DecodeAhead::Callbacks decode_callbacks();
  [[nodiscard]] PresentLoop::Callbacks present_callbacks();
  void take_failure(const std::exception& error);
  void tell_drawn(std::uint64_t epoch, std::int64_t tick, DrawnWhen when);
  void tell_primed(std::uint64_t scene_version);
  void tell_swapped(std::uint64_t scene_version);
  void tell_last_shown();
  void add_late(scene::LateCause cause, std::uint64_t frames, std::uint64_t epoch);

  const Parts parts_;
  const ThreadPlace place_;  // CPUs and memory of the presenting thread
  present::Presenter& presenter_;
  std::atomic<std::int64_t> late_at_ns_{0};  // local time of the newest late frame
  // Only the presenting thread uses it: when the newest picture was shown that nothing follows.
  LocalInstant last_shown_at_;
  std::atomic<bool> decoder_failed_{false};  // set by the decode thread, for run()
  PictureRing ring_;
  PanelPictures pictures_;
  DecodeAhead decoder_;
  const PanelReport::Published published_;  // last: it starts the decoder
};

}  // namespace tilewall::panel
