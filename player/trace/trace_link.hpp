// Sends a process's part of the trace to the director, in bounded batches. While the director is
// behind, nothing is taken out of the recorder's rings. Full rings drop events and count them, so
// neither memory nor control messages suffer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "net/control/sealed_stream.hpp"
#include "player/trace/trace_messages.hpp"
#include "sync/trace/trace.hpp"
#include "sync/trace/trace_batch.hpp"

namespace tilewall::trace {

struct TraceLinkOptions {
  std::string director;  ///< "HOST:PORT" of the control port; "" = no trace is written
  TraceHello hello;      ///< hello for the connection
  /// Returns the mapping to global time; empty while it is not known. No function:
  /// TraceHello::director_axis is set.
  std::function<std::optional<ClockMapping>()> mapping;
};

/// A function that reads the mapping of the host's clock page, once there is one.
[[nodiscard]] std::function<std::optional<ClockMapping>()> mapping_by_page(
    std::filesystem::path clock_page);

/// Options for a process of this host that belongs to no panel and takes its mapping from the
/// host's clock page.
[[nodiscard]] TraceLinkOptions trace_by_page(const std::string& director, const std::string& role,
                                             const std::filesystem::path& clock_page);

/// One connection to the director, under the show's key for the control port. A process that has no
/// such key sends no trace. Threads: one owner, who calls step() a few times a second.
class TraceLink {
 public:
  /// `recorder` outlives this.
  TraceLink(TraceLinkOptions options, sync::TraceRecorder& recorder);

  /// Collects recorded events and sends as many as the socket accepts. Blocks only while it
  /// connects, for at most 100 ms.
  void step();

  /// Whether a batch was sent on this connection.
  [[nodiscard]] bool sent() const noexcept { return stream_ && sent_; }

  /// Sends the rest; gives up after `limit`.
  void finish(std::chrono::milliseconds limit);

 private:
  void connect();
  void read();
  [[nodiscard]] bool queue_batch();
  void write();

  TraceLinkOptions options_;
  sync::TraceCollector collector_;
  std::optional<net::SealedStream> stream_;
  bool greeted_ = false;
  bool sent_ = false;
  std::chrono::steady_clock::time_point next_connect_;
};

/// Recorder and sender of one process, for processes where one thread more does no harm. The thread
/// sends the recorded events.
///
///   const ProcessTrace trace({director, {"decoder", -1, ::getpid(), host_name()}, mapping});
///   const TraceThread main(trace.recorder(), "decoder");
class ProcessTrace {
 public:
  /// Does nothing where `options.director` is "".
  explicit ProcessTrace(TraceLinkOptions options);
  /// Sends the rest, waiting at most 200 ms.
  ~ProcessTrace();
  ProcessTrace(const ProcessTrace&) = delete;
  ProcessTrace& operator=(const ProcessTrace&) = delete;

  /// Null where no trace is written.
  [[nodiscard]] sync::TraceRecorder* recorder() const noexcept { return recorder_.get(); }

 private:
  void run(const std::stop_token& stop);

  const std::unique_ptr<sync::TraceRecorder> recorder_;
  std::optional<TraceLink> link_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::trace
