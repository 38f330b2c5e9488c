// The sound of one movie file, decoded by a process of its own (tilewall-sound --file), because the
// file may be hostile. The process sees the folder of the file alone (sync/base/sandbox.hpp).
//
// Threads: one, which makes all calls. The process ends with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::sound {

class SoundReader {
 public:
  /// Throws InputError naming the file: missing, no sound in it, no decoder, or it crashes its
  /// reader.
  explicit SoundReader(const std::filesystem::path& file);
  ~SoundReader();
  SoundReader(const SoundReader&) = delete;
  SoundReader& operator=(const SoundReader&) = delete;

  [[nodiscard]] int rate_hz() const noexcept { return rate_hz_; }

  /// SoundFile::read() of the process. Throws InputError naming the file if the process dies or
  /// gives no answer for half a minute.
  void read(std::int64_t first, std::span<float> stereo);

  /// SoundFile::damaged_packets() of the process.
  [[nodiscard]] std::int64_t damaged_packets() const noexcept { return damaged_packets_; }

 private:
  void start();
  void take_answer();
  void receive(void* bytes, std::size_t size);
  [[noreturn]] void throw_end();

  const std::filesystem::path file_;
  UniqueFd socket_;
  pid_t pid_ = 0;  // 0: it has ended
  int rate_hz_ = 0;
  std::int64_t damaged_packets_ = 0;
};

/// The process's side: enters the sandbox, opens the file, and answers questions from the socket
/// until the other side closes it. Returns the exit code.
int run_sound_reader(const std::filesystem::path& file, int socket);

}  // namespace tilewall::sound
