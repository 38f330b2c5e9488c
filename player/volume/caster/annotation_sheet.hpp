// The part of a picture that annotations are drawn on: how high letters are, which colours stand
// out, where the panels lie, where there is room, and the lines of texts.
//
// Places are in pixels of the whole picture. Drawings are cut off at the sides of the part. Every
// part draws the same, so that panels' pictures are parts of one drawing.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/scene/volume_style.hpp"
#include "render/text.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

class AnnotationSheet {
 public:
  /// Draws into `to`, which is `part` of a picture of `whole_px`. `to` must outlive this.
  AnnotationSheet(const ImageView& to, const RectPx& part, SizePx whole_px,
                  const scene::VolumeStyle& style);

  [[nodiscard]] SizePx whole_px() const noexcept { return whole_px_; }
  [[nodiscard]] double letter_px() const noexcept { return letter_px_; }
  /// A length of so many letters' height, in whole pixels.
  [[nodiscard]] int letters(double count) const noexcept;
  [[nodiscard]] render::Rgb ink() const noexcept;
  [[nodiscard]] render::Rgb ground() const noexcept;
  [[nodiscard]] render::Rgb faint() const noexcept { return render::mixed(ink(), ground(), 0.5); }

  /// The panel nearest to a place of the picture, which is given in shares of its sides.
  [[nodiscard]] const RectPx& panel_at(double across, double down) const;
  /// Whether a rectangle lies within one panel, clear of what was drawn there.
  [[nodiscard]] bool is_free(const RectPx& rect) const;
  [[nodiscard]] bool is_taken(const RectPx& rect) const;
  void take(const RectPx& rect) { taken_.push_back(rect); }

  [[nodiscard]] int width_of(std::string_view text) const;
  /// The text's beginning that is not wider than `most_px`, with dots where it is cut.
  [[nodiscard]] std::string fitted(std::string text, int most_px) const;
  /// A name in lines that are not wider than `most_px`, which end after an underscore, a slash or a
  /// space. The last one has dots where there would be more lines than `most`, or a part is too
  /// long.
  [[nodiscard]] std::vector<std::string> name_lines(std::string_view name, int most_px,
                                                    std::size_t most) const;
  /// The text in lines that are not wider than `most_px`. They end where the text has two spaces,
  /// else one; the last one has dots where there would be more lines than `most`, or a word is too
  /// long.
  [[nodiscard]] std::vector<std::string> text_lines(std::string_view text, int most_px,
                                                    std::size_t most) const;

  void rectangle(const RectPx& rect, render::Rgb color) const;
  /// A ground of its own for a drawing, which hides most of the picture.
  void ground(const RectPx& rect) const;
  /// Text with a rim, which is legible on any ground.
  void text(PointPx at, std::string_view text, std::optional<render::Rgb> color = {}) const;
  void line(PointF from, PointF to, int width, render::Rgb color) const;

 private:
  [[nodiscard]] RectPx here(RectPx rect) const noexcept;
  [[nodiscard]] std::size_t end_before_gap(std::string_view text, std::string_view gap,
                                           int most_px) const;

  const ImageView& to_;
  const RectPx part_;
  const SizePx whole_px_;
  const bool is_light_;
  std::vector<RectPx> panels_;
  std::vector<RectPx> taken_;
  double letter_px_ = 0;
};

}  // namespace tilewall::volume
