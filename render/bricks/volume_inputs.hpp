// One volume or several as one series, whatever files they come from.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/volume_file.hpp"

namespace tilewall::render {

/// Threads: one owner, as of a VolumeFile; one reader process at a time.
class VolumeInputs {
 public:
  /// Opens each once: all must agree in size, type and scale. The timesteps of a path follow those
  /// of the path before. Throws InputError naming the path. @pre paths not empty
  VolumeInputs(std::vector<std::string> paths, VolumeOptions options);

  /// Of the first one; `times` and `time_labels` are those of all.
  [[nodiscard]] const VolumeInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }

  /// As VolumeFile::read.
  void read(int timestep, int z_begin, int z_end, std::span<std::byte> into);
  [[nodiscard]] std::size_t slab_bytes(int z_begin, int z_end) const noexcept;

  /// What tells that they are still the same: of each path its files, their bytes and newest
  /// change, and what is read of them. Files that a header names elsewhere than beside itself do
  /// not count.
  [[nodiscard]] nlohmann::json identity() const;

 private:
  void open(std::size_t number);

  std::vector<std::string> paths_;
  VolumeOptions options_;
  VolumeInfo info_;
  std::vector<int> first_timestep_;  // of each path
  std::size_t open_number_ = 0;
  std::optional<VolumeFile> open_;
};

}  // namespace tilewall::render
