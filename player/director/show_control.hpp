// The scene of a running show, and how commands about it become the next one.
//
// While a change has not taken effect yet, commands wait; then all that wait become one scene
// together. So scenes never overtake each other, and a hand that drags faster than panels can
// follow is followed as fast as they can. Seeks that come close together are scrubbing: they are
// shown coarsely, and in full once they have ended; so are volumes while a hand is at them. Pure;
// one owner.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/director/decimation_policy.hpp"
#include "player/director/scene_change.hpp"

namespace tilewall::director {

/// Which share of the ticks panels show, from the next scene on.
struct WantedDecimation {
  Nanos interval{0};                ///< between two ticks that are shown; 0: every tick is
  Nanos pause{0};                   ///< before the first of fewer ticks
  std::int64_t pictures_ahead = 0;  ///< may have been drawn already: other ticks begin after them
  scene::LateCause cause = scene::LateCause::decode;  ///< why it is not every tick
  std::string panel;                                  ///< that asks for it
  /// > 0: only single ticks are shown, each by its name: another number asks for the next one.
  std::uint64_t named = 0;
};

/// The newest of the single ticks that the wall shows.
struct NamedTick {
  std::uint64_t epoch = 0;
  std::int64_t tick = 0;
};

/// What became of a command.
struct CommandOutcome {
  std::string refusal;                  ///< "" = granted
  GlobalInstant at;                     ///< when all panels show it first
  std::uint64_t version = 0;            ///< of the scene
  const scene::Scene* scene = nullptr;  ///< the scene; null where refused
};

struct Command {
  std::function<void(SceneChange& change)> apply;  ///< an InputError it throws is the refusal
  std::function<void(const CommandOutcome& outcome)> answer;  ///< called once; may be empty
};

class ShowControl {
 public:
  /// `scene`: the first one, its start not known yet. `lead`: as set_lead()'s.
  ShowControl(scene::Scene scene, Nanos lead);

  /// How long before its instant the next scene is made.
  void set_lead(Nanos lead) { lead_ = lead; }

  [[nodiscard]] const scene::Scene& scene() const noexcept { return scene_; }
  /// The region that the show's statistics count frames of.
  [[nodiscard]] const scene::Region& first_region() const { return scene_.regions.front(); }

  /// The first start, once the panels are ready: the same epoch, now with an instant; cameras
  /// that glide, from `never` on as their timelines, begin to.
  void start(GlobalInstant at);

  /// Waits for the next step(). Refused at once where too many wait.
  void ask(Command command);

  /// Makes the next scene where it is time to: commands wait, scrubbing has ended, a view has come
  /// to rest, or details can be shown. `delay`: how far the wall has fallen behind its timelines
  /// (late policy slow). Returns whether there is a new scene.
  bool step(GlobalInstant now, Nanos delay);

  /// When the commands that wait can become the next scene; empty where none waits.
  [[nodiscard]] std::optional<GlobalInstant> next_change() const {
    return waiting_.empty() ? std::nullopt : std::optional(scene_.since);
  }

  /// Whether what stands still is shown as it stays, and volumes that play in the look that stays:
  /// no change is on its way, nothing glides there, and nothing is coarse while it moves. A movie
  /// that plays is no reason to wait.
  [[nodiscard]] bool is_settled(GlobalInstant now) const;

  /// The detail at rest, in levels below full: of a wall that cannot keep up.
  void set_resting_level(int coarser_by) { resting_level_ = coarser_by; }
  [[nodiscard]] int resting_level() const noexcept { return resting_level_; }
  /// The detail of volumes while their cameras move or their styles change, likewise.
  void set_moving_level(int coarser_by) { moving_level_ = coarser_by; }

  /// Late policies drop and lower: all panels leave out the same ticks. Pictures stay as they are.
  void set_decimation(WantedDecimation wanted) { decimation_ = std::move(wanted); }
  /// Empty where the scene names none, or not yet the one that is asked for.
  [[nodiscard]] std::optional<NamedTick> named_tick() const;

  /// All hosts have read the details of what stands still in that epoch (DetailStep).
  void show_details(std::uint64_t epoch) { detailed_epoch_ = epoch; }

  /// The frame of the first region that is due at `at`.
  [[nodiscard]] std::int64_t frame_at(GlobalInstant at, Nanos delay) const;

 private:
  struct Granted {
    Command command;
    std::string refusal;  // "" = it holds
  };
  [[nodiscard]] std::vector<Granted> grant(SceneChange& change);
  [[nodiscard]] bool views_rest(GlobalInstant now) const;
  void note_commands(const SceneChange& change, GlobalInstant now);
  [[nodiscard]] std::int64_t wanted_every(const sync::TickGrid& tick_grid) const;
  /// The scene leaves out what is wanted, from `at` on. `pause`: before the first of fewer ticks; a
  /// new epoch needs none, as its first tick is to be shown.
  void decimate(scene::Scene& scene, GlobalInstant at, Nanos pause);
  void name_tick(scene::Scene& scene, GlobalInstant at, Nanos pause);
  [[nodiscard]] bool ticks_differ() const;
  [[nodiscard]] int wanted_detail(GlobalInstant now) const;

  scene::Scene scene_;
  Nanos lead_;
  std::vector<Command> waiting_;
  GlobalInstant sought_at_{Nanos::min()};
  bool scrubbing_ = false;
  int resting_level_ = 0;
  int moving_level_ = 1;
  WantedDecimation decimation_;
  std::uint64_t named_ = 0;  // as WantedDecimation's, of the scene
  NamedTick named_tick_;     // while that is > 0
  std::uint64_t detailed_epoch_ = 0;
  GlobalInstant looks_rest_at_{Nanos::min()};  // volumes are shown in full from then on
};

}  // namespace tilewall::director
