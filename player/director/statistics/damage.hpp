// Counts the damage of a show: frames and blocks that the wall did not show as the sources have
// them. The closing line, the status and the report use the same summary.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/director/statistics/report.hpp"
#include "player/director/statistics/show_ledger.hpp"

namespace tilewall::director {

/// Counts since the show began. A frame that is damaged on several panels counts once, by the worst
/// kind.
struct DamageSummary {
  std::int64_t frames_missing = 0;   ///< frames that the source lacks; the last picture stayed
  std::int64_t frames_damaged = 0;   ///< frames with parts that could not be decoded
  std::int64_t frames_repeated = 0;  ///< frames that the decoder did not give; the last one stayed
  std::int64_t frames_black = 0;     ///< frames shown black, for want of a last picture
  std::int64_t damaged_blocks = 0;   ///< blocks on all panels, those of missing frames too
  std::int64_t decoder_deaths = 0;   ///< deaths on all hosts
  std::int64_t panels_black = 0;     ///< panels that showed only black in place of frames

  [[nodiscard]] bool any() const noexcept;
};

/// The damage so far. `all_reported`: the show is over, and no further report will come.
[[nodiscard]] DamageSummary damage_of(const ShowLedger& ledger,
                                      const std::vector<PanelState>& panels,
                                      const std::vector<Restart>& restarts, bool all_reported);

[[nodiscard]] nlohmann::json to_json(const DamageSummary& damage);
/// Reads to_json()'s object. Missing keys count as 0.
[[nodiscard]] DamageSummary damage_from_json(const nlohmann::json& json);

/// "62 frames missing, 1 decoder death"; "" without damage.
[[nodiscard]] std::string to_string(const DamageSummary& damage);

}  // namespace tilewall::director
