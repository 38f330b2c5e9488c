// What clients and servers of movies and volumes say to each other: requests, answers, names,
// manifests.

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "net/slab/remote_url.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/movie_server.hpp"
#include "player/movie/remote/sound_range.hpp"
#include "player/volume/remote/box_request.hpp"
#include "sync/base/check.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace movie;
using namespace net;
using namespace render;
using namespace volume;
namespace {

using Json = nlohmann::json;

constexpr std::size_t asked_blocks = 3;

constexpr std::string_view manifest = R"(format_version = 1
width_px = 1280
height_px = 480
fps = "30000/1001"
frames = 96
chroma = "4:2:0"
compression = "jpeg"
quality = 85
block_width_px = 512
block_height_px = 512
levels = 3
block_order = "rows"
complete = true
audio_file = "sound.opus"
source = "a"
source_identity = "b"
import_options = "c"
repeated_frames = 0
dropped_frames = 0
)";

void decode_request(std::span<const std::byte> input) {
  refusing([&] {
    const BlockRequest request = parse_block_request(input);
    TW_CHECK(request.blocks.size() <= most_blocks_asked);
    TW_CHECK(std::is_sorted(request.blocks.begin(), request.blocks.end()));
    for (const BlockRequest& part : split_request(request))
      TW_CHECK(parse_block_request(to_bytes(part)).blocks == part.blocks);
  });
  refusing([&] {
    const SoundRange range = parse_sound_range(input);
    TW_CHECK(asks_for_sound(input));
    TW_CHECK(to_bytes(range).size() == input.size());
  });
}

void decode_answer(std::span<const std::byte> input) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(input.data());
  for (std::size_t asked = 0; asked <= asked_blocks; ++asked)
    for (const auto block : parse_block_answer(input, asked).blocks)
      TW_CHECK(block.data() >= begin && block.data() + block.size() <= begin + input.size());
}

void decode_box(std::span<const std::byte> input) {
  refusing([&] {
    const BoxRequest request = parse_box_request(input);
    TW_CHECK(whole_box(request.grid_size).contains(request.box));
    TW_CHECK(box_bytes(request) >= 1 && box_bytes(request) <= largest_box_bytes);
    TW_CHECK(std::ranges::equal(to_bytes(request), input.first(to_bytes(request).size())));
  });
}

/// Its first byte says how many bytes of voxels were asked for.
void decode_voxels(std::span<const std::byte> input) {
  if (input.empty()) return;
  const auto asked = std::to_integer<std::size_t>(input[0]);
  const BoxAnswer answer = parse_box_answer(input.subspan(1), asked);
  TW_CHECK(answer.voxels.empty() || answer.voxels.size() == asked);
  TW_CHECK(answer.line.size() <= longest_box_line);
}

Bytes voxels() {
  const BoxAnswerHeader header{box_answer_magic, 0, 9};
  Bytes bytes = joined(std::uint8_t{9}, header);
  bytes.resize(bytes.size() + 9);
  return bytes;
}

BoxRequest box() {
  return {{"a/volume", {"density", true, 1, -1}},
          7,
          1,
          {640, 480, 320},
          VoxelType::f32,
          {{1, 2, 3}, {64, 65, 66}}};
}

BoxRequest box_of_cells() {
  return {{"a/volume", {}}, 7, 1, {640, 480, 320}, VoxelType::u8, {{1, 2, 3}, {64, 65, 66}}, 4};
}

void decode_address(std::span<const std::byte> input) {
  refusing([&] {
    const RemoteUrl url = parse_remote_url(text_of(input));
    TW_CHECK(to_string(parse_remote_url(to_string(url))) == to_string(url));
  });
}

void decode_manifest(std::span<const std::byte> input) {
  refusing([&] {
    const MovieManifest movie = parse_manifest(text_of(input), "movie.toml");
    for (int level = 0; level < movie.levels; ++level)
      TW_CHECK(level_size_px(movie.size_px, level).width >= 1);
  });
}

/// An empty folder that nobody writes to.
MovieServer& server() {
  static MovieServer server({std::filesystem::path("/proc/self/fdinfo")});
  return server;
}

void decode_question(std::span<const std::byte> input) {
  const Json message = json_of(input);
  if (message.is_object()) refusing([&] { static_cast<void>(server().call(message)); });
  refusing([&] { static_cast<void>(parse_open_answer(message, "movie")); });
  refusing([&] { static_cast<void>(parse_list_answer(message, "server")); });
}

Bytes block_answer() {
  const BlockAnswerHeader header{block_answer_magic, 0, asked_blocks, 0};
  Bytes bytes = joined(header, std::array<std::uint32_t, asked_blocks>{2, 0, 1});
  bytes.resize(bytes.size() + 3);
  return bytes;
}

std::vector<Bytes> questions() {
  return {bytes_of(R"({"type":"list"})"), bytes_of(R"({"manifest":"frames = 1","sound_bytes":77})"),
          bytes_of(R"({"movies":[{"name":"a","width_px":640,"height_px":480,"frames":9,"fps":"24",)"
                   R"("complete":true}],"left_out":1})")};
}

}  // namespace

std::vector<Decoder> movie_decoders() {
  return {{"request",
           {to_bytes(BlockRequest{"a/movie", 1, 77, {0, 1, 2, 9, 40}}),
            to_bytes(SoundRange{"a/movie", 4096, 65'536})},
           decode_request},
          {"answer", {block_answer()}, decode_answer},
          {"box", {to_bytes(box()), to_bytes(box_of_cells())}, decode_box},
          {"voxels", {voxels()}, decode_voxels},
          {"address",
           {bytes_of("tilewall://a,b:7,[::1]:8/x/y?transport=tcp&streams=4&encrypt=yes")},
           decode_address},
          {"manifest", {bytes_of(manifest)}, decode_manifest},
          {"question",
           questions(),
           decode_question,
           true,
           {bytes_of(R"({"type":"open","name":"a/movie","id":3})")}}};
}

}  // namespace tilewall::fuzz
