// What a panel asks a server for, and what comes back: some blocks of one level of one frame,
// compressed as they stand in the file. Little endian.
//
// Request: BlockRequestHeader, the movie's name (UTF-8, no 0), then the runs of blocks.
// Answer: BlockAnswerHeader, u32 size_bytes of each block (0: the file has none there), then the
// blocks, in the order asked. A slab of no bytes: the server could not read the request.
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
  std::uint32_t first;  //  0  number of its first block
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
inline constexpr std::size_t most_runs = 128;  // fits an Ethernet packet with a short name
inline constexpr std::size_t longest_movie_name = 255;
inline constexpr std::size_t most_blocks_asked = 65'536;

struct BlockRequest {
  std::string name;
  int level = 0;
  std::int64_t frame = 0;
  std::vector<int> blocks;  ///< numbers, ascending
};

/// The requests that ask for all of it: as many as it takes for each to have most_runs at most.
[[nodiscard]] std::vector<BlockRequest> split_request(const BlockRequest& request);

/// @pre at most most_runs runs, and a name within longest_movie_name
[[nodiscard]] std::vector<std::byte> to_bytes(const BlockRequest& request);

/// Throws InputError for bytes that are no request, or out of bounds.
[[nodiscard]] BlockRequest parse_block_request(std::span<const std::byte> bytes);

/// The blocks of an answer, views of it; empty where it is none, or not of so many blocks.
struct BlockAnswer {
  BlockAnswerStatus status = BlockAnswerStatus::damaged_frame;
  std::vector<std::span<const std::uint8_t>> blocks;
};
[[nodiscard]] BlockAnswer parse_block_answer(std::span<const std::byte> bytes,
                                             std::size_t asked_blocks);

/// What a server answers to the questions beside blocks, as its client takes it: see
/// MovieServer::call, and VolumeServer::call.
struct OpenAnswer {
  std::string manifest;           ///< text of movie.toml
  std::uint64_t sound_bytes = 0;  ///< of its sound; 0: it has none
};

/// Whether what was opened is a volume, not a movie.
[[nodiscard]] bool holds_volume(const nlohmann::json& answer);

/// Throws InputError naming the movie and the field that is missing or wrong.
[[nodiscard]] OpenAnswer parse_open_answer(const nlohmann::json& answer, const std::string& name);

/// The movies and volumes of a list: {"movies", "volumes"}, each with the fields that the servers
/// name. Throws InputError naming `server`.
[[nodiscard]] nlohmann::json parse_list_answer(const nlohmann::json& answer,
                                               const std::string& server);

}  // namespace tilewall::movie
