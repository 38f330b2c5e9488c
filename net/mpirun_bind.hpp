// Keeps mpirun off the networks that it does not need. Open MPI 4.1 listens for its daemons at all
// addresses of the machine, whatever oob_tcp_if_include says: that chooses only the addresses that
// it tells. So mpirun runs with a small library (mpirun_bind_library.cpp, by LD_PRELOAD) whose
// bind() takes one address instead of all.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "net/socket.hpp"

namespace tilewall::net {

/// The file name of the library.
inline constexpr const char* mpirun_bind_library = "tilewall-mpirun-bind.so";
/// The address that the library binds to, without a port: "127.0.0.1", "fd00::1".
inline constexpr const char* mpirun_bind_variable = "TILEWALL_MPIRUN_BIND";

/// The variables, by name and value, with which mpirun listens only at `address`, whose port does
/// not matter. `library` is the library's path; libraries that this process was told to preload are
/// kept.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> mpirun_bind_environment(
    const SocketAddress& address, const std::filesystem::path& library);

/// Takes the library out of this process's environment. To be called by a program that mpirun
/// starts, so that the programs that it starts listen where they mean to.
void leave_mpirun_bind();

}  // namespace tilewall::net
