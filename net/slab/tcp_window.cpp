#include "net/slab/tcp_window.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>

namespace tilewall::net {
namespace {

constexpr double window_gain = 2.0;
constexpr double least_window_bytes = 64 << 10;
constexpr double most_window_bytes = (1u << 30) - 1;  // the kernel doubles SO_SNDBUF in an int
constexpr Nanos long_way = std::chrono::milliseconds(1);
/// Most unsent bytes in an enlarged buffer (TCP_NOTSENT_LOWAT): enough for a sender that wakes
/// late, and few enough that a cancelled slab ends soon.
constexpr int most_unsent_bytes = 4 << 20;

/// Returns the last number of a file of numbers; 0 if the file cannot be read.
std::uint64_t last_number(const char* file) {
  std::ifstream numbers(file);
  std::uint64_t last = 0;
  for (std::uint64_t number = 0; numbers >> number;) last = number;
  return last;
}

struct BufferKind {
  int option;
  int force;               // option beyond the limit of most_set, with CAP_NET_ADMIN
  const char* most_sized;  // file whose last number limits the kernel's own sizing
  const char* most_set;    // file with the limit of `option`
};
constexpr BufferKind send_buffer = {SO_SNDBUF, SO_SNDBUFFORCE, "/proc/sys/net/ipv4/tcp_wmem",
                                    "/proc/sys/net/core/wmem_max"};
constexpr BufferKind receive_buffer = {SO_RCVBUF, SO_RCVBUFFORCE, "/proc/sys/net/ipv4/tcp_rmem",
                                       "/proc/sys/net/core/rmem_max"};

bool set_option(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

}  // namespace

std::uint64_t tcp_window_bytes(double bytes_s, Nanos round_trip, int connections) noexcept {
  const double held = bytes_s * as_double(round_trip) * 1e-9;
  return static_cast<std::uint64_t>(
      std::clamp(held * window_gain, least_window_bytes, most_window_bytes / connections));
}

TcpWindow widen_tcp(int socket, TcpEnd end, std::uint64_t window_bytes) {
  const BufferKind& kind = end == TcpEnd::sends ? send_buffer : receive_buffer;
  // The kernel reserves half of a buffer for its own memory for each packet.
  TcpWindow window = {last_number(kind.most_sized) / 2, window_bytes, false};
  if (window_bytes <= window.bytes) return window;
  const int wanted = static_cast<int>(window_bytes);
  if (!set_option(socket, SOL_SOCKET, kind.force, wanted)) {
    const std::uint64_t most_set = last_number(kind.most_set);
    if (std::min(most_set, window_bytes) <= window.bytes) return window;
    if (!set_option(socket, SOL_SOCKET, kind.option, wanted)) return window;
  }
  int given = 0;
  socklen_t length = sizeof given;
  if (::getsockopt(socket, SOL_SOCKET, kind.option, &given, &length) == 0)
    window.bytes = static_cast<std::uint64_t>(given) / 2;
  window.is_set = true;
  if (end == TcpEnd::sends)
    static_cast<void>(set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, most_unsent_bytes));
  return window;
}

std::string choose_congestion_control(int socket, Nanos round_trip) {
  constexpr char bbr[] = "bbr";
  if (round_trip >= long_way)
    static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, bbr, sizeof bbr - 1));
  char name[16] = "";  // TCP_CA_NAME_MAX
  socklen_t length = sizeof name - 1;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &length) != 0) return "";
  return name;
}

void limit_tcp_rate(int socket, double bytes_s) noexcept {
  const auto rate = static_cast<std::uint64_t>(bytes_s);
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate));
}

}  // namespace tilewall::net
