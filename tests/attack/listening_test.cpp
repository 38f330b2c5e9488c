// Where the processes of a show listen: a stranger on the network reaches none of a show on one
// machine.

#include <arpa/inet.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

namespace fs = std::filesystem;

/// The process and all that it started.
std::set<pid_t> family_of(pid_t ancestor) {
  std::set<pid_t> family = {ancestor};
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::stol(name));
    for (pid_t parent = pid; parent > 1; parent = parent_of(parent))
      if (parent == ancestor) family.insert(pid);
  }
  return family;
}

/// The inodes of the sockets that a process has, "12345".
std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), error)) {
    const std::string target = fs::read_symlink(entry.path(), error).string();
    constexpr std::string_view begin = "socket:[";
    if (target.starts_with(begin))
      inodes.insert(target.substr(begin.size(), target.size() - begin.size() - 1));
  }
  return inodes;
}

/// Whether an address of /proc/net, eight hexadecimal digits for each 32 bits, is loopback.
bool is_loopback(const std::string& hex) {
  in6_addr v6 = {};
  std::uint32_t words[4] = {};
  for (std::size_t i = 0; i < hex.size() / 8 && i < 4; ++i)
    words[i] = static_cast<std::uint32_t>(std::stoul(hex.substr(8 * i, 8), nullptr, 16));
  if (hex.size() == 8) return (ntohl(words[0]) >> 24) == 127;
  std::memcpy(&v6, words, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

/// Lines of /proc/net/PROTOCOL with sockets of `inodes` that anybody may send to, and that are not
/// of loopback alone. `state` is that of a socket that listens (TCP) or has no peer (UDP).
std::vector<std::string> open_to_all(const std::string& protocol, const std::string& state,
                                     const std::set<std::string>& inodes) {
  std::vector<std::string> found;
  std::ifstream lines("/proc/net/" + protocol);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.size() < 10 || words[3] != state || !inodes.contains(words[9])) continue;
    if (!is_loopback(words[1].substr(0, words[1].find(':')))) found.push_back(protocol + line);
  }
  return found;
}

}  // namespace

TEST_CASE("a show on one machine listens on loopback alone", "[attack]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, 50);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(eventually([&] { return show.ctl({"status"}).exit_code == 0; }));
  std::set<std::string> inodes;
  const std::set<pid_t> family = family_of(pid_in(show.run_dir() / "pids" / "supervisor"));
  REQUIRE(family.contains(pid_in(show.run_dir() / "pids" / "mpirun")));
  for (const pid_t pid : family) inodes.merge(sockets_of(pid));
  REQUIRE_FALSE(inodes.empty());
  std::vector<std::string> found;
  for (const auto& [protocol, state] :
       {std::pair("tcp", "0A"), {"tcp6", "0A"}, {"udp", "07"}, {"udp6", "07"}})
    for (std::string& line : open_to_all(protocol, state, inodes)) found.push_back(std::move(line));
  CHECK(found == std::vector<std::string>());
  show.finish();
}
