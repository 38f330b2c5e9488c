// Starts and asks the process that has a foreign file open (formats/main.cpp). Questions and
// answers go over a socket, a line of JSON each; voxels come in shared memory.
//
// Threads: one owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::render {

class ReaderProcess {
 public:
  /// Starts the reader for a file, which it does not open yet. It opens no file outside of the
  /// folder `beneath`, a path without links. If that is "", it may read the file's folder and those
  /// of `more` files of its series, as in VolumeOptions. Throws JobError if it cannot.
  ReaderProcess(std::string file, const std::filesystem::path& beneath,
                const std::vector<std::string>& more);
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  /// Sends a question and blocks until the answer. Throws the reader's error if it reports one.
  /// Throws InputError with the file if the reader dies or takes longer than `limit`; it is gone
  /// afterwards.
  [[nodiscard]] nlohmann::json ask(const nlohmann::json& question, std::chrono::milliseconds limit);

  /// Whether the reader has died or was killed for a late answer.
  [[nodiscard]] bool is_gone() const noexcept { return pid_ == 0; }

  /// Sets the size of the shared memory and maps it. It is sealed, so a hostile reader cannot
  /// shrink it under this process. To be called once.
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
