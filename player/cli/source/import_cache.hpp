// Imports inputs into the user's cache that cannot be played well from their own files. Later shows
// play them from the cache.
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

/// Larger images are imported into blocks, so that each panel reads only the blocks that it sees,
/// at the level that it needs. Otherwise each panel would decode the whole image.
inline constexpr std::int64_t max_direct_image_px = 16'000'000;

/// Whether images must be imported: formats that panels do not read, large images, a first image
/// that has to be rotated, or one that either panels or import cannot decode. Decodes the first
/// image.
[[nodiscard]] bool images_need_cache(const movie::ImageSequence& images);

/// The cached wall movie of `inputs` for `target` (all zero: at its own size). Imports it, with
/// progress on stderr, if it is not in the cache or the source has changed; then cleans the cache
/// to its limit, and prints the removed entries to stderr. `uses` locks the entry from before the
/// import on. Throws InputError (input) or JobError (cache, stop).
[[nodiscard]] std::filesystem::path import_into_cache(const std::vector<std::string>& inputs,
                                                      const movie::WallTarget& target,
                                                      movie::HdrMode hdr,
                                                      const std::stop_token& stop,
                                                      movie::CacheUses& uses);

}  // namespace tilewall::cli
