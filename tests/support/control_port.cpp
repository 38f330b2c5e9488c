#include "tests/support/control_port.hpp"

#include <poll.h>

#include <chrono>
#include <stdexcept>

#include "net/control/control_place.hpp"
#include "net/socket.hpp"

namespace tilewall::test {

using namespace net;
namespace {

constexpr std::chrono::seconds limit{10};

SealedStream connect(const ControlPlace& place) {
  UniqueFd socket = try_connect_tcp(resolve(place.address(), "control.addr"), limit);
  if (socket.empty()) throw std::runtime_error("nobody at " + place.address());
  return SealedStream::client(std::move(socket), place.key());
}

}  // namespace

ControlPort::ControlPort(const std::filesystem::path& run_dir)
    : stream_(connect(ControlPlace(run_dir))) {}

nlohmann::json ControlPort::ask(const nlohmann::json& request) {
  stream_.queue({request.dump(), {}});
  if (stream_.write_some() != StreamStatus::open) throw std::runtime_error("control port closed");
  return next_message();
}

nlohmann::json ControlPort::next_message() {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::vector<Message> received;
  while (received.empty() && std::chrono::steady_clock::now() < until) {
    pollfd waiting = {stream_.fd(), POLLIN, 0};
    ::poll(&waiting, 1, 100);
    if (stream_.read_some(received) != StreamStatus::open && received.empty())
      throw std::runtime_error("control port closed");
  }
  if (received.empty()) throw std::runtime_error("control port does not answer");
  return nlohmann::json::parse(received.front().text);
}

}  // namespace tilewall::test
