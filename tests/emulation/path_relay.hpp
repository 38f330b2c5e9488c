// A path between programs on this machine, for any user and without a network of its own. It
// forwards TCP and UDP from one port of 127.0.0.1 to another one there, later, slower, and with
// losses.
//
// Clients connect to port() instead of to the target. Each direction has a shape of its own. Data
// is held from the moment it is read until a due instant; on a busy machine it may be a little
// late, never early. For TCP see path_streams.hpp: loss, reorder and duplicate do not affect it.
// Equal seeds draw equal lots, datagram by datagram in the order they come.
// Threads: owns one, which does all the work. A call returns when that thread has carried it out,
// within a turn of its loop. The destructor stops it and closes all connections.
#pragma once

#include <poll.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "sync/base/handle.hpp"
#include "tests/emulation/path_datagrams.hpp"
#include "tests/emulation/path_link.hpp"
#include "tests/emulation/path_streams.hpp"

namespace tilewall::test {

/// A port of 127.0.0.1 that was free for both protocols.
struct LocalPort {
  UniqueFd listener;   ///< TCP
  UniqueFd datagrams;  ///< UDP
  std::uint16_t number = 0;
};

/// Throws JobError where no port is free.
[[nodiscard]] LocalPort open_local_port();

class PathRelay {
 public:
  PathRelay(std::uint16_t target_port, const PathShape& to_target, const PathShape& from_target,
            std::uint64_t seed = 1);
  ~PathRelay();
  PathRelay(const PathRelay&) = delete;
  PathRelay& operator=(const PathRelay&) = delete;

  /// Port of both protocols.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Changes the shapes for data that comes from now on; data on its way keeps its instant. Any
  /// thread.
  void reshape(const PathShape& to_target, const PathShape& from_target);

  /// Lets nothing pass from now on, for good. Datagrams are dropped, those on their way too; TCP
  /// connections stay open and silent, new ones are not answered. Any thread.
  void cut();

  /// Closes all TCP connections; bytes that they hold are lost. Any thread.
  void drop_connections();

  /// Keeps copies of what passes from now on, 64 MiB of datagrams and as much of streams at most.
  /// Any thread.
  void record();
  /// What was recorded on its way to the target.
  struct Recorded {
    std::vector<std::vector<std::byte>> datagrams;  ///< in the order in which they came
    std::vector<std::vector<std::byte>> streams;    ///< a TCP connection each
  };
  /// Any thread.
  [[nodiscard]] Recorded recorded();
  /// Sends the recorded datagrams of both directions once more, from the sockets that they left
  /// from first. Any thread.
  void replay_datagrams();

  /// Any thread.
  [[nodiscard]] PathCounters counters();

 private:
  PathRelay(LocalPort port, std::uint16_t target_port, const std::array<PathLink, 2>& links,
            std::uint64_t seed);
  void on_thread(const std::function<void()>& call);
  void run(const std::stop_token& stop);
  void wait(LocalInstant now);
  void take();
  void run_calls();

  const std::uint16_t port_;
  const UniqueFd wake_;
  std::mutex mutex_;
  std::condition_variable followed_;
  std::vector<const std::function<void()>*> calls_;  // guarded by mutex_
  std::uint64_t asked_ = 0;                          // guarded by mutex_
  std::uint64_t done_ = 0;                           // guarded by mutex_
  std::array<PathLink, 2> links_;  // used by the thread alone, as all members below
  PathDatagrams datagrams_;
  PathStreams streams_;
  std::vector<pollfd> polled_;
  std::jthread thread_;  // last member
};

}  // namespace tilewall::test
