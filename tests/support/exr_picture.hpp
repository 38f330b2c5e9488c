// EXR images for tests, read without the code that writes them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

struct ExrPicture {
  SizePx size_px;
  std::map<std::string, std::vector<float>> channels;  ///< By name; rows from above
  std::map<std::string, int> types;                    ///< By name; 1: half floats, 2: floats
  std::map<std::string, std::string> attributes;       ///< The bytes of each one, by name
};

/// Reads an image of scan lines, uncompressed or as ZIP. Throws std::runtime_error.
[[nodiscard]] ExrPicture exr_of(const std::string& bytes);
[[nodiscard]] ExrPicture read_exr(const std::filesystem::path& file);

}  // namespace tilewall
