// What ImageReader and its process tell each other: one packet of a local socket each way for each
// image. Both are of one build, so structs are sent as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

enum class ImageTask : std::int32_t { header, decode };

/// Comes with the descriptor of the file, and behind it that of the shared memory if it is new.
struct ImageQuestion {
  ImageTask task = ImageTask::header;
  // For decode: kind and size that the file is to have, and the size of the pixels, whose rows lie
  // one behind the other from the beginning of the memory on.
  std::int32_t kind = 0;  ///< an ImageKind
  std::int32_t width_px = 0;
  std::int32_t height_px = 0;
  std::int32_t decoded_width_px = 0;
  std::int32_t decoded_height_px = 0;
};

struct ImageAnswer {
  std::int32_t done = 0;   ///< 1: decoded whole
  std::int32_t kind = -1;  ///< The ImageKind that the header names; -1: none
  std::int32_t width_px = 0;
  std::int32_t height_px = 0;    ///< 0: the header is damaged
  std::uint64_t read_bytes = 0;  ///< Bytes of the file that this answer took
  std::uint64_t cpu_ns = 0;      ///< CPU time that this answer took
};
static_assert(std::is_trivially_copyable_v<ImageQuestion> &&
              std::is_trivially_copyable_v<ImageAnswer>);

struct ReceivedQuestion {
  ImageQuestion question;
  std::vector<UniqueFd> descriptors;
};

/// Sends a question with at most two descriptors. Returns false where the other side is gone.
[[nodiscard]] bool send_question(int socket, const ImageQuestion& question,
                                 std::span<const int> descriptors);

/// Waits for a question; empty when the other side has closed the socket.
[[nodiscard]] std::optional<ReceivedQuestion> receive_question(int socket);

}  // namespace tilewall::movie
