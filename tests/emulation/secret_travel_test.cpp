// Where a wall's secret goes during a show on several hosts: over no network, onto no command line,
// and into no environment.

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sync/base/file.hpp"
#include "tests/emulation/emulated_wall.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {
namespace secret_travel {

namespace fs = std::filesystem;

constexpr std::size_t window_bytes = 16;  // of a secret: so many in a row are found by no accident
constexpr std::size_t largest_packet_bytes = 1 << 16;
constexpr std::size_t longest_text_bytes = 1 << 20;

/// All packets of a network's interfaces, loopback included, from now on.
class PacketRecorder {
 public:
  explicit PacketRecorder(const net::NetworkNamespace& network) {
    const net::NetworkNamespace::Visit visit(network);
    socket_ = UniqueFd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)));
    REQUIRE_FALSE(socket_.empty());
    constexpr int buffer_bytes = 64 << 20;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes);
    constexpr timeval limit = {0, 50'000};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  /// Ends the recording, and returns what went over the network.
  [[nodiscard]] const std::string& bytes() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return bytes_;
  }

 private:
  void run(const std::stop_token& stop) {
    std::string packet(largest_packet_bytes, '\0');
    while (!stop.stop_requested()) {
      const ssize_t got = ::recv(socket_.get(), packet.data(), packet.size(), 0);
      if (got > 0) bytes_.append(packet, 0, static_cast<std::size_t>(got));
    }
  }

  UniqueFd socket_;
  std::string bytes_;
  std::jthread thread_;
};

/// Parts of the secret, as it is in its file and in hexadecimal.
std::set<std::string> parts_of(const std::string& secret) {
  std::set<std::string> parts;
  std::string hex;
  for (const char byte : secret) {
    constexpr const char* digits = "0123456789abcdef";
    hex += digits[static_cast<unsigned char>(byte) >> 4];
    hex += digits[byte & 15];
  }
  for (const std::string& form : {secret, hex})
    for (std::size_t at = 0; at + window_bytes <= form.size(); ++at)
      parts.insert(form.substr(at, window_bytes));
  return parts;
}

/// How many of the parts are in the bytes.
std::size_t found_in(const std::string& bytes, const std::set<std::string>& parts) {
  std::size_t found = 0;
  for (const std::string& part : parts) found += bytes.find(part) != std::string::npos ? 1U : 0U;
  return found;
}

std::string text_of(const fs::path& process, const char* name) {
  std::ifstream file(process / name, std::ios::binary);
  std::string text(longest_text_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace secret_travel
}  // namespace

TEST_CASE("a wall's secret goes over no network, and onto no command line", "[emulation][attack]") {
  using namespace secret_travel;
  const TemporaryFolder folder;
  fs::create_directory(folder / "hosts");
  std::string reason;
  const auto network = EmulatedNetwork::try_make({{}, {}}, {}, folder / "hosts", reason);
  if (!network) {
    WARN("skipped: " << reason);
    return;
  }
  const std::string key = (folder / "wall.key").string();
  REQUIRE(run_program({tilewall_program, "key", "new", key}).exit_code == 0);
  const std::set<std::string> parts = parts_of(read_text_file(key, 1000));
  std::vector<std::unique_ptr<PacketRecorder>> recorders;
  recorders.push_back(std::make_unique<PacketRecorder>(network->head()));
  for (const EmulatedHost& host : network->hosts())
    recorders.push_back(std::make_unique<PacketRecorder>(host.network));

  write_wall_of(folder / "wall.toml", *network, 1);
  make_counting_movie(folder / "movie.mkv", {});
  Words words = network->at_head();
  words.insert(words.end(),
               {tilewall_program, "play", (folder / "movie.mkv").string(), "--wall",
                (folder / "wall.toml").string(), "--headless", "--loop", "--run-dir",
                (folder / "run").string(), "--launcher", network->launcher(), "--key-file", key});
  RunningProgram show(words);
  const auto ctl = [&](const Words& verb) {
    Words all = network->at_head();
    all.insert(all.end(), {tilewall_program, "ctl"});
    all.insert(all.end(), verb.begin(), verb.end());
    all.insert(all.end(), {"--run-dir", (folder / "run").string()});
    return run_program(all);
  };
  REQUIRE(eventually(
      [&] {
        const auto status = nlohmann::json::parse(ctl({"status", "--json"}).out, nullptr, false);
        return status.is_object() && status.value("frames_shown", 0) > 10;
      },
      std::chrono::seconds(60)));

  std::size_t decoders = 0;
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (!fs::exists(process.path() / "cmdline")) continue;
    const std::string command = text_of(process.path(), "cmdline");
    const std::string environment = text_of(process.path(), "environ");
    CAPTURE(command);
    CHECK(found_in(command, parts) == 0);
    CHECK(found_in(environment, parts) == 0);
    if (command.find("tilewall-decoder") == std::string::npos) continue;
    ++decoders;
    CHECK(environment.find("TILEWALL_SECRET_FILE") == std::string::npos);
  }
  CHECK(decoders >= 2);
  CHECK(ctl({"quit"}).exit_code == 0);
  CHECK(show.wait(std::chrono::seconds(30)).exit_code == 0);
  for (const auto& recorder : recorders) {
    const std::string& bytes = recorder->bytes();
    CHECK(bytes.size() > 10'000);
    CHECK(found_in(bytes, parts) == 0);
  }
  // The recorders would have seen it: the launcher's network has the path of the file.
  CHECK(recorders.front()->bytes().find(key) != std::string::npos);
}
