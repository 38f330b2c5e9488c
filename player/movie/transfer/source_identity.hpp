// A source's identity: what tells that a file is still the one an import began with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall {

/// Size, modification time and XXH3 of the first and last 64 KiB, as one word; of many files, a
/// hash over all of these. "" entries (gaps) count. Throws InputError for a file that cannot be
/// read.
[[nodiscard]] std::string source_identity(const std::vector<std::filesystem::path>& files);

}  // namespace tilewall
