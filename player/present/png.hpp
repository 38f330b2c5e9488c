// Snapshots as PNG files.
#pragma once

#include <filesystem>

#include "wallconfigs/image_view.hpp"

namespace tilewall::present {

/// Writes an 8-bit RGB PNG under a temporary name and renames it: `file` is whole or not there.
/// Throws JobError naming the file; nothing is left behind then.
void write_png(const ImageView& picture, const std::filesystem::path& file);

}  // namespace tilewall::present
