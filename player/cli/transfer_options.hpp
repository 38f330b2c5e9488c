// Words that import and export take, as values. Each throws InputError naming the option.
#pragma once

#include <optional>
#include <string>

#include "player/movie/transfer/import_job.hpp"
#include "player/movie/transfer/movie_size.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

[[nodiscard]] SizePx size_option(const std::string& text);        ///< --size WxH
[[nodiscard]] RectPx crop_option(const std::string& text);        ///< --crop X,Y,W,H
[[nodiscard]] FrameRange frames_option(const std::string& text);  ///< --frames A-B, or A
[[nodiscard]] Rational fps_option(const std::string& text);       ///< --fps F, over 0
[[nodiscard]] SizeFit fit_option(const std::string& text);        ///< --fit
[[nodiscard]] std::optional<BezelMode> bezel_option(const std::string& text);  ///< --bezels, or ""
[[nodiscard]] BlockCompression lossless_option(const std::string& text);       ///< --lossless

}  // namespace tilewall
