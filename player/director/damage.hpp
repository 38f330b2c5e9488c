// What of a show was not on the wall as its sources have it: one summary for the closing line, the
// status and the report alike.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/director/report.hpp"
#include "player/director/show_ledger.hpp"

namespace tilewall::director {

/// Counts since the show began. A frame that several panels show otherwise counts once, as the
/// worst of what they met.
struct DamageSummary {
  std::int64_t frames_missing = 0;   ///< the source lacks them: the picture before stayed
  std::int64_t frames_damaged = 0;   ///< parts of them could not be decoded
  std::int64_t frames_repeated = 0;  ///< the decoder did not give them: the picture before stayed
  std::int64_t frames_black = 0;     ///< black, as there was no picture before either
  std::int64_t damaged_blocks = 0;   ///< over all panels, those of missing frames too
  std::int64_t decoder_deaths = 0;   ///< over all hosts
  std::int64_t panels_black = 0;     ///< that showed nothing but black in place of frames

  [[nodiscard]] bool any() const noexcept;
};

/// `all_reported`: the show is over, and no panel will report any more.
[[nodiscard]] DamageSummary damage_of(const ShowLedger& ledger,
                                      const std::vector<PanelState>& panels,
                                      const std::vector<Restart>& restarts, bool all_reported);

[[nodiscard]] nlohmann::json to_json(const DamageSummary& damage);
/// What is not there counts as 0.
[[nodiscard]] DamageSummary damage_from_json(const nlohmann::json& json);

/// "62 frames missing, 1 decoder death"; "" where there is none.
[[nodiscard]] std::string to_string(const DamageSummary& damage);

}  // namespace tilewall::director
