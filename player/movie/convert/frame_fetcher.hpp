// Interface through which an import gets the pictures of a source in order, each with the output
// frames that show it. Sources are movies, images and SM movies.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/convert/picture_list.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall::movie {

/// A picture, decoded or still to be decoded by FrameFetcher::load().
struct SuppliedPicture {
  FrameSpan span;     ///< the output frames that show it; at least one
  SharedFrame frame;  ///< null: load() decodes picture `list_index`
  std::size_t list_index = 0;
};

struct FetcherCounters {
  std::int64_t decoded_pictures = 0;
  std::int64_t repeated_frames = 0;
  std::int64_t dropped_frames = 0;
  std::int64_t damaged_frames = 0;
  std::int64_t missing_frames = 0;  ///< the repeated frames that have no image of their own
};

/// Lines for people, each naming a damaged place of a source, in the source's order.
struct DamageLines {
  std::vector<std::string> lines;  ///< at most max_lines
  std::int64_t left_out = 0;       ///< number of damaged places without a line
  static constexpr std::size_t max_lines = 100;
};

class FrameFetcher {
 public:
  virtual ~FrameFetcher() = default;

  [[nodiscard]] virtual const MovieInfo& info() const noexcept = 0;

  /// The next picture that output frames show; empty at the end. One thread at a time.
  [[nodiscard]] virtual std::optional<SuppliedPicture> next() = 0;

  /// Decodes the picture, if it is not decoded yet. Any thread. A listed picture that does not
  /// decode is counted and replaced by the one before it, or by the first readable one at the
  /// start. One that is partly damaged is counted, and returned as it decodes. Throws InputError
  /// naming both pictures if its size differs from the first one's.
  [[nodiscard]] virtual SharedFrame load(const SuppliedPicture& picture) = 0;

  /// Whether pictures are too large for memory, so that load_rows() makes those of movies, one at a
  /// time. samples() are then only the middles of pictures.
  [[nodiscard]] virtual bool is_by_rows() const { return false; }

  /// The rows of a picture, which the fetcher outlives. One thread at a time. @pre is_by_rows()
  [[nodiscard]] virtual std::unique_ptr<ImageRows> load_rows(const SuppliedPicture& picture);

  /// A few pictures spread over the source, beginning with the first one; at least one.
  [[nodiscard]] virtual std::vector<SharedFrame> samples() = 0;

  /// Line for people about pictures that are missing or left out; "" = none.
  [[nodiscard]] virtual std::string note() const = 0;

  /// Number of images that were decoded on opening: the first ones, up to the first readable one. 0
  /// for movies.
  [[nodiscard]] virtual std::int64_t judged_pictures() const = 0;

  /// Any thread, after next() has returned empty.
  [[nodiscard]] virtual FetcherCounters counters() const = 0;

  /// The damaged frames of counters(). Any thread, after next() has returned empty and all pictures
  /// were loaded. Before that, it holds only the damage found on opening.
  [[nodiscard]] virtual DamageLines damage() const = 0;
};

/// Opens the source that `inputs` name. `fps` = rate of the output frames; empty = the source's
/// own, 24 for images. Images and SM movies are played faster or slower; other movies keep their
/// speed, and repeat or drop pictures by their time stamps. Throws InputError.
[[nodiscard]] std::unique_ptr<FrameFetcher> open_fetcher(const std::vector<std::string>& inputs,
                                                         std::optional<Rational> fps,
                                                         DamageSearch search = DamageSearch::quick);
[[nodiscard]] std::unique_ptr<FrameFetcher> open_movie_fetcher(const std::filesystem::path& file,
                                                               std::optional<Rational> fps);
[[nodiscard]] std::unique_ptr<FrameFetcher> open_listed_fetcher(
    std::unique_ptr<const PictureList> list, DamageSearch search);

}  // namespace tilewall::movie
