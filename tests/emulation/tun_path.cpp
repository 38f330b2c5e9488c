#include "tests/emulation/tun_path.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::test {
namespace {

constexpr const char* device = "tun0";
constexpr const char* mtu = "1500";  // as beyond one's own network
constexpr std::size_t largest_burst_bytes = 66'000;
constexpr std::size_t virtio_head_bytes = 10;  // before each packet: what is left to the card
constexpr int packets_a_turn = 64;
constexpr Nanos longest_wait = std::chrono::milliseconds(20);
constexpr std::chrono::seconds ip_limit{5};

bool ip(std::vector<std::string> words) {
  words.insert(words.begin(), "ip");
  return wait_for(start_program(words, {{}, "/dev/null"}), ip_limit).exit_code == 0;
}

/// The program's side of a new device in this network; empty where the kernel forbids it.
UniqueFd open_device(const NetworkNamespace& network, const char* address) {
  const NetworkNamespace::Visit visit(network);
  UniqueFd tun(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (tun.empty()) return {};
  ifreq request = {};
  std::strcpy(request.ifr_name, device);
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  const auto offloads = static_cast<unsigned long>(TUN_F_CSUM | TUN_F_TSO4);
  const bool is_made = ::ioctl(tun.get(), TUNSETIFF, &request) == 0 &&
                       ::ioctl(tun.get(), TUNSETOFFLOAD, offloads) == 0 &&
                       ip({"address", "add", std::string(address) + "/24", "dev", device}) &&
                       ip({"link", "set", device, "mtu", mtu, "txqueuelen", "10000", "up"});
  return is_made ? std::move(tun) : UniqueFd();
}

/// What passes one way.
class Lane {
 public:
  Lane(int from, int to, const PathShape& shape, std::uint64_t seed)
      : from_(from), to_(to), link_(shape), dice_(seed) {}

  void take(TunPath::Counters& counters) {
    for (int i = 0; i < packets_a_turn; ++i) {
      const ssize_t got = ::read(from_, burst_.data(), burst_.size());
      if (got <= static_cast<ssize_t>(virtio_head_bytes)) return;
      const LocalInstant now = local_now();
      const std::size_t bytes = static_cast<std::size_t>(got) - virtio_head_bytes;
      if (dice_.happens(link_.shape().loss)) {
        ++counters.lost;
        static_cast<void>(link_.pass(bytes, now));
      } else if (!link_.has_room(bytes, now)) {
        ++counters.dropped_by_queue;
      } else {
        held_.push_back({link_.pass(bytes, now), {burst_.data(), burst_.data() + got}});
      }
    }
  }

  void give(TunPath::Counters& counters) {
    for (const LocalInstant now = local_now(); !held_.empty() && held_.front().due <= now;) {
      const std::vector<std::byte>& bytes = held_.front().bytes;
      if (::write(to_, bytes.data(), bytes.size()) > 0) ++counters.passed;
      held_.pop_front();
    }
  }

  [[nodiscard]] LocalInstant due() const {
    return held_.empty() ? LocalInstant{Nanos::max()} : held_.front().due;
  }

 private:
  struct Held {
    LocalInstant due;
    std::vector<std::byte> bytes;
  };
  int from_;
  int to_;
  PathLink link_;
  PathDice dice_;
  std::vector<std::byte> burst_ = std::vector<std::byte>(largest_burst_bytes);
  std::deque<Held> held_;
};

void carry(const std::array<int, 2>& devices, const PathShape& shape, int stop_fd,
           TunPath::Counters& counters) {
  ::prctl(PR_SET_TIMERSLACK, 1);
  std::array<Lane, 2> lanes = {Lane(devices[0], devices[1], shape, 1),
                               Lane(devices[1], devices[0], shape, 2)};
  for (;;) {
    const Nanos left =
        std::clamp(std::min(lanes[0].due(), lanes[1].due()) - local_now(), Nanos{0}, longest_wait);
    const timespec timeout = {0, left.count()};
    std::array<pollfd, 3> polled = {
        {{devices[0], POLLIN, 0}, {devices[1], POLLIN, 0}, {stop_fd, POLLIN, 0}}};
    ::ppoll(polled.data(), polled.size(), &timeout, nullptr);
    if (polled[2].revents != 0) return;
    for (Lane& lane : lanes) {
      lane.take(counters);
      lane.give(counters);
    }
  }
}

}  // namespace

std::unique_ptr<TunPath> TunPath::try_make(const PathShape& shape, std::string& reason) {
  auto server = NetworkNamespace::try_make();
  auto client = NetworkNamespace::try_make();
  reason = "this user may not make networks and TUN devices (CAP_NET_ADMIN, CAP_SYS_ADMIN)";
  if (!server || !client) return nullptr;
  const UniqueFd at_server = open_device(*server, server_address);
  const UniqueFd at_client = open_device(*client, client_address);
  if (at_server.empty() || at_client.empty()) return nullptr;
  reason.clear();
  auto process = std::make_unique<BenchProcess>(
      "tw-tun-path", [&](const auto& inside, BenchProcessReport& report) {
        inside.say_port(1);  // the path is up
        Counters counters;
        carry({at_server.get(), at_client.get()}, shape, inside.stop_fd, counters);
        report.counts[0] = counters.passed;
        report.counts[1] = counters.lost;
        report.counts[2] = counters.dropped_by_queue;
      });
  return std::unique_ptr<TunPath>(
      new TunPath(*std::move(server), *std::move(client), std::move(process)));
}

TunPath::Counters TunPath::end() {
  const BenchProcessReport report = process_->end();
  return {report.cpu_s, report.counts[0], report.counts[1], report.counts[2]};
}

}  // namespace tilewall::test
