// Keeps the store filled with the sound that is needed soon.
//
// Threads: owns one, "sound decode": waits for news and for time to pass; stopped by its
// destructor, which waits for a decoder that is at work. Of normal priority, before those that
// decode pictures: it takes a hundredth of a core, and sound that is missing is noticed more than a
// picture.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "player/sound/pcm_store.hpp"
#include "player/sound/sound_plan.hpp"
#include "player/sound/sound_reader.hpp"

namespace tilewall::sound {

using FindSound = std::function<std::optional<std::filesystem::path>(const std::string& sound)>;

/// The duty cycle, callable by hand. Threads: one owner.
class SoundDecodeLoop {
 public:
  static constexpr std::size_t most_open_files = 2;  ///< one that plays, and the next
  /// A file whose readers crash so often, one after the other, is silent from then on.
  static constexpr int most_crashes = 3;

  /// `store` outlives this. `find` says where a file of the store lies on this host; empty: not
  /// here yet. `note` is told what a person should know, once for each file.
  SoundDecodeLoop(PcmStore& store, FindSound find,
                  std::function<void(const std::string& line)> note);

  /// Decodes the chunk that is missing first. False: nothing is missing.
  bool step(const std::vector<SoundRequest>& requests);

 private:
  struct Open {
    int id = no_sound_file;
    std::unique_ptr<SoundReader> reader;
    bool told_of_damage = false;
  };
  /// Null where the file is not here yet, or cannot be opened.
  [[nodiscard]] Open* open(int id);
  void decode(Open& open, std::int64_t index);
  void close(int id);
  void count_crash(int id);
  void refuse(int id, const std::string& why);

  PcmStore& store_;
  const FindSound find_;
  const std::function<void(const std::string& line)> note_;
  std::list<Open> open_;        // the one used last is in front
  std::map<int, int> crashes_;  // of files, since the last chunk of each
  std::set<int> refused_;
};

class SoundDecoder {
 public:
  using Requests = std::function<std::vector<SoundRequest>()>;

  /// `requests`, `find` and `note` are called on the decoding thread.
  SoundDecoder(PcmStore& store, Requests requests, FindSound find,
               std::function<void(const std::string& line)> note);
  ~SoundDecoder();
  SoundDecoder(const SoundDecoder&) = delete;
  SoundDecoder& operator=(const SoundDecoder&) = delete;

  /// Requests have changed; any thread.
  void wake();

 private:
  void run(const std::stop_token& stop);

  SoundDecodeLoop loop_;
  const Requests requests_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool news_ = false;    // guarded by mutex_
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::sound
