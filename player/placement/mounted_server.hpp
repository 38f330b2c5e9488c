// Finds the server of a file that lies on a network file system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilewall::placement {

/// "ADDRESS:PORT" by which the kernel reaches the file's server (NFS, CIFS); "" for a file of this
/// host, and where there is no file.
[[nodiscard]] std::string mounted_server(const std::filesystem::path& file);

/// The server of the file system that /proc/self/mountinfo lists as "MAJOR:MINOR"; "" for others.
[[nodiscard]] std::string mounted_server_in(std::string_view mountinfo, std::string_view device);

}  // namespace tilewall::placement
