// Reads the regions and options of a show file's tables. Internal to this folder.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "player/cues/show_file.hpp"
#include "sync/base/error.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::cues {

/// Keys of a [[cue.region]].
[[nodiscard]] const std::vector<std::string_view>& region_keys();
/// Those that may also stand in [[cue]] itself, for the region "main": all but "name" and "remove".
[[nodiscard]] const std::vector<std::string_view>& inline_region_keys();

/// A [[cue.region]], or the region whose keys stand in a [[cue]]: that one has the name "main".
[[nodiscard]] RegionEntry region_from(const wall::TomlSection& table);
[[nodiscard]] RegionEntry inline_region_from(const wall::TomlSection& cue);

/// The index of the word at `key` in `words`; empty where the key is absent. Throws InputError that
/// lists the words and the nearest one.
[[nodiscard]] std::optional<std::size_t> word_at(const wall::TomlSection& table,
                                                 std::string_view key,
                                                 std::span<const std::string_view> words);

/// One or more inputs of at most 4096 bytes; none where the key is absent.
[[nodiscard]] std::vector<std::string> inputs_at(const wall::TomlSection& table,
                                                 std::string_view key);

}  // namespace tilewall::cues
