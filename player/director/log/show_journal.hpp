// What of a show is in its journal: the entries that a director writes, and the state that they
// give to the next one.
//
//   show      {"version", "wall", "panels", "arguments", "folder", "show_text"}: how the show was
//             started, with its show file as it was read; the first entry
//   director  {"pid", "local_ns"}: a director was started again
//   source    a message of SourceCatalogue, before the first scene that names the source
//   scene     {"scene", "resting_level", "delay_ns", "local_ns", "asked", "instead_of"}, before the
//             scene is sent; where a change is taken back, it replaces the scenes from the version
//             "instead_of" on
//   cues      a CueList as JSON, which replaces the one that the show began with
//   live      {"step", "run"}: which timestep of a live source is on the wall, before panels
//             hear of it
//   time      {"delay_ns"}, once a second while the show plays
//   once      {"key", "answer"}: a request with the field "once" was executed
//   end       {}: the show has ended, before its panels are told
//
// Threads: one owner, the director's thread. JournalCopy has a thread of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/log/journal.hpp"
#include "player/scene/live_messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// An executed request that must not be executed again.
struct OnceRequest {
  std::string key;
  nlohmann::json answer;
};
inline constexpr std::size_t most_once_requests = 256;
inline constexpr std::size_t longest_once_key = 256;  ///< bytes

/// A scene of the journal.
struct JournalScene {
  scene::Scene scene;
  int resting_level = 0;
  Nanos delay{0};        ///< the wall's delay under late policy slow
  LocalInstant local{};  ///< when it was written, on the director's host
  bool is_asked = true;  ///< by a command; false: the director made it by itself
};

/// What panels were told last of a live source.
struct JournalLive {
  scene::LiveStep step;
  std::uint64_t run = 0;               ///< Run of the source; 0: unknown
  std::optional<std::int64_t> held{};  ///< frame at which the wall stays; empty: it follows
  std::uint64_t shown_count = 0;       ///< timesteps that were shown
  std::uint64_t gone_by = 0;           ///< LiveTimes::gone_by
};

/// The state that a journal gives.
struct JournalState {
  nlohmann::json show;                 ///< data of the entry "show"; null: there is none of ours
  int version = 0;                     ///< version in the entry "show"; 0: there is none
  std::deque<JournalScene> scenes;     ///< the newest 64 that are whole, the newest last
  std::vector<LocalInstant> starts;    ///< starts of directors since the newest asked scene
  Nanos delay{0};                      ///< the newest known delay
  GlobalInstant written{};             ///< time of the newest entry
  std::optional<GlobalInstant> ended;  ///< when the show ended
  std::deque<OnceRequest> once;        ///< the newest 256
  std::vector<JournalLive> live;       ///< State of each live source, the newest 64
  nlohmann::json cues;                 ///< the list of cues that was loaded last; null: none was
  std::vector<std::string> unknown;    ///< lines of kinds that are not known here
  std::vector<std::string> troubles;   ///< lines for people that tell what is wrong
};

/// Reads a journal. Never throws: what is damaged is left out, and named in `troubles`.
[[nodiscard]] JournalState journal_state(std::string_view text);

/// The scene to go back to where two directors have died within 10 s of the newest change, the
/// second one at `now`: that before the newest asked scene. Null where no change is to blame.
[[nodiscard]] const JournalScene* scene_before_blamed(const JournalState& state, LocalInstant now);

/// The scene with which a show that has ended in the middle begins anew: each region at the frame
/// that was due when the newest entry was written. @pre `state` has a scene
[[nodiscard]] scene::Scene resumed_scene(const JournalState& state);

class ShowJournal {
 public:
  /// `memory_fd`: of JournalMemory. `file`: see JournalCopy.
  ShowJournal(int memory_fd, const std::filesystem::path& file);

  /// What the last director has left; empty for a new show.
  [[nodiscard]] const std::optional<JournalState>& found() const noexcept { return found_; }

  /// Writes the entry "show" of a new show, or "director" of one that goes on.
  void begin(const nlohmann::json& show, GlobalInstant at);
  /// What is written of a scene beside itself.
  struct SceneNotes {
    int resting_level = 0;
    Nanos delay{0};
    bool is_asked = true;  ///< JournalScene::is_asked
  };
  /// Writes the scene, and its sources before it. To be called before the scene is sent. Does
  /// nothing for a version that was written.
  void write(const scene::Scene& scene, const SceneNotes& notes, GlobalInstant at);
  /// The next scene takes back the newest change: it replaces the scenes from this version on.
  void take_back_from(std::uint64_t version) { instead_of_ = version; }
  /// Writes a request that was executed, together with the next scene: a director's death keeps
  /// both or none.
  void write(OnceRequest request, GlobalInstant at);
  /// Writes a request that was executed and makes no scene, at once.
  void write_alone(OnceRequest request, GlobalInstant at);
  /// Writes what panels are told of a live source. To be called before they are told.
  void write(const JournalLive& live, GlobalInstant at);
  /// Writes a list of cues. To be called before a command is executed by it.
  void write_cues(nlohmann::json cues, GlobalInstant at);
  /// Writes that the show has ended.
  void write_end(GlobalInstant at) { add({at, "end", nlohmann::json::object()}); }
  /// The answer of an executed request; null: the key is new.
  [[nodiscard]] const nlohmann::json* answer_of(const std::string& key) const;
  /// Writes the time once a second. To be called in every turn of a show that plays.
  void step(GlobalInstant now, Nanos delay);

  /// Rewrites a long journal, with the newest scenes alone. To be called after a checkpoint of the
  /// statistics, because the next director needs the scenes since the newest checkpoint.
  void shorten(GlobalInstant at);

  /// A line for people on why the file cannot be written, once for each reason; empty: no news.
  [[nodiscard]] std::optional<std::string> news();

 private:
  void add(const JournalEntry& entry);
  void add_sources(const scene::Scene& scene, GlobalInstant at, std::string& lines);
  void keep(JournalScene scene);
  void keep(OnceRequest request);
  void copy_soon();

  JournalMemory memory_;
  const int memory_fd_;
  std::optional<JournalState> found_;
  const std::filesystem::path file_;
  /// From the first scene on. Until then, the file may be the journal of a show that is resumed.
  std::optional<JournalCopy> copy_;
  nlohmann::json show_;
  scene::SourceCatalogue sources_;
  std::set<std::uint64_t> written_sources_;  // ids that are in the journal
  std::deque<JournalScene> scenes_;          // the newest, and one to go back to
  std::deque<OnceRequest> once_;
  std::vector<JournalLive> live_;
  nlohmann::json cues_;
  std::vector<std::string> unknown_;
  std::uint64_t rewritten_bytes_ = 0;  // length after it was rewritten last
  GlobalInstant next_time_{};
  Nanos delay_{0};                           // at the last step()
  std::string once_lines_;                   // executed requests that wait for their scene
  std::optional<std::uint64_t> instead_of_;  // see take_back_from()
  std::string told_trouble_;
};

}  // namespace tilewall::director
