#include "player/trace/trace_link.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "sync/base/process.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::trace {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds connect_limit{100};
constexpr std::chrono::seconds connect_pause{1};
constexpr std::chrono::milliseconds send_interval{250};
constexpr std::chrono::milliseconds greeting_interval{10};
constexpr std::chrono::milliseconds finish_limit{200};

}  // namespace

std::function<std::optional<ClockMapping>()> mapping_by_page(std::filesystem::path clock_page) {
  return [path = std::move(clock_page),
          page = std::shared_ptr<net::ClockPageReader>()]() mutable -> std::optional<ClockMapping> {
    if (!page) page = net::ClockPageReader::try_open(path);
    if (!page || page->status().state == sync::ClockState::collecting) return std::nullopt;
    return page->mapping();
  };
}

TraceLinkOptions trace_by_page(const std::string& director, const std::string& role,
                               const std::filesystem::path& clock_page) {
  TraceLinkOptions options;
  options.director = director;
  options.hello.role = role;
  options.hello.pid = ::getpid();
  options.hello.host = host_name();
  options.mapping = mapping_by_page(clock_page);
  return options;
}

TraceLink::TraceLink(TraceLinkOptions options, sync::TraceRecorder& recorder)
    : options_(std::move(options)), collector_(recorder) {
  options_.hello.director_axis = !options_.mapping;
}

void TraceLink::step() {
  try {
    if (!stream_) connect();
    if (!stream_) return;
    read();
    if (greeted_ && !stream_->wants_write()) static_cast<void>(queue_batch());
    write();
  } catch (const std::exception&) {
    stream_.reset();  // the director is gone or sends nonsense; connect again later
  }
}

void TraceLink::finish(std::chrono::milliseconds limit) {
  const auto until = SteadyClock::now() + limit;
  bool more = true;
  try {
    while (stream_ && (more || stream_->wants_write()) && SteadyClock::now() < until) {
      pollfd waiting = {stream_->fd(), static_cast<short>(greeted_ ? POLLOUT : POLLIN), 0};
      ::poll(&waiting, 1, 10);
      read();
      if (stream_ && greeted_ && !stream_->wants_write()) more = queue_batch();
      write();
    }
  } catch (const std::exception&) {
    stream_.reset();
  }
}

void TraceLink::connect() {
  if (SteadyClock::now() < next_connect_) return;
  next_connect_ = SteadyClock::now() + connect_pause;
  greeted_ = false;
  sent_ = false;
  const net::AuthKey key = net::key_of(net::Protocol::control);
  UniqueFd socket = net::try_connect_tcp(net::resolve(options_.director, "--trace"), connect_limit);
  if (!socket.empty()) stream_.emplace(net::SealedStream::client(std::move(socket), key));
}

void TraceLink::read() {
  if (!stream_) return;
  std::vector<net::Message> received;
  const net::StreamStatus status = stream_->read_some(received);
  if (stream_->is_authenticated() && !std::exchange(greeted_, true))
    stream_->queue({to_json(options_.hello).dump(), {}});
  if (status != net::StreamStatus::open) stream_.reset();
}

/// Queues a batch. Returns whether there was anything to send.
bool TraceLink::queue_batch() {
  const auto mapping = options_.mapping ? options_.mapping() : std::optional(ClockMapping{});
  if (!mapping) return false;
  const sync::TraceBatch batch = collector_.collect(local_now(), *mapping, max_batch_events);
  if (batch.events.empty()) return false;
  stream_->queue({to_json(batch).dump(), to_blob(batch)});
  sent_ = true;
  return true;
}

void TraceLink::write() {
  if (stream_ && stream_->write_some() != net::StreamStatus::open) stream_.reset();
}

ProcessTrace::ProcessTrace(TraceLinkOptions options)
    : recorder_(options.director.empty() ? nullptr : std::make_unique<sync::TraceRecorder>()) {
  if (!recorder_) return;
  link_.emplace(std::move(options), *recorder_);
  // Signals go to the threads that the process had before, except for those of a crash.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProcessTrace::~ProcessTrace() {
  if (!recorder_) return;
  thread_.request_stop();
  thread_.join();
  link_->finish(finish_limit);
}

void ProcessTrace::run(const std::stop_token& stop) {
  sync::use_background_priority();
  while (!stop.stop_requested()) {
    link_->step();
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, link_->sent() ? send_interval : greeting_interval,
                      [] { return false; });
  }
}

}  // namespace tilewall::trace
