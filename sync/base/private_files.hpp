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
/// names the mode and tells what to do. There is no second copy in this process's memory, so the
/// caller can overwrite the bytes.
[[nodiscard]] std::string read_private_file(const std::filesystem::path& path,
                                            std::size_t max_bytes);

/// What others than its user may do in a private folder.
enum class OthersMay { nothing, read, anything };

/// Why a folder is not this user's alone, such as "a symbolic link" or "mode 0755"; "" where it
/// is: a real folder of this user, in which group and others may do no more than `others`. An
/// access list grants nobody more than the group's bits do.
[[nodiscard]] std::string fault_of_private_folder(const std::filesystem::path& folder,
                                                  OthersMay others = OthersMay::nothing);

/// Makes a new folder for this user alone, whatever the mask says. Returns false where the name is
/// taken, and with errno set where it cannot be made.
[[nodiscard]] bool make_private_folder(const std::filesystem::path& folder);

/// Takes group's and others' permissions away from a folder that is this user's. Returns what is
/// wrong with it otherwise, as fault_of_private_folder() does.
[[nodiscard]] std::string make_private(const std::filesystem::path& folder);

/// The folder for what this user's processes leave for each other while they run:
/// $XDG_RUNTIME_DIR where it is this user's alone, else the temporary folder, which others share.
[[nodiscard]] std::filesystem::path user_run_folder();

}  // namespace tilewall
