// Names the numbers that a numbered set of files leaves out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall {

/// "frame-000012..000014, frame-000020 and 3 more gaps"; "" when the names differ in more than
/// their last number, or nothing is left out between the lowest and the highest.
[[nodiscard]] std::string describe_missing_numbers(const std::vector<std::filesystem::path>& files);

}  // namespace tilewall
