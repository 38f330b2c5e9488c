#include "tests/support/wall_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <stdexcept>

#include "net/control/control_place.hpp"
#include "net/socket.hpp"
#include "tests/support/eventually.hpp"

namespace tilewall::test {
namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::uint32_t magic = 0x4d435754;  // "TWCM"
constexpr std::chrono::seconds greeting_limit{10};

net::SealedStream connected(const net::ControlPlace& place) {
  if (!eventually([&] { return place.exists() && !place.address().empty(); }))
    throw std::runtime_error("no control.addr in " + place.run_dir().string());
  UniqueFd socket =
      net::try_connect_tcp(net::resolve(place.address(), "control.addr"), greeting_limit);
  if (socket.empty()) throw std::runtime_error("nobody at " + place.address());
  return net::SealedStream::client(std::move(socket), place.key(), {.blob_bytes = 16u << 20});
}

}  // namespace

std::string framed(const std::string& text) {
  const std::uint32_t header[3] = {magic, static_cast<std::uint32_t>(text.size()), 0};
  std::string bytes(header_bytes, '\0');
  std::memcpy(bytes.data(), header, header_bytes);
  return bytes + text;
}

WallClient::WallClient(const std::filesystem::path& run_dir)
    : stream_(connected(net::ControlPlace(run_dir))) {
  const auto until = std::chrono::steady_clock::now() + greeting_limit;
  while (!stream_.is_authenticated() && read_more(until)) continue;
  if (!stream_.is_authenticated())
    throw std::runtime_error("no handshake with the wall: " + stream_.trouble());
}

nlohmann::json WallClient::ask(nlohmann::json request) {
  request["id"] = ++last_id_;
  send_text(request.dump());
  while (auto message = receive()) {
    if (message->value("type", "") == "event")
      events_.push_back(std::move(*message));
    else if (message->value("id", nlohmann::json()) == last_id_)
      return std::move(*message);
  }
  throw std::runtime_error("no answer to " + request.dump());
}

void WallClient::send_text(const std::string& text) {
  stream_.queue({text, {}});
  write_all();
}

void WallClient::write_all() {
  while (stream_.write_some() == net::StreamStatus::open && stream_.wants_write()) {
    pollfd waiting = {stream_.fd(), POLLOUT, 0};
    ::poll(&waiting, 1, 1000);
  }
}

void WallClient::send_bytes(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t got =
        ::send(stream_.fd(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (got < 0 && errno == EAGAIN) {
      pollfd waiting = {stream_.fd(), POLLOUT, 0};
      ::poll(&waiting, 1, 1000);
      continue;
    }
    if (got <= 0) return;
    sent += static_cast<std::size_t>(got);
  }
}

bool WallClient::read_more(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  pollfd waiting = {stream_.fd(), POLLIN, 0};
  if (left.count() < 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
  closed_ = stream_.read_some(received_) != net::StreamStatus::open;
  return !closed_;
}

std::optional<nlohmann::json> WallClient::receive(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (received_.empty())
    if (!read_more(until) && received_.empty()) return std::nullopt;
  nlohmann::json json = nlohmann::json::parse(received_.front().text);
  received_.erase(received_.begin());
  return json;
}

bool WallClient::is_closed(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (read_more(until)) received_.clear();
  return closed_;
}

}  // namespace tilewall::test
