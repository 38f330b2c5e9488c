// Reads the bytes of some blocks of a frame, neighbouring blocks by one system call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/frame_index.hpp"

namespace tilewall::movie {

/// Keeps its buffer from frame to frame. Threads: one at a time.
class BlockReader {
 public:
  /// Reads the blocks `wanted`, which are numbers into `index`. Blocks that are neighbours in the
  /// file, with gaps of up to 8 KiB, are read at once. Blocks that cannot be read get no bytes.
  void read(int fd, std::span<const BlockPlace> index, std::span<const int> wanted);

  /// The bytes of block wanted[i]; empty if it could not be read. Valid until the next read().
  [[nodiscard]] std::span<const std::uint8_t> bytes(std::size_t i) const noexcept {
    return {buffer_.data() + places_[i].buffer_at, places_[i].size_bytes};
  }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept {
    return read_bytes_;
  }  ///< by the last read

 private:
  struct Place {
    std::uint64_t file_at;
    std::size_t buffer_at;
    std::uint32_t size_bytes;
  };

  std::size_t end_of_run(std::size_t first) const;
  void read_run(int fd, std::size_t first, std::size_t end, std::size_t buffer_at);

  std::vector<Place> places_;         // one for each wanted block
  std::vector<std::uint32_t> order_;  // indexes into places_, by ascending places in the file
  SampleVector buffer_;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace tilewall::movie
