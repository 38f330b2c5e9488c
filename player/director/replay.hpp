// Runs the commands of a recorded show again, each at its instant after the show's start.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "player/director/log/recording.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/verbs/operator_keys.hpp"

namespace tilewall::director {

/// Chooses the change of a recording that has to be made now. Changes are made one after the other,
/// because each is executed upon the scene of the one before. Reads no clock.
class ReplayPlan {
 public:
  /// `recording` outlives this object. The first `made` changes were made before.
  ReplayPlan(const Recording& recording, std::size_t made);

  struct Due {
    const RecordedChange& change;
    GlobalInstant at;  ///< when it takes effect
  };
  /// The next change, once it has to be made at `now` to be in time: the show started at `start`,
  /// and a change is made `lead` before it takes effect. Empty until note_made() is called.
  [[nodiscard]] std::optional<Due> take(GlobalInstant start, GlobalInstant now, Nanos lead);
  /// Notes that the change of the last take() was made, or was refused.
  void note_made();
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

  /// The cue that the replay goes to next; empty: to none.
  [[nodiscard]] std::optional<std::string> next_cue() const;
  /// Whether the recorded show has ended at `now`.
  [[nodiscard]] bool is_over(GlobalInstant start, GlobalInstant now) const;

 private:
  const Recording& recording_;
  std::vector<Nanos> make_by_;  // for each change: the earliest effect of it and all later ones
  std::size_t made_;
  bool is_taken_ = false;
};

class Replay {
 public:
  /// Everything referred to outlives this object. `tell_clients` sends an event.
  Replay(const ShowParts& parts, ShowLifecycle& lifecycle, const Recording& recording,
         std::function<void(const char* name, const nlohmann::json& event)> tell_clients);

  /// Asks for the commands that are due, and ends the show where the recorded one ended. To be
  /// called in every turn once the show plays.
  void step();

  /// The index of the cue that the replay goes to next, for which panels get ready; empty: none.
  [[nodiscard]] std::optional<std::size_t> next_cue() const;

 private:
  void make(const ReplayPlan::Due& due);
  void ask(const RecordedCommand& recorded, GlobalInstant at);
  [[nodiscard]] ApplyCommand command_of(const RecordedCommand& recorded);
  void load_cues(const RecordedCommand& recorded);
  [[nodiscard]] ApplyCommand load_show(const RecordedCommand& recorded);
  /// Keeps the list for the next director, and tells clients of it.
  void publish_cues();
  void note_refusal(const RecordedCommand& recorded, const std::string& error);
  void note_answer();

  const ShowParts parts_;
  ShowLifecycle& lifecycle_;
  const Recording& recording_;
  const std::function<void(const char* name, const nlohmann::json& event)> tell_clients_;
  ReplayPlan plan_;
  PointerHand hand_;
  std::size_t unanswered_ = 0;  // commands of the change that is being made
};

}  // namespace tilewall::director
