// A panel's request for a movie to its host's service: one packet, answered by one packet with the
// descriptor of the shared memory. The connection stays open while the panel plays the movie. Its
// end clears the panel's seat.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "player/movie/shared/movie_page.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {

/// Panel -> host service; the file's path follows.
struct MovieRequest {
  std::uint32_t magic = 0x51455254;  //  0
  std::uint32_t path_bytes = 0;      //  4
};
static_assert(sizeof(MovieRequest) == 8 && offsetof(MovieRequest, path_bytes) == 4 &&
              std::is_trivially_copyable_v<MovieRequest>);

/// Host service -> panel, with the memory's descriptor (SCM_RIGHTS).
struct MovieGrant {
  std::uint32_t magic = 0x544e5247;  //  0
  std::int32_t seat = -1;            //  4  in [0, max_movie_seats); -1: none is left
};
static_assert(sizeof(MovieGrant) == 8 && offsetof(MovieGrant, seat) == 4 &&
              std::is_trivially_copyable_v<MovieGrant>);

inline constexpr std::size_t max_movie_path_bytes = 4096;
inline constexpr std::size_t max_request_bytes = sizeof(MovieRequest) + max_movie_path_bytes;

[[nodiscard]] std::vector<std::byte> encode_request(const std::string& path);

/// The requested path; empty if the packet is no valid request.
[[nodiscard]] std::optional<std::string> decode_request(std::span<const std::byte> packet);

/// A panel's connection, memory and seat while it plays a movie.
struct MovieSubscription {
  UniqueFd connection;
  MovieMemory memory;
  int seat = 0;

  [[nodiscard]] MovieSeat& own_seat() const noexcept { return memory.page().seats[seat]; }
  /// Whether the host service still holds its end of the connection. Never waits.
  [[nodiscard]] bool open() const;
};

/// Requests a movie from the host service, again and again until it is granted. A request that is
/// not answered within 1 s is given up and made again.
///
/// Threads: one owner.
class MovieSubscriber {
 public:
  MovieSubscriber(std::filesystem::path socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  /// Makes the request unless one is under way, and waits up to `limit` for its answer. Empty where
  /// none has come. Throws JobError if no seat is left or the memory is unusable.
  [[nodiscard]] std::optional<MovieSubscription> try_subscribe(std::chrono::milliseconds limit);

  /// Whether a request is under way, so that the next call waits for its answer.
  [[nodiscard]] bool is_waiting() const noexcept { return !connection_.empty(); }

 private:
  [[nodiscard]] bool request();

  const std::filesystem::path socket_;
  const std::string path_;
  UniqueFd connection_;  // empty: no request is under way
  LocalInstant requested_at_;
  LocalInstant next_request_;
};

}  // namespace tilewall::movie
