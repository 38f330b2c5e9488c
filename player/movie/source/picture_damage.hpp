// Finds which decoded pictures are damaged, and counts packets that gave no picture.
//
// FFmpeg marks the pictures in which it meets errors. It does not mark those predicted from such a
// picture, or from one that it refused or silently left out, though they show the damage too. The
// references between pictures are unknown here. So all pictures in display order from the first
// damaged one to the next intact key picture count as damaged, including the few that are not.
//
// Threads: one owner. Pure: no FFmpeg.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace tilewall::movie {

class PictureDamage {
 public:
  /// Notes that a packet went to the decoder, which should return a picture with the stamp `pts`.
  /// Called only for decoders that give one picture per packet.
  void expect(std::int64_t pts);

  /// Notes that the decoder returned an error.
  void refuse();

  /// Forgets the expected pictures, after a seek.
  void restart();

  struct Picture {
    std::optional<std::int64_t> pts;
    bool is_key = false;
    bool has_errors = false;  ///< the decoder has marked the picture
  };
  struct Verdict {
    bool damaged = false;
    bool after_loss = false;  ///< at least one picture just before this one is lost
  };

  /// Judges the next picture in display order.
  Verdict take(const Picture& picture);

  /// Counts the pictures that are still expected as lost, at the movie's end.
  void end();

  /// Packets that the decoder refused or that gave no picture, each counted once.
  [[nodiscard]] std::int64_t lost_packets() const noexcept { return lost_packets_; }

 private:
  [[nodiscard]] std::int64_t missed_before(std::int64_t pts);
  void count_missed(std::int64_t missed);

  std::set<std::int64_t> expected_;
  std::optional<std::int64_t> last_pts_;  // the newest picture's; empty after a restart
  bool in_order_ = true;                  // stamps have risen so far; else nothing is expected
  std::int64_t refused_ = 0;              // refused packets whose stamps are still expected
  bool refused_since_ = false;            // the decoder refused a packet after the last picture
  bool spreads_ = false;                  // pictures count as damaged up to the next key picture
  std::int64_t lost_packets_ = 0;
};

}  // namespace tilewall::movie
