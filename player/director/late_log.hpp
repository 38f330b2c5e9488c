// What the report says of late frames: when, on which panel, why, how many.
//
// What goes on is one event a second, panel and cause. Bounded: after the first thousand events
// only their number is counted. Pure; one owner.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/scene/late.hpp"

namespace tilewall::director {

struct LateEvent {
  double at_s = 0;    ///< since the command began
  std::string panel;  ///< "" = the wall's, not one panel's
  scene::LateCause cause = scene::LateCause::decode;
  std::uint64_t frames = 0;
  int level = 0;  ///< pyramid levels below full that the wall showed, from then on
  std::int64_t every_nth_tick = 1;  ///< of the ticks, those that the wall showed from then on
};

class LateLog {
 public:
  /// Returns whether it opened an event (or one that is only counted), rather than went on with
  /// one.
  bool add(const LateEvent& event);

  [[nodiscard]] const std::vector<LateEvent>& events() const noexcept { return events_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// The newest cause of a panel's; empty: it has had none.
  [[nodiscard]] std::optional<scene::LateCause> last_cause(const std::string& panel) const;

 private:
  struct Open {
    double at_s = 0;
    std::optional<std::size_t> index;  // empty: it was left out
  };
  std::vector<LateEvent> events_;
  std::map<std::pair<std::string, scene::LateCause>, Open> open_;  // the newest of each
  std::map<std::string, scene::LateCause> last_;
  std::uint64_t left_out_ = 0;
};

/// {`at_s`, `panel` (null: the wall's), `policy`, `cause`, `frames`, `level`,
/// `every_nth_tick`}
[[nodiscard]] nlohmann::json to_json(const LateEvent& event, const std::string& policy);

}  // namespace tilewall::director
