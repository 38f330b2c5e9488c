// The pictures that are left out after a seek, because they refer to ones from before it. Decoded
// without these they would show damage that is not in the file.
//
// Pure. Threads: one owner.
#pragma once

#include <cstdint>
#include <optional>

namespace tilewall::movie {

/// Follows a decoder from a seek to the first picture that is complete. Stamps are ticks of the
/// stream; empty: unknown.
class SeekLanding {
 public:
  /// A seek has succeeded: the decoder is empty.
  void begin() noexcept {
    awaits_key_packet_ = awaits_clean_picture_ = true;
    key_pts_.reset();
  }

  /// Reading began at the start, where no picture is left out.
  void end() noexcept { awaits_key_packet_ = awaits_clean_picture_ = false; }

  /// Whether the next packet is not to be decoded, because no key packet has come yet.
  bool skips_packet(bool is_key, std::optional<std::int64_t> pts) noexcept {
    if (!awaits_key_packet_) return false;
    if (!is_key) return true;
    awaits_key_packet_ = false;
    if (pts) key_pts_ = pts;
    return false;
  }

  /// Whether the next picture may refer to ones from before the key picture. In display order such
  /// pictures come before the key picture (open groups of pictures).
  bool skips_picture(bool is_key, std::optional<std::int64_t> pts) noexcept {
    if (!awaits_clean_picture_) return false;
    const bool from_key_on = key_pts_ && pts && *pts >= *key_pts_;
    awaits_clean_picture_ = !is_key && !from_key_on;
    return awaits_clean_picture_;
  }

 private:
  bool awaits_key_packet_ = false;
  bool awaits_clean_picture_ = false;
  std::optional<std::int64_t> key_pts_;
};

}  // namespace tilewall::movie
