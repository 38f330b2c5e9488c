// The pictures of a source in order, each with the output frames it fills: movies and image
// sequences alike.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/convert/picture_list.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall::movie {

/// A picture, decoded or still to be decoded by FrameFetcher::load().
struct SuppliedPicture {
  FrameSpan span;     ///< the output frames it fills; at least one
  SharedFrame frame;  ///< null: `list_index` is to be loaded
  std::size_t list_index = 0;
};

struct FetcherCounters {
  std::int64_t decoded_pictures = 0;
  std::int64_t repeated_frames = 0;
  std::int64_t dropped_frames = 0;
  std::int64_t damaged_frames = 0;
  std::int64_t missing_frames = 0;  ///< Repeated frames whose own image is not there.
};

/// Where a source is damaged: one line for people each, in the source's order.
struct DamageLines {
  std::vector<std::string> lines;  ///< at most max_lines
  std::int64_t left_out = 0;       ///< more such lines
  static constexpr std::size_t max_lines = 100;
};

class FrameFetcher {
 public:
  virtual ~FrameFetcher() = default;

  [[nodiscard]] virtual const MovieInfo& info() const noexcept = 0;

  /// The next picture that fills output frames; empty at the end. One thread.
  [[nodiscard]] virtual std::optional<SuppliedPicture> next() = 0;

  /// The decoded picture. Any thread. A listed one that is damaged is replaced by the one before it
  /// (or after it at the start) and counted; one of another size throws InputError naming both. One
  /// that is damaged in a part only is counted and given as it decodes.
  [[nodiscard]] virtual SharedFrame load(const SuppliedPicture& picture) = 0;

  /// A few pictures spread over the source, the first one first; at least one.
  [[nodiscard]] virtual std::vector<SharedFrame> samples() = 0;

  /// Line for people about what the source leaves out; "" = nothing.
  [[nodiscard]] virtual std::string note() const = 0;

  /// How many pictures opening the source has decoded: the first ones, until one was readable.
  [[nodiscard]] virtual std::int64_t judged_pictures() const = 0;

  /// Any thread once next() has ended.
  [[nodiscard]] virtual FetcherCounters counters() const = 0;

  /// What the damaged frames of counters() are. Any thread once next() has ended; listed pictures
  /// must have been loaded. Before that: what opening the source has met.
  [[nodiscard]] virtual DamageLines damage() const = 0;
};

/// Opens what `inputs` name; `fps` empty = the source's own rate (images: 24). Images and SM movies
/// are played faster or slower by it, others are brought to it by time stamps. Throws InputError.
[[nodiscard]] std::unique_ptr<FrameFetcher> open_fetcher(const std::vector<std::string>& inputs,
                                                         std::optional<Rational> fps,
                                                         DamageSearch search = DamageSearch::quick);
[[nodiscard]] std::unique_ptr<FrameFetcher> open_movie_fetcher(const std::filesystem::path& file,
                                                               std::optional<Rational> fps);
[[nodiscard]] std::unique_ptr<FrameFetcher> open_listed_fetcher(
    std::unique_ptr<const PictureList> list, DamageSearch search);

}  // namespace tilewall::movie
