#include "player/cli/options/transfer_options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "player/cli/options/option_values.hpp"
#include "player/movie/source/frame_timing.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::cli {
namespace {

// Parses exactly `Count` whole numbers between `separator`s.
template <typename Number, std::size_t Count>
std::optional<std::array<Number, Count>> numbers(std::string_view text, char separator) {
  std::array<Number, Count> values = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < Count; ++i) {
    if (i > 0 && (at == end || *at++ != separator)) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, values[i]);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return values;
}

[[noreturn]] void refuse(const char* option, const char* expected, const std::string& found) {
  throw InputError({option}, "", expected, '"' + found + '"');
}

}  // namespace

SizePx size_option(const std::string& text) {
  const auto sides = numbers<int, 2>(text, 'x');
  if (!sides || (*sides)[0] < 1 || (*sides)[1] < 1)
    refuse("--size", "WIDTHxHEIGHT in pixels, such as 1280x480", text);
  return {(*sides)[0], (*sides)[1]};
}

RectPx crop_option(const std::string& text) {
  const auto values = numbers<int, 4>(text, ',');
  if (!values) refuse("--crop", "X,Y,WIDTH,HEIGHT in pixels of the source", text);
  return {(*values)[0], (*values)[1], (*values)[2], (*values)[3]};
}

movie::FrameRange frames_option(const std::string& text) {
  const auto typed = parse_number_range(text);
  const movie::FrameRange range =
      typed
          ? movie::FrameRange{typed->first.value_or(0), typed->last.value_or(movie::max_frames - 1)}
          : movie::FrameRange{};
  if (!typed || range.last < range.first || range.last >= movie::max_frames)
    throw InputError({"--frames"}, "",
                     fmt::format("{}, frames from 0 on, such as 100-199", number_range_syntax),
                     '"' + text + '"');
  return range;
}

movie::FrameRange range_option(const std::string& option, const std::string& text,
                               const std::string& unit, std::int64_t count) {
  if (text.empty()) return {0, count - 1};
  const auto typed = parse_number_range(text);
  const movie::FrameRange range =
      typed ? movie::FrameRange{typed->first.value_or(0), typed->last.value_or(count - 1)}
            : movie::FrameRange{};
  if (!typed || range.last < range.first || range.last >= count)
    throw InputError({option}, "",
                     fmt::format("{}, {} of 0 to {}", number_range_syntax, unit, count - 1),
                     '"' + text + '"');
  return range;
}

Rational fps_option(const std::string& text) {
  const auto fps = parse_rational(text);
  if (!fps || fps->num <= 0 || fps->value() > movie::max_fps)
    throw InputError(
        {"--fps"}, "",
        fmt::format("a rate over 0, at most {}, such as 24, 29.97 or 30000/1001", movie::max_fps),
        '"' + text + '"');
  return *fps;
}

movie::SizeFit fit_option(const std::string& text) {
  return static_cast<movie::SizeFit>(option_word_index("--fit", text, movie::size_fit_names));
}

std::optional<wall::BezelMode> bezel_option(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return static_cast<wall::BezelMode>(option_word_index("--bezels", text, wall::bezel_mode_names));
}

wall::ContentMode content_option(const std::string& text, const wall::Wall& wall) {
  const wall::ContentMode mode = text.empty() ? wall.content
                                              : static_cast<wall::ContentMode>(option_word_index(
                                                    "--content", text, wall::content_mode_names));
  if (const auto obstacle = wall::content_obstacle(wall, mode))
    throw InputError({"--content"}, "", obstacle->expected, obstacle->found);
  return mode;
}

movie::BlockCompression lossless_option(const std::string& text) {
  return option_word_index("--lossless", text, lossless_names) == 0
             ? movie::BlockCompression::zstd
             : movie::BlockCompression::deflate;
}

movie::HdrMode hdr_option(const std::string& text) {
  return static_cast<movie::HdrMode>(option_word_index("--hdr", text, movie::hdr_mode_names));
}

void add_hdr_option(CLI::App& command, std::string& value) {
  takes_one_of(command.add_option("--hdr", value,
                                  "HDR movies (PQ, HLG): map their tones (BT.2390), or clip what "
                                  "is over SDR white"),
               movie::hdr_mode_names)
      ->capture_default_str();
}

}  // namespace tilewall::cli
