#include "player/command/control_client.hpp"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "net/control/control_place.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/supervisor/run_dir.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::command {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds connect_limit{5};
constexpr std::chrono::seconds greeting_limit{5};  // a director that runs greets at once
constexpr std::chrono::seconds answer_limit{20};   // panels gather for ten
constexpr std::chrono::milliseconds state_look_interval{1000};
constexpr std::chrono::seconds stopped_limit{
    3};  // the supervisor replaces a stopped director before
constexpr std::size_t max_small_file_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_pid_bytes = 32;

/// Who sends requests: TILEWALL_PERSON, which the operator's console sets for commands that it
/// runs, else the user's name; "" where neither is a name that the wall takes.
std::string person_who_asks() {
  constexpr std::size_t longest = 64;
  const char* const told = std::getenv("TILEWALL_PERSON");
  const passwd* const user = ::getpwuid(::geteuid());
  const std::string name = told != nullptr ? told : user != nullptr ? user->pw_name : "";
  return name.size() <= longest ? printable_text(name) : "";
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string line_of(const fs::path& file) {
  return trimmed(read_text_file(file, max_small_file_bytes));
}

/// Text such as "5x3 in /run/user/1000/tilewall-1000-4711"; the folder alone where it names no
/// wall.
std::string wall_in(const fs::path& run_dir) {
  try {
    const std::string name = printable_text(line_of(run_dir / supervisor::wall_name_file));
    return (name.empty() ? "" : name + " in ") + run_dir.string();
  } catch (const std::exception&) {  // The wall is about to end.
    return run_dir.string();
  }
}

/// Finds the one wall that runs here. A wall with a --run-dir of its own is named in the error, but
/// never chosen, because its user meant it to be reached by that folder alone.
fs::path the_running_wall() {
  const auto [own, given] = supervisor::running_walls();
  if (own.size() == 1) return own.front();
  if (own.empty() && given.empty()) throw JobError("ctl: no wall of yours runs on this machine");
  if (own.size() + given.size() == 1)
    throw InputError({"--run-dir"}, "", given.front().string() + ", where a wall runs", "nothing");
  std::string names;
  for (const auto* walls : {&own, &given})
    for (const fs::path& one : *walls) names += (names.empty() ? "" : ", ") + wall_in(one);
  throw InputError({"--run-dir"}, "", fmt::format("one of {}", names), "nothing");
}

net::AuthKey key_of(const WallAddress& address, const net::ControlPlace& place) {
  return address.key_file.empty() ? place.key()
                                  : net::key_from_file(address.key_file, net::Protocol::control);
}

UniqueFd connect_to(const std::string& address) {
  UniqueFd socket = net::try_connect_tcp(net::resolve(address, "control.addr"), connect_limit);
  if (socket.empty()) throw JobError(fmt::format("ctl: nobody answers at {}", address));
  return socket;
}

}  // namespace

/// State of the director's process, where it runs on this machine.
struct DirectorState {
  std::string text;         ///< end of a message about the wall; "" where nothing is known
  bool is_waiting = false;  ///< the wall is stopped, so no answer can come
};

DirectorState state_of_director(const fs::path& run_dir) {
  const std::string pid = trimmed(file_beginning(run_dir / "pids" / "director", max_pid_bytes));
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return {};
  const std::string stat = file_beginning(fs::path("/proc") / pid / "stat", max_small_file_bytes);
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  const char state = stat[name_end + 2];
  if (state == 'T' || state == 't')
    return {fmt::format(": its process {0} is stopped, and 'kill -CONT {0}' lets it go on", pid),
            true};
  return {fmt::format(": its process {} runs, but is held up", pid), false};
}

/// Messages of one connection.
class WallConnection::Stream {
 public:
  Stream(const net::ControlPlace& place, const net::AuthKey& key)
      : address_(place.address()),
        key_(key),
        run_dir_(place.run_dir()),
        stream_(net::SealedStream::client(connect_to(address_), key_)) {}

  /// Receives a message; empty: the wall has ended the connection.
  std::optional<Json> receive(std::optional<SteadyClock::time_point> until) {
    while (received_.empty())
      if (!read(until) && received_.empty()) return std::nullopt;
    Json json = Json::parse(received_.front().text, nullptr, false);
    received_.erase(received_.begin());
    if (!json.is_object()) throw JobError(fmt::format("ctl: {} is no wall", address_));
    return json;
  }

  /// Sends a request. Where the wall closes the connection before that, receive() tells.
  void send(Json request, SteadyClock::time_point until) {
    const auto greeted_until = std::min(until, SteadyClock::now() + greeting_limit);
    while (!stream_->is_authenticated())
      if (!read(greeted_until)) return;
    stream_->queue({request.dump(), {}});
    static_cast<void>(stream_->write_some());
  }

  /// Makes a new connection after the wall has closed this one. Returns whether somebody accepts
  /// it.
  [[nodiscard]] bool connect_again() {
    UniqueFd socket = net::try_connect_tcp(net::resolve(address_, "control.addr"), connect_limit);
    if (socket.empty()) return false;
    stream_.emplace(net::SealedStream::client(std::move(socket), key_));
    received_.clear();
    return true;
  }

  [[nodiscard]] const std::string& address() const noexcept { return address_; }

 private:
  /// Waits for data and takes it. Returns whether the connection goes on. Throws InputError where
  /// the wall has another key.
  bool read(std::optional<SteadyClock::time_point> until) {
    wait(until);
    const net::StreamStatus status = stream_->read_some(received_);
    if (status == net::StreamStatus::malformed) throw InputError(stream_->trouble());
    return status == net::StreamStatus::open;
  }

  /// Waits for data. Throws JobError once the time is over, or the director's process is stopped.
  void wait(std::optional<SteadyClock::time_point> until) {
    const auto began = SteadyClock::now();
    pollfd waiting = {stream_->fd(), POLLIN, 0};
    if (stream_->wants_write()) waiting.events |= POLLOUT;
    while (::poll(&waiting, 1, look_limit_ms(until)) == 0) {
      const DirectorState director = state_of_director(run_dir_);
      const auto now = SteadyClock::now();
      const bool is_stopped = director.is_waiting && now >= began + stopped_limit;
      if (!until || (now < *until && !is_stopped)) continue;
      const auto waited = std::chrono::round<std::chrono::seconds>(now - began);
      throw JobError(fmt::format("ctl: the director at {} gave no answer within {} s{}", address_,
                                 waited.count(), director.text));
    }
    static_cast<void>(stream_->write_some());
  }

  /// Time until the director's process is checked again; -1: no end.
  static int look_limit_ms(std::optional<SteadyClock::time_point> until) {
    if (!until) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - SteadyClock::now());
    return static_cast<int>(
        std::clamp(left, std::chrono::milliseconds(0), state_look_interval).count());
  }

  const std::string address_;
  const net::AuthKey key_;
  const fs::path run_dir_;
  std::optional<net::SealedStream> stream_;  // never empty
  std::vector<net::Message> received_;
};

WallConnection::WallConnection(const WallAddress& address)
    : run_dir_(address.run_dir.empty() ? the_running_wall() : address.run_dir),
      person_(person_who_asks()) {
  const net::ControlPlace place(run_dir_);
  if (!place.exists())
    throw InputError({"--run-dir"}, "", "the run directory of a running wall", run_dir_.string());
  if (const std::string fault = fault_of_private_folder(run_dir_); !fault.empty())
    throw InputError({"--run-dir"}, "", "a folder of this user alone",
                     fmt::format("{}, {}", run_dir_.string(), fault));
  stream_ = std::make_unique<Stream>(place, key_of(address, place));
}

WallConnection::~WallConnection() = default;

Json WallConnection::ask(Json request) {
  const auto until = SteadyClock::now() + answer_limit;
  request["id"] = ++last_id_;
  request["once"] = net::random_nonce_hex();
  if (!person_.empty()) request["person"] = person_;
  while (SteadyClock::now() < until) {
    stream_->send(request, until);
    while (auto answer = stream_->receive(until)) {
      const std::string type = answer->value("type", "");
      if (type == "event") {
        events_.push_back(std::move(*answer));
        continue;
      }
      if (type == "refused") throw InputError(answer->value("error", "the wall refused"));
      if (answer->value("id", Json()) == last_id_) return std::move(*answer);
    }
    // The director has died, or the wall has ended. Another director executes the request, or
    // answers it where the first one has executed it.
    if (!stream_->connect_again()) break;
  }
  throw JobError(fmt::format("ctl: {} does not answer: the wall has ended", stream_->address()));
}

std::optional<Json> WallConnection::next_event() {
  while (events_.empty()) {
    std::optional<Json> event = stream_->receive(std::nullopt);
    if (!event && !subscribe_again()) return std::nullopt;
    if (event) events_.push_back(std::move(*event));
  }
  Json event = std::move(events_.front());
  events_.pop_front();
  has_ended_ = event.value("event", "") == "end";
  return event;
}

/// Subscribes at another director after one has died. Returns whether there is one.
bool WallConnection::subscribe_again() try {
  if (has_ended_ || !stream_->connect_again()) return false;
  static_cast<void>(ask({{"type", "subscribe"}}));
  return true;
} catch (const JobError&) {
  return false;  // the wall has ended
}

}  // namespace tilewall::command
