// What cannot or had better not be played as it is: imported once into the user's cache, played
// from there ever after.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "player/movie/cache/cache_uses.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/tone_curve.hpp"

namespace tilewall::cli {

/// Images larger than this are decoded once, into blocks: panels read just those they see, at the
/// level they need, where each would decode all of the image.
inline constexpr std::int64_t max_direct_image_px = 16'000'000;

/// Whether images go through the cache: formats that panels do not read, large ones, and those
/// whose first image is to be turned, or which panels cannot decode or import cannot, so that both
/// show the same or say the same of it. Decodes it.
[[nodiscard]] bool images_need_cache(const movie::ImageSequence& images);

/// The wall movie of `inputs` made for `target` (all zero: at its own size), imported now, with
/// progress on stderr, unless it is in the cache and the source has not changed. `uses` has it from
/// before the import on. Then the cache is brought to its limit, and what that removes is named on
/// stderr. Throws InputError (input) or JobError (cache, stop).
[[nodiscard]] std::filesystem::path import_into_cache(const std::vector<std::string>& inputs,
                                                      const movie::WallTarget& target,
                                                      movie::HdrMode hdr,
                                                      const std::stop_token& stop,
                                                      movie::CacheUses& uses);

}  // namespace tilewall::cli
