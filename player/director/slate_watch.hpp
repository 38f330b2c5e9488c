// Decides which regions show a slate in place of pictures that no longer come: those whose picture
// has stayed for a second on all panels that show them, although their timelines advance.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class SlateWatch {
 public:
  /// A picture that stays for so long gives way to a slate.
  static constexpr Nanos frozen_after = std::chrono::seconds(1);

  explicit SlateWatch(std::size_t panels) : panels_(panels) {}

  /// Takes which regions a panel shows, and since when their pictures stay.
  void take(std::size_t panel, const std::vector<scene::RegionStay>& regions);
  /// Forgets what a panel shows: it has disconnected.
  void leave(std::size_t panel);

  /// A region whose slate has to be put up or taken off.
  struct Change {
    std::string region;
    std::optional<GlobalInstant> since;  ///< when its pictures stopped; empty: take the slate off
    bool operator==(const Change&) const = default;
  };
  /// The changes that the scene needs at `now`. A region of which no panel has reported anything
  /// stays as it is, and so does one that has ended. One that is paused has no slate.
  [[nodiscard]] std::vector<Change> changes(const scene::Scene& scene, GlobalInstant now) const;

 private:
  [[nodiscard]] std::vector<scene::RegionStay> reports_on(const std::string& region) const;

  std::vector<std::vector<scene::RegionStay>> panels_;  // by panel: the regions that it shows
};

/// The text of a slate: the region's source, and the time of day at which its pictures stopped, by
/// the clock of this host. `now` is the present time on both clocks.
struct TimeOfDay {
  GlobalInstant global;
  std::chrono::system_clock::time_point day;
};
[[nodiscard]] std::string slate_text(const scene::Region& region, GlobalInstant since,
                                     const TimeOfDay& now);

}  // namespace tilewall::director
