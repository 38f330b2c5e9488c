// Parses the values of options that several commands have. The functions throw InputError naming
// the option.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

[[nodiscard]] SizePx size_option(const std::string& text);  ///< --size WxH
[[nodiscard]] RectPx crop_option(const std::string& text);  ///< --crop X,Y,W,H
/// --frames in the syntax of parse_number_range(). A range without an end ends at the greatest
/// frame number.
[[nodiscard]] movie::FrameRange frames_option(const std::string& text);
/// A range within [0, count - 1], in the same syntax; all of that for "". `unit` ("frames") names
/// the numbers in errors.
[[nodiscard]] movie::FrameRange range_option(const std::string& option, const std::string& text,
                                             const std::string& unit, std::int64_t count);
[[nodiscard]] Rational fps_option(const std::string& text);        ///< --fps F, in (0, max_fps]
[[nodiscard]] movie::SizeFit fit_option(const std::string& text);  ///< --fit
[[nodiscard]] std::optional<wall::BezelMode> bezel_option(
    const std::string& text);  ///< --bezels, or ""
/// --content; the wall file's mode for "".
[[nodiscard]] wall::ContentMode content_option(const std::string& text, const wall::Wall& wall);
[[nodiscard]] movie::BlockCompression lossless_option(const std::string& text);  ///< --lossless
[[nodiscard]] movie::HdrMode hdr_option(const std::string& text);                ///< --hdr

/// The values of --lossless.
inline constexpr std::string_view lossless_names[] = {"zstd", "deflate"};

/// Adds --hdr to a command that shows or imports movies.
void add_hdr_option(CLI::App& command, std::string& value);

}  // namespace tilewall::cli
