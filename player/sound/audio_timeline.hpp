// Which sound is due at any instant of global time: a pure function, like the timeline of the
// pictures that it follows.
//
// Sound is played forwards only. Where frames follow each other upwards it is due, at the speed at
// which they do; paused or backwards (also on a ping-pong's way back) there is silence. A "piece"
// is a stretch without a jump: it ends at a loop's seam, at an item's end, where the show ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sync/timeline/timeline.hpp"

namespace tilewall::sound {

/// No file: silence.
inline constexpr int no_sound_file = -1;

inline constexpr double ns_per_s = 1e9;

/// Frames [first_frame, end_frame) of a timeline and the file that sounds with them.
struct SoundItem {
  int file = no_sound_file;  ///< number by PcmStore::file_id()
  Rational fps{24, 1};       ///< frames of the timeline a second of sound; > 0
  std::int64_t first_frame = 0;
  std::int64_t end_frame = 0;
  double from_s = 0;        ///< second of the file's sound that stands at first_frame
  double round_frames = 0;  ///< after so many the sound begins anew; 0 = never
};
using SoundItems = std::vector<SoundItem>;

struct SoundPiece {
  GlobalInstant from;
  GlobalInstant until;       ///< > from
  int file = no_sound_file;  ///< no_sound_file: silence
  double from_s = 0;         ///< second of the sound that is due at `from`
  double speed = 1;          ///< seconds of sound a second

  [[nodiscard]] bool audible() const noexcept { return file != no_sound_file; }
  /// The second of the sound that is due at `at`.
  [[nodiscard]] double due_s(GlobalInstant at) const noexcept;
};

/// An end that does not come.
inline constexpr GlobalInstant end_of_time{Nanos::max()};

[[nodiscard]] SoundPiece silence(GlobalInstant from, GlobalInstant until) noexcept;

class AudioTimeline {
 public:
  /// Slower or faster than these there is silence; between them pitch goes with speed.
  static constexpr double slowest = 0.25;
  static constexpr double fastest = 4.0;

  AudioTimeline() = default;
  /// `items`: in the order of their frames, without overlaps; not null. @pre `timeline` is
  /// well-formed
  AudioTimeline(const sync::Timeline& timeline, std::shared_ptr<const SoundItems> items);

  /// The piece that holds `at`. Its `from` is at most `at`, and not before the current tick's.
  [[nodiscard]] SoundPiece piece_at(GlobalInstant at) const noexcept;

 private:
  [[nodiscard]] bool runs_forwards(std::int64_t tick) const noexcept;
  [[nodiscard]] const SoundItem* item_of(std::int64_t frame) const noexcept;

  sync::Timeline timeline_;
  std::shared_ptr<const SoundItems> items_ = std::make_shared<const SoundItems>();
};

}  // namespace tilewall::sound
