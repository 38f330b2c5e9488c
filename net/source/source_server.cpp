#include "net/source/source_server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/source/put_array.hpp"
#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

constexpr int workers = 2;
constexpr int most_walls = 64;  // sessions
constexpr int pause_ms = 1000;  // after a failure
// Beside a simulation that takes all of its core, a thread of this niceness has a tenth of it.
// Sending 512 MB, which takes 0.12 s of a core, then still ends within the wall's limit of 2 s. At
// 15 it would take 3.6 s, and no timestep of such ranks would be shown.
constexpr int sending_nice = 10;

/// Blocks all signals for the threads that are started while it exists.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_ = {};
};

/// Lets the simulation go first where it needs the same core.
void use_sending_priority() noexcept {
  // On Linux "process" 0 is the calling thread alone.
  if (::getpriority(PRIO_PROCESS, 0) < sending_nice)
    static_cast<void>(::setpriority(PRIO_PROCESS, 0, sending_nice));
}

}  // namespace

SourceServer::SourceServer(const SourcePlaces& places, const std::optional<AuthKey>& key,
                           const LiveOffer& offer, LiveSource& source)
    : stop_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  SlabServerOptions options;
  options.address = places.listen;
  options.requesters = places.walls;
  options.provides = to_text(offer);
  options.key = key;
  options.workers = workers;
  options.most_sessions = most_walls;
  options.ends_unheard = true;  // its timesteps would keep the simulation from giving others
  options.log = [this](const std::string& line) { note(line); };
  const WithoutSignals blocked;
  const DefaultFloats floats;
  server_ = std::make_unique<SlabServer>(std::move(options), source);
  if (places.listen) port_ = server_->port();
  thread_ = std::jthread([this] { run(); });
}

SourceServer::~SourceServer() {
  ::eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void SourceServer::run() noexcept {
  ::prctl(PR_SET_NAME, "tw-source");
  use_sending_priority();
  pollfd stop = {stop_.get(), POLLIN, 0};
  do {
    try {
      return server_->run(stop_.get());
    } catch (const std::exception& error) {
      note(error.what());
    }
  } while (::poll(&stop, 1, pause_ms) != 1);
}

void SourceServer::note(const std::string& line) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    news_ = {line, local_now()};
  } catch (const std::exception&) {  // no memory for the line
  }
}

SourceNews SourceServer::news() const {
  const std::scoped_lock lock(mutex_);
  return news_;
}

void SourceServer::tell(const LiveReached& reached) {
  if (server_->has_sessions()) server_->tell(to_json(reached));
}

}  // namespace tilewall::net
