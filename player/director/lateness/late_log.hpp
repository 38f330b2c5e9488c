// The events of late frames for the report: when, on which panel, why, and how many.
//
// Late frames of one panel and cause within a second are one event. The log keeps the first 1000
// events, and counts the rest. Reads no clock. Threads: one owner.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/scene/late.hpp"

namespace tilewall::director {

/// A panel's late frames so far.
using LateByCause = std::map<scene::LateCause, std::uint64_t>;

struct LateEvent {
  double at_s = 0;    ///< seconds since the command began
  std::string panel;  ///< name; "" = an event of the whole wall
  scene::LateCause cause = scene::LateCause::decode;
  std::uint64_t frames = 0;
  int level = 0;                    ///< Scene::coarser_by from then on
  std::int64_t every_nth_tick = 1;  ///< the wall shows every n-th tick from then on
};

class LateLog {
 public:
  /// Adds late frames. Returns whether they began a new event, be it only counted; false: they were
  /// added to an open one.
  bool add(const LateEvent& event);

  [[nodiscard]] const std::vector<LateEvent>& events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// The cause of the panel's newest event; empty: it has none.
  [[nodiscard]] std::optional<scene::LateCause> last_cause(const std::string& panel) const;
  /// All late frames of the panel, those of events that were left out included.
  [[nodiscard]] LateByCause frames_of(const std::string& panel) const;

  /// The events, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  struct Open {
    double at_s = 0;
    std::optional<std::size_t> index;  // empty: it is only counted
  };
  std::vector<LateEvent> events_;
  std::map<std::pair<std::string, scene::LateCause>, Open>
      open_;  // newest event per panel and cause
  std::map<std::string, scene::LateCause> last_;
  std::map<std::string, LateByCause> frames_;  // by panel
  std::uint64_t left_out_ = 0;
};

/// {CAUSE: frames} of the causes that have any.
[[nodiscard]] nlohmann::json to_json(const LateByCause& frames);
/// {`at_s`, `panel` (null: the whole wall), `policy`, `cause`, `frames`, `level`,
/// `every_nth_tick`}
[[nodiscard]] nlohmann::json to_json(const LateEvent& event, const std::string& policy);

}  // namespace tilewall::director
