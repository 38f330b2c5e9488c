// A picture made smaller in two steps: the presenting thread copies a few of its rows, which is
// cheap, and another thread averages these to the smaller picture.
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
  /// Copies the rows that reduce() needs for a picture of `reduced_px`, with the inset over them.
  void take(const ImageView& picture, const present::Inset& inset, SizePx reduced_px);

  [[nodiscard]] bool empty() const noexcept { return pixels_.empty(); }
  [[nodiscard]] SizePx reduced_px() const noexcept { return reduced_px_; }

  /// Writes the smaller picture. Each of its pixels is the mean of up to 2 x 4 pixels of the place
  /// that it stands for. @pre not empty; `reduced` has the size reduced_px()
  void reduce(const ImageView& reduced) const;

 private:
  [[nodiscard]] const std::uint8_t* row(int index) const noexcept;
  void copy_row(const ImageView& picture, const present::Inset& inset, int y,
                std::uint8_t* to) noexcept;

  SizePx reduced_px_;
  int width_px_ = 0;      // of the rows
  int rows_per_row_ = 1;  // rows that are averaged to a row of the smaller picture
  std::vector<std::uint8_t> pixels_;
};

}  // namespace tilewall::panel
