// Where the control port of a running show is, and its key: two files of the show's run directory.
#pragma once

#include <filesystem>
#include <string>

#include "net/auth_key.hpp"

namespace tilewall::net {

inline constexpr const char* control_address_file = "control.addr";
inline constexpr const char* control_secret_file = "control.secret";

class ControlPlace {
 public:
  explicit ControlPlace(std::filesystem::path run_dir) : run_dir_(std::move(run_dir)) {}

  [[nodiscard]] const std::filesystem::path& run_dir() const noexcept { return run_dir_; }

  /// Whether a show has opened its control port there.
  [[nodiscard]] bool exists() const;
  /// Text such as "127.0.0.1:40112". Throws InputError where the file cannot be read.
  [[nodiscard]] std::string address() const;
  /// The show's key for its control port. Throws as key_from_file() does.
  [[nodiscard]] AuthKey key() const;

 private:
  std::filesystem::path run_dir_;
};

}  // namespace tilewall::net
