#include "tests/emulation/packet_relay.hpp"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "sync/base/check.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::test {

using namespace sync;
namespace {

constexpr std::size_t most_held = 20'000;
constexpr Nanos spin = std::chrono::microseconds(100);  // before a due instant
constexpr std::size_t header_bytes = 20;
constexpr std::byte udp{17};

/// The address at `at` in the header of an IPv4 packet, in host byte order; 0 where it is none.
std::uint32_t address_at(std::span<const std::byte> packet, std::size_t at) {
  if (packet.size() < header_bytes || (packet[0] >> 4) != std::byte{4}) return 0;
  std::uint32_t address = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    address = address << 8 | std::to_integer<std::uint32_t>(packet[i]);
  return address;
}

std::uint32_t source(std::span<const std::byte> packet) { return address_at(packet, 12); }

std::uint32_t destination(std::span<const std::byte> packet) { return address_at(packet, 16); }

}  // namespace

PacketRelay::PacketRelay(std::vector<RelayPort> ports, const PathOptions& options)
    : ports_(std::move(ports)),
      options_(options),
      wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

PacketRelay::~PacketRelay() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

void PacketRelay::run(const std::stop_token& stop) {
  use_finest_timer_slack();
  static_cast<void>(try_realtime_priority());  // a wire does not get slower by what hosts compute
  for (const RelayPort& port : ports_) receivers_.emplace_back(port.socket.get());
  while (!stop.stop_requested()) {
    std::vector<pollfd> watched = {{wake_.get(), POLLIN, 0}};
    for (const RelayPort& port : ports_) watched.push_back({port.socket.get(), POLLIN, 0});
    const Nanos left = held_.empty() ? Nanos(std::chrono::seconds(1))
                                     : std::max(held_.front().due - local_now() - spin, Nanos{0});
    const timespec timeout = {std::chrono::floor<std::chrono::seconds>(left).count(),
                              (left % std::chrono::seconds(1)).count()};
    ::ppoll(watched.data(), watched.size(), &timeout, nullptr);
    for (StampedReceiver& port : receivers_) take_from(port);
    deliver_due();
  }
}

void PacketRelay::take_from(StampedReceiver& port) {
  std::array<std::byte, 2048> buffer;
  while (const auto packet = port.receive(buffer))
    if (packet->size_bytes <= buffer.size())
      hold(std::span(buffer).first(packet->size_bytes), packet->received);
  port.mark();
}

void PacketRelay::hold(std::span<const std::byte> packet, LocalInstant came) {
  const std::uint32_t address = destination(packet);
  const std::uint32_t cut = cut_;
  if (cut != 0 && (address == cut || source(packet) == cut)) return;
  const auto to = std::find_if(ports_.begin(), ports_.end(),
                               [&](const RelayPort& other) { return other.address == address; });
  if (address == 0 || to == ports_.end() || held_.size() >= most_held) return;
  const auto is_one_of = [&](double share) {
    return packet[9] == udp && std::uniform_real_distribution<double>(0, 1)(random_) < share;
  };
  if (is_one_of(options_.loss)) return;
  const bool is_set_back = is_one_of(options_.reorder);
  Packet held{came + options_.delay * (is_set_back ? 2 : 1),
              static_cast<std::size_t>(to - ports_.begin()),
              {packet.begin(), packet.end()}};
  auto behind = held_.end();
  while (options_.reorder > 0 && behind != held_.begin() && std::prev(behind)->due > held.due)
    --behind;
  held_.insert(behind, std::move(held));
}

void PacketRelay::deliver_due() {
  while (!held_.empty() && held_.front().due - spin <= local_now()) {
    std::ignore = wait_until(held_.front().due, spin);
    deliver(held_.front());
    held_.pop_front();
  }
}

/// A cable that does not take it has lost it.
void PacketRelay::deliver(const Packet& packet) {
  const RelayPort& port = ports_[packet.to];
  sockaddr_ll to = {};
  to.sll_family = AF_PACKET;
  to.sll_protocol = __builtin_bswap16(ETH_P_IP);
  to.sll_ifindex = port.interface_index;
  to.sll_halen = ETH_ALEN;
  std::memcpy(to.sll_addr, port.mac.data(), port.mac.size());
  ::sendto(port.socket.get(), packet.bytes.data(), packet.bytes.size(), MSG_DONTWAIT,
           reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace tilewall::test
