#include "player/bench/chrony.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {

namespace {

constexpr std::chrono::milliseconds ask_interval{200};
constexpr std::chrono::milliseconds chrony_end_limit{500};
constexpr int ntp_port = 11123;

/// Finds chronyd, which lies in /usr/sbin: ordinary users' PATH may lack that.
std::optional<std::string> find_chronyd() {
  for (const char* name : {"chronyd", "/usr/sbin/chronyd"})
    if (program_exists(name)) return name;
  return std::nullopt;
}

/// Starts chronyd with -x, which leaves the system's clock alone.
pid_t start_chronyd(const std::string& program, const std::filesystem::path& folder,
                    const std::string& name, const std::string& configuration) {
  const std::filesystem::path file = folder / (name + ".conf");
  write_file_atomically(
      file, configuration + fmt::format("pidfile {}\n", (folder / (name + ".pid")).string()));
  return start_program({program, "-x", "-d", "-U", "-u", "root", "-f", file.string()},
                       {{}, folder / (name + ".log")});
}

/// Reads the clock's estimated offset, column 5 of "chronyc -c tracking". Empty until a server is
/// selected (column 3, the stratum, is not 0).
std::optional<std::int64_t> parse_tracking(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == ',')
      columns.emplace_back();
    else
      columns.back() += c;
  }
  if (columns.size() < 14 || columns[2] == "0") return std::nullopt;
  char* end = nullptr;
  const double offset_s = std::strtod(columns[4].c_str(), &end);
  if (end == columns[4].c_str() || !(std::abs(offset_s) < 1)) return std::nullopt;
  return std::llround(std::abs(offset_s) * 1e9);
}

}  // namespace

std::unique_ptr<ChronyWatch> ChronyWatch::try_start(const VethPair& veth,
                                                    const std::filesystem::path& folder) {
  const auto program = find_chronyd();
  if (!program || !program_exists("chronyc")) return nullptr;
  // chronyc's socket must lie in a folder that other users cannot enter.
  const std::filesystem::path sockets = folder / "chrony";
  ::mkdir(sockets.c_str(), 0700);
  pid_t server = 0;
  pid_t client = 0;
  {
    const net::NetworkNamespace::Visit visit(veth.server);
    server = start_chronyd(*program, folder, "chrony-server",
                           fmt::format("local stratum 1\nallow\nport {}\ncmdport 0\n"
                                       "bindcmdaddress {}\n",
                                       ntp_port, (sockets / "server.sock").string()));
  }
  {
    const net::NetworkNamespace::Visit visit(veth.client);
    client = start_chronyd(
        *program, folder, "chrony-client",
        fmt::format("server {} port {} minpoll -4 maxpoll -4 xleave iburst\n"
                    "port 0\ncmdport 0\nbindcmdaddress {}\n",
                    VethPair::server_address, ntp_port, (sockets / "client.sock").string()));
  }
  return std::unique_ptr<ChronyWatch>(new ChronyWatch(server, client, sockets / "client.sock"));
}

ChronyWatch::ChronyWatch(pid_t server, pid_t client, const std::filesystem::path& socket)
    : server_(server),
      client_(client),
      thread_(
          [this, command = fmt::format("chronyc -c -h {} tracking 2>/dev/null", socket.string())](
              const std::stop_token& stop) { run(stop, command); }) {}

ChronyWatch::~ChronyWatch() {
  thread_.request_stop();
  thread_.join();
  end_child(client_, chrony_end_limit);
  end_child(server_, chrony_end_limit);
}

void ChronyWatch::begin() {
  const std::scoped_lock lock(mutex_);
  errors_ns_.clear();
}

std::vector<std::int64_t> ChronyWatch::errors_ns() const {
  const std::scoped_lock lock(mutex_);
  return errors_ns_;
}

void ChronyWatch::run(const std::stop_token& stop, const std::string& command) {
  while (!stop.stop_requested()) {
    const auto error_ns = parse_tracking(output_of(command));
    if (error_ns) {
      const std::scoped_lock lock(mutex_);
      errors_ns_.push_back(*error_ns);
    }
    std::this_thread::sleep_for(ask_interval);
  }
}

namespace {

constexpr std::chrono::seconds ip_limit{5};

/// Whether `ip WORDS` succeeds inside `where`.
bool ip(const net::NetworkNamespace& where, std::vector<std::string> words) {
  const net::NetworkNamespace::Visit visit(where);
  words.insert(words.begin(), "ip");
  return wait_for(start_program(words, {{}, "/dev/null"}), ip_limit).exit_code == 0;
}

bool bring_up(const net::NetworkNamespace& where, const std::string& device, const char* address) {
  return ip(where, {"address", "add", std::string(address) + "/24", "dev", device}) &&
         ip(where, {"link", "set", device, "up"}) && ip(where, {"link", "set", "lo", "up"});
}

}  // namespace

std::unique_ptr<VethPair> try_make_veth_pair(std::string& reason) {
  auto server = net::NetworkNamespace::try_make();
  auto client = net::NetworkNamespace::try_make();
  if (!server || !client) {
    reason = "this user may not make network namespaces (CAP_NET_ADMIN, CAP_SYS_ADMIN)";
    return nullptr;
  }
  auto pair = std::make_unique<VethPair>(VethPair{*std::move(server), *std::move(client)});
  if (ip(pair->server, {"link", "add", "veth0", "type", "veth", "peer", "name", "veth1", "netns",
                        pair->client.path()}) &&
      bring_up(pair->server, "veth0", VethPair::server_address) &&
      bring_up(pair->client, "veth1", VethPair::client_address))
    return pair;
  reason = "no virtual cable can be made (is iproute2 installed?)";
  return nullptr;
}

}  // namespace tilewall::bench
