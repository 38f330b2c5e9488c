// Reads volume files of all supported formats.
//
// Each file is read in a process of its own (tilewall-volume-reader) under limits on time and
// memory. A file that makes a library crash or hang ends only that process, and becomes an
// InputError.
//
// Threads: one owner. The reader process dies with the thread that called open(). Processes that
// reap unknown children (reap_any) must not use this class.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "render/readers/voxel_reader.hpp"

namespace tilewall::render {

/// Limits for a reader process. Times apply to elapsed time and to computing time separately.
struct ReaderLimits {
  std::chrono::milliseconds open{10'000};               ///< time to open a file
  std::chrono::milliseconds read{120'000};              ///< time to read one window
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space
  std::size_t window_bytes = std::size_t{32} << 20;     ///< voxels that pass at a time
  /// Folder, by a path without links, outside of which the reader opens no file, whatever the
  /// volume's header names; "": no such limit.
  std::filesystem::path beneath = {};
};

class ReaderProcess;

class VolumeFile : public VoxelReader {
 public:
  /// `path` is a file, a folder that a format or a series consists of, a pattern (ct-%04d.nrrd) or
  /// a glob. Throws InputError with one line: file, field, expected, found; JobError if no reader
  /// can be started.
  [[nodiscard]] static VolumeFile open(const std::string& path, const VolumeOptions& options = {},
                                       const ReaderLimits& limits = {});
  VolumeFile(VolumeFile&&) noexcept;
  VolumeFile& operator=(VolumeFile&&) noexcept;
  ~VolumeFile() override;

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const VolumeInfo& info() const noexcept override { return info_; }

  /// Whether its reader has died.
  [[nodiscard]] bool is_lost() const noexcept override;

  /// Bytes of slices [z_begin, z_end) in memory.
  [[nodiscard]] std::size_t slab_bytes(int z_begin, int z_end) const noexcept;

  /// Reads slices [z_begin, z_end) of a timestep, in info().type, x fastest, without padding. A
  /// volume of any size can be read slab by slab in little memory; ascending order is fastest.
  /// Throws InputError as open(). After the reader has died, every call throws.
  /// @pre within info().size and timesteps; `into` has slab_bytes
  void read(int timestep, int z_begin, int z_end, std::span<std::byte> into);

  void read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                const std::stop_token& stop = {}) override;
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return window_bytes_; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return read_bytes_; }
  [[nodiscard]] Work work() const noexcept override { return work_; }

 private:
  /// Reads one window. The voxels are valid until the next call.
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
