// The director's side of a show's trace: collects the batches of all processes and writes one file.
//
// Threads: one owner, the director's main thread, whose own events it collects too. The file has a
// writer thread of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "player/trace/trace_file.hpp"
#include "player/trace/trace_messages.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::trace {

/// Figures of the trace, for the report.
struct TraceSummary {
  std::uint64_t events = 0;  ///< Events written
  /// Events dropped by the processes, or here because the disk was behind.
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;
  std::string problem;  ///< Why writing failed; "" where it did not
};

class ShowTrace {
 public:
  using Connection = std::uint64_t;

  /// `panels`: names of the panels, by index. `directors_before`: number of directors that wrote to
  /// the file and died; it is continued then.
  ShowTrace(const std::filesystem::path& file, std::vector<std::string> panels,
            int directors_before = 0);

  void welcome(Connection from, const TraceHello& hello);
  /// Throws InputError where the connection has not said hello.
  void take(Connection from, sync::TraceBatch&& batch);
  void lose(Connection from) { processes_.erase(from); }

  /// Whether a panel may still send.
  [[nodiscard]] bool has_panels() const;

  /// Collects the director's own events. Call it often; it works a few times a second. `mapping` is
  /// the current one; while it is unknown nothing is done.
  void step(const ClockMapping& mapping);

  /// Collects the director's last events, and waits up to `limit` for the disk.
  [[nodiscard]] TraceSummary finish(const ClockMapping& mapping, std::chrono::milliseconds limit);

 private:
  struct Process {
    TraceHello hello;
    int number = 0;
    std::uint64_t dropped = 0;
    std::set<std::uint16_t> named_tracks;
  };
  void name(Process& process);
  void write(Process& process, const sync::TraceBatch& batch);

  const std::vector<std::string> panels_;
  sync::TraceRecorder recorder_;
  const sync::TraceThread thread_;
  sync::TraceCollector collector_;
  sync::TraceTimeMap time_;  // this host's, for events of processes without a clock
  bool has_time_ = false;
  std::chrono::steady_clock::time_point next_step_;
  std::map<Connection, Process> processes_;
  int next_number_;
  std::uint64_t events_ = 0;
  std::uint64_t dropped_ = 0;
  TraceFile file_;
  Process own_;
};

}  // namespace tilewall::trace
