#include "player/host/host_service.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/host/family_memory.hpp"
#include "player/host/media_service.hpp"
#include "player/trace/host_memory.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {
namespace {

constexpr std::chrono::milliseconds trace_interval{100};
constexpr std::chrono::milliseconds longest_turn{1000};
constexpr std::chrono::milliseconds memory_interval{900};  // so that each longest turn measures

void trace_clock(const sync::ClockStatus& status) {
  if (status.state == sync::ClockState::collecting) return;
  const double bound_ns = static_cast<double>(status.mapping.bound_at(local_now()).count());
  sync::trace_counter("clock bound us", bound_ns / 1e3);
  sync::trace_counter("clock drift ppb", status.drift_ppb);
  sync::trace_counter("clock in holdover", status.state == sync::ClockState::holdover ? 1 : 0);
}

/// Measures the memory of the show's processes on this host, which are descendants of this
/// process's parent.
class MemoryMeter {
 public:
  explicit MemoryMeter(const std::filesystem::path& run_dir)
      : file_(trace::host_memory_file(run_dir)) {}

  void step(LocalInstant now) {
    if (now < next_) return;
    next_ = now + memory_interval;
    if (const auto bytes = memory_of_family(::getppid(), ::getpid()))
      trace::write_host_memory(file_, *bytes);
  }

 private:
  const std::filesystem::path file_;
  LocalInstant next_{};
};

}  // namespace

int run_host_service(const HostServiceOptions& options) {
  const ChildWatch watch;  // first, so that the clock client's thread inherits the blocked signals
  net::ClockPageWriter page(options.clock_page);
  net::ClockClientOptions client_options;
  client_options.daemons = net::resolve_clock_daemons(options.clock, "--clock");
  client_options.key = net::outer_key_of(net::Protocol::clock);
  client_options.previous = page.previous();
  client_options.on_publish = [&](const sync::ClockStatus& status) { page.publish(status); };
  const net::ClockClient client(client_options);
  const trace::ProcessTrace trace({options.trace,
                                   {"host", -1, ::getpid(), host_name(), false},
                                   [&] { return std::optional(client.mapping()); }});
  const sync::TraceThread thread(trace.recorder(), "host service");
  const bool traced = trace.recorder() != nullptr;
  const std::unique_ptr<SharedCounter> turns =  // null: nobody watches
      options.turns_fd ? std::make_unique<SharedCounter>(*options.turns_fd) : nullptr;
  MediaService movies(options.movies, {options.run_dir, options.clock_page, options.trace,
                                       options.decode, options.director, options.hdr});
  MemoryMeter memory(options.run_dir);
  while (movies.serve_until(watch, traced ? trace_interval : longest_turn) != WatchEvent::stop) {
    if (traced) trace_clock(client.status());
    if (turns) turns->increment();
    memory.step(local_now());
  }
  return 0;
}

}  // namespace tilewall::host
