#include "player/movie/remote/block_request.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::movie {

namespace {

std::vector<BlockRun> runs_of(const std::vector<int>& blocks) {
  std::vector<BlockRun> runs;
  for (const int block : blocks) {
    const auto number = static_cast<std::uint32_t>(block);
    if (!runs.empty() && runs.back().first + runs.back().count == number)
      ++runs.back().count;
    else
      runs.push_back({number, 1});
  }
  return runs;
}

[[noreturn]] void refuse(const char* field, const char* expected) {
  throw InputError({"block request"}, field, expected, "another value");
}

template <typename Value>
Value read_at(std::span<const std::byte> bytes, std::size_t at) {
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::vector<BlockRequest> split_request(const BlockRequest& request) {
  std::vector<BlockRequest> parts;
  std::size_t runs = most_runs;
  for (std::size_t i = 0; i < request.blocks.size(); ++i) {
    const bool new_run = i == 0 || request.blocks[i] != request.blocks[i - 1] + 1;
    runs += new_run ? 1 : 0;
    if (runs > most_runs) {
      parts.push_back({request.name, request.level, request.frame, {}});
      runs = 1;
    }
    parts.back().blocks.push_back(request.blocks[i]);
  }
  return parts;
}

std::vector<std::byte> to_bytes(const BlockRequest& request) {
  const std::vector<BlockRun> runs = runs_of(request.blocks);
  const BlockRequestHeader header{block_request_magic,
                                  static_cast<std::uint32_t>(request.level),
                                  request.frame,
                                  static_cast<std::uint16_t>(request.name.size()),
                                  static_cast<std::uint16_t>(runs.size()),
                                  0};
  const std::size_t runs_at = sizeof header + request.name.size();
  std::vector<std::byte> bytes(runs_at + runs.size() * sizeof(BlockRun));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, request.name.data(), request.name.size());
  std::memcpy(bytes.data() + runs_at, runs.data(), runs.size() * sizeof(BlockRun));
  return bytes;
}

BlockRequest parse_block_request(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(BlockRequestHeader)) refuse("size", "a header of 24 bytes");
  const auto header = read_at<BlockRequestHeader>(bytes, 0);
  if (header.magic != block_request_magic) refuse("magic", "TWBR");
  if (header.name_bytes == 0 || header.name_bytes > longest_movie_name)
    refuse("name_bytes", "1 to 255");
  if (header.runs > most_runs) refuse("runs", "0 to 128");
  const std::size_t runs_at = sizeof header + header.name_bytes;
  if (bytes.size() != runs_at + header.runs * sizeof(BlockRun))
    refuse("size", "as many bytes as name and runs have");
  if (header.frame < 0 || header.level > 64) refuse("frame", "a frame and a level");
  BlockRequest request;
  request.name.assign(reinterpret_cast<const char*>(bytes.data()) + sizeof header,
                      header.name_bytes);
  request.level = static_cast<int>(header.level);
  request.frame = header.frame;
  std::uint64_t next = 0;  // first block that the next run may have: runs do not overlap
  for (std::size_t i = 0; i < header.runs; ++i) {
    const auto run = read_at<BlockRun>(bytes, runs_at + i * sizeof(BlockRun));
    const std::uint64_t end = std::uint64_t{run.first} + run.count;
    if (run.count == 0 || run.first < next || end > INT32_MAX ||
        request.blocks.size() + run.count > most_blocks_asked)
      refuse("runs", "ascending runs of at most 65536 blocks in all");
    for (std::uint64_t block = run.first; block < end; ++block)
      request.blocks.push_back(static_cast<int>(block));
    next = end;
  }
  return request;
}

BlockAnswer parse_block_answer(std::span<const std::byte> bytes, std::size_t asked_blocks) {
  BlockAnswer answer;
  if (bytes.size() < sizeof(BlockAnswerHeader)) return answer;
  const auto header = read_at<BlockAnswerHeader>(bytes, 0);
  if (header.magic != block_answer_magic || header.status > 2) return answer;
  const auto status = static_cast<BlockAnswerStatus>(header.status);
  if (status != BlockAnswerStatus::found) {
    answer.status = status;
    return answer;
  }
  const std::size_t sizes_at = sizeof header;
  if (header.blocks != asked_blocks ||
      (bytes.size() - sizes_at) / sizeof(std::uint32_t) < asked_blocks)
    return answer;
  std::size_t at = sizes_at + asked_blocks * sizeof(std::uint32_t);
  std::vector<std::span<const std::uint8_t>> blocks;
  for (std::size_t i = 0; i < asked_blocks; ++i) {
    const auto size = read_at<std::uint32_t>(bytes, sizes_at + i * sizeof(std::uint32_t));
    if (size > bytes.size() - at) return answer;
    blocks.emplace_back(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, size);
    at += size;
  }
  answer.status = BlockAnswerStatus::found;
  answer.blocks = std::move(blocks);
  return answer;
}

namespace {

using Json = nlohmann::json;

Json field_of(const Json& answer, const char* field) {
  return answer.is_object() ? answer.value(field, Json()) : Json();
}

bool is_listed_movie(const Json& movie) {
  const auto is_number = [&](const char* field, std::uint64_t most) {
    const Json number = field_of(movie, field);
    return number.is_number_unsigned() && number.get<std::uint64_t>() <= most;
  };
  return field_of(movie, "name").is_string() && is_number("width_px", max_movie_side_px) &&
         is_number("height_px", max_movie_side_px) && is_number("frames", max_frames) &&
         field_of(movie, "fps").is_string() && field_of(movie, "complete").is_boolean();
}

bool is_listed_volume(const Json& volume) {
  if (!field_of(volume, "name").is_string()) return false;
  if (volume.size() == 1) return true;
  const Json size = field_of(volume, "size_voxels");
  return field_of(volume, "format").is_string() && field_of(volume, "type").is_string() &&
         field_of(volume, "timesteps").is_number_unsigned() && size.is_array() &&
         size.size() == 3 && std::all_of(size.begin(), size.end(), [](const Json& side) {
           return side.is_number_unsigned();
         });
}

/// The answer's list `field`; empty if the server has no such list.
Json list_of(const Json& answer, const char* field, bool (*is_one)(const Json&),
             const std::string& server) {
  Json list = field_of(answer, field);
  if (list.is_null()) return Json::array();
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_one))
    throw InputError({server}, field, std::string("a list of ") + field, shown_json(list));
  return list;
}

}  // namespace

bool holds_volume(const Json& answer) { return !field_of(answer, "volume").is_null(); }

OpenAnswer parse_open_answer(const Json& answer, const std::string& name) {
  const Json manifest = field_of(answer, "manifest");
  if (manifest.is_null() && holds_volume(answer))
    throw InputError({name}, "", "a movie", "a volume, which 'tilewall view' shows");
  if (!manifest.is_string()) throw InputError({name}, "manifest", "a text", shown_json(manifest));
  const Json sound = field_of(answer, "sound_bytes");
  if (!sound.is_null() && !sound.is_number_unsigned())
    throw InputError({name}, "sound_bytes", "a number of bytes", shown_json(sound));
  return {manifest.get<std::string>(), sound.is_null() ? 0 : sound.get<std::uint64_t>()};
}

Json parse_list_answer(const Json& answer, const std::string& server) {
  if (!answer.is_object()) throw InputError({server}, "", "a list", shown_json(answer));
  const Json left_out = field_of(answer, "left_out");
  if (!left_out.is_null() && !left_out.is_number_unsigned())
    throw InputError({server}, "left_out", "a number", shown_json(left_out));
  return {{"movies", list_of(answer, "movies", is_listed_movie, server)},
          {"volumes", list_of(answer, "volumes", is_listed_volume, server)},
          {"left_out", left_out.is_null() ? Json(0U) : left_out}};
}

}  // namespace tilewall::movie
