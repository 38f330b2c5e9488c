// Serves the verb "logs": reads the logs of this host, requests those of the other hosts from one
// panel each, and answers with all of them in one order of time. A host that does not answer within
// 2 s is named instead.
//
// Threads: one owner, the director's thread. A thread for each request reads the files, so that the
// director never waits for a disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/trace/crash_news.hpp"
#include "player/trace/host_log.hpp"

namespace tilewall::director {

class LogService {
 public:
  /// A panel that answers for its host.
  struct HostPanel {
    std::string host;
    ConnectionId connection = 0;
  };
  struct Callbacks {
    /// Returns a connected panel of each host.
    std::function<std::vector<HostPanel>()> hosts;
    std::function<ClockMapping()> mapping;  ///< the mapping of this host, valid now
  };

  /// `server` outlives this object. `run_dir` is the show's.
  LogService(ControlServer& server, std::filesystem::path run_dir, Callbacks callbacks);
  /// Waits for the readers.
  ~LogService();

  /// Takes a request {"type": "logs", "role"}. Throws InputError for a wrong request, or a fifth
  /// one at a time.
  void take(ConnectionId from, const nlohmann::json& request);

  /// Takes the answer of a panel. An answer that nobody waits for is dropped. Throws InputError
  /// where it is malformed.
  void add(ConnectionId panel, const nlohmann::json& answer);

  /// Keeps a crash report of another host with the logs of this one; written by a thread of its
  /// own.
  void keep_crash(trace::CrashMessage message);

  /// Answers requests that are complete or have waited too long. To be called in every turn.
  void step(std::chrono::steady_clock::time_point now);

 private:
  struct Pending {
    ConnectionId from = 0;
    nlohmann::json id;
    std::chrono::steady_clock::time_point until;
    std::map<ConnectionId, std::string> waits_for;  // hosts that have not answered
    std::vector<trace::HostLog> logs;
    bool is_read = false;  // whether this host's logs are among them
    bool is_answered = false;
    std::jthread reader;
  };
  void take_read();
  void answer(Pending& pending);

  ControlServer& server_;
  const std::filesystem::path run_dir_;
  const Callbacks callbacks_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, std::jthread> crash_writers_;  // by host and role
  std::mutex mutex_;
  std::map<std::uint64_t, trace::HostLog> read_;  // guarded by mutex_; by the request's number
  std::map<std::uint64_t, Pending> pending_;      // last: its readers use the others
};

}  // namespace tilewall::director
