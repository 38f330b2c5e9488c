// Where the sound of movies lies on this host: files here, and those of servers once they were
// fetched.
//
// Threads: any; owns one, "sound fetch", from the first sound of a server on: waits for requests
// and for the server; stopped by its destructor.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sync/base/handle.hpp"

namespace tilewall::sound {

class SoundPlaces {
 public:
  /// `folder`: where fetched sound is put. `note` is told of what cannot be fetched.
  SoundPlaces(std::filesystem::path folder, std::function<void(const std::string& line)> note);
  ~SoundPlaces();
  SoundPlaces(const SoundPlaces&) = delete;
  SoundPlaces& operator=(const SoundPlaces&) = delete;

  /// Of the sound that a source names; empty: it is on its way, or cannot be had.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& sound);

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] UniqueFd fetch(const std::string& url, const std::stop_token& stop);

  const std::filesystem::path folder_;
  const std::function<void(const std::string& line)> note_;
  std::mutex mutex_;
  std::condition_variable_any requested_;
  std::deque<std::string> requests_;       // guarded by mutex_, as the next
  std::map<std::string, UniqueFd> files_;  // empty: not here yet
  std::jthread thread_;                    // last: stopped and joined before anything it uses
};

}  // namespace tilewall::sound
