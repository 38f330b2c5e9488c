// The process that has a foreign file open: questions and answers over a socket, a line of JSON
// each, and voxels in shared memory. Threads: one owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::render {

class ReaderProcess {
 public:
  /// Starts it for a file, which it does not open yet. Throws JobError.
  explicit ReaderProcess(std::string file);
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  /// Asks, and waits for the answer. Throws what the reader has to say, or InputError naming the
  /// file where the reader died or took longer than `limit`: it is gone then.
  [[nodiscard]] nlohmann::json ask(const nlohmann::json& question, std::chrono::milliseconds limit);

  /// Whether it died, or was ended for being late.
  [[nodiscard]] bool is_gone() const noexcept { return pid_ == 0; }

  /// Makes the shared memory, which no reader can shrink. Once.
  void share(std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> shared() const noexcept { return shared_; }

 private:
  [[nodiscard]] std::string read_line(std::chrono::milliseconds limit);
  [[noreturn]] void throw_end(bool late, std::chrono::milliseconds limit);

  std::string file_;
  UniqueFd socket_;
  UniqueFd memory_fd_;
  std::span<std::byte> shared_;
  pid_t pid_ = 0;  // 0: gone
};

}  // namespace tilewall::render
