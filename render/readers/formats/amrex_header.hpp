// The text of AMReX plotfiles: Header of the whole, and Cell_H of each level
// (amrex-codes.github.io/amrex/docs_html/IO.html).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::render {

/// Cells, both ends included.
struct AmrBox {
  std::array<std::int64_t, 3> first;
  std::array<std::int64_t, 3> last;
};

/// A box's numbers, where they lie.
struct AmrFab {
  AmrBox box;
  std::filesystem::path file;
  std::uint64_t offset = 0;
};

struct AmrLevel {
  AmrBox domain;
  std::array<double, 3> spacing = {1, 1, 1};
  std::array<std::int64_t, 3> cells_per_coarse = {1, 1, 1};  ///< of the level below
  std::string path;                                          ///< "Level_0/Cell"
};

struct AmrHeader {
  std::vector<std::string> components;
  double time = 0;
  std::array<double, 3> low = {};  ///< the domain's corner
  std::vector<AmrLevel> levels;    ///< coarsest first
};

/// Throws InputError.
[[nodiscard]] AmrHeader read_amr_header(const std::filesystem::path& plotfile);
[[nodiscard]] std::vector<AmrFab> read_amr_fabs(const std::filesystem::path& plotfile,
                                                const AmrLevel& level);

}  // namespace tilewall::render
