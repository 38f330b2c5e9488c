// `tilewall serve` on a free port of this machine, as a user runs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

class ServeProgram {
 public:
  /// Returns once it listens. Throws std::runtime_error where it does not.
  explicit ServeProgram(const std::filesystem::path& folder, const Words& more = {});

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] RunningProgram& program() noexcept { return program_; }

 private:
  TemporaryFolder folder_;
  RunningProgram program_;
  std::uint16_t port_ = 0;
};

/// "tilewall://127.0.0.1:PORT/REST"
[[nodiscard]] std::string url_of(std::uint16_t port, const std::string& rest);

}  // namespace tilewall::test
