#include "tests/emulation/emulated_network.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "tests/support/places.hpp"

namespace tilewall::test {
using namespace net;
namespace {

namespace fs = std::filesystem;

constexpr std::string_view wall_key = "a key that all emulated hosts have";
constexpr std::uint32_t network_address = 10U << 24 | 77U << 16;
constexpr std::uint32_t head_number = 254;
constexpr std::chrono::seconds ip_limit{5};

std::string dotted(std::uint32_t number) { return fmt::format("10.77.0.{}", number); }

bool ip(std::vector<std::string> words) {
  words.insert(words.begin(), "ip");
  return wait_for(start_program(words, {{}, "/dev/null"}), ip_limit).exit_code == 0;
}

/// Switches off segmentation and checksums by the device, so that packets leave it whole and no
/// longer than allowed. The relay receives packets before a network card would have filled in
/// checksums and cut them.
void switch_off_offloads(const char* device) {
  const UniqueFd socket(check_sys(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
  for (const std::uint32_t command :
       {std::uint32_t{ETHTOOL_STXCSUM}, std::uint32_t{ETHTOOL_STSO}, std::uint32_t{ETHTOOL_SGSO}}) {
    ethtool_value value = {command, 0};
    ifreq request = {};
    std::strcpy(request.ifr_name, device);
    request.ifr_data = reinterpret_cast<char*>(&value);
    static_cast<void>(::ioctl(socket.get(), SIOCETHTOOL, &request));  // some it has not
  }
}

/// The host's end of a cable whose other end, "hostN", lies in `wires`. False where the kernel
/// forbids it.
bool lay_cable(const NetworkNamespace& wires, const NetworkNamespace& host, std::uint32_t number) {
  const NetworkNamespace::Visit visit(host);
  const bool is_laid =
      ip({"link", "add", "wall0", "address", fmt::format("02:00:00:00:00:{:02x}", number), "type",
          "veth", "peer", "name", fmt::format("host{}", number), "netns", wires.path()}) &&
      ip({"address", "add", dotted(number) + "/24", "dev", "wall0"}) &&
      ip({"link", "set", "wall0", "arp", "off", "up"}) && ip({"link", "set", "lo", "up"});
  if (is_laid) switch_off_offloads("wall0");
  return is_laid;
}

/// Opens the relay's end of a cable. @pre inside `wires`
RelayPort open_port(std::uint32_t number) {
  const std::string device = fmt::format("host{}", number);
  if (!ip({"link", "set", device, "up"})) throw JobError("ip link set " + device + " failed");
  RelayPort port{
      network_address | number, {2, 0, 0, 0, 0, static_cast<std::uint8_t>(number)}, 0, {}};
  port.interface_index = static_cast<int>(::if_nametoindex(device.c_str()));
  port.socket = UniqueFd(check_sys(
      ::socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket AF_PACKET"));
  sockaddr_ll at = {};
  at.sll_family = AF_PACKET;
  at.sll_protocol = __builtin_bswap16(ETH_P_IP);
  at.sll_ifindex = port.interface_index;
  check_sys(::bind(port.socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), "bind");
  return port;
}

std::int64_t read_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

SkewFile::SkewFile(const fs::path& path, const HostSpec& spec) {
  const UniqueFd fd(check_sys(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644), "open"));
  check_sys(::ftruncate(fd.get(), sizeof(ClockSkew)), "ftruncate");
  void* const at =
      ::mmap(nullptr, sizeof(ClockSkew), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) throw_errno("mmap", errno);
  skew_ = new (at) ClockSkew;
  skew_->offset_ns = spec.offset_ns;
  skew_->drift_ppm = spec.drift_ppm;
  skew_->anchor_monotonic_ns = read_ns(CLOCK_MONOTONIC);
  skew_->anchor_realtime_ns = read_ns(CLOCK_REALTIME);
}

SkewFile::~SkewFile() { ::munmap(skew_, sizeof(ClockSkew)); }

std::unique_ptr<EmulatedNetwork> EmulatedNetwork::try_make(const std::vector<HostSpec>& specs,
                                                           const PathOptions& path,
                                                           const fs::path& folder,
                                                           std::string& reason) {
  auto wires = NetworkNamespace::try_make();
  auto head = NetworkNamespace::try_make();
  if (!wires || !head || !lay_cable(*wires, *head, head_number)) {
    reason = "this user may not make networks (CAP_SYS_ADMIN, CAP_NET_ADMIN; iproute2)";
    return nullptr;
  }
  std::unique_ptr<EmulatedNetwork> made(
      new EmulatedNetwork(*std::move(wires), *std::move(head), folder));
  for (std::uint32_t number = 1; number <= specs.size(); ++number)
    made->add_host(number, specs[number - 1]);
  made->start_relay(path);
  made->write_remote_shell();
  write_private_file(made->key_file(), wall_key);
  return made;
}

void EmulatedNetwork::add_host(std::uint32_t number, const HostSpec& spec) {
  auto network = NetworkNamespace::try_make();
  const std::string name = fmt::format("h{}", number);
  if (!network || !lay_cable(wires_, *network, number))
    throw JobError("no network for emulated host " + name);
  std::ofstream(folder_ / (name + ".boot")) << fmt::format("emulated-boot-of-{}\n", name);
  hosts_.push_back({name, dotted(number), *std::move(network),
                    std::make_unique<SkewFile>(folder_ / (name + ".clock"), spec)});
}

void EmulatedNetwork::start_relay(const PathOptions& path) {
  const NetworkNamespace::Visit visit(wires_);
  std::vector<RelayPort> ports;
  ports.push_back(open_port(head_number));
  for (std::uint32_t number = 1; number <= hosts_.size(); ++number)
    ports.push_back(open_port(number));
  relay_ = std::make_unique<PacketRelay>(std::move(ports), path);
}

std::vector<std::string> EmulatedNetwork::at_head() const {
  return {"nsenter", "--net=" + head_.path()};
}

std::string EmulatedNetwork::launcher() const {
  return fmt::format("mpirun --mca plm_rsh_agent {} --mca plm_rsh_no_tree_spawn 1",
                     (folder_ / "remote-shell").string());
}

void EmulatedNetwork::cut(const EmulatedHost& host) const {
  for (std::uint32_t number = 1; number <= hosts_.size(); ++number)
    if (&hosts_[number - 1] == &host) relay_->cut(network_address | number);
}

void EmulatedNetwork::join() const { relay_->cut(0); }

void EmulatedNetwork::switch_host(const EmulatedHost& host, bool on) const {
  const fs::path off = folder_ / (host.name + ".off");
  on ? void(fs::remove(off)) : void(std::ofstream(off) << "off");
}

void EmulatedNetwork::hold_host(const EmulatedHost& host, bool held) const {
  const fs::path file = folder_ / (host.name + ".held");
  held ? void(std::ofstream(file) << "held") : void(fs::remove(file));
}

std::vector<pid_t> EmulatedNetwork::processes_of(const EmulatedHost& host) {
  std::vector<pid_t> pids;
  std::error_code error;
  const fs::path own = fs::read_symlink(host.network.path(), error);
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    if (fs::read_symlink(entry.path() / "ns" / "net", gone) == own && !gone)
      pids.push_back(std::stoi(name));
  }
  return pids;
}

/// Writes the program that mpirun calls instead of ssh: SHELL [OPTIONS] HOST COMMAND...
void EmulatedNetwork::write_remote_shell() const {
  const fs::path file = folder_ / "remote-shell";
  std::ofstream shell(file);
  shell << "#!/bin/sh\n"
           "while case $1 in -*) true ;; *) false ;; esac; do shift; done\n"
           "address=$1; shift\n"
           "case $address in\n";
  for (const EmulatedHost& host : hosts_)
    shell << fmt::format("  {}) name={}; network={} ;;\n", host.address, host.name,
                         host.network.path());
  shell << fmt::format(
      "  *) echo \"no emulated host $address\" >&2; exit 1 ;;\n"
      "esac\n"
      "[ ! -e {1}/$name.off ] || {{ echo No route to host >&2; exit 255; }}\n"
      "while [ -e {1}/$name.held ]; do sleep 0.05; done\n"
      "export name {0}={1}/$name.clock\n"
      "exec nsenter --net=$network unshare --uts --ipc --mount sh -c '\n"
      "  hostname \"$name\" && mount -t tmpfs -o size=256m tmpfs /dev/shm &&\n"
      "  {{ [ -z \"${3}\" ] || [ \"${{{4}:-$name}}\" != \"$name\" ] || mount -t tmpfs tmpfs "
      "\"${3}\"; }} "
      "&&\n"
      "  mount --bind {1}/$name.boot /proc/sys/kernel/random/boot_id &&\n"
      "  exec env LD_PRELOAD={2} sh -c \"$0\"' \"$*\"\n",
      clock_skew_variable, folder_.string(), preload_path(TILEWALL_SKEWED_CLOCK),
      hidden_folder_variable, hidden_host_variable);
  shell.close();
  fs::permissions(file, fs::perms::owner_all);
}

}  // namespace tilewall::test
