// Which decoded pictures are damaged: those that the decoder conceals or that lack what they are
// predicted from, up to the next picture that needs no other.
//
// FFmpeg marks the pictures in which it has met errors itself. It marks none of those that are
// predicted from such a picture, or from one that it has refused or silently left out, though all
// of them show the damage. Which picture refers to which is not known here, so every picture counts
// from the first damaged one to the next sound key picture, in display order.
//
// Pure. Threads: one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace tilewall {

class PictureDamage {
 public:
  /// A packet goes to the decoder that is to give a picture of this stamp. Only for decoders that
  /// give one picture a packet; of others nothing is expected.
  void expect(std::int64_t pts);
  /// The decoder has refused something.
  void refuse();
  /// Decoding goes on elsewhere: what was expected so far does not come.
  void restart();

  struct Picture {
    std::optional<std::int64_t> pts;
    bool is_key = false;
    bool has_errors = false;  ///< as the decoder says
  };
  struct Verdict {
    bool damaged = false;
    bool after_loss = false;  ///< a picture before it did not come
  };
  /// The next one in display order.
  Verdict take(const Picture& picture);

  /// No more pictures come.
  void end();

  /// Refused, or without a picture; each once.
  [[nodiscard]] std::int64_t lost_packets() const noexcept { return lost_packets_; }

 private:
  [[nodiscard]] std::int64_t missed_before(std::int64_t pts);
  void count_missed(std::int64_t missed);

  std::set<std::int64_t> expected_;
  std::optional<std::int64_t> last_pts_;  // of the picture that came last; empty after a restart
  bool in_order_ = true;                  // pictures come in the order of their stamps
  std::int64_t refused_ = 0;              // refused ones whose stamps are still expected
  bool refused_since_ = false;            // since the last picture
  bool spreads_ = false;                  // the pictures up to a key picture may show damage
  std::int64_t lost_packets_ = 0;
};

}  // namespace tilewall
