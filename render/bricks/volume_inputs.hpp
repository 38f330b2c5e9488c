// Reads one volume, or several as one series, from files of any format.
//
// Threads: one owner, as for a VolumeFile; one reader process at a time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/volume_file.hpp"

namespace tilewall::render {

class VolumeInputs {
 public:
  /// Opens each path once, and checks that all agree in size, type and scale. The timesteps of a
  /// path follow those of the path before it. Throws InputError naming the path. @pre paths not
  /// empty
  VolumeInputs(std::vector<std::string> paths, VolumeOptions options);

  /// The first volume's data, with `times` and `time_labels` of all volumes.
  [[nodiscard]] const VolumeInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }

  /// Reads slices as VolumeFile::read() does; opens the path of `timestep` if another one is open.
  void read(int timestep, int z_begin, int z_end, std::span<std::byte> into);

  /// Bytes of the slices [z_begin, z_end).
  [[nodiscard]] std::size_t slab_bytes(int z_begin, int z_end) const noexcept;

  /// Data by which a later run sees whether the inputs are still the same: each path with the
  /// number, bytes and newest change of its files, and the options of reading. Files that a header
  /// names in another folder than its own are not included.
  [[nodiscard]] nlohmann::json identity() const;

 private:
  void open(std::size_t number);

  std::vector<std::string> paths_;
  VolumeOptions options_;
  VolumeInfo info_;
  std::vector<int> first_timestep_;  // each path's first timestep in the series
  std::size_t open_number_ = 0;      // number of the path that open_ reads
  std::optional<VolumeFile> open_;
};

}  // namespace tilewall::render
