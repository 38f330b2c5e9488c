// Reads the bytes of some blocks of a frame with as few system calls as their places allow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

/// Keeps its buffer from frame to frame. One thread at a time.
class BlockReader {
 public:
  /// Reads blocks `wanted` (numbers into `index`). Neighbours in the file are read at once, gaps of
  /// up to 8 KiB included. What cannot be read has no bytes.
  void read(int fd, std::span<const BlockPlace> index, std::span<const int> wanted);

  /// Of wanted[i]; empty where the file ends early or names no place. Valid until the next read().
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

  std::vector<Place> places_;         // as wanted
  std::vector<std::uint32_t> order_;  // of places_, by where they stand in the file
  SampleVector buffer_;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace tilewall::movie
