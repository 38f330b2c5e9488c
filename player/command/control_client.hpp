// A client of a running wall's control port (player/director/CONTROL_PORT.md).
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "player/movie/cache/cache_uses.hpp"

namespace tilewall::command {

/// Identifies a wall and the key to its control port.
struct WallAddress {
  std::filesystem::path run_dir;   ///< "" = the one wall of this user that runs here
  std::filesystem::path key_file;  ///< "" = the show's own secret, from its run directory
};

/// A connection to one wall. Threads: one owner.
class WallConnection {
 public:
  /// Throws InputError (no such run directory, several walls run, a key file that is none) or
  /// JobError (no wall runs, nobody answers).
  explicit WallConnection(const WallAddress& address);
  ~WallConnection();

  /// Sends the request, an object with a "type", and returns the answer to it. Throws InputError
  /// with the director's line where that refuses, JobError where no answer comes within 20 s.
  [[nodiscard]] nlohmann::json ask(nlohmann::json request);

  [[nodiscard]] const std::filesystem::path& run_dir() const noexcept { return run_dir_; }

  /// Cache entries that were opened for the wall. The connection holds them as long as it lives, so
  /// that the director holds them too by then.
  [[nodiscard]] movie::CacheUses& cache_uses() noexcept { return cache_uses_; }

  /// Waits for the next event and returns it; empty once the wall has ended. Events while no
  /// director runs are lost. @pre "subscribe" was sent
  [[nodiscard]] std::optional<nlohmann::json> next_event();

 private:
  class Stream;
  [[nodiscard]] bool subscribe_again();

  const std::filesystem::path run_dir_;
  const std::string person_;  // told with each request; "" = nobody
  std::unique_ptr<Stream> stream_;
  bool has_ended_ = false;  // the event "end" has come
  std::deque<nlohmann::json> events_;
  std::int64_t last_id_ = 0;
  movie::CacheUses cache_uses_;
};

}  // namespace tilewall::command
