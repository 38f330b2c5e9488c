// A show that a test drives over its control port, and what its panels showed.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wall_client.hpp"

namespace tilewall::test {

/// The canvas of two-by-one.toml: two panels of 160x96, c0r0 and c1r0.
inline constexpr SizePx pair_canvas_px{320, 96};
inline constexpr SizePx pair_panel_px{160, 96};
inline const std::vector<std::string> pair_panels = {"c0r0", "c1r0"};

/// Hash of the part of the canvas's picture that a panel of two-by-one.toml shows.
[[nodiscard]] std::string hash_on_panel(const TestPicture& wall, const std::string& panel);
/// The same for frame `frame` of a numbered movie.
[[nodiscard]] std::string numbered_hash(std::int64_t frame, const std::string& panel);

/// The SourceSpec of a wall movie, as the control port wants it.
[[nodiscard]] nlohmann::json movie_source_json(const std::filesystem::path& folder, SizePx size_px,
                                               int frames);

/// One picture that a panel showed.
struct ShownPicture {
  std::int64_t tick = 0;
  std::int64_t frame = 0;
  std::int64_t stamp_ns = 0;
  std::string hash;
};

/// The pictures that a panel showed, in a list per epoch, because every epoch counts ticks from 0.
[[nodiscard]] std::vector<std::vector<ShownPicture>> epochs_of(const nlohmann::json& report,
                                                               const std::string& panel);

/// The hash of the first picture that a panel showed from `at_ns` on; "" where there is none.
[[nodiscard]] std::string hash_shown_from(const nlohmann::json& report, const std::string& panel,
                                          std::int64_t at_ns);

/// A show that runs headless, with hashes, in a loop.
class ControlledShow {
 public:
  ControlledShow(const std::filesystem::path& input, const std::string& wall,
                 const Words& more = {});

  [[nodiscard]] std::filesystem::path run_dir() const { return folder_ / "run"; }
  /// `tilewall ctl VERB WORDS...` at this wall.
  [[nodiscard]] ProgramResult ctl(const Words& words) const;

  /// Ends the show with "quit", and returns its report.
  nlohmann::json finish();

 private:
  TemporaryFolder folder_;
  RunningProgram program_;
};

}  // namespace tilewall::test
