// The cues of a presentation in a running show: which one comes next, the commands that go to one,
// and the cues that follow by themselves.
//
// Where the presentation stands is part of the scene (Scene::cue), so that a new director goes on
// in the same cue with the same countdown, and every command is executed once. This class has the
// list, and what follows from both.
//
// Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/cues/cue.hpp"
#include "player/director/changes/scene_change.hpp"
#include "player/director/verbs/show_control.hpp"
#include "player/director/verbs/verbs.hpp"
#include "player/present/operator_input.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// An input of a cue that could not be opened.
struct MissingCueInput {
  std::string cue;
  std::string region;
  std::string why;  ///< in one line for people
};

/// The cues of a show.
struct CueShow {
  cues::CueList list;
  cues::CueState before;       ///< the wall before the first cue: its modes and volume
  bool is_of_journal = false;  ///< the list was loaded or changed in a show that is resumed
  std::vector<MissingCueInput> missing{};
};

/// Global time and time of day of the same moment.
struct CueTime {
  GlobalInstant global;
  std::chrono::system_clock::time_point day;
};

class CueDesk {
 public:
  /// `show` is empty where the show is no presentation. `wall` outlives this object.
  CueDesk(const wall::Wall& wall, std::optional<CueShow> show);

  [[nodiscard]] bool is_presenting() const noexcept { return show_.has_value(); }
  /// @pre is_presenting()
  [[nodiscard]] const cues::CueList& list() const { return show_->list; }

  /// Puts another list in place of the present one. The wall stays as it is; where the list lacks
  /// the cue that is shown, InputError is thrown and the present list stays.
  void replace(cues::CueList list, const scene::Scene& scene);
  /// The same for a list that may lack the cue that is shown, as the one that another director has
  /// taken before its scene. Throws InputError for a list whose cues cannot be resolved.
  void go_on_with(cues::CueList list);
  /// Grows whenever the list was replaced, or a cue's picture changed.
  [[nodiscard]] std::uint64_t edition() const noexcept { return edition_; }
  /// The inputs of the cue that are missing. @pre is_presenting()
  [[nodiscard]] std::vector<MissingCueInput> missing_of(const std::string& cue) const;

  // What changes cues while the show runs. CueList::unsaved has these changes.
  /// Sets the operator's note of a cue. @pre index < cues
  void set_note(std::size_t index, const std::string& note);
  /// Copies what the wall shows into its cue. Returns whether anything differed. Throws InputError
  /// where the wall shows what no show file can name, or shows no cue of the list.
  bool update(const scene::Scene& scene, GlobalInstant now);
  /// Forgets changes that a show file has now.
  void note_saved(const std::vector<cues::CueEntry>& changes);

  /// The change that goes to a cue. @pre index < cues
  [[nodiscard]] CueChange change_to(std::size_t index, const scene::Scene& from) const;

  /// The scene of the presentation's first picture, without a start instant. @pre index < cues
  [[nodiscard]] scene::Scene first_scene(scene::Scene scene, std::size_t index) const;

  /// The scene of a cue, to get panels ready for it: begun regions have no start instant.
  [[nodiscard]] scene::Scene scene_to_arm(std::size_t index, const scene::Scene& from) const;

  /// Notes for which cue panels are getting ready, and whether they are.
  void note_armed(std::optional<std::size_t> index, bool is_ready);
  /// Cues are gone to without waiting for panels to be ready.
  void go_unarmed() { goes_unarmed_ = true; }

  /// A command about cues.
  struct CueCommand {
    ApplyCommand apply;
    /// Command::ready: whether panels are ready for the cue. Empty: it does not go to a cue.
    std::function<bool(GlobalInstant now)> ready{};
    std::uint64_t load = 0;  ///< names a load(); 0: another command
  };

  /// The command that goes over to a cue of another show's list: its scene and the list come
  /// together, once panels are ready, and nothing changes before. It is refused where somebody has
  /// gone elsewhere meanwhile. Throws InputError for a list whose cues cannot be resolved.
  [[nodiscard]] CueCommand load(cues::CueList list, std::size_t index);
  /// Whether such a command waits.
  [[nodiscard]] bool is_loading() const noexcept { return coming_.has_value(); }
  /// The command CueCommand::load was refused: panels need not get ready for it.
  void forget_load(std::uint64_t load);

  /// The command of a request that acts on cues: next, previous, goto, panic, resume, freeze, cue.
  /// Empty for other requests, and for next, previous and goto where the show is no presentation.
  /// Throws InputError for wrong fields and unknown cues.
  [[nodiscard]] std::optional<CueCommand> command_of(const nlohmann::json& request,
                                                     const scene::Scene& scene, GlobalInstant now);

  /// The same for a key of a wall's window: page down and up go on and back, a number with enter
  /// goes to the cue of that number. Empty where the key has nothing to do with cues.
  [[nodiscard]] std::optional<CueCommand> command_of_key(present::OperatorKey key,
                                                         const scene::Scene& scene,
                                                         GlobalInstant now);

  /// The command of a replay: it goes to the cue of that name at once, also where that is on the
  /// wall already and `begins_again`. Throws InputError for an unknown cue.
  [[nodiscard]] CueCommand command_to(std::string_view cue, bool begins_again);

  /// The command that follows by itself, once for each cue. To be called in every turn. `lead` is
  /// how long before its instant a change is made.
  [[nodiscard]] std::optional<Command> follow(const scene::Scene& scene, const CueTime& now,
                                              Nanos lead);

  /// When the newest command that goes to a cue came, or the cue was to follow by itself; empty
  /// before the first one.
  [[nodiscard]] std::optional<GlobalInstant> asked_at() const noexcept {
    return asked_.go == 0 ? std::nullopt : std::optional(asked_.at);
  }
  /// When the last cue is over; empty where another one comes, or it has no `follow`.
  [[nodiscard]] std::optional<GlobalInstant> ends_at(const scene::Scene& scene,
                                                     const CueTime& now) const;

  /// The cue that `next` goes to; empty after the last one.
  [[nodiscard]] std::optional<std::size_t> next(const scene::Scene& scene) const;
  /// The cue that panels have to get ready for: the one that was chosen, or the next one.
  [[nodiscard]] std::optional<std::size_t> wanted(const scene::Scene& scene) const;

  /// The name of the cue of that index that panels get ready for. @pre index is that of wanted()
  [[nodiscard]] const std::string& name_to_arm(std::size_t index) const;

  /// For statuses: {"show", "cue", "number", "index", "count", "section", "note", "colour",
  /// "since", "next", "follows_in_s", ...}. @pre is_presenting()
  [[nodiscard]] nlohmann::json status(const scene::Scene& scene, const CueTime& now) const;
  /// For the verb `cue list`: all cues from `first` on, `most` of them.
  [[nodiscard]] nlohmann::json list_json(const scene::Scene& scene, std::size_t first,
                                         std::size_t most) const;

 private:
  [[nodiscard]] const cues::CueList& list_to_arm() const {
    return coming_ ? coming_->list : show_->list;
  }
  /// The change to a cue of any list; everything begins anew where `shown` is empty.
  [[nodiscard]] CueChange change_in(const cues::CueList& list, std::size_t index,
                                    std::optional<std::size_t> shown,
                                    const scene::Scene& from) const;
  /// Throws InputError where a cue of the list cannot be resolved.
  void check(const cues::CueList& list) const;
  /// The cue of the list that the scene shows; empty before the first one.
  [[nodiscard]] std::optional<std::size_t> current(const scene::Scene& scene) const;
  [[nodiscard]] std::optional<cues::NextCue> following(const scene::Scene& scene) const;
  /// A way to a cue.
  struct Go {
    std::size_t index = 0;
    bool begins_again = false;            ///< its section begins anew
    std::optional<GlobalInstant> from{};  ///< only from the cue that began then
  };
  /// The command that goes to a cue. It takes the place of an earlier one that still waits.
  [[nodiscard]] CueCommand go_to(const Go& go);
  [[nodiscard]] CueCommand go(const scene::Scene& scene, GlobalInstant now);
  [[nodiscard]] CueCommand go_back(const scene::Scene& scene);
  [[nodiscard]] std::optional<GlobalInstant> follow_at(const scene::Scene& scene,
                                                       const CueTime& now) const;
  [[nodiscard]] CueCommand take_number();

  const wall::Wall& wall_;
  std::optional<CueShow> show_;
  /// A cue that is gone to once panels are ready for it.
  struct Wanted {
    std::size_t index = 0;
    GlobalInstant since;
  };
  [[nodiscard]] bool is_ready_for(std::size_t index, GlobalInstant now);

  std::uint64_t edition_ = 0;
  /// A list that is gone over to once panels are ready for its cue.
  struct Coming {
    cues::CueList list;
    std::size_t index = 0;
    std::uint64_t load = 0;  // CueCommand::load
  };
  std::optional<Coming> coming_;  // empty: none
  std::uint64_t newest_go_ = 0;   // number of the newest command that goes to a cue
  struct Asked {
    std::uint64_t go = 0;  // number of the command
    GlobalInstant at;
  };
  Asked asked_;
  std::optional<Wanted> gone_to_;     // empty: nobody waits for a cue
  std::optional<std::size_t> armed_;  // the cue for which panels are getting ready
  bool is_armed_ = false;             // they are, or as far as possible
  bool goes_unarmed_ = false;
  std::optional<GlobalInstant> went_at_;  // when the newest cue began that was gone to
  GlobalInstant followed_since_{};  // CuePosition::since of the cue after which one has followed
  std::string typed_;               // the number that is being typed at a window
  GlobalInstant typed_at_{};
};

}  // namespace tilewall::director
