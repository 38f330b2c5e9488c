// Folders that hold movies.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace tilewall {

/// The movies in a folder in natural order: files by their name's ending, and wall movies. Empty
/// where the folder is a wall movie itself, or holds no more movies than images: then it is an
/// image sequence, if anything. Throws InputError for a folder that cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> movies_in_folder(
    const std::filesystem::path& folder);

}  // namespace tilewall
