// The folder that bricks are written to. It is locked, its contents are checked, and an interrupted
// run in it is resumed.
//
// .tilewall/brick.json has the identity of the input and the progress; it is replaced after every
// slab. .zattrs is written last, so that until then no program opens the folder as an image.
//
// Threads: one owner; several may call write_brick().
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "render/volume/volume.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::render {

struct BrickCount {
  std::int64_t bricks = 0;  ///< bricks that have a file
  std::uint64_t bytes = 0;  ///< bytes of these files
};

/// Progress of writing bricks.
struct BrickMark {
  int timestep = 0;                ///< the first timestep that is not complete
  int slabs = 0;                   ///< Slabs of level 0 that are written, with their coarser bricks
  std::vector<BrickCount> counts;  ///< count for each level, over all timesteps
  ValueRange stored;               ///< range of all numbers of level 0 so far; empty() at first
  [[nodiscard]] bool at_start() const noexcept { return timestep == 0 && slabs == 0; }
};

class BrickFolder {
 public:
  /// Makes the folder if it is missing, and locks it. A run with the same `identity`, which is a
  /// JSON object, is resumed; with `overwrite`, bricks of any run are removed instead. `time_axis`
  /// = whether bricks' paths have a timestep. Throws InputError if the folder holds other bricks or
  /// other files, or another process writes to it; JobError if it cannot be written.
  BrickFolder(std::filesystem::path folder, nlohmann::json identity, std::size_t levels,
              bool time_axis, bool overwrite);
  BrickFolder(const BrickFolder&) = delete;
  BrickFolder& operator=(const BrickFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }

  /// Whether all bricks and .zattrs were there when this object was made.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] const BrickMark& mark() const noexcept { return mark_; }

  /// Writes a small text file; `name` is its path below the folder. Throws JobError.
  void write_text(const std::string& name, const std::string& text) const;

  /// Makes the folders of a slab's bricks, which write_brick() needs. Throws JobError.
  void make_slab_folders(std::size_t level, int timestep, int slab, int bricks_y) const;

  /// Writes the file of the brick `at`, under a temporary name first. Several threads may write
  /// different bricks. Throws JobError.
  void write_brick(std::size_t level, int timestep, VolumeSize at,
                   std::span<const std::byte> packed) const;

  /// Records the progress in brick.json. Throws JobError.
  void set_mark(BrickMark mark);

  /// Removes the folder if this object made it and no slab is written.
  void discard_beginning();

 private:
  void lock();
  void look(bool overwrite);
  void compare(const nlohmann::json& there) const;
  void start_anew();
  void remove_leftovers() const;
  [[nodiscard]] std::filesystem::path slab_folder(std::size_t level, int timestep, int slab) const;

  std::filesystem::path folder_;
  nlohmann::json identity_;
  std::size_t levels_;
  bool time_axis_;
  bool made_ = false;
  bool complete_ = false;
  UniqueFd lock_;  // locks the folder itself, so that no lock file can be left behind
  BrickMark mark_;
};

}  // namespace tilewall::render
