// One movie that panels of this host play: its shared memory and its decoder process, which is
// started again when it dies or stalls.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/host/hang_watch.hpp"
#include "player/host/stall_watch.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "sync/base/child_process.hpp"
#include "sync/global_time.hpp"

namespace tilewall::host {

/// Frames [first, end) at which decoders die; no frames while end is 0.
struct CrashZone {
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool operator==(const CrashZone&) const = default;
};

/// Decides after a decoder's death when to start the next one, and which frames to leave out. Reads
/// no clock; one owner.
class DeathLog {
 public:
  static constexpr int most_in_a_row = 12;                ///< deaths without a healthy decoder
  static constexpr std::int64_t recovered_pictures = 48;  ///< a healthy decoder made so many
  static constexpr std::int64_t same_place_frames = 64;   ///< deaths so near are at one place
  static constexpr std::int64_t first_zone_frames = 32;

  /// Adds the death of a decoder at frame `position`, after `pictures` pictures of its own. The
  /// position is empty where no frame is to blame. Returns the pause before the next start; empty:
  /// the movie is given up.
  [[nodiscard]] std::optional<std::chrono::milliseconds> add(std::optional<std::int64_t> position,
                                                             std::int64_t pictures);

  /// The frames to leave out. They begin with the second death at one place, and grow fourfold with
  /// each further one.
  [[nodiscard]] const CrashZone& zone() const noexcept { return zone_; }

 private:
  void note_place(std::int64_t position, bool healthy);

  int in_a_row_ = 0;
  int same_place_ = 0;
  std::int64_t place_ = 0;
  CrashZone zone_;
};

struct DecoderPlace {
  std::filesystem::path log_file;  ///< the decoders' output is appended
  std::filesystem::path pid_file;
  scene::DecodeDevice decode = scene::DecodeDevice::cpu;
  std::vector<std::string> more_arguments = {};  ///< further arguments of the decoder
};

/// Threads: one owner, which also reaps children.
class KeptDecoder {
 public:
  /// Starts the decoder; a second later where the host cannot start a process now. Throws JobError
  /// where the shared memory cannot be made.
  KeptDecoder(std::string file, DecoderPlace place);
  /// Kills the decoder.
  ~KeptDecoder();
  KeptDecoder(const KeptDecoder&) = delete;
  KeptDecoder& operator=(const KeptDecoder&) = delete;

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] int memory_fd() const noexcept { return memory_fd_.get(); }
  [[nodiscard]] int seats_taken() const noexcept { return seats_taken_; }

  /// Takes a free seat for a panel; empty when none is left.
  [[nodiscard]] std::optional<int> take_seat();
  /// Frees a seat, with its panel's request and the picture that it holds.
  void leave_seat(int seat);

  /// Handles the end of a child, if it is this decoder. Returns whether it is.
  bool take_end(const ChildEnd& end);

  /// Starts the decoder when its pause is over, and kills it when it hangs. A movie that was given
  /// up is tried again, because its file may be back; panels repeat a picture until it plays. To be
  /// called every look_interval.
  void look();
  static constexpr std::chrono::milliseconds look_interval{100};

 private:
  void start();
  [[nodiscard]] bool is_given_up() const noexcept;
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
  std::optional<LocalInstant> start_at_;  // next start; empty while it runs
  std::uint64_t pictures_at_start_ = 0;
  bool trusts_device_ = true;  // no decoder died while a GPU decoded
  bool has_played_ = false;    // a decoder had opened the file: a later refusal is a death
  StallWatch stall_watch_;     // these two watch the running decoder
  StopWatch stop_watch_{StopWatch::awaited_limit};
};

}  // namespace tilewall::host
