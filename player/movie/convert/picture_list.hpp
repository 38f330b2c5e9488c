// Lists of pictures that can be decoded independently of each other: image files, or the frames of
// an SM movie.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall::movie {

/// Thoroughness of the search for damage that decode() conceals.
enum class DamageSearch {
  quick,    ///< JPEGs only, at an eighth of their size
  thorough  ///< all images that panels can read, at their full size
};

/// Threads: immutable; any thread may call the functions.
class PictureList {
 public:
  virtual ~PictureList() = default;

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;

  /// False for a gap, in which the picture before it is repeated.
  [[nodiscard]] virtual bool has(std::size_t at) const noexcept = 0;

  /// Decodes a picture. Throws InputError naming it if it is damaged. @pre has(at)
  [[nodiscard]] virtual SharedFrame decode(std::size_t at) const = 0;

  /// False if a panel would find the picture damaged, although decode() has accepted it.
  [[nodiscard]] virtual bool is_whole(std::size_t at, DamageSearch search) const = 0;

  /// The picture's name in messages.
  [[nodiscard]] virtual std::string name_of(std::size_t at) const = 0;

  /// Size, colour, rate and number of the pictures; `first` is the decoded picture at `at`.
  [[nodiscard]] virtual MovieInfo info(const AVFrame& first, std::size_t at) const = 0;

  /// Line for people about pictures that are missing or left out; "" = none.
  [[nodiscard]] virtual std::string note() const = 0;
};

/// The images of a sequence, one per frame of the rate `fps`.
[[nodiscard]] std::unique_ptr<PictureList> list_images(ImageSequence sequence, Rational fps);

/// The frames of a Blockbuster movie (SM); `fps` empty = its own rate. Throws InputError.
[[nodiscard]] std::unique_ptr<PictureList> list_sm_movie(const std::filesystem::path& file,
                                                         std::optional<Rational> fps);

}  // namespace tilewall::movie
