#include "tests/support/control_port.hpp"

#include <poll.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "net/socket.hpp"
#include "tests/support/show_secret.hpp"

namespace tilewall::test {

using namespace net;
namespace {

constexpr std::chrono::seconds limit{10};

UniqueFd connect(const std::filesystem::path& run_dir) {
  std::string address;
  std::ifstream(run_dir / "control.addr") >> address;
  UniqueFd socket = try_connect_tcp(resolve(address, "control.addr"), limit);
  if (socket.empty()) throw std::runtime_error("nobody at " + address);
  return socket;
}

}  // namespace

ControlPort::ControlPort(const std::filesystem::path& run_dir)
    : run_dir_(run_dir), stream_(connect(run_dir), MessageLimits{}) {
  nonce_ = next_message().at("nonce");
}

nlohmann::json ControlPort::ask(nlohmann::json request) {
  if (const std::string nonce = std::exchange(nonce_, {}); !nonce.empty())
    sign(request, nonce, run_dir_);
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
