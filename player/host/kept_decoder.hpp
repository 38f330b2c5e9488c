// One movie that panels of this host play: its shared memory, and the decoder process that is
// started again when it dies or stalls.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/host/stall_watch.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "sync/base/child_process.hpp"
#include "sync/global_time.hpp"

namespace tilewall::host {

// What to do about a decoder that dies: when to start it again, and which frames to leave alone
// because it dies of them. Pure.

/// Frames [first, end) that decoders die of; none while end is 0.
struct CrashZone {
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool operator==(const CrashZone&) const = default;
};

class DeathLog {
 public:
  static constexpr int most_in_a_row = 12;
  static constexpr std::int64_t recovered_pictures = 48;  ///< a decoder with so many was healthy
  static constexpr std::int64_t same_place_frames = 64;
  static constexpr std::int64_t first_zone_frames = 32;

  /// A decoder died at `position` after `pictures` of its own; empty: it had not opened the file,
  /// so no frame is to blame. Returns how long to wait before the next one is started; empty: not
  /// again.
  [[nodiscard]] std::optional<std::chrono::milliseconds> add(std::optional<std::int64_t> position,
                                                             std::int64_t pictures);

  /// Grows fourfold with each death at the same place from the second on.
  [[nodiscard]] const CrashZone& zone() const noexcept { return zone_; }

 private:
  void note_place(std::int64_t position, bool healthy);

  int in_a_row_ = 0;
  int same_place_ = 0;
  std::int64_t place_ = 0;
  CrashZone zone_;
};

struct DecoderPlace {
  std::filesystem::path log_file;  ///< what decoders have to say is appended
  std::filesystem::path pid_file;
  scene::DecodeDevice decode = scene::DecodeDevice::cpu;
  std::vector<std::string> more_arguments = {};  ///< of the decoder
};

/// Threads: one owner, who also reaps children.
class KeptDecoder {
 public:
  /// Starts the decoder, later where there is no process to be had. Throws JobError where there is
  /// no memory.
  KeptDecoder(std::string file, DecoderPlace place);
  /// Kills the decoder.
  ~KeptDecoder();
  KeptDecoder(const KeptDecoder&) = delete;
  KeptDecoder& operator=(const KeptDecoder&) = delete;

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] int memory_fd() const noexcept { return memory_fd_.get(); }
  [[nodiscard]] int seats_taken() const noexcept { return seats_taken_; }

  /// A free seat; empty when none is left.
  [[nodiscard]] std::optional<int> take_seat();
  /// Forgets what the panel of that seat wanted and held.
  void leave_seat(int seat);

  /// Whether the process that ended was this decoder; then it is seen to.
  bool take_end(const ChildEnd& end);

  /// To be called every look_interval: starts what is due, kills what hangs.
  void look();
  static constexpr std::chrono::milliseconds look_interval{100};

 private:
  void start();
  void start_after(std::optional<std::chrono::milliseconds> pause);
  void tell_death(const ChildEnd& end) const;
  [[nodiscard]] bool hangs();

  const std::string file_;
  const DecoderPlace place_;
  const UniqueFd memory_fd_;
  const movie::MovieMemory memory_;
  movie::MoviePage& page_;
  DeathLog deaths_;
  int seats_taken_ = 0;
  bool seat_taken_[movie::max_movie_seats] = {};
  pid_t pid_ = 0;
  std::optional<LocalInstant> start_at_;  // while it does not run, unless it is given up
  std::uint64_t pictures_at_start_ = 0;
  bool trusts_device_ = true;  // no decoder died while a GPU decoded
  bool has_played_ = false;    // some decoder had the file open: another's refusal is a death
  StallWatch stall_watch_;     // of the running decoder
};

}  // namespace tilewall::host
