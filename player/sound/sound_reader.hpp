// Decodes the sound of a file in a process of its own, tilewall-sound-reader, because the file may
// be hostile.
//
// This process opens the file and hands the reader its descriptor. The reader opens nothing: its
// sandbox (sync/base/sandbox.hpp) shows it no file at all.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "player/sound/reader/sound_question.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::sound {

/// Threads: one owner, in whose thread the reader is started, and with which it ends.
class SoundReader {
 public:
  /// Opens `file`, whose name in messages is `name`. Throws InputError with the name if it is
  /// missing, has no sound that can be decoded, or crashes its reader; JobError if there can be no
  /// reader. Blocks for answer_limit at most.
  SoundReader(const std::filesystem::path& file, std::string name);
  ~SoundReader();
  SoundReader(const SoundReader&) = delete;
  SoundReader& operator=(const SoundReader&) = delete;

  [[nodiscard]] int rate_hz() const noexcept { return rate_hz_; }

  /// Replaces `to` by a chunk of the sound, silent where the file has none. Any order; one behind
  /// the other costs least. Returns false where the reader has crashed or hung, and is of no more
  /// use. Throws InputError, or else JobError, where the reader refuses the file. Blocks for
  /// answer_limit at most.
  [[nodiscard]] bool read(std::int64_t chunk, PcmChunk& to);

  /// Packets that the decoder refused so far, and reads that failed.
  [[nodiscard]] std::int64_t damaged_packets() const noexcept { return damaged_packets_; }

  /// Of one answer. Beyond, reader or disk hang.
  static constexpr std::chrono::milliseconds answer_limit{10'000};

 private:
  void start(int file);
  void end() noexcept;
  /// Waits for an answer. False where the reader has died, or answers too late.
  [[nodiscard]] bool receive(SoundAnswer& answer);
  void take(const SoundAnswer& answer);

  const std::string name_;
  UniqueFd socket_;
  pid_t pid_ = 0;
  int rate_hz_ = 0;
  std::int64_t damaged_packets_ = 0;
};

}  // namespace tilewall::sound
