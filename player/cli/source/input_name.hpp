// Inputs as people name them, made independent of the folder in which they were typed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::cli {

/// The input as it is opened from any folder: relative paths are relative to `folder`. Addresses,
/// patterns, inputs that the program makes, and paths below an empty folder stay as they are.
[[nodiscard]] std::string located_input(const std::string& input,
                                        const std::filesystem::path& folder);

/// The inputs as they are opened from any folder, where they were typed in the present one.
[[nodiscard]] std::vector<std::string> absolute_inputs(const std::vector<std::string>& inputs);

/// The opposite: paths below `folder` become relative to it.
[[nodiscard]] std::string input_from(const std::string& input, const std::filesystem::path& folder);

}  // namespace tilewall::cli
