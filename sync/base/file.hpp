// Small helpers over files: read whole with a bound, and write so that no half file looks whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

/// Opens for reading. Throws InputError naming the file: missing, a directory, not readable.
[[nodiscard]] UniqueFd open_for_reading(const std::filesystem::path& path);
/// The same for a file that must lie in a folder, which is open at `at` and has the path `folder`.
/// Throws InputError where it does not, by its words or by links.
[[nodiscard]] UniqueFd open_for_reading_beneath(int at, const std::filesystem::path& folder,
                                                const std::filesystem::path& path);
/// Throws InputError where the words of a path lead out of a folder.
void check_beneath(const std::filesystem::path& folder, const std::filesystem::path& path);

/// Opens a file below the folder `at` with open()'s flags, but follows no link that leads out of
/// the folder, and never waits for a pipe's other end. Empty where that fails, with errno set.
[[nodiscard]] UniqueFd open_below(int at, const std::string& path, int flags);

/// The rest of an open file's bytes. Throws InputError naming `path` where it cannot be read, or
/// has more than `max_bytes`.
[[nodiscard]] std::string read_all(int fd, const std::filesystem::path& path,
                                   std::size_t max_bytes);

/// The file's bytes. Throws InputError as open_for_reading does, or when it exceeds `max_bytes`.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);
/// The entries of a folder, in no order; fewer where it cannot be read to its end.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The first `max_bytes` of a file, for messages; "" where it cannot be read.
[[nodiscard]] std::string file_beginning(const std::filesystem::path& path, std::size_t max_bytes);

/// The last `max_bytes` of a file, for messages; "" where it cannot be read.
[[nodiscard]] std::string file_ending(const std::filesystem::path& path, std::size_t max_bytes);

/// The last line of a log that begins with `begin`, without its stamp (role_log.hpp); "" where none
/// does.
[[nodiscard]] std::string last_line_beginning(const std::string& text, std::string_view begin);

/// Writes all bytes to the descriptor. Throws JobError, which begins with `name`.
void write_all(int fd, std::string_view bytes, const std::string& name);

/// Replaces the bytes of an existing file in its own blocks. So even a full disk has room for as
/// many bytes as the file held, in whole blocks. Returns whether all were written.
[[nodiscard]] bool overwrite_file(const std::filesystem::path& path,
                                  std::string_view bytes) noexcept;

/// Writes under a temporary name in the same folder and renames: readers see the old file or the
/// whole new one. A device or a pipe is written to as it is. Throws JobError naming the file; the
/// temporary file is removed then.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The same for a file that only the user may read.
void write_private_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for a file that people own: where `path` is a link, the file behind it is replaced, and
/// it keeps its mode.
void rewrite_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tilewall
