// The control port of a running wall, as a client with the secret of its run directory sees it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "net/control/message_stream.hpp"

namespace tilewall::test {

class ControlPort {
 public:
  /// Connects to the wall of that run directory. Throws std::runtime_error.
  explicit ControlPort(const std::filesystem::path& run_dir);

  /// The answer to a request; an error of ours after 10 s. Throws std::runtime_error.
  [[nodiscard]] nlohmann::json ask(nlohmann::json request);

 private:
  [[nodiscard]] nlohmann::json next_message();

  const std::filesystem::path run_dir_;
  net::MessageStream stream_;
  std::string nonce_;  // "" once the first request was signed
};

}  // namespace tilewall::test
