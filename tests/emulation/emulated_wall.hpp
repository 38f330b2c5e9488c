// A wall on emulated hosts, and the processes that a show has on one of them.
#pragma once

#include <filesystem>
#include <string>

#include "tests/emulation/emulated_network.hpp"

namespace tilewall::test {

/// Writes a wall of a column per host, of `rows` panels of 160 x 96 pixels each.
void write_wall_of(const std::filesystem::path& file, const EmulatedNetwork& network, int rows);

/// Sends a signal to the processes of that program on that host. SIGSTOP makes a host hang, like a
/// disk that gives nothing.
void signal_processes(const std::string& program, const EmulatedHost& host, int signal);

}  // namespace tilewall::test
