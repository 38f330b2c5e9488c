#include "tests/emulation/emulated_wall.hpp"

#include <csignal>
#include <fstream>
#include <system_error>

#include "tests/support/show.hpp"

namespace tilewall::test {

namespace fs = std::filesystem;

void write_wall_of(const fs::path& file, const EmulatedNetwork& network, int rows) {
  std::ofstream wall(file);
  wall << "columns = " << network.hosts().size() << "\nrows = " << rows
       << "\n[panels]\nsize_px = [160, 96]\n";
  int column = 0;
  for (const EmulatedHost& host : network.hosts())
    wall << "[[host]]\nname = \"" << host.name << "\"\naddress = \"" << host.address
         << "\"\ncolumns = [" << column++ << "]\n";
}

void signal_processes(const std::string& program, const EmulatedHost& host, int signal) {
  const fs::path own = fs::read_symlink(host.network.path());
  for (const pid_t pid : processes_with(program)) {
    std::error_code gone;
    if (fs::read_symlink(fs::path("/proc") / std::to_string(pid) / "ns" / "net", gone) == own)
      ::kill(pid, signal);
  }
}

}  // namespace tilewall::test
