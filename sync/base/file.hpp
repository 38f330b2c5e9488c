// Small helpers over files: read whole with a bound, and write so that no half file looks whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "sync/base/handle.hpp"

namespace tilewall {

/// Opens for reading. Throws InputError naming the file: missing, a directory, not readable.
[[nodiscard]] UniqueFd open_for_reading(const std::filesystem::path& path);

/// Opens what lies below the folder `at`, and no link that leads out of it, with open()'s flags;
/// never waits for a pipe's other end. Empty where there is none, as errno says.
[[nodiscard]] UniqueFd open_below(int at, const std::string& path, int flags);

/// The file's bytes. Throws InputError as open_for_reading does, or when it exceeds `max_bytes`.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes under a temporary name in the same folder and renames: readers see the old file or the
/// whole new one. A device or a pipe is written to as it is. Throws JobError naming the file; the
/// temporary file is removed then.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tilewall
