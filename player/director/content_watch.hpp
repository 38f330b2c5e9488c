// Watches the content of the wall, as broadcast protection does: a panel whose picture stays for a
// second although the timeline advances is frozen, and a sound process that has stalled is silent.
// Every process may be well then, and every frame in time.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class ContentWatch {
 public:
  /// A picture that stays for so long is frozen.
  static constexpr Nanos frozen_after = std::chrono::seconds(1);
  static constexpr Nanos settle_time = std::chrono::milliseconds(400);
  /// Without any frame content counts as frozen after this time. It is longer than the 1 s of
  /// pictures that are shown in place of frames, because a busy machine's decoder may be late for
  /// seconds, and late policy slow holds a picture for 3 s.
  static constexpr Nanos silent_after = std::chrono::seconds(5);

  /// Whether each tick of the scene has another picture. A frozen picture stays although its movies
  /// go on.
  [[nodiscard]] static bool advances(const scene::Scene& scene);

  /// `panels`: their names, by index.
  explicit ContentWatch(std::vector<std::string> panels);

  /// Takes the frames that a panel has shown, in their order. `advances`: the timeline has another
  /// frame at each tick, so that a picture in place of a frame is a fault.
  void take(std::size_t panel, bool advances, const std::vector<scene::ShownFrame>& frames);
  /// Takes a report without frames, made at `now` although the timeline advances: a disk or server
  /// does not answer, and the panel's last picture stays. It is frozen once it has stayed for
  /// `silent_after` and two of the scene's shown ticks. The time before the scene does not count,
  /// nor does time without reports.
  void take_none(std::size_t panel, const scene::Scene& scene, GlobalInstant now);
  /// Takes whether the sound process has stalled while a source has sound.
  void take_sound(bool stalled, GlobalInstant now);
  /// Forgets what a panel shows: it has disconnected.
  void leave(std::size_t panel);

  /// A line for the operator where panels froze, or move again; empty where nothing has changed, or
  /// did so within `settle_time`: one cause freezes many panels one after the other.
  [[nodiscard]] std::optional<std::string> news(GlobalInstant now);

  /// The names of the panels that are frozen now, and "sound".
  [[nodiscard]] std::vector<std::string> frozen() const;
  /// Why the show has failed, at its end: "" where no content was frozen.
  [[nodiscard]] std::string failure() const;
  /// [ {`what`: the panel's name or "sound", `from_ns`, `until_ns` or null: it stayed so} ]
  [[nodiscard]] nlohmann::json report() const;

  /// The intervals so far, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  struct Interval {
    std::size_t what = 0;  // a panel, or the number of panels: sound
    std::int64_t from_ns = 0;
    std::optional<std::int64_t> until_ns;
  };
  struct Content {
    std::optional<std::int64_t> since_ns;  // stamp of the first picture that stayed
    std::optional<std::size_t> open;       // index in intervals_: it is frozen
    std::int64_t last_ns = 0;              // stamp of the last picture; 0: none yet
    std::int64_t told_ns = 0;              // instant of the last report
  };
  void begin(std::size_t what, std::int64_t since_ns);
  void stay(std::size_t what, std::int64_t at_ns);
  void move(std::size_t what, std::int64_t at_ns);
  [[nodiscard]] const std::string& name_of(std::size_t what) const { return names_[what]; }

  std::vector<std::string> names_;  // names of the panels, then "sound"
  std::vector<Content> contents_;
  std::vector<Interval> intervals_;  // at most 1000
  std::string told_;                 // the frozen ones at the last line
  std::string seen_;                 // the frozen ones at the last news()
  GlobalInstant seen_at_;            // when they became these
};

}  // namespace tilewall::director
