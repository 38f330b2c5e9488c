// From which server a file comes that lies on a network file system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilewall::placement {

/// "ADDRESS:PORT" by which the kernel reaches the server (NFS, CIFS); "" of a file of this host, or
/// none at all.
[[nodiscard]] std::string mounted_server(const std::filesystem::path& file);

/// The same of the file system that /proc/self/mountinfo lists as "MAJOR:MINOR".
[[nodiscard]] std::string mounted_server_in(std::string_view mountinfo, std::string_view device);

}  // namespace tilewall::placement
