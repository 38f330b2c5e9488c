#include "player/panel/director_link.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <tuple>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/role_log.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::panel {
namespace {

constexpr std::chrono::milliseconds playing_interval{200};
// Interval of reports while the other panels start.
constexpr std::chrono::milliseconds waiting_interval{1000};
constexpr std::chrono::milliseconds connect_limit{1000};
constexpr std::chrono::milliseconds reconnect_pause{100};
constexpr std::chrono::milliseconds linger_limit{500};
constexpr std::size_t max_kept_messages = 256;

std::chrono::milliseconds until(std::chrono::steady_clock::time_point at) {
  const auto left = at - std::chrono::steady_clock::now();
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

/// Waits until the director has read everything and closes the connection. Closed here, with
/// messages of the director unread, it would be reset, and what the director has not read would be
/// lost.
void linger(int socket) {
  ::shutdown(socket, SHUT_WR);
  const auto end = std::chrono::steady_clock::now() + linger_limit;
  std::array<char, 4096> ignored;
  pollfd waiting = {socket, POLLIN, 0};
  while (::poll(&waiting, 1, static_cast<int>(until(end).count())) > 0 &&
         ::recv(socket, ignored.data(), ignored.size(), 0) > 0) {
  }
}

}  // namespace

DirectorLink::DirectorLink(std::string director, const net::AuthKey& key, scene::PanelHello hello,
                           Callbacks callbacks)
    : director_(std::move(director)),
      key_(key),
      hello_(std::move(hello)),
      callbacks_(std::move(callbacks)),
      wake_fd_(check_sys(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

DirectorLink::~DirectorLink() {
  thread_.request_stop();
  wake();
}

void DirectorLink::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake_fd_.get(), &one, sizeof one);
}

void DirectorLink::send(const nlohmann::json& json, std::vector<std::uint8_t> blob) {
  send_message({json.dump(), std::move(blob)});
}

void DirectorLink::send_message(net::Message message) {
  {
    const std::scoped_lock lock(mutex_);
    // Waking the link's thread costs a context switch, which is more than sending a few bytes here.
    const bool is_small = message.blob.empty();
    if (is_small && shared_.greeted != nullptr && shared_.outbox.empty() &&
        !shared_.greeted->wants_write()) {
      if (send_now(std::move(message))) return;
    } else if (shared_.outbox.size() < max_kept_messages) {
      shared_.outbox.push_back(std::move(message));
    }
  }
  wake();
}

/// @pre mutex_ is held, and hello was said
bool DirectorLink::send_now(net::Message message) {
  shared_.greeted->queue(std::move(message));
  return shared_.greeted->write_some() == net::StreamStatus::open &&
         !shared_.greeted->wants_write();
}

void DirectorLink::send_newest(const nlohmann::json& json, std::vector<std::uint8_t> blob) {
  const std::scoped_lock lock(mutex_);
  if (shared_.greeted != nullptr) shared_.newest = net::Message{json.dump(), std::move(blob)};
}

void DirectorLink::hurry_report() {
  {
    const std::scoped_lock lock(mutex_);
    shared_.hurries = true;
  }
  wake();
}

void DirectorLink::finish(std::chrono::milliseconds limit) {
  {
    const std::scoped_lock lock(mutex_);
    shared_.finishing = true;
  }
  wake();
  std::unique_lock lock(mutex_);
  finished_changed_.wait_for(lock, limit, [&] { return shared_.finished; });
}

/// Forgets the greeted stream on every way out of a conversation, so that nobody sends on it.
class DirectorLink::Farewell {
 public:
  explicit Farewell(DirectorLink& link) noexcept : link_(link) {}
  ~Farewell() { link_.set_greeted(nullptr); }
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

 private:
  DirectorLink& link_;
};

void DirectorLink::run(const std::stop_token& stop) {
  std::string trouble;  // the last one that was logged
  while (!stop.stop_requested()) {
    try {
      UniqueFd socket = net::try_connect_tcp(net::resolve(director_, "--director"), connect_limit);
      if (!socket.empty()) {
        begin_connection();
        auto stream = net::SealedStream::client(std::move(socket), key_);
        const Farewell farewell(*this);
        converse(stream, stop);
      }
    } catch (const std::exception& error) {
      // The director sent a malformed message, or the network is down. The loop tries again.
      if (const std::string line = error.what(); std::exchange(trouble, line) != line)
        log_line("tilewall-panel: the link to the director: {}", line);
    }
    if (is_finishing()) break;
    std::this_thread::sleep_for(reconnect_pause);
  }
  const std::scoped_lock lock(mutex_);
  shared_.finished = true;
  finished_changed_.notify_all();
}

void DirectorLink::begin_connection() {
  received_.sources = {};  // the last connection may have ended in the middle of a source
  received_.of_scene.clear();
  received_.of_prepared.clear();
  reported_ = false;
  if (callbacks_.watch) callbacks_.watch({});
  const std::scoped_lock lock(mutex_);
  shared_.newest.reset();
}

bool DirectorLink::is_finishing() {
  const std::scoped_lock lock(mutex_);
  return shared_.finishing;
}

bool DirectorLink::take_hurry() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(shared_.hurries, false);
}

std::chrono::milliseconds DirectorLink::report_interval() const {
  return received_.started ? playing_interval : waiting_interval;
}

void DirectorLink::converse(net::SealedStream& stream, const std::stop_token& stop) {
  auto next_report = std::chrono::steady_clock::now() + report_interval();
  bool last_report_queued = false;
  while (!stop.stop_requested()) {
    pollfd waiting[2] = {{stream.fd(), POLLIN, 0}, {wake_fd_.get(), POLLIN, 0}};
    if (wants_write(stream)) waiting[0].events |= POLLOUT;
    ::poll(waiting, 2, static_cast<int>(until(next_report).count()) + 1);
    std::uint64_t wakes = 0;
    if (waiting[1].revents != 0) std::ignore = ::read(wake_fd_.get(), &wakes, sizeof wakes);
    const bool waited = !received_.started;
    if (waiting[0].revents != 0 && !take_messages(stream)) return;
    if (stream.is_authenticated() && !has_greeted()) say_hello(stream);
    if (waited && received_.started)
      next_report = std::chrono::steady_clock::now() + report_interval();

    const bool finishing = is_finishing();
    if (take_hurry()) next_report = std::chrono::steady_clock::now();
    if (has_greeted() && ((finishing && !last_report_queued) || until(next_report).count() == 0)) {
      queue_reports(stream);
      last_report_queued = finishing;
      next_report = std::chrono::steady_clock::now() + report_interval();
    }
    if (!send_waiting(stream)) return;
    if (finishing && !wants_write(stream)) return linger(stream.fd());
  }
}

bool DirectorLink::has_greeted() {
  const std::scoped_lock lock(mutex_);
  return shared_.greeted != nullptr;
}

void DirectorLink::set_greeted(net::SealedStream* stream) {
  const std::scoped_lock lock(mutex_);
  shared_.greeted = stream;
}

bool DirectorLink::wants_write(const net::SealedStream& stream) {
  const std::scoped_lock lock(mutex_);
  return stream.wants_write();
}

bool DirectorLink::take_messages(net::SealedStream& stream) {
  std::vector<net::Message> received;
  const net::StreamStatus status = stream.read_some(received);
  for (const net::Message& message : received) handle(message);
  if (status == net::StreamStatus::malformed) throw InputError(stream.trouble());
  return status == net::StreamStatus::open;
}

/// @pre mutex_ is held
void DirectorLink::take_outbox(net::SealedStream& stream) {
  if (shared_.greeted == nullptr) return;
  for (net::Message& message : shared_.outbox) stream.queue(std::move(message));
  shared_.outbox.clear();
}

bool DirectorLink::send_waiting(net::SealedStream& stream) {
  const std::scoped_lock lock(mutex_);
  take_outbox(stream);
  return stream.write_some() == net::StreamStatus::open;
}

void DirectorLink::queue_reports(net::SealedStream& stream) {
  const std::vector<scene::ShownBatch> batches = callbacks_.report(!std::exchange(reported_, true));
  const std::scoped_lock lock(mutex_);
  const bool is_free = !stream.wants_write();
  take_outbox(stream);
  for (const scene::ShownBatch& batch : batches) stream.queue({scene::to_json(batch).dump(), {}});
  if (is_free && shared_.newest) stream.queue(*std::exchange(shared_.newest, std::nullopt));
}

void DirectorLink::say_hello(net::SealedStream& stream) {
  scene::PanelHello hello = hello_;
  hello.standing = callbacks_.standing();
  {
    const std::scoped_lock lock(mutex_);
    stream.queue({scene::to_json(hello).dump(), {}});
  }
  set_greeted(&stream);
}

void DirectorLink::handle(const net::Message& message) {
  const nlohmann::json json = parse_json(message.text);
  const auto type = json_field<std::string>(json, "type");
  if (type == "config") return callbacks_.config(scene::config_from_json(json));
  if (type == "release") return callbacks_.release(scene::release_from_json(json));
  if (type == "live") return callbacks_.live(scene::live_step_from_json(json));
  if (type == "snapshot")
    return callbacks_.snapshot({json_field<std::uint64_t>(json, "number"),
                                json_field<std::uint64_t>(json, "schedule"),
                                json_field<std::int64_t>(json, "tick")});
  if (type == "watch") return callbacks_.watch(scene::watch_order_from_json(json));
  if (type == "snapshot_band")
    return send_message(callbacks_.snapshot_band(scene::snapshot_band_from_json(json)));
  if (type == "snapshot_done")
    return callbacks_.snapshot_done(scene::snapshot_name_from_json(json));
  if (type == "logs")
    return answer_with_logs(json_field<std::uint64_t>(json, "number"),
                            json_field<std::string>(json, "role"));
  if (type == "restart" && callbacks_.restart)
    return callbacks_.restart(json_field<std::string>(json, "role"));
  if (type == "quit") return callbacks_.quit();
  if (type == "source") return received_.sources.take(json);
  if (type == "scene") return take_scene(json);
  if (type == "prepare") return take_prepared(json);
  if (type == "disarm") {
    received_.of_prepared.clear();
    keep_named_sources();
    callbacks_.prepared(nullptr);
  }
}

void DirectorLink::take_scene(const nlohmann::json& json) {
  scene::Scene scene =
      scene::scene_from_json(json_field<nlohmann::json>(json, "scene"), received_.sources);
  received_.of_scene = scene::sources_of(scene);
  keep_named_sources();
  received_.started = scene.since < scene::never;
  callbacks_.scene(std::move(scene), json_field<std::int64_t>(json, "join_tick"));
}

/// A scene that cannot be read is reported as one that this panel is not ready for; the running
/// show goes on.
void DirectorLink::take_prepared(const nlohmann::json& json) {
  std::shared_ptr<const scene::PreparedScene> prepared;
  try {
    prepared = std::make_shared<const scene::PreparedScene>(
        scene::prepared_from_json(json, received_.sources));
  } catch (const InputError& error) {
    log_line("tilewall-panel: the next cue: {}", error.what());
    send(scene::to_json(
        scene::ArmedReport{json_field<std::uint64_t>(json, "token"), {error.what()}}));
  }
  received_.of_prepared.clear();
  if (prepared) received_.of_prepared = scene::sources_of(prepared->scene);
  keep_named_sources();
  callbacks_.prepared(std::move(prepared));
}

void DirectorLink::keep_named_sources() {
  std::set<scene::SourcePtr> named = received_.of_scene;
  named.insert(received_.of_prepared.begin(), received_.of_prepared.end());
  received_.sources.keep_only(named);
}

/// Ignores a request that comes before the last one is answered: the director's wait has a limit.
void DirectorLink::answer_with_logs(std::uint64_t number, const std::string& role) {
  if (!callbacks_.logs || reads_logs_.exchange(true)) return;
  log_reader_ = std::jthread([this, number, role] {
    sync::use_background_priority();
    try {
      send(callbacks_.logs(number, role));
    } catch (const std::exception&) {
      // Without an answer the director names this host as one that has not answered.
    }
    reads_logs_ = false;
  });
}

}  // namespace tilewall::panel
