// Holds the scene of a running show, and makes the next one from commands.
//
// While a change has not taken effect, commands wait. Then all waiting commands become one scene.
// So scenes never overtake each other, and a hand that drags faster than panels can draw is
// followed as fast as they can. Seeks that follow each other closely are scrubbing: they are shown
// coarsely, and in full once they have ended. The same holds for volumes that a hand moves.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/director/changes/scene_change.hpp"
#include "player/director/lateness/decimation_policy.hpp"

namespace tilewall::director {

/// The ticks that panels show from the next scene on.
struct WantedDecimation {
  Nanos interval{0};                ///< between two shown ticks; 0: every tick is shown
  Nanos pause{0};                   ///< before the first of fewer ticks
  std::int64_t pictures_ahead = 0;  ///< pictures that a panel may have drawn already
  scene::LateCause cause = scene::LateCause::decode;  ///< why ticks are left out
  std::string panel;                                  ///< panel that needs it
  /// > 0: single ticks are named, and shown alone. A new number asks for the next one.
  std::uint64_t named = 0;
};

/// The single tick that was named last.
struct NamedTick {
  std::uint64_t epoch = 0;
  std::int64_t tick = 0;
};

/// The outcome of a command.
struct CommandOutcome {
  std::string refusal;                  ///< "" = granted
  GlobalInstant at;                     ///< when all panels show it first
  GlobalInstant changed;                ///< the instant for which the commands were executed
  std::uint64_t version = 0;            ///< Scene::version
  const scene::Scene* scene = nullptr;  ///< the scene; null where refused
};

struct Command {
  std::function<void(SceneChange& change)> apply;  ///< an InputError it throws is the refusal
  std::function<void(const CommandOutcome& outcome)> answer;  ///< called once; may be empty
  /// The change takes effect at this instant, where that is at most a second away; empty: as soon
  /// as panels can show it.
  std::optional<GlobalInstant> at{};
  /// The change does not wait for the one that is on its way, and takes that one's place where it
  /// comes sooner.
  bool is_urgent = false;
  /// The command waits until this is true, and others may go before it; empty: it does not wait.
  std::function<bool(GlobalInstant now)> ready{};
  /// The change takes effect at `at` whatever panels need, who may show it late.
  bool is_exact = false;
};

class ShowControl {
 public:
  /// `scene` is the show's first, without a start instant. `lead` is that of set_lead().
  ShowControl(scene::Scene scene, Nanos lead);

  /// Continues the scene of a director that has died, which plays already.
  void go_on();
  /// Sends the scene again as a new one, above that version and epoch, with the next step(). For
  /// panels that have a newer scene than this director knows.
  void reissue_above(std::uint64_t version, std::uint64_t epoch);

  /// Changes that the show makes by itself, where a view comes to rest or a scrub is over, take
  /// effect at exactly that instant from now on. So they come at the same instants in each replay.
  void be_exact() { is_exact_ = true; }

  /// Keys change a flight path from now on, in other shows they are refused.
  void keep_path() noexcept { path_.is_kept = true; }
  /// The orders of the commands that were granted since the last call, in their order.
  [[nodiscard]] std::vector<KeyframeOrder> take_keyframe_orders() {
    return std::exchange(path_.orders, {});
  }

  /// Sets how long before its instant the next scene is made.
  void set_lead(Nanos lead) { lead_ = lead; }

  [[nodiscard]] const scene::Scene& scene() const noexcept { return scene_; }
  /// Whether a command asked for the newest scene, or the show's start.
  [[nodiscard]] bool is_asked() const noexcept { return is_asked_; }
  /// The region that the show's statistics count frames of.
  [[nodiscard]] const scene::Region& first_region() const { return scene_.regions.front(); }

  /// Starts the show at `at`, once the panels are ready. The epoch stays. Cameras begin to glide
  /// then.
  void start(GlobalInstant at);

  /// Keeps the command for the next step(). Refuses it at once where 256 are waiting.
  void ask(Command command);

  /// Makes the next scene where there is a reason: commands wait, scrubbing has ended, a view has
  /// come to rest, details can be shown, or other ticks are wanted. `delay` is the wall's delay
  /// under late policy slow, else 0. Returns whether there is a new scene.
  bool step(GlobalInstant now, Nanos delay);

  /// When the waiting commands can become the next scene; empty where none waits.
  [[nodiscard]] std::optional<GlobalInstant> next_change() const;

  /// Whether still pictures and the looks of volumes have come to rest: no change is on its way,
  /// none of them glides, and none is coarse after a move. A movie that plays is not waited for.
  [[nodiscard]] bool is_settled(GlobalInstant now) const;

  /// Sets the detail at rest, in levels below full, for a wall that cannot keep up.
  void set_resting_level(int coarser_by) { resting_level_ = coarser_by; }
  [[nodiscard]] int resting_level() const noexcept { return resting_level_; }
  /// Sets the detail, in levels below full, of volumes whose camera moves or style changes.
  void set_moving_level(int coarser_by) { moving_level_ = coarser_by; }

  /// Late policies drop and lower: sets the ticks that all panels show. The epoch stays.
  void set_decimation(WantedDecimation wanted) { decimation_ = std::move(wanted); }
  /// The tick that the scene names; empty where it names none, or not yet the wanted one.
  [[nodiscard]] std::optional<NamedTick> named_tick() const;

  /// Notes that all hosts have read the details of the scene's still volumes, or the next stage of
  /// its volumes (DetailStep). `scene`: the one that panels told it of.
  void show_details(const scene::Scene& scene) {
    detailed_ = {scene.epoch, scene.volume_stage.next()};
  }
  /// Sets what is told about reading the scene's volumes. It is shown within a second.
  void set_progress(scene::Progress progress) { progress_.wanted = std::move(progress); }

  /// The frame of the first region that is due at `at`.
  [[nodiscard]] std::int64_t frame_at(GlobalInstant at, Nanos delay) const;

  /// Commands that failed by something else than InputError.
  [[nodiscard]] std::uint64_t requests_failed() const noexcept { return requests_failed_; }

 private:
  struct Granted {
    Command command;
    std::string refusal;  // "" = granted
  };
  /// Executes the commands in their order.
  [[nodiscard]] std::vector<Granted> grant(std::vector<Command> commands, SceneChange& change);
  /// Takes the commands that are ready out of those that wait.
  [[nodiscard]] std::vector<Command> take_ready(GlobalInstant now);
  [[nodiscard]] bool is_urgent() const;
  /// When a scene with these commands takes effect.
  [[nodiscard]] GlobalInstant change_instant(const std::vector<Command>& commands,
                                             GlobalInstant now) const;
  /// When the show changes by itself next, as be_exact() says; empty where that is not soon.
  [[nodiscard]] std::optional<GlobalInstant> own_change(GlobalInstant now) const;
  [[nodiscard]] bool views_rest(GlobalInstant now) const;
  void note_commands(const SceneChange& change, GlobalInstant now);
  [[nodiscard]] std::int64_t wanted_every(const sync::TickGrid& tick_grid) const;
  /// Sets the wanted ticks in the scene, from `at` on. `pause` is the time before the first of
  /// fewer ticks; a new epoch needs none, because its first tick is shown.
  void decimate(scene::Scene& scene, GlobalInstant at, Nanos pause);
  void name_tick(scene::Scene& scene, GlobalInstant at, Nanos pause);
  [[nodiscard]] bool ticks_differ() const;
  [[nodiscard]] bool tells_progress(GlobalInstant now);
  [[nodiscard]] int wanted_detail(GlobalInstant now) const;

  scene::Scene scene_;
  bool is_asked_ = true;
  bool is_exact_ = false;
  Nanos lead_;
  std::uint64_t requests_failed_ = 0;
  std::vector<Command> waiting_;
  struct Scrub {
    GlobalInstant sought_at{Nanos::min()};
    bool is_on = false;
  };
  Scrub scrub_;
  int resting_level_ = 0;
  int moving_level_ = 1;
  WantedDecimation decimation_;
  struct Named {
    std::uint64_t number = 0;  // WantedDecimation::named of the scene
    NamedTick tick;            // valid while number > 0
  };
  Named named_;
  struct Detailed {
    std::uint64_t epoch = 0;
    int stage = 0;
    bool operator==(const Detailed&) const = default;
  };
  Detailed detailed_;  // All panels have drawn this; epoch 0: nothing.
  struct ProgressLine {
    scene::Progress wanted;               // It is to be told.
    GlobalInstant told_at{Nanos::min()};  // the scene got its line then
  };
  ProgressLine progress_;
  struct Surpassed {
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;
  };
  std::optional<Surpassed> surpassed_;  // set: the scene has to be sent again above these
  struct FlightPath {
    bool is_kept = false;
    std::vector<KeyframeOrder> orders;  // They were granted, and not taken yet.
  };
  FlightPath path_;
  GlobalInstant looks_rest_at_{Nanos::min()};  // volumes are shown in full detail from then on
};

}  // namespace tilewall::director
