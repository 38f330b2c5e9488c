#include "tests/support/web_client.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"

namespace tilewall::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

bool is_ready(int fd, short events, std::chrono::milliseconds limit) {
  pollfd one{fd, events, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) > 0;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Json console_json(const fs::path& run_dir) {
  Json json;
  const bool is_there = eventually([&] {
    try {
      json = Json::parse(read_text_file(run_dir / "console.json", 1 << 16));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  });
  if (!is_there) throw std::runtime_error("no console.json in " + run_dir.string());
  return json;
}

}  // namespace

Json WebAnswer::json() const { return Json::parse(body, nullptr, false); }

std::string WebAnswer::error() const {
  const Json parsed = json();
  return parsed.is_object() ? parsed.value("error", "") : "";
}

WebConnection::WebConnection(int port, int kept_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (kept_bytes > 0)
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &kept_bytes, sizeof kept_bytes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("nobody listens at port " + std::to_string(port));
}

bool WebConnection::send(const std::string& bytes, std::chrono::milliseconds limit) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t some = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some > 0)
      sent += static_cast<std::size_t>(some);
    else if (errno != EAGAIN || !is_ready(socket_.get(), POLLOUT, limit))
      return false;
  }
  return true;
}

bool WebConnection::read_more(std::chrono::milliseconds limit) {
  if (closed_ || !is_ready(socket_.get(), POLLIN, limit)) return false;
  char data[65536];
  const ssize_t some = ::recv(socket_.get(), data, sizeof data, MSG_DONTWAIT);
  if (some <= 0) {
    closed_ = true;
    return false;
  }
  received_.append(data, static_cast<std::size_t>(some));
  return true;
}

WebAnswer WebConnection::answer() {
  WebAnswer answer;
  std::size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!read_more()) return answer;
  answer.status = std::stoi(received_.substr(received_.find(' ') + 1, 3));
  for (std::size_t at = received_.find("\r\n") + 2; at < end + 2;) {
    const std::size_t next = received_.find("\r\n", at);
    const std::size_t colon = received_.find(": ", at);
    if (colon < next)
      answer.headers[lower_case(received_.substr(at, colon - at))] =
          received_.substr(colon + 2, next - colon - 2);
    at = next + 2;
  }
  received_.erase(0, end + 4);
  const auto length = answer.headers.find("content-length");
  if (length == answer.headers.end()) return answer;
  const std::size_t bytes = std::stoul(length->second);
  while (received_.size() < bytes && read_more()) continue;
  answer.body = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return answer;
}

bool WebConnection::is_closed(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!closed_ && std::chrono::steady_clock::now() < until) {
    received_.clear();
    static_cast<void>(read_more(std::chrono::milliseconds(100)));
  }
  return closed_;
}

std::string request_text(const std::string& method, const std::string& path, const Headers& headers,
                         const std::string& body) {
  std::string text = method + " " + path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

ConsoleClient::ConsoleClient(const fs::path& run_dir, const std::string& role) {
  const Json json = console_json(run_dir);
  const std::string url = json.at("url");
  port_ = std::stoi(url.substr(url.rfind(':') + 1));
  token_ = json.at("tokens").at(role);
}

WebAnswer ConsoleClient::get(const std::string& path) const {
  return ask("GET", path, {{"Authorization", "Bearer " + token_}});
}

WebAnswer ConsoleClient::post(const std::string& verb, const Json& fields) const {
  return ask("POST", "/api/v1/" + verb, {{"Authorization", "Bearer " + token_}}, fields.dump());
}

WebAnswer ConsoleClient::ask(const std::string& method, const std::string& path, Headers headers,
                             const std::string& body) const {
  if (std::ranges::find(headers, "Host", &Headers::value_type::first) == headers.end())
    headers.emplace_back("Host", host());
  headers.emplace_back("Connection", "close");
  WebConnection connection(port_);
  connection.send(request_text(method, path, headers, body));
  return connection.answer();
}

std::string ConsoleClient::log_in(const std::string& name) const {
  const WebAnswer answer =
      ask("POST", "/api/v1/login", {}, Json{{"token", token_}, {"name", name}}.dump());
  const auto cookie = answer.headers.find("set-cookie");
  if (cookie == answer.headers.end()) throw std::runtime_error("login: " + answer.body);
  return cookie->second.substr(0, cookie->second.find(';'));
}

Headers ConsoleClient::page_headers(const std::string& cookie) const {
  return {{"Host", host()}, {"Origin", "http://" + host()}, {"Cookie", cookie}};
}

PageSocket::PageSocket(const ConsoleClient& console, const Headers& headers, int kept_bytes)
    : connection_(console.port(), kept_bytes) {
  Headers all = headers;
  all.insert(all.end(), {{"Connection", "Upgrade"},
                         {"Upgrade", "websocket"},
                         {"Sec-WebSocket-Version", "13"},
                         {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
  connection_.send(request_text("GET", "/ws", all));
  const WebAnswer answer = connection_.answer();
  if (answer.status != 101)
    throw std::runtime_error(std::to_string(answer.status) + " " + answer.error());
}

bool PageSocket::send_frame(int opcode, const std::string& data, int first_bits, bool is_masked) {
  std::string frame(1, static_cast<char>(first_bits | opcode));
  const auto add_size = [&](int code, int bytes) {
    frame += static_cast<char>((is_masked ? 0x80 : 0) | code);
    for (int byte = bytes - 1; byte >= 0; --byte)
      frame += static_cast<char>((data.size() >> (8 * byte)) & 0xff);
  };
  if (data.size() < 126)
    add_size(static_cast<int>(data.size()), 0);
  else if (data.size() < 65536)
    add_size(126, 2);
  else
    add_size(127, 8);
  if (is_masked) frame += std::string(4, '\0');  // a mask that changes nothing
  return connection_.send(frame + data);
}

void PageSocket::request(int id, const std::string& verb, const Json& fields) {
  send({{"type", "request"}, {"id", id}, {"verb", verb}, {"fields", fields}});
}

std::optional<PageSocket::Frame> PageSocket::receive(std::chrono::milliseconds limit) {
  std::string& bytes = connection_.received();
  const auto needs = [&](std::size_t count) {
    while (bytes.size() < count)
      if (!connection_.read_more(limit)) return false;
    return true;
  };
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  if (!needs(2)) return std::nullopt;
  std::size_t size = byte(1) & 0x7f;
  std::size_t head = 2;
  if (size >= 126) {
    head += size == 126 ? 2 : 8;
    if (!needs(head)) return std::nullopt;
    size = 0;
    for (std::size_t at = 2; at < head; ++at) size = size << 8 | byte(at);
  }
  if (!needs(head + size)) return std::nullopt;
  const bool is_last = (byte(0) & 0x80) != 0;
  Frame frame{static_cast<int>(byte(0) & 0x0f), bytes.substr(head, size)};
  bytes.erase(0, head + size);
  if (frame.opcode < 8) {  // a part of a message, or all of it
    if (frame.opcode != 0) parts_ = {frame.opcode, ""};
    parts_.data += frame.data;
    if (!is_last) return receive(limit);
    frame = std::exchange(parts_, {});
  }
  if (frame.opcode == 9) send_frame(10, frame.data);
  if (frame.opcode == 1) take(Json::parse(frame.data));
  return frame;
}

void PageSocket::take(const Json& message) {
  const std::string type = message.at("type");
  if (type == "hello") hello_ = message;
  if (type == "received") received_.push_back(message.at("id"));
  if (type == "answer") answers_.push_back(message);
  if (type == "state") {
    state_ = message.at("state");
    revision_ = message.at("revision");
    ++whole_states_;
  }
  if (type == "patch") {
    if (message.at("from") != revision_) has_gap_ = true;
    state_.merge_patch(message.at("patch"));
    revision_ = message.at("revision");
    ++patches_;
  }
}

bool PageSocket::until(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition())
    if (std::chrono::steady_clock::now() > end || !receive(limit)) return false;
  return true;
}

Json PageSocket::answer(int id) {
  const auto find = [&] {
    return std::ranges::find_if(answers_, [&](const Json& one) { return one.at("id") == id; });
  };
  if (!until([&] { return find() != answers_.end(); })) return nullptr;
  return find()->at("answer");
}

}  // namespace tilewall::test
