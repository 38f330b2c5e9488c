// Pictures that can be decoded one by one, each by itself: image files, or the frames of a movie
// without prediction.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall::movie {

/// How closely pictures are looked at for damage that decode() conceals.
enum class DamageSearch {
  quick,    ///< JPEGs only, and those at an eighth of their size
  thorough  ///< all images that panels read, at their full size
};

/// Immutable; any thread may call it.
class PictureList {
 public:
  virtual ~PictureList() = default;

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;

  /// False for a gap, where the picture before it stays on show.
  [[nodiscard]] virtual bool has(std::size_t at) const noexcept = 0;

  /// Throws InputError naming the picture where it is damaged. @pre has(at)
  [[nodiscard]] virtual SharedFrame decode(std::size_t at) const = 0;

  /// False where a panel would call the picture damaged although decode() has taken it.
  [[nodiscard]] virtual bool is_whole(std::size_t at, DamageSearch search) const = 0;

  [[nodiscard]] virtual std::string name_of(std::size_t at) const = 0;

  /// What the source says of itself, with its rate and count; `first` is a decoded picture of it,
  /// the one at `at`.
  [[nodiscard]] virtual MovieInfo info(const AVFrame& first, std::size_t at) const = 0;

  /// Line for people about what is left out; "" = nothing.
  [[nodiscard]] virtual std::string note() const = 0;
};

/// The images as frames of `fps`.
[[nodiscard]] std::unique_ptr<PictureList> list_images(ImageSequence sequence, Rational fps);

/// A Blockbuster movie (SM), at its own rate where `fps` is empty. Throws InputError.
[[nodiscard]] std::unique_ptr<PictureList> list_sm_movie(const std::filesystem::path& file,
                                                         std::optional<Rational> fps);

}  // namespace tilewall::movie
