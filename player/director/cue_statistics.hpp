// The statistics of a presentation's cues: how each was gotten ready for, and what panels showed of
// it. One entry for each time that a cue was gone to.
//
// Every ledger epoch belongs to the newest cue that had begun when the epoch did. A presentation
// may run for days: the first 1000 entries are kept, and later ones are counted. Reads no clock.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/director/arming.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/director/lateness/late_log.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::director {

class CueStatistics : private TickObserver {
 public:
  /// Becomes the ledger's observer. `panels` are the names of the wall's panels; the ledger
  /// outlives this object.
  CueStatistics(std::vector<std::string> panels, ShowLedger& ledger);
  ~CueStatistics() override;
  CueStatistics(const CueStatistics&) = delete;
  CueStatistics& operator=(const CueStatistics&) = delete;

  /// Notes how far panels are with the cue that comes next. To be called in every turn.
  void note_arming(const std::string& cue, const ArmingStatus& status, GlobalInstant now);

  /// The begin of a cue.
  struct Begin {
    std::string cue;
    std::size_t index = 0;    ///< in the list of cues
    std::uint64_t epoch = 0;  ///< Epoch of the cue's first scene
    GlobalInstant since;      ///< when it takes effect
    double at_s = 0;          ///< the same in seconds since the command began
    /// When somebody went to the cue, or when it was to follow by itself. The first cue, which the
    /// show starts with, has none.
    std::optional<GlobalInstant> asked;
    std::vector<MissingCueInput> missing{};     ///< Missing inputs of this cue
    std::vector<std::string> panels_missing{};  ///< panels that the show started without
  };
  /// Notes that a cue begins. A second call for the same `since` does nothing.
  void begin(Begin begin);
  /// Notes the end of the show.
  void end(GlobalInstant at);

  /// Takes a panel's report.
  void take(std::size_t panel, const std::string& host, const scene::ShownBatch& batch);
  /// Takes late frames of the epoch; empty: of the time of the event.
  void add_late(std::optional<std::uint64_t> epoch, const LateEvent& event);

  /// The report's `cues`, in the order in which they were shown.
  [[nodiscard]] nlohmann::json report() const;
  /// The number of entries that report() lacks.
  [[nodiscard]] std::uint64_t left_out() const;

  /// The statistics, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

  static constexpr std::size_t most_entries = 1000;

 private:
  /// A cue whose panels may still report frames of it.
  struct Visit {
    Begin begun;
    std::optional<GlobalInstant> until;  // empty: it is on the wall
    std::string armed_state;
    std::optional<double> armed_after_s;
    nlohmann::json armed_missing = nlohmann::json::array();
    std::vector<std::optional<std::int64_t>> first_ns;  // each panel's first stamp
    std::int64_t scheduled_before = 0;                  // ticks of epochs that the ledger forgot
    std::int64_t shown_by_any = 0;
    std::int64_t shown = 0;
    std::int64_t on_time = 0;
    LogHistogram skew_ns;
    std::map<std::pair<std::string, std::string>, std::uint64_t> late;  // by panel and cause
    std::uint64_t memory_bytes = 0;                                     // 0: unknown
    std::string memory_host;  // the host with the most, and its part
    std::uint64_t memory_host_bytes = 0;
  };
  /// The cue that panels get ready for.
  struct Arming {
    std::string cue;
    ArmingStatus status;
    GlobalInstant began;
  };

  void settled(std::uint64_t epoch, const SettledTick& tick) override;
  void forgotten(std::uint64_t epoch, std::int64_t scheduled) override;
  /// The cue that the epoch belongs to; null where its entry is complete.
  [[nodiscard]] Visit* visit_of(std::uint64_t epoch);
  void note_armed(Visit& visit) const;
  void note_memory(Visit& visit) const;
  void complete_oldest();
  [[nodiscard]] nlohmann::json entry(std::size_t open_index) const;
  [[nodiscard]] static nlohmann::json checkpoint_of(const Visit& visit);
  [[nodiscard]] Visit restored_visit(const nlohmann::json& checkpoint) const;

  const std::vector<std::string> panels_;
  ShowLedger& ledger_;
  // Entries in the report's form, each as text: a checkpoint of a thousand copies no JSON values.
  std::vector<std::string> complete_;
  std::uint64_t left_out_ = 0;
  std::deque<Visit> open_;
  std::optional<Arming> arming_;
  std::map<std::string, std::uint64_t> memory_;  // newest bytes by host; 0: unknown
};

}  // namespace tilewall::director
