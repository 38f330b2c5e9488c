// The control port of a running wall, for one question after the other.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "net/control/sealed_stream.hpp"

namespace tilewall::test {

class ControlPort {
 public:
  /// Connects to the wall of that run directory. Throws std::runtime_error.
  explicit ControlPort(const std::filesystem::path& run_dir);

  /// The answer to a request; an error of ours after 10 s. Throws std::runtime_error.
  [[nodiscard]] nlohmann::json ask(const nlohmann::json& request);

 private:
  [[nodiscard]] nlohmann::json next_message();

  net::SealedStream stream_;
};

}  // namespace tilewall::test
