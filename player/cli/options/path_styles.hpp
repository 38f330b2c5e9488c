// The styles of a flight path's keys: from the words in its file, and back from what a wall shows.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/path/path_file.hpp"
#include "player/path/style_at.hpp"

namespace tilewall::cli {

/// The style at each key: that of the key before it, at first `base`, changed by the key's words.
/// Throws InputError naming file, line, key and field.
[[nodiscard]] path::KeyStyles key_styles(const path::PathFile& path,
                                         std::shared_ptr<const scene::VolumeStyle> base);

/// The style of a path that nothing was said about: what a volume's own defaults change is left
/// out.
[[nodiscard]] std::shared_ptr<const scene::VolumeStyle> plain_style();

/// The style before the first key where a path is flown on a wall that shows `shown`: fields that
/// no key names stay as they are, the others are plain.
[[nodiscard]] std::shared_ptr<const scene::VolumeStyle> style_before(
    const path::PathFile& path, const scene::VolumeStyle& shown);

/// The change of a style, as JSON for scene::patched(), that makes `from` to `to`.
[[nodiscard]] nlohmann::json style_change(const scene::VolumeStyle& from,
                                          const scene::VolumeStyle& to);

/// The words of a key that change a style.
struct StyleWords {
  std::vector<path::StyleWord> words;
  /// The text of the file that "tf" names, where the function has no name of its own; "" = none.
  std::string transfer_text;
};

/// The words that make `from` to `to`. `transfer_file` is how "tf" names a transfer function
/// without a name.
[[nodiscard]] StyleWords style_words(const scene::VolumeStyle& from, const scene::VolumeStyle& to,
                                     const std::string& transfer_file);

/// Adds a key with what a wall shows as the last one of a path's file, which is made if need be;
/// a transfer function without a name goes into a file beside it. `key` has no words yet. Returns
/// the number of keys. Throws InputError as path::add_key() does.
std::size_t add_shown_key(const std::string& file, path::PathKey key,
                          const scene::VolumeStyle& shown, const std::string& volume);

}  // namespace tilewall::cli
