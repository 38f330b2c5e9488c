#include "player/bench/console_browsers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds connect_limit{5};
constexpr std::chrono::seconds page_answer_limit{20};
constexpr std::chrono::milliseconds read_pause{20};
constexpr std::size_t max_access_bytes = 16384;
constexpr std::size_t receive_chunk = 65536;

// RFC 6455, 5.2.
constexpr int opcode_text = 1;
constexpr int opcode_binary = 2;
constexpr int opcode_ping = 9;
constexpr int opcode_pong = 10;
constexpr unsigned length_16 = 126;
constexpr unsigned length_64 = 127;

void send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t got = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (got > 0) {
      sent += static_cast<std::size_t>(got);
      continue;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      throw JobError("the console has closed a connection");
    pollfd writable = {socket, POLLOUT, 0};
    ::poll(&writable, 1, 100);
  }
}

/// A frame of a client, which is masked; a mask of zeros changes nothing.
std::string frame_of(int opcode, const std::string& payload) {
  std::string frame(1, static_cast<char>(0x80 | opcode));
  constexpr unsigned masked = 0x80;
  if (payload.size() < length_16) {
    frame += static_cast<char>(masked | payload.size());
  } else {
    frame += static_cast<char>(masked | length_16);
    frame += static_cast<char>((payload.size() >> 8) & 0xFF);
    frame += static_cast<char>(payload.size() & 0xFF);
  }
  return frame + std::string(4, '\0') + payload;
}

UniqueFd open_socket(const std::string& authority, const std::string& token) {
  UniqueFd socket = net::try_connect_tcp(net::resolve(authority, "console.json"), connect_limit);
  if (socket.empty()) throw JobError("the console does not answer at " + authority);
  send_all(socket.get(), fmt::format("GET /ws HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n"
                                     "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n\r\n",
                                     authority, token, "AAAAAAAAAAAAAAAAAAAAAA=="));
  return socket;
}

}  // namespace

ConsoleBrowsers::ConsoleBrowsers(const std::filesystem::path& run_dir, std::size_t count) {
  const Json access = Json::parse(read_text_file(run_dir / "console.json", max_access_bytes));
  const std::string url = access.at("url");  // http://HOST:PORT/
  const std::string authority = url.substr(7, url.size() - 8);
  for (std::size_t i = 0; i < count; ++i) {
    Browser browser{open_socket(authority, access.at("tokens").at("operator")), ""};
    // The answer's headers.
    const auto until = SteadyClock::now() + connect_limit;
    std::size_t end = std::string::npos;
    while ((end = browser.received.find("\r\n\r\n")) == std::string::npos) {
      std::array<char, 1024> chunk = {};
      pollfd readable = {browser.socket.get(), POLLIN, 0};
      if (SteadyClock::now() > until || ::poll(&readable, 1, 1000) < 0)
        throw JobError("the console did not open a WebSocket");
      const ssize_t got = ::recv(browser.socket.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
      if (got == 0) throw JobError("the console refused a WebSocket");
      if (got > 0) browser.received.append(chunk.data(), static_cast<std::size_t>(got));
    }
    if (!browser.received.starts_with("HTTP/1.1 101"))
      throw JobError("the console refused a WebSocket: " +
                     browser.received.substr(0, browser.received.find('\r')));
    browser.received.erase(0, end + 4);
    send_all(browser.socket.get(), frame_of(opcode_text, R"({"type": "pictures", "on": true})"));
    browsers_.push_back(std::move(browser));
  }
}

void ConsoleBrowsers::read_for(std::chrono::milliseconds time) {
  const auto until = SteadyClock::now() + time;
  while (SteadyClock::now() < until) read_once(read_pause);
}

Json ConsoleBrowsers::ask(const std::string& verb, const Json& fields) {
  answer_ = nullptr;
  send_all(
      browsers_.front().socket.get(),
      frame_of(opcode_text,
               Json{{"type", "request"}, {"id", ++last_id_}, {"verb", verb}, {"fields", fields}}
                   .dump()));
  const auto until = SteadyClock::now() + page_answer_limit;
  while (answer_.is_null()) {
    if (SteadyClock::now() > until) throw JobError("the console gave no answer");
    read_once(read_pause);
  }
  if (answer_.value("type", "") != "done")
    throw JobError("the wall refused: " + answer_.value("error", ""));
  return answer_;
}

void ConsoleBrowsers::read_once(std::chrono::milliseconds limit) {
  std::vector<pollfd> waiting;
  waiting.reserve(browsers_.size());
  for (const Browser& browser : browsers_) waiting.push_back({browser.socket.get(), POLLIN, 0});
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count())) <= 0) return;
  std::vector<char> chunk(receive_chunk);
  for (std::size_t i = 0; i < browsers_.size(); ++i) {
    if (waiting[i].revents == 0) continue;
    const ssize_t got = ::recv(browsers_[i].socket.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got == 0) throw JobError("the console has closed a connection");
    if (got < 0) continue;
    counts_.bytes += static_cast<std::size_t>(got);
    browsers_[i].received.append(chunk.data(), static_cast<std::size_t>(got));
    take_frames(browsers_[i]);
  }
}

void ConsoleBrowsers::take_frames(Browser& browser) {
  std::size_t at = 0;
  const std::string& bytes = browser.received;
  const auto byte = [&](std::size_t offset) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + offset]));
  };
  while (bytes.size() - at >= 2) {
    std::uint64_t length = byte(1) & 0x7F;
    const std::size_t more = length == length_16 ? 2 : length == length_64 ? 8 : 0;
    if (bytes.size() - at < 2 + more) break;
    if (more > 0) length = 0;
    for (std::size_t i = 0; i < more; ++i) length = length << 8 | byte(2 + i);
    const std::size_t whole = 2 + more + length;
    if (bytes.size() - at < whole) break;
    take(static_cast<int>(byte(0) & 0x0F), bytes.substr(at + 2 + more, length), browser);
    at += whole;
  }
  browser.received.erase(0, at);
}

void ConsoleBrowsers::take(int opcode, std::string payload, const Browser& browser) {
  if (opcode == opcode_ping) return send_all(browser.socket.get(), frame_of(opcode_pong, payload));
  if (opcode == opcode_binary) {
    ++counts_.pictures;
    return;
  }
  if (opcode != opcode_text) return;
  // Only answers are read as JSON: what a browser does with the others is not measured here.
  if (payload.find(R"("type":"answer")") == std::string::npos) {
    ++counts_.states;
    return;
  }
  const Json message = Json::parse(payload, nullptr, false);
  if (message.is_object() && message.value("id", Json()) == last_id_)
    answer_ = message.value("answer", Json());
}

}  // namespace tilewall::bench
