// The figures of cues in the report of a presentation, as people compare them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::cli {

/// One entry of a report's `cues`.
struct CueFigures {
  struct Late {
    std::string panel;  ///< "" = several panels
    std::string cause;
    std::int64_t frames = 0;
  };
  struct Missing {
    std::string what;  ///< name of a panel or of a region
    std::string why;
  };
  std::string cue;
  std::string armed_state;        ///< "start", or a name of ArmingState
  std::optional<double> armed_s;  ///< time until all panels were armed; empty: they never were
  std::vector<Missing> panels_missing;  ///< panels that were not armed
  std::vector<Missing> inputs_missing;
  std::int64_t frames_scheduled = 0;
  std::int64_t frames_shown_by_any = 0;
  std::int64_t frames_late = 0;
  std::vector<Late> late;
  std::optional<double> skew_p99_us;          ///< empty: all panels showed no frame together
  std::optional<std::uint64_t> memory_bytes;  ///< empty: not known

  /// Whether all panels were ready for the cue when it was gone to.
  [[nodiscard]] bool is_armed() const;
};

/// The figures of a report. `file` is its name in errors. Throws InputError naming the field, for a
/// report that is not of a presentation as well.
[[nodiscard]] std::vector<CueFigures> cue_figures(const nlohmann::json& report,
                                                  const std::string& file);

/// "512 MB"
[[nodiscard]] std::string megabytes_text(std::uint64_t bytes);

/// The rows as lines with columns of equal width: the first one to the left, the others to the
/// right. All rows have as many cells, which are printable.
[[nodiscard]] std::vector<std::string> padded_lines(
    const std::vector<std::vector<std::string>>& rows);

}  // namespace tilewall::cli
