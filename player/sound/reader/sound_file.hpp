// The sound of one movie file, decoded (FFmpeg) to stereo samples at its own rate, exactly where
// asked for.
//
// Frame 0 is the sound at the instant of the movie's picture 0: start times, edit lists and the
// priming of codecs are respected, so pictures and sound lie as the container means them. A file
// without pictures begins at its own second 0. More than two channels are mixed down.
//
// Trust: the file may be broken or hostile. What cannot be decoded is silence, counted. A decoder
// may crash all the same, so a show has it in a process of its own (sound_reader.hpp). Threads: one
// owner.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "sync/base/handle.hpp"

namespace tilewall::sound {

class SoundFile {
 public:
  /// Throws InputError naming the file: missing, no sound in it, no decoder.
  explicit SoundFile(const std::filesystem::path& file);
  /// The same of a file that is open for reading; `name` stands in messages.
  SoundFile(UniqueFd file, const std::filesystem::path& name);
  ~SoundFile();
  SoundFile(const SoundFile&) = delete;
  SoundFile& operator=(const SoundFile&) = delete;

  [[nodiscard]] int rate_hz() const noexcept;

  /// Fills `stereo` (left, right) with the frames from `first` on; silence where the file has none.
  /// Any order; one behind the other costs least. Blocks for as long as the disk and the decoder
  /// take, media_stall_limit at most where they hang.
  void read(std::int64_t first, std::span<float> stereo);

  /// Packets that the decoder refused so far, and reads that failed.
  [[nodiscard]] std::int64_t damaged_packets() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::sound
