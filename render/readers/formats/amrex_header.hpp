// Parses the text files of an AMReX plotfile: its Header, and the Cell_H of each level
// (amrex-codes.github.io/amrex/docs_html/IO.html).
//
// Terms: a fab is the array of one box of cells, with all components.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::render {

/// A box of cells of one level, both ends included.
struct AmrBox {
  std::array<std::int64_t, 3> first;
  std::array<std::int64_t, 3> last;
};

/// A fab's box, and where its numbers are stored.
struct AmrFab {
  AmrBox box;
  std::filesystem::path file;
  std::uint64_t offset = 0;  ///< offset of the fab's header in the file
};

struct AmrLevel {
  AmrBox domain;
  std::array<double, 3> spacing = {1, 1, 1};
  /// Cells along each axis for one cell of the next coarser level.
  std::array<std::int64_t, 3> cells_per_coarse = {1, 1, 1};
  std::string path;  ///< "Level_0/Cell"
};

struct AmrHeader {
  std::vector<std::string> components;  ///< names
  double time = 0;
  std::array<double, 3> low = {};  ///< the domain's lower corner
  std::vector<AmrLevel> levels;    ///< coarsest first
};

/// Reads the Header of a plotfile. Throws InputError for a damaged one, or one that is not 3D.
[[nodiscard]] AmrHeader read_amr_header(const std::filesystem::path& plotfile);
/// Reads the Cell_H of a level. Throws InputError for a damaged one.
[[nodiscard]] std::vector<AmrFab> read_amr_fabs(const std::filesystem::path& plotfile,
                                                const AmrLevel& level);

}  // namespace tilewall::render
