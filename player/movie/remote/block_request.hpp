// Wire format of a panel's request for blocks of one level of one frame, and of the server's answer
// with the blocks, compressed as they stand in the file. Little endian.
//
// Request: BlockRequestHeader, the movie's name (UTF-8, no 0), then the BlockRuns.
// Answer: BlockAnswerHeader, u32 size_bytes of each block (0: the file does not have it), then the
// blocks in the order of the request. An answer of 0 bytes refuses the request.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tilewall::movie {

struct BlockRequestHeader {  // offset
  std::uint32_t magic;       //  0  'TWBR'
  std::uint32_t level;       //  4
  std::int64_t frame;        //  8
  std::uint16_t name_bytes;  // 16
  std::uint16_t runs;        // 18
  std::uint32_t reserved;    // 20  0
};
static_assert(sizeof(BlockRequestHeader) == 24 && offsetof(BlockRequestHeader, level) == 4 &&
              offsetof(BlockRequestHeader, frame) == 8 &&
              offsetof(BlockRequestHeader, name_bytes) == 16 &&
              offsetof(BlockRequestHeader, runs) == 18 &&
              offsetof(BlockRequestHeader, reserved) == 20);
static_assert(std::is_trivially_copyable_v<BlockRequestHeader> &&
              std::has_unique_object_representations_v<BlockRequestHeader>);

struct BlockRun {       // offset
  std::uint32_t first;  //  0  number of the run's first block
  std::uint32_t count;  //  4  > 0
};
static_assert(sizeof(BlockRun) == 8 && offsetof(BlockRun, count) == 4 &&
              std::is_trivially_copyable_v<BlockRun>);

struct BlockAnswerHeader {  // offset
  std::uint32_t magic;      //  0  'TWBA'
  std::uint32_t status;     //  4  BlockAnswerStatus
  std::uint32_t blocks;     //  8
  std::uint32_t reserved;   // 12  0
};
static_assert(sizeof(BlockAnswerHeader) == 16 && offsetof(BlockAnswerHeader, status) == 4 &&
              offsetof(BlockAnswerHeader, blocks) == 8 &&
              offsetof(BlockAnswerHeader, reserved) == 12);
static_assert(std::is_trivially_copyable_v<BlockAnswerHeader> &&
              std::has_unique_object_representations_v<BlockAnswerHeader>);

enum class BlockAnswerStatus : std::uint32_t { found = 0, no_frame = 1, damaged_frame = 2 };

inline constexpr std::uint32_t block_request_magic = 0x52425754;  // "TWBR" in memory order
inline constexpr std::uint32_t block_answer_magic = 0x41425754;   // "TWBA"
inline constexpr std::size_t most_runs = 128;  // 1024 bytes: an Ethernet packet holds the request
inline constexpr std::size_t longest_movie_name = 255;
inline constexpr std::size_t most_blocks_asked = 65'536;

struct BlockRequest {
  std::string name;
  int level = 0;
  std::int64_t frame = 0;
  std::vector<int> blocks;  ///< numbers of the blocks, ascending
};

/// Splits a request into as few as possible of at most most_runs runs each.
[[nodiscard]] std::vector<BlockRequest> split_request(const BlockRequest& request);

/// Encodes a request. @pre at most most_runs runs, and a name within longest_movie_name
[[nodiscard]] std::vector<std::byte> to_bytes(const BlockRequest& request);

/// Decodes a request. Throws InputError for bytes that are no request, and for values out of
/// bounds.
[[nodiscard]] BlockRequest parse_block_request(std::span<const std::byte> bytes);

/// A decoded answer. An invalid answer has the status damaged_frame.
struct BlockAnswer {
  BlockAnswerStatus status = BlockAnswerStatus::damaged_frame;
  std::vector<std::span<const std::uint8_t>> blocks;  ///< views of the answer's bytes if found
};

/// Decodes the answer to a request for `asked_blocks` blocks; an answer with another number of
/// blocks is invalid.
[[nodiscard]] BlockAnswer parse_block_answer(std::span<const std::byte> bytes,
                                             std::size_t asked_blocks);

// The client's checks of JSON answers, which MovieServer::call and VolumeServer::call make.

struct OpenAnswer {
  std::string manifest;           ///< text of movie.toml
  std::uint64_t sound_bytes = 0;  ///< size of the sound file; 0: the movie has no sound
};

/// Whether the answer to "open" is about a volume.
[[nodiscard]] bool holds_volume(const nlohmann::json& answer);

/// Checks the answer to "open". Throws InputError naming the movie and the field that is missing or
/// wrong.
[[nodiscard]] OpenAnswer parse_open_answer(const nlohmann::json& answer, const std::string& name);

/// Checks the answer to "list", and returns {"movies": [...], "volumes": [...], "left_out": n} with
/// the servers' fields; n is the number of those that the server cannot read, 0 where it tells
/// none. Throws InputError naming `server` and the field that is wrong.
[[nodiscard]] nlohmann::json parse_list_answer(const nlohmann::json& answer,
                                               const std::string& server);

}  // namespace tilewall::movie
