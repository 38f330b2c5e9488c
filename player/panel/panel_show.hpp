// A panel's show: the ring of its pictures, the decoder that fills it and the loop that presents
// them, wired to the link to the director.
//
// Threads: one owner, the presenting thread; the decoder owns another, which calls back here.
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

/// The message that ends the show for `error`.
[[nodiscard]] nlohmann::json failure_message(const std::exception& error);

/// The message that goes before the pixels of a snapshot.
[[nodiscard]] nlohmann::json snapshot_message(const PanelSnapshot& snapshot);

class PanelShow {
 public:
  /// Of the panel's process; they outlive the show.
  struct Parts {
    const scene::PanelConfig& config;
    const net::ClockPageReader& clock;
    PanelInbox& inbox;
    PanelReport& report;
    DirectorLink& link;
  };

  /// Begins to decode. `movies`: the host service's socket. `trace` may be null.
  PanelShow(const Parts& parts, const std::filesystem::path& movies,
            const placement::PanelPlan& plan, present::Presenter& presenter,
            sync::TraceRecorder* trace);

  /// Presents until the director or SIGTERM says to quit. `turns`: what a watcher sees the loop
  /// live by; null: nobody watches.
  void run(SharedCounter* turns);

 private:
  [[nodiscard]] DecodeAhead::Callbacks decode_callbacks();
  [[nodiscard]] PresentLoop::Callbacks present_callbacks();
  void tell_drawn(std::uint64_t epoch, std::int64_t tick);
  void tell_primed(std::uint64_t scene_version);
  void add_late(scene::LateCause cause, std::uint64_t frames);

  const Parts parts_;
  const ThreadPlace place_;  // of the presenting thread
  present::Presenter& presenter_;
  std::atomic<std::int64_t> late_at_ns_{0};  // local: the newest late frame
  PictureRing ring_;
  DecodeAhead decoder_;
  const PanelReport::Published published_;  // last: it starts the decoder
};

}  // namespace tilewall::panel
