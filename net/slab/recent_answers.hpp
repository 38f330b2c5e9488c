// Answers to questions that are costly to find and asked often, kept for some seconds: a flood of
// the same question does not read disks again and again.
//
// Threads: any.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "sync/global_time.hpp"

namespace tilewall::net {

class RecentAnswers {
 public:
  explicit RecentAnswers(Nanos longest_kept) noexcept : longest_kept_(longest_kept) {}

  /// Returns the kept answer, else that of `make`, whose exceptions are passed on. While one thread
  /// makes an answer, others that want the same one wait for it.
  [[nodiscard]] nlohmann::json get(const std::string& question,
                                   const std::function<nlohmann::json()>& make);
  /// Forgets all answers.
  void clear();

 private:
  struct Kept {
    nlohmann::json answer;
    LocalInstant made;
    bool is_being_made = false;
  };

  const Nanos longest_kept_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::map<std::string, Kept> kept_;  // guarded by mutex_; by question
};

}  // namespace tilewall::net
