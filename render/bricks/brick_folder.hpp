// The folder that bricks are written to: locked, checked for what it may hold, and gone on with.
//
// .tilewall/brick.json says what is being bricked, and how far that is; it is replaced after every
// slab. .zattrs comes last: until then no program takes the folder for an image.
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
  std::int64_t bricks = 0;  ///< with a file
  std::uint64_t bytes = 0;  ///< of those files
};

/// How far bricks are written.
struct BrickMark {
  int timestep = 0;                ///< the first that is not whole
  int slabs = 0;                   ///< of its level 0 that are written, with all that follows
  std::vector<BrickCount> counts;  ///< of each level, over all timesteps
  ValueRange stored;               ///< of all numbers of level 0 so far; empty() at first
  [[nodiscard]] bool at_start() const noexcept { return timestep == 0 && slabs == 0; }
};

class BrickFolder {
 public:
  /// Makes the folder where it is missing, and locks it. Goes on where the very same was begun
  /// (`identity`: an object whose members tell it); throws InputError where the folder holds
  /// anything else, or is being written to, unless `overwrite` and bricks are what it holds: they
  /// are removed then. Throws JobError where it cannot be written. `time_axis`: whether bricks'
  /// paths have a timestep.
  BrickFolder(std::filesystem::path folder, nlohmann::json identity, std::size_t levels,
              bool time_axis, bool overwrite);
  BrickFolder(const BrickFolder&) = delete;
  BrickFolder& operator=(const BrickFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }
  /// All is there, .zattrs too.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] const BrickMark& mark() const noexcept { return mark_; }

  /// A small text, by its path below the folder.
  void write_text(const std::string& name, const std::string& text) const;
  /// Makes the folders of a slab's bricks. @pre before write_brick
  void make_slab_folders(std::size_t level, int timestep, int slab, int bricks_y) const;
  /// Under a temporary name first; any number of threads, of different bricks.
  void write_brick(std::size_t level, int timestep, VolumeSize at,
                   std::span<const std::byte> packed) const;
  void set_mark(BrickMark mark);

  /// Removes what this object made, where nothing but the beginning was written.
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
  UniqueFd lock_;  // of the folder itself, so no file is left behind
  BrickMark mark_;
};

}  // namespace tilewall::render
