// Browsers that look at the operator's console, as many as a benchmark wants: WebSockets that read
// the state and panels' pictures, and one that also asks.
//
// Threads: one owner, which reads for all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::bench {

class ConsoleBrowsers {
 public:
  /// What all browsers have got.
  struct Counts {
    std::size_t bytes = 0;
    std::size_t states = 0;  ///< whole ones and patches
    std::size_t pictures = 0;
  };

  /// Connects `count` browsers, as operators, to the console of the show of `run_dir`. Throws
  /// JobError.
  ConsoleBrowsers(const std::filesystem::path& run_dir, std::size_t count);

  /// Reads what comes, for so long.
  void read_for(std::chrono::milliseconds time);

  /// Asks by the first browser, and reads for all of them until the answer is there. Throws
  /// JobError where the wall refuses or none comes within 20 s.
  nlohmann::json ask(const std::string& verb, const nlohmann::json& fields);

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  struct Browser {
    UniqueFd socket;
    std::string received;  // the beginning of a frame
  };

  void read_once(std::chrono::milliseconds limit);
  void take_frames(Browser& browser);
  void take(int opcode, std::string payload, const Browser& browser);

  std::vector<Browser> browsers_;
  Counts counts_;
  std::int64_t last_id_ = 0;
  nlohmann::json answer_;  // to the newest question; null: not there yet
};

}  // namespace tilewall::bench
