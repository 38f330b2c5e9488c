// Wall movies that a server lists and hands out, block by block.

#include "player/movie/remote/movie_server.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A movie of 64x48 pixels, with the given number of frames; none of them has a file.
void save_movie(const fs::path& folder, int frames = 3) {
  fs::create_directories(folder);
  MovieManifest movie = movie_of({64, 48}, Chroma::gray, {64, 48});
  movie.frames = frames;
  save_manifest(folder, movie);
}

/// An answer as it comes over the network, where numbers without a sign are of their own kind.
json received(const json& answer) { return json::parse(answer.dump()); }

std::vector<std::string> listed(MovieServer& server) {
  std::vector<std::string> names;
  const json list = server.call({{"type", "list"}});
  for (const json& movie : list.at("movies")) names.push_back(movie.at("name"));
  std::sort(names.begin(), names.end());
  return names;
}

BlockAnswer ask(MovieServer& server, const BlockRequest& request,
                std::shared_ptr<const net::SlabBuffer>& slab) {
  slab = server.read(to_bytes(request));
  return parse_block_answer(slab->bytes(), request.blocks.size());
}

std::string text_of(const net::SlabBuffer& slab) {
  return {reinterpret_cast<const char*>(slab.data()), slab.size()};
}

}  // namespace

TEST_CASE("a server lists the movies below its folders, six folders deep", "[remote]") {
  const TemporaryFolder folder;
  save_movie(folder / "here" / "one", 7);
  save_movie(folder / "here" / "one" / "inside");  // folders inside a movie are not looked at
  save_movie(folder / "here" / "a" / "b" / "c" / "d" / "e" / "f" / "deep");
  save_movie(folder / "here" / "a" / "b" / "c" / "d" / "e" / "f" / "g" / "deeper");
  fs::create_directories(folder / "here" / "damaged");
  std::ofstream(folder / "here" / "damaged" / "movie.toml") << "nothing";
  save_movie(folder / "there" / "only");
  save_movie(folder / "there" / "beside");
  MovieServer server({folder / "here", folder / "there" / "only"});
  CHECK(listed(server) == std::vector<std::string>{"a/b/c/d/e/f/deep", "one", "only"});
  const json list = server.call({{"type", "list"}});
  CHECK(list.at("left_out") == 1);
  for (const json& movie : list.at("movies")) {
    CHECK(movie.at("width_px") == 64);
    CHECK(movie.at("height_px") == 48);
    CHECK(movie.at("frames") == (movie.at("name") == "one" ? 7 : 3));
    CHECK(movie.at("complete") == true);
  }
  CHECK(server.has("one"));
  CHECK(server.has("only"));
  CHECK_FALSE(server.has("beside"));
  CHECK_FALSE(server.has("../there/beside"));
  CHECK_THROWS_AS(server.call({{"type", "open"}, {"name", "beside"}}), InputError);
  CHECK_THROWS_AS(server.call({{"type", "close"}}), InputError);
  CHECK_THROWS_WITH(server.call({{"type", "open"}}), Catch::Contains("a movie's name"));
  CHECK_THROWS_WITH(server.call({{"type", "open"}, {"name", 7}}),
                    Catch::Contains("a movie's name"));
}

TEST_CASE("a server's movie has a name of 1 to 255 bytes", "[remote]") {
  const TemporaryFolder folder;
  const std::string longest = std::string(127, 'a') + "/" + std::string(127, 'b');
  save_movie(folder / longest, 4);
  save_movie(folder / (longest + "b"));
  MovieServer server({folder.path()});
  const auto opened = [&](const std::string& name) {
    const json answer = server.call({{"type", "open"}, {"name", name}});
    return parse_manifest(answer.at("manifest").get<std::string>(), "movie").frames;
  };
  CHECK(opened(longest) == 4);
  for (const std::string& name : {longest + "b", std::string(), std::string("a\0b", 3)})
    CHECK_THROWS_WITH(opened(name), Catch::Contains("1 to 255 bytes without a NUL"));
}

TEST_CASE("a list of more than a thousand movies is whole", "[remote]") {
  const TemporaryFolder folder;
  save_movie(folder / "first");
  for (int i = 0; i < 1100; ++i) {
    fs::create_directory(folder / std::to_string(i));
    fs::create_hard_link(folder / "first" / "movie.toml",
                         folder / std::to_string(i) / "movie.toml");
  }
  MovieServer server({folder.path()});
  CHECK(listed(server).size() == 1101);
}

TEST_CASE("a movie that has grown is opened anew", "[remote]") {
  const TemporaryFolder folder;
  save_movie(folder / "movie", 3);
  MovieServer server({folder.path()});
  const auto frames = [&] {
    const json opened = server.call({{"type", "open"}, {"name", "movie"}});
    CHECK(opened.at("sound_bytes") == 0);
    return parse_manifest(opened.at("manifest").get<std::string>(), "movie").frames;
  };
  CHECK(frames() == 3);
  save_movie(folder / "movie", 4);
  CHECK(frames() == 4);
  CHECK(frames() == 4);
}

TEST_CASE("a server answers with the blocks that were asked for, as they stand in the file",
          "[remote]") {
  const Movie movie({100, 70}, Chroma::gray, {32, 32});  // 4 x 3 blocks, then smaller levels
  MovieServer server({movie.folder.path()});
  const std::string name = movie.folder.path().filename().string();
  std::shared_ptr<const net::SlabBuffer> slab;
  std::vector<std::string> all;
  for (int block = 0; block < 12; ++block) {
    const BlockAnswer one = ask(server, {name, 0, 0, {block}}, slab);
    REQUIRE(one.status == BlockAnswerStatus::found);
    REQUIRE(one.blocks.size() == 1);
    all.emplace_back(one.blocks[0].begin(), one.blocks[0].end());
    CHECK(all.back().substr(0, 2) == "\xff\xd8");  // a JPEG
  }
  std::ifstream file(movie.file(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& block : all) CHECK(bytes.find(block) != std::string::npos);
  const BlockAnswer some = ask(server, {name, 0, 0, {1, 2, 7, 11}}, slab);
  REQUIRE(some.blocks.size() == 4);
  const int numbers[] = {1, 2, 7, 11};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(std::string(some.blocks[i].begin(), some.blocks[i].end()) ==
          all[static_cast<std::size_t>(numbers[i])]);
  CHECK(ask(server, {name, 0, 1, {0}}, slab).status == BlockAnswerStatus::no_frame);
  const int levels = movie.manifest.levels;
  CHECK(ask(server, {name, levels - 1, 0, {0}}, slab).status == BlockAnswerStatus::found);
  CHECK(ask(server, {name, levels, 0, {0}}, slab).status == BlockAnswerStatus::no_frame);
  std::ofstream(movie.file(), std::ios::binary) << bytes.substr(0, 20);
  CHECK(ask(server, {name, 0, 0, {0}}, slab).status == BlockAnswerStatus::damaged_frame);
}

TEST_CASE("a server gives a movie's sound in parts, up to its end", "[remote]") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "movie");
  MovieManifest movie = movie_of({64, 48}, Chroma::gray, {64, 48});
  movie.audio_file = "sound.wav";
  save_manifest(folder / "movie", movie);
  std::ofstream(folder / "movie" / "sound.wav") << "0123456789";
  MovieServer server({folder.path()});
  CHECK(server.call({{"type", "open"}, {"name", "movie"}}).at("sound_bytes") == 10);
  const auto part = [&](std::uint64_t from, std::uint32_t size) {
    return text_of(*server.read(to_bytes(SoundRange{"movie", from, size})));
  };
  CHECK(part(0, 4) == "0123");
  CHECK(part(3, 4) == "3456");
  CHECK(part(8, 4) == "89");
  CHECK(part(10, 4).empty());
}

TEST_CASE("a server's answer about a movie has a manifest, and sound of some bytes", "[remote]") {
  const OpenAnswer plain = parse_open_answer({{"manifest", "text"}}, "m");
  CHECK(plain.manifest == "text");
  CHECK(plain.sound_bytes == 0);
  CHECK(parse_open_answer(received({{"manifest", "text"}, {"sound_bytes", 7}}), "m").sound_bytes ==
        7);
  CHECK(holds_volume({{"volume", json::object()}}));
  CHECK_FALSE(holds_volume({{"manifest", "text"}}));
  CHECK_FALSE(holds_volume(json::array()));
  CHECK_THROWS_WITH(parse_open_answer({{"volume", json::object()}}, "m"),
                    "m: expected a movie, found a volume, which 'tilewall view' shows");
  CHECK(parse_open_answer({{"volume", json::object()}, {"manifest", "text"}}, "m").manifest ==
        "text");
  for (const json& wrong : {json::object(), json({{"manifest", 3}}), json(5)})
    CHECK_THROWS_WITH(parse_open_answer(wrong, "m"),
                      Catch::StartsWith("m: manifest: expected a text"));
  for (const json& bytes : {json(-1), json("7"), json(1.5)})
    CHECK_THROWS_WITH(
        parse_open_answer(received({{"manifest", "text"}, {"sound_bytes", bytes}}), "m"),
        Catch::Contains("sound_bytes: expected a number of bytes"));
}

TEST_CASE("a server's list has whole movies and volumes, or is refused", "[remote]") {
  const json movie = {{"name", "a"},           {"width_px", 1'000'000}, {"height_px", 1},
                      {"frames", 100'000'000}, {"fps", "24"},           {"complete", true}};
  const json volume = {{"name", "v"},
                       {"format", "nrrd"},
                       {"type", "u8"},
                       {"timesteps", 1},
                       {"size_voxels", {1, 2, 3}}};
  const auto parsed = [](const json& answer) { return parse_list_answer(received(answer), "s:1"); };
  const json list = parsed({{"movies", {movie}}, {"volumes", {volume, {{"name", "closed"}}}}});
  CHECK(list.at("movies").size() == 1);
  CHECK(list.at("volumes").size() == 2);
  CHECK(parsed(json::object()) ==
        json{{"movies", json::array()}, {"volumes", json::array()}, {"left_out", 0}});
  CHECK(parsed({{"left_out", 3}}).at("left_out") == 3);
  CHECK_THROWS_WITH(parsed({{"left_out", -1}}), Catch::StartsWith("s:1: left_out: expected"));
  CHECK_THROWS_WITH(parsed(json::array()), Catch::StartsWith("s:1: expected a list"));
  CHECK_THROWS_AS(parsed({{"movies", "x"}}), InputError);
  const auto refused = [&](const char* what, json one, const char* field, const json& value) {
    one[field] = value;
    try {
      static_cast<void>(parsed({{what, {one}}}));
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  CHECK_FALSE(refused("movies", movie, "fps", "25"));
  CHECK(refused("movies", movie, "name", 1));
  CHECK(refused("movies", movie, "width_px", 1'000'001));
  CHECK(refused("movies", movie, "width_px", -1));
  CHECK(refused("movies", movie, "height_px", 1'000'001));
  CHECK(refused("movies", movie, "frames", 100'000'001));
  CHECK(refused("movies", movie, "frames", "1"));
  CHECK(refused("movies", movie, "fps", 24));
  CHECK(refused("movies", movie, "complete", 1));
  CHECK_FALSE(refused("volumes", volume, "timesteps", 2));
  CHECK(refused("volumes", volume, "name", 1));
  CHECK(refused("volumes", volume, "format", 1));
  CHECK(refused("volumes", volume, "type", nullptr));
  CHECK(refused("volumes", volume, "timesteps", -1));
  CHECK(refused("volumes", volume, "size_voxels", 3));
  CHECK(refused("volumes", volume, "size_voxels", {1, 2}));
  CHECK(refused("volumes", volume, "size_voxels", {1, 2, 3, 4}));
  CHECK(refused("volumes", volume, "size_voxels", {1, 2, -3}));
}

TEST_CASE("a request for sound has bounds, and comes back as it was", "[remote]") {
  const auto is_taken = [](const SoundRange& range) {
    try {
      const SoundRange parsed = parse_sound_range(to_bytes(range));
      CHECK(parsed.name == range.name);
      CHECK(parsed.offset_bytes == range.offset_bytes);
      CHECK(parsed.size_bytes == range.size_bytes);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  CHECK(is_taken({"a", 0, 1}));
  CHECK(is_taken({std::string(255, 'a'), (1U << 30) - 1, 1U << 20}));
  CHECK_FALSE(is_taken({"", 0, 1}));
  CHECK_FALSE(is_taken({std::string(256, 'a'), 0, 1}));
  CHECK_FALSE(is_taken({"a", 0, 0}));
  CHECK_FALSE(is_taken({"a", 0, (1U << 20) + 1}));
  CHECK_FALSE(is_taken({"a", 1U << 30, 1}));
  std::vector<std::byte> bytes = to_bytes(SoundRange{"abc", 5, 6});
  CHECK(bytes.size() == 24 + 3);
  CHECK(asks_for_sound(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(parse_sound_range(std::span(bytes).first(size)), InputError);
  CHECK_FALSE(asks_for_sound(std::span(bytes).first(3)));
  bytes.push_back(std::byte{0});
  CHECK_THROWS_AS(parse_sound_range(bytes), InputError);
  bytes.pop_back();
  bytes[0] = std::byte{0};
  CHECK_FALSE(asks_for_sound(bytes));
  CHECK_THROWS_AS(parse_sound_range(bytes), InputError);
}
