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
#include <vector>

#include "player/movie/shared/movie_page.hpp"
#include "sync/base/handle.hpp"

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

/// Requests `path` from the host service at `socket`. Empty if none answers within `limit`. Throws
/// JobError if no seat is left or the memory is unusable.
[[nodiscard]] std::optional<MovieSubscription> subscribe_to_movie(
    const std::filesystem::path& socket, const std::string& path, std::chrono::milliseconds limit);

}  // namespace tilewall::movie
