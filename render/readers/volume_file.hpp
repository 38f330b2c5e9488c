// Volume files of every format that is read, through one door.
//
// A file is read in a process of its own (tilewall-volume-reader), which has limits of time and
// memory: what crashes or hangs a library takes only that process down, and becomes one line.
// Threads: one owner. The reader dies with the thread that called open(). Not for processes that
// reap children they do not know (reap_any).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "render/readers/voxel_reader.hpp"

namespace tilewall::render {

/// What a reader may take.
struct ReaderLimits {
  std::chrono::milliseconds open{10'000};   ///< to open a file, of computing and of waiting each
  std::chrono::milliseconds read{120'000};  ///< to read a window of slices, of each too
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space
  std::size_t window_bytes = std::size_t{32} << 20;     ///< of voxels on their way here
};

class ReaderProcess;

class VolumeFile : public VoxelReader {
 public:
  /// `path`: a file, a folder of files or of a format's own, a pattern (ct-%04d.nrrd) or a glob.
  /// Throws InputError with one line: file, field, expected, found. JobError where no reader can be
  /// started.
  [[nodiscard]] static VolumeFile open(const std::string& path, const VolumeOptions& options = {},
                                       const ReaderLimits& limits = {});
  VolumeFile(VolumeFile&&) noexcept;
  VolumeFile& operator=(VolumeFile&&) noexcept;
  ~VolumeFile() override;

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const VolumeInfo& info() const noexcept override { return info_; }

  /// Whether its reader has died.
  [[nodiscard]] bool is_lost() const noexcept override;

  /// How many bytes slices [z_begin, z_end) take in memory.
  [[nodiscard]] std::size_t slab_bytes(int z_begin, int z_end) const noexcept;

  /// Slices [z_begin, z_end) of a timestep, in info().type, x fastest, without padding: slab by
  /// slab a volume of any size can be read in little memory, and fastest in ascending order. Throws
  /// InputError as open does; the file cannot be read on after its reader has died.
  /// @pre within info().size and timesteps; `into` has slab_bytes
  void read(int timestep, int z_begin, int z_end, std::span<std::byte> into);

  void read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                const std::stop_token& stop = {}) override;
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return window_bytes_; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return read_bytes_; }
  [[nodiscard]] Work work() const noexcept override { return work_; }

 private:
  /// The voxels stay until the next one.
  [[nodiscard]] const std::byte* read_window(int grid, int timestep, const GridBox& box);
  VolumeFile(std::string path, VolumeInfo info, std::unique_ptr<ReaderProcess> reader);

  std::string path_;
  VolumeInfo info_;
  std::chrono::milliseconds read_limit_{};
  std::size_t window_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;
  Work work_;
  std::unique_ptr<ReaderProcess> reader_;
};

}  // namespace tilewall::render
