// A picture made smaller in three steps: a thread makes room for a few of its rows, the presenting
// thread copies them, which is cheap, and the other thread averages them to the smaller picture.
//
// Threads: one owner at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

/// The size of a picture that is made smaller until its longer side has at most `side_px` pixels.
/// A smaller picture keeps its size. @pre no side is 0
[[nodiscard]] SizePx reduced_size_px(SizePx picture_px, int side_px) noexcept;

class SampledRows {
 public:
  /// Makes room for the rows that reduce() needs of pictures of that size.
  void prepare(SizePx picture_px, SizePx reduced_px);
  /// Copies these rows, with the inset over them. Allocates nothing.
  /// @pre prepare() was called for pictures of that size
  void take(const ImageView& picture, const present::Inset& inset) noexcept;

  /// Whether there is no room for rows.
  [[nodiscard]] bool empty() const noexcept { return pixels_.empty(); }
  [[nodiscard]] SizePx reduced_px() const noexcept { return reduced_px_; }

  /// Writes the picture that was taken last, made smaller. Each pixel is the mean of up to 2 x 4
  /// pixels of the place that it stands for. @pre `reduced` has the size reduced_px()
  void reduce(const ImageView& reduced) const;

 private:
  [[nodiscard]] const std::uint8_t* row(int index) const noexcept;
  void copy_row(const ImageView& picture, const present::Inset& inset, int y,
                std::uint8_t* to) noexcept;

  SizePx reduced_px_{};
  int width_px_ = 0;      // of the rows
  int rows_per_row_ = 1;  // rows that are averaged to a row of the smaller picture
  std::vector<std::uint8_t> pixels_;
};

}  // namespace tilewall::panel
