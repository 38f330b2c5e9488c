// What a wall asks of one rank of a live source, and the rank's answers, as slabs (net/slab).
// Little endian.
//
// A timestep's number counts the calls of end_step since the rank opened its source, from 0. A rank
// puts blocks (boxes of voxels) of each timestep. Two kinds of request:
//
//   head    which blocks of a field the timestep has. The answer waits until the rank ended the
//           timestep, so a wall asks ahead. It is LiveHead, then a LiveBlock for each block.
//   voxels  whole planes of one block, x fastest, without padding, in the block's type. The answer
//           waits in the same way. A wall that knows the blocks of the timestep before asks for
//           them ahead too; where the blocks are others now, it is told so.
//
// Each answer is LiveAnswerHeader and its body. A slab of 0 bytes means that the rank could not
// parse the request.
//
// Threads: values and free functions without state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tilewall::net {

enum class LiveType : std::uint8_t { u8 = 0, u16 = 1, f32 = 2 };
inline constexpr std::string_view live_type_names[] = {"u8", "u16", "f32"};
[[nodiscard]] constexpr std::size_t bytes_of(LiveType type) noexcept {
  return std::size_t{1} << static_cast<unsigned>(type);
}

inline constexpr std::uint32_t largest_live_side = 8192;  ///< voxels along an axis of a grid
inline constexpr std::uint32_t most_live_ranks = 1024;
/// A field has at most so many blocks in a timestep.
inline constexpr std::uint32_t most_live_blocks = 4096;
inline constexpr std::uint32_t most_live_fields = 64;
inline constexpr std::size_t largest_live_body_bytes = std::size_t{8} << 20;
inline constexpr std::size_t longest_live_line = 1000;

/// A box of voxels of the whole grid: x, y, z of its first voxel, and of the one behind its last.
struct LiveBox {
  std::array<std::uint32_t, 3> begin{};
  std::array<std::uint32_t, 3> end{};

  [[nodiscard]] std::uint32_t side(std::size_t axis) const noexcept {
    return end[axis] - begin[axis];
  }
  [[nodiscard]] std::uint64_t voxels() const noexcept {
    return std::uint64_t{side(0)} * side(1) * side(2);
  }
  bool operator==(const LiveBox&) const = default;
};
/// Whether the boxes have a voxel in common.
[[nodiscard]] bool overlap(const LiveBox& a, const LiveBox& b) noexcept;

enum class LiveRequestKind : std::uint8_t { head = 1, voxels = 2 };

struct LiveRequest {          // offset
  std::uint32_t magic;        //  0  'TWLR'
  std::uint8_t kind;          //  4  LiveRequestKind
  std::uint8_t reserved;      //  5  0
  std::uint16_t field;        //  6  its place in the rank's description
  std::uint64_t timestep;     //  8
  std::uint32_t block;        // 16  its place in the head; 0 for a head
  std::uint32_t plane_begin;  // 20  voxels: planes along z, counted from the block's first
  std::uint32_t plane_end;    // 24
  std::uint32_t bytes;        // 28  voxels: length of the planes
};
static_assert(sizeof(LiveRequest) == 32 && offsetof(LiveRequest, kind) == 4 &&
              offsetof(LiveRequest, reserved) == 5 && offsetof(LiveRequest, field) == 6 &&
              offsetof(LiveRequest, timestep) == 8 && offsetof(LiveRequest, block) == 16 &&
              offsetof(LiveRequest, plane_begin) == 20 && offsetof(LiveRequest, plane_end) == 24 &&
              offsetof(LiveRequest, bytes) == 28);
static_assert(std::is_trivially_copyable_v<LiveRequest> &&
              std::has_unique_object_representations_v<LiveRequest>);

enum class LiveAnswerStatus : std::uint32_t {
  found = 0,    ///< the body has the head or the planes
  passed = 1,   ///< the rank is past the timestep and did not keep it
  changed = 2,  ///< the timestep has no such block, or the planes have another length
  failed = 3,   ///< the body is a line with the reason
  closed = 4    ///< the source closes, and does not come to the timestep
};

struct LiveAnswerHeader {    // offset
  std::uint32_t magic;       //  0  'TWLA'
  std::uint32_t status;      //  4  LiveAnswerStatus
  std::uint64_t timestep;    //  8  that of the request
  std::uint64_t body_bytes;  // 16
};
static_assert(sizeof(LiveAnswerHeader) == 24 && offsetof(LiveAnswerHeader, status) == 4 &&
              offsetof(LiveAnswerHeader, timestep) == 8 &&
              offsetof(LiveAnswerHeader, body_bytes) == 16 &&
              std::is_trivially_copyable_v<LiveAnswerHeader> &&
              std::has_unique_object_representations_v<LiveAnswerHeader>);

struct LiveHead {          // offset
  double time;             //  0  the simulation's; finite
  std::uint32_t blocks;    //  8  LiveBlocks that follow
  std::uint32_t reserved;  // 12  0
};
static_assert(sizeof(LiveHead) == 16 && offsetof(LiveHead, blocks) == 8 &&
              offsetof(LiveHead, reserved) == 12 && std::is_trivially_copyable_v<LiveHead>);

struct LiveBlock {          // offset
  std::uint32_t begin[3];   //  0  LiveBox
  std::uint32_t end[3];     // 12
  std::uint32_t type;       // 24  LiveType
  std::uint32_t not_shown;  // 28  values that are no number or infinite; 2^32 - 1 = so many or more
  float least;              // 32  of the finite values as they are sent; 0 where there are none
  float greatest;           // 36
};
static_assert(sizeof(LiveBlock) == 40 && offsetof(LiveBlock, end) == 12 &&
              offsetof(LiveBlock, type) == 24 && offsetof(LiveBlock, not_shown) == 28 &&
              offsetof(LiveBlock, least) == 32 && offsetof(LiveBlock, greatest) == 36 &&
              std::is_trivially_copyable_v<LiveBlock>);

inline constexpr std::uint32_t live_request_magic = 0x524c5754;  // "TWLR" in memory order
inline constexpr std::uint32_t live_answer_magic = 0x414c5754;   // "TWLA"

/// A request for a head.
[[nodiscard]] LiveRequest live_head_request(std::uint16_t field, std::uint64_t timestep) noexcept;
/// The requests for all planes of a block, of about 1 MiB each where the block has at most 1 GiB,
/// and of 8 MiB at most. @pre a plane has at most 8 MiB
[[nodiscard]] std::vector<LiveRequest> live_voxel_requests(std::uint16_t field,
                                                           std::uint64_t timestep,
                                                           std::uint32_t block, const LiveBox& box,
                                                           LiveType type);
[[nodiscard]] std::span<const std::byte, sizeof(LiveRequest)> bytes_of(
    const LiveRequest& request) noexcept;
/// Parses a request. Its planes are not empty, and `bytes` is at most 8 MiB; whether the block has
/// such planes is for the rank to say. Throws InputError.
[[nodiscard]] LiveRequest parse_live_request(std::span<const std::byte> bytes);

/// Checks that the box is not empty and lies within a grid of these sides, and that a plane of it
/// has at most 8 MiB. Returns what is wrong, "" if nothing.
[[nodiscard]] std::string fault_of(const LiveBox& box, const std::array<std::uint32_t, 3>& grid,
                                   LiveType type);

struct LiveBlockInfo {
  LiveBox box;
  LiveType type = LiveType::f32;
  std::uint32_t not_shown = 0;
  float least = 0;
  float greatest = 0;
};

struct LiveHeadInfo {
  double time = 0;
  std::vector<LiveBlockInfo> blocks;
};

/// The body of the answer to a head's request.
[[nodiscard]] std::vector<std::byte> to_bytes(const LiveHeadInfo& head);
/// Parses that body. Every block lies within the grid, and no two overlap. Throws InputError.
[[nodiscard]] LiveHeadInfo parse_live_head(std::span<const std::byte> body,
                                           const std::array<std::uint32_t, 3>& grid);

/// A parsed answer.
struct LiveAnswer {
  LiveAnswerStatus status = LiveAnswerStatus::failed;
  std::span<const std::byte> body;  ///< if found: a view of the parsed bytes
  std::string line;                 ///< if failed: the reason, printable
};
/// Parses the answer to `request`. It is `failed` where the bytes are no answer to it.
[[nodiscard]] LiveAnswer parse_live_answer(std::span<const std::byte> bytes,
                                           const LiveRequest& request);

/// The header of an answer with a body of so many bytes.
[[nodiscard]] LiveAnswerHeader live_answer_header(LiveAnswerStatus status, std::uint64_t timestep,
                                                  std::uint64_t body_bytes) noexcept;

}  // namespace tilewall::net
