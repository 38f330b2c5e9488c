// The process of a rank, or of the launcher that runs one on another host, with its streams.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "player/rendering/rank_messages.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::rendering {

/// A rank says what it cannot say: it is another program, or broken.
class DamagedAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Threads: one owner, which polls, and does not wait for its children otherwise.
class RankProcess {
 public:
  struct Command {
    std::vector<std::string> words;  ///< the program and its arguments
    std::vector<std::pair<std::string, std::string>> environment;
    std::filesystem::path log;  ///< gets what it prints on standard error
  };

  /// Throws JobError where it cannot be started.
  explicit RankProcess(const Command& command);
  ~RankProcess();  ///< kills it
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  void send(const RankOrder& order);

  // For poll(): descriptors, and whether something waits to be written.
  [[nodiscard]] int input_fd() const noexcept { return input_.get(); }
  [[nodiscard]] int output_fd() const noexcept { return output_.get(); }
  [[nodiscard]] bool wants_write() const noexcept { return !unsent_.empty(); }

  /// Writes what its input takes now.
  void write_some();

  /// Reads the answers that have come. Throws DamagedAnswer.
  [[nodiscard]] std::vector<RankAnswer> read_some();

  /// Whether its output has ended: nothing more comes.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Waits for the end of a process whose output has ended, kills it after a moment, and tells how
  /// it ended: "killed by signal 9", "ended with code 1". @pre ended(), or it is to be killed
  [[nodiscard]] std::string finish();

 private:
  pid_t pid_ = 0;    // 0: reaped
  UniqueFd input_;   // this process writes
  UniqueFd output_;  // this process reads
  std::string unsent_;
  std::string received_;
  bool ended_ = false;
};

}  // namespace tilewall::rendering
