#include "player/supervisor/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "net/mpirun_bind.hpp"
#include "net/show_keys.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/process.hpp"

namespace tilewall::supervisor {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

template <typename Item>
void append(std::vector<Item>& to, const std::vector<std::type_identity_t<Item>>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

constexpr std::string_view this_machine = "localhost";
constexpr std::string_view host_word = "{host}";
constexpr std::string_view panels_word = "{panels}";
constexpr std::string_view interface_setting = "oob_tcp_if_";

bool is_listed(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

std::vector<std::string> keeper_arguments(const LaunchHost& host, const LaunchOptions& options) {
  std::vector<std::string> arguments = {own_program("tilewall-keeper").string(),
                                        "--panels",
                                        fmt::format("{}", fmt::join(host.panels, ",")),
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
  if (!options.sound_host.empty() && is_listed(host.names, options.sound_host))
    append(arguments, {"--sound", "yes"});
  return arguments;
}

/// The address of the panel's host. Panels without a host, and hosts with an address by which a
/// machine names itself, are on this machine.
std::string address_of(const wall::Wall& wall, const wall::Panel& panel) {
  if (panel.host.empty()) return std::string(this_machine);
  const std::string& address = wall.find_host(panel.host)->address;
  const bool is_this = address == "127.0.0.1" || address == "::1" || address == host_name();
  return is_this ? std::string(this_machine) : address;
}

/// This machine's address on the way to another one; empty where there is none.
std::optional<net::SocketAddress> address_towards(const std::string& host) {
  try {
    return net::route_address(net::resolve(host + ":0", "hosts"));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Whether the launcher's user has chosen the interfaces at which mpirun listens, or it is another
/// program.
bool chooses_interfaces(const std::string& launcher) {
  return is_launch_template(launcher) || launcher.find(interface_setting) != std::string::npos ||
         std::getenv("OMPI_MCA_oob_tcp_if_include") != nullptr ||
         std::getenv("OMPI_MCA_oob_tcp_if_exclude") != nullptr;
}

void replace_all(std::string& text, std::string_view word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

/// The template's words with the host in place of the placeholders. Launchers that start this
/// machine's panels need a name by which a cluster knows it.
std::vector<std::string> filled_template(const LaunchHost& host, const std::string& launcher) {
  std::vector<std::string> filled = words(launcher);
  for (std::string& word : filled) {
    replace_all(word, host_word, host.is_this_machine() ? host_name() : host.address);
    replace_all(word, panels_word, std::to_string(host.panels.size()));
  }
  return filled;
}

}  // namespace

bool uses_other_hosts(const wall::Wall& wall, bool local) {
  return !local && std::any_of(wall.panels.begin(), wall.panels.end(),
                               [](const wall::Panel& panel) { return !panel.host.empty(); });
}

std::vector<std::string> addresses_of_hosts(const wall::Wall& wall) {
  std::vector<std::string> addresses;
  for (const wall::Panel& panel : wall.panels) {
    if (panel.host.empty()) continue;
    const std::string& address = wall.find_host(panel.host)->address;
    if (!is_listed(addresses, address)) addresses.push_back(address);
  }
  return addresses;
}

net::SocketAddress address_for_hosts(const wall::Wall& wall, bool local,
                                     const std::function<bool(const std::string&)>& is_fit) {
  if (!uses_other_hosts(wall, local)) return net::resolve("127.0.0.1:0", "wall");
  std::vector<std::string> addresses = addresses_of_hosts(wall);
  std::stable_partition(addresses.begin(), addresses.end(), is_fit);
  for (const std::string& address : addresses)
    if (const auto own = address_towards(address)) return *own;
  return net::route_address(net::resolve(addresses.front() + ":0", "hosts"));  // throws
}

std::size_t panels_per_host(const wall::Wall& wall, bool local) {
  std::map<std::string, std::size_t> counts;
  for (const wall::Panel& panel : wall.panels) ++counts[local ? "" : panel.host];
  std::size_t most = 1;
  for (const auto& [host, count] : counts) most = std::max(most, count);
  return most;
}

std::string LaunchHost::label() const {
  std::string label;
  for (const std::string& name : names)
    label += (label.empty() ? "" : ", ") + (name.empty() ? "this machine" : name);
  return label;
}

std::string LaunchHost::file_name(const std::string& kind) const {
  return is_this_machine() ? kind : kind + "-" + names.front();
}

std::vector<LaunchHost> launch_hosts(const wall::Wall& wall, bool local) {
  std::vector<LaunchHost> hosts;
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const wall::Panel& panel = wall.panels[i];
    const std::string address = local ? std::string(this_machine) : address_of(wall, panel);
    auto host = std::ranges::find(hosts, address, &LaunchHost::address);
    if (host == hosts.end()) host = hosts.insert(hosts.end(), LaunchHost{address, {}, {}});
    const std::string name = local ? "" : panel.host;
    if (!is_listed(host->names, name)) host->names.push_back(name);
    host->panels.push_back(static_cast<int>(i));
  }
  return hosts;
}

bool is_launch_template(const std::string& launcher) {
  return launcher.find(host_word) != std::string::npos ||
         launcher.find(panels_word) != std::string::npos;
}

void check_launch_template(const std::string& launcher, bool several_hosts) {
  if (words(launcher).empty()) throw InputError({"--launcher"}, "", "a program", "nothing");
  for (auto open = launcher.find('{'); open != std::string::npos;
       open = launcher.find('{', open + 1)) {
    const std::string_view rest = std::string_view(launcher).substr(open);
    if (rest.starts_with(host_word) || rest.starts_with(panels_word)) continue;
    throw InputError({"--launcher"}, "", "no braces but {host} and {panels}",
                     std::string(rest.substr(0, rest.find_first_of("} ") + 1)));
  }
  if (several_hosts && is_launch_template(launcher) &&
      launcher.find(host_word) == std::string::npos)
    throw InputError({"--launcher"}, "", "{host} for a wall of several hosts", launcher);
}

std::vector<std::string> launch_command(const LaunchHost& host, const std::string& launcher,
                                        bool may_be_elsewhere,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> arguments;
  if (is_launch_template(launcher)) {
    arguments = filled_template(host, launcher);
  } else {
    arguments = words(launcher);
    // --bind-to none: all processes of the host descend from this one. --oversubscribe: it starts
    // beside those of other launchers. With --enable-recovery mpirun would not end when its daemon
    // on the host has died.
    append(arguments, {"--oversubscribe", "--bind-to", "none", "-np", "1"});
    // Open MPI passes only the variables named by -x to other hosts.
    if (may_be_elsewhere)
      append(arguments,
             {"--host", host.address, "-x", secret_file_variable, "-x", net::keyless_variable});
  }
  append(arguments, command);
  return arguments;
}

std::vector<std::string> launch_arguments(const LaunchHost& host, const LaunchOptions& options,
                                          bool may_be_elsewhere) {
  return launch_command(host, options.launcher, may_be_elsewhere, keeper_arguments(host, options));
}

std::vector<std::pair<std::string, std::string>> launch_environment(const LaunchHost& host,
                                                                    const LaunchOptions& options) {
  // A folder for each: of two mpiruns that make the same folder at once, one ends with an error.
  const std::string folder = fmt::format("mpi{}", host.panels.front());
  std::vector<std::pair<std::string, std::string>> variables = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_orte_tmpdir_base", (options.run_dir / folder).string()},
      // When the keeper has died, mpirun ends within 0.2 s. By default it would wait for 2 s.
      {"OMPI_MCA_odls_base_sigkill_timeout", "0"},
      // After 45 s without an answer, mpirun and its daemon on the host give each other up
      // (README.md). Open MPI's own values would take 8 minutes.
      {"OMPI_MCA_oob_tcp_keepalive_time", "15"},
      {"OMPI_MCA_oob_tcp_keepalive_intvl", "5"},
      {"OMPI_MCA_oob_tcp_keepalive_probes", "6"},
      // Without "-gl", hwloc asks X servers for GPUs, and mpirun dies when an X server does.
      {"HWLOC_COMPONENTS", "-gl"}};
  if (!chooses_interfaces(options.launcher))
    if (const auto own =
            host.is_this_machine() ? net::resolve(":0", "launcher") : address_towards(host.address))
      append(variables, net::mpirun_bind_environment(*own, own_program(net::mpirun_bind_library)));
  return variables;
}

}  // namespace tilewall::supervisor
