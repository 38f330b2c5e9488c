// Files and folders that belong to this user alone: secrets, and the folders with the files of a
// show. Whoever could write or read there would command the show, so that owner and permissions are
// looked at before anything is trusted.
//
// Threads: these are free functions without state.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tilewall {

/// The environment variable with the path of the file that has a show's secret; unset or empty
/// where a process belongs to no show and was given no key, or has no business with it.
inline constexpr const char* secret_file_variable = "TILEWALL_SECRET_FILE";

/// The bytes of a secret file, as read_text_file() gives them. Throws InputError also where the
/// file is not this user's or root's, or where group or others may do anything with it; the line
/// names the mode and tells what to do.
[[nodiscard]] std::string read_private_file(const std::filesystem::path& path,
                                            std::size_t max_bytes);

}  // namespace tilewall
