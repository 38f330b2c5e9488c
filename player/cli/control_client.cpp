#include "player/cli/control_client.hpp"

#include <poll.h>

#include <chrono>
#include <optional>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/socket.hpp"
#include "player/scene/json_fields.hpp"
#include "player/scene/messages.hpp"
#include "player/supervisor/run_dir.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds answer_limit{5};
constexpr std::size_t max_small_file_bytes = 64 * 1024;

fs::path the_running_wall() {
  const std::vector<fs::path> running = running_walls();
  if (running.empty()) throw JobError("ctl: no wall of yours runs on this machine");
  if (running.size() == 1) return running.front();
  std::string names;
  for (const fs::path& one : running) names += (names.empty() ? "" : ", ") + one.string();
  throw InputError({"--run-dir"}, "", fmt::format("one of {}", names), "nothing");
}

std::string line_of(const fs::path& file) {
  std::string text = read_text_file(file, max_small_file_bytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<AuthKey> key_of(const WallAddress& address, const fs::path& run_dir) {
  if (!address.key_file.empty()) return AuthKey::from_file(address.key_file);
  const fs::path secret = run_dir / control_secret_file;
  std::error_code error;
  if (!fs::exists(secret, error)) return std::nullopt;
  return AuthKey::from_hex(line_of(secret), secret.string());
}

/// One question and one answer, after the director's challenge.
class Conversation {
 public:
  explicit Conversation(const std::string& address)
      : address_(address), stream_(connect(address), MessageLimits{}) {}

  Json receive() {
    while (received_.empty()) {
      wait();
      const StreamStatus read = stream_.read_some(received_);
      if (read != StreamStatus::open && received_.empty())
        throw JobError(
            fmt::format("ctl: {} does not answer: the wall has ended, or it has a key "
                        "(--key-file)",
                        address_));
    }
    const Json json = Json::parse(received_.front().text, nullptr, false);
    received_.erase(received_.begin());
    if (json.is_discarded()) throw JobError(fmt::format("ctl: {} is no wall", address_));
    return json;
  }

  void send(const Json& json) {
    stream_.queue({json.dump(), {}});
    static_cast<void>(stream_.write_some());
  }

 private:
  static UniqueFd connect(const std::string& address) {
    UniqueFd socket = try_connect_tcp(resolve(address, "control.addr"), answer_limit);
    if (socket.empty()) throw JobError(fmt::format("ctl: nobody answers at {}", address));
    return socket;
  }

  void wait() {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until_ - SteadyClock::now());
    pollfd waiting = {stream_.fd(), POLLIN, 0};
    if (stream_.wants_write()) waiting.events |= POLLOUT;
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0)
      throw JobError(
          fmt::format("ctl: no answer from {} within {} s", address_, answer_limit.count()));
    static_cast<void>(stream_.write_some());
  }

  const std::string address_;
  const SteadyClock::time_point until_ = SteadyClock::now() + answer_limit;
  MessageStream stream_;
  std::vector<Message> received_;
};

}  // namespace

Json ask_wall(const WallAddress& address, const std::string& verb) {
  const fs::path run_dir = address.run_dir.empty() ? the_running_wall() : address.run_dir;
  const fs::path control = run_dir / "control.addr";
  std::error_code error;
  if (!fs::exists(control, error))
    throw InputError({"--run-dir"}, "", "the run directory of a running wall", run_dir.string());
  const auto key = key_of(address, run_dir);
  Conversation conversation(line_of(control));
  const Challenge challenge = challenge_from_json(conversation.receive());
  const std::string text = request_text(challenge, verb);
  const std::string tag = key ? to_hex(key->tag(std::as_bytes(std::span(text)))) : "";
  conversation.send({{"type", verb}, {"tag", tag}});
  return conversation.receive();
}

}  // namespace tilewall
