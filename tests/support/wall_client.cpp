#include "tests/support/wall_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "tests/support/eventually.hpp"
#include "tests/support/show_secret.hpp"

namespace tilewall::test {
namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::uint32_t magic = 0x4d435754;  // "TWCM"

std::string address_in(const std::filesystem::path& run_dir) {
  std::string address;
  const bool there = eventually([&] {
    std::ifstream(run_dir / "control.addr") >> address;
    return !address.empty();
  });
  if (!there) throw std::runtime_error("no control.addr in " + run_dir.string());
  return address;
}

UniqueFd connected(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("connect to " + address);
  return socket;
}

}  // namespace

std::string framed(const std::string& text) {
  const std::uint32_t header[3] = {magic, static_cast<std::uint32_t>(text.size()), 0};
  std::string bytes(header_bytes, '\0');
  std::memcpy(bytes.data(), header, header_bytes);
  return bytes + text;
}

WallClient::WallClient(const std::filesystem::path& run_dir, Proof proof)
    : run_dir_(run_dir), socket_(connected(address_in(run_dir))) {
  const auto challenge = receive();
  if (!challenge || challenge->value("type", "") != "challenge")
    throw std::runtime_error("no challenge");
  if (proof == Proof::given) nonce_ = challenge->at("nonce");
}

nlohmann::json WallClient::ask(nlohmann::json request) {
  request["id"] = ++last_id_;
  if (const std::string nonce = std::exchange(nonce_, {}); !nonce.empty())
    sign(request, nonce, run_dir_);
  send_text(request.dump());
  while (auto message = receive()) {
    if (message->value("type", "") == "event")
      events_.push_back(std::move(*message));
    else if (message->value("id", nlohmann::json()) == last_id_)
      return std::move(*message);
  }
  throw std::runtime_error("no answer to " + request.dump());
}

void WallClient::send_bytes(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t got =
        ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (got <= 0) return;
    sent += static_cast<std::size_t>(got);
  }
}

bool WallClient::read_more(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  pollfd waiting = {socket_.get(), POLLIN, 0};
  if (left.count() < 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
  char chunk[65536];
  const ssize_t got = ::recv(socket_.get(), chunk, sizeof chunk, 0);
  closed_ = got <= 0;
  if (!closed_) received_.append(chunk, static_cast<std::size_t>(got));
  return !closed_;
}

std::optional<nlohmann::json> WallClient::receive(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    std::uint32_t header[3] = {};
    if (received_.size() >= header_bytes) std::memcpy(header, received_.data(), header_bytes);
    const std::size_t whole = header_bytes + header[1];
    if (received_.size() >= header_bytes && received_.size() >= whole) {
      const std::string text = received_.substr(header_bytes, header[1]);
      received_.erase(0, whole);
      return nlohmann::json::parse(text);
    }
    if (!read_more(until)) return std::nullopt;
  }
}

bool WallClient::is_closed(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (read_more(until)) received_.clear();
  return closed_;
}

}  // namespace tilewall::test
