// Memory that a panel shares with its host's caster: for its pictures, and for its style.
//
// Threads: the caster's one thread. The panel may write to the memory at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "player/volume/caster/picture_maker.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// Shared memory that a panel provides for its pictures. Its size is sealed, because a panel that
/// shrank it would crash the caster.
class PictureMemory {
 public:
  PictureMemory() noexcept = default;
  /// Maps the memory; bytes() is 0 if the descriptor has no sealed size, or a wrong one.
  explicit PictureMemory(int fd);
  PictureMemory(PictureMemory&& other) noexcept;
  PictureMemory& operator=(PictureMemory&& other) noexcept;
  ~PictureMemory();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// @pre bytes() holds the picture
  [[nodiscard]] ImageView picture(int width, int height) const noexcept {
    return {begin_, {width, height}, static_cast<std::size_t>(width) * 4};
  }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Copies and reads the style that a panel sent. Throws InputError.
[[nodiscard]] std::shared_ptr<const RequestedStyle> read_style(int fd);

}  // namespace tilewall::volume
