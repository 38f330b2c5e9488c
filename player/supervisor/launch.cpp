#include "player/supervisor/launch.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "net/secret_variables.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> keeper_arguments(const LaunchOptions& options) {
  std::vector<std::string> arguments = {own_program("tilewall-keeper").string(),
                                        "--director",
                                        options.director,
                                        "--clock",
                                        options.clock,
                                        "--run-dir",
                                        options.run_dir.string(),
                                        "--decode",
                                        std::string(scene::name_of(options.decode)),
                                        "--hdr",
                                        options.hdr};
  if (options.trace) append(arguments, {"--trace", options.director});
  return arguments;
}

/// The address of the panel's host. A panel without a host runs on this machine.
std::string address_of(const wall::Wall& wall, const wall::Panel& panel) {
  return panel.host.empty() ? "localhost" : wall.find_host(panel.host)->address;
}

}  // namespace

bool uses_other_hosts(const wall::Wall& wall, bool local) {
  return !local && std::any_of(wall.panels.begin(), wall.panels.end(),
                               [](const wall::Panel& panel) { return !panel.host.empty(); });
}

std::string first_other_host(const wall::Wall& wall) {
  const auto other = std::find_if(wall.panels.begin(), wall.panels.end(),
                                  [](const wall::Panel& panel) { return !panel.host.empty(); });
  return address_of(wall, *other);
}

std::size_t panels_per_host(const wall::Wall& wall, bool local) {
  std::map<std::string, std::size_t> counts;
  for (const wall::Panel& panel : wall.panels) ++counts[local ? "" : panel.host];
  std::size_t most = 1;
  for (const auto& [host, count] : counts) most = std::max(most, count);
  return most;
}

std::vector<std::string> launch_arguments(const wall::Wall& wall, const LaunchOptions& options) {
  std::vector<std::string> arguments = words(options.launcher);
  // --oversubscribe: more panels than cores are normal. --enable-recovery: a dead keeper must not
  // end the others. mpi_yield_when_idle: no process spins while it waits.
  append(arguments, {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
                     "--enable-recovery"});
  if (!uses_other_hosts(wall, options.local)) {
    append(arguments, {"-np", std::to_string(wall.panels.size())});
    append(arguments, keeper_arguments(options));
    return arguments;
  }
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    if (i > 0) arguments.emplace_back(":");
    // Open MPI passes only the variables named by -x to other hosts.
    append(arguments, {"-np", "1", "--host", address_of(wall, wall.panels[i]), "-x",
                       net::control_secret_variable, "-x", net::clock_secret_variable, "-x",
                       net::stream_secret_variable});
    append(arguments, keeper_arguments(options));
    if (!options.sound_host.empty() && wall.panels[i].host == options.sound_host)
      append(arguments, {"--sound", "yes"});
  }
  return arguments;
}

std::vector<std::pair<std::string, std::string>> launch_environment(const LaunchOptions& options) {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_orte_tmpdir_base", options.run_dir.string()},
          // Without "-gl", hwloc asks X servers for GPUs, and mpirun dies when an X server does.
          {"HWLOC_COMPONENTS", "-gl"}};
}

}  // namespace tilewall::supervisor
