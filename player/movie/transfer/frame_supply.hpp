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

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/image_sequence.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall {

/// A picture, decoded or still to be decoded by FrameSupply::load().
struct SuppliedPicture {
  FrameSpan span;     ///< the output frames it fills; at least one
  SharedFrame frame;  ///< null: `file_index` is to be loaded
  std::size_t file_index = 0;
};

struct SupplyCounters {
  std::int64_t decoded_pictures = 0;
  std::int64_t repeated_frames = 0;
  std::int64_t dropped_frames = 0;
  std::int64_t damaged_frames = 0;
};

class FrameSupply {
 public:
  virtual ~FrameSupply() = default;

  [[nodiscard]] virtual const MovieInfo& info() const noexcept = 0;

  /// The next picture that fills output frames; empty at the end. One thread.
  [[nodiscard]] virtual std::optional<SuppliedPicture> next() = 0;

  /// The decoded picture. Any thread. An image that is damaged is replaced by the one before it (or
  /// after it at the start) and counted; one of another size throws InputError naming both.
  [[nodiscard]] virtual SharedFrame load(const SuppliedPicture& picture) = 0;

  /// A few pictures spread over the source, the first one first; at least one.
  [[nodiscard]] virtual std::vector<SharedFrame> samples() = 0;

  /// Line for people about numbers that a sequence leaves out; "" = none.
  [[nodiscard]] virtual std::string gap_note() const = 0;

  /// Any thread once next() has ended.
  [[nodiscard]] virtual SupplyCounters counters() const = 0;
};

/// Opens what `inputs` name; `fps` empty = the source's own rate (images: 24). Throws InputError.
[[nodiscard]] std::unique_ptr<FrameSupply> open_supply(const std::vector<std::string>& inputs,
                                                       std::optional<Rational> fps);
[[nodiscard]] std::unique_ptr<FrameSupply> open_movie_supply(const std::filesystem::path& file,
                                                             std::optional<Rational> fps);
[[nodiscard]] std::unique_ptr<FrameSupply> open_image_supply(ImageSequence sequence, Rational fps);

}  // namespace tilewall
