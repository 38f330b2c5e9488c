// Blocks of a frame's file that are read into memory.

#include <catch2/catch.hpp>
#include <string>

#include "player/movie/staging/block_fetcher.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;

namespace {
namespace block_places_test {

/// What is read of a file of such text, a text for each place; "-" for a block that is not there.
std::vector<std::string> read_of(const std::string& text, std::vector<BlockPlace> places) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "frame", text);
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::byte*> to;
  for (const BlockPlace& place : places) memory.emplace_back(place.size_bytes);
  for (std::vector<std::byte>& one : memory) to.push_back(one.data());
  read_blocks(open_for_reading(folder / "frame").get(), places, to);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < places.size(); ++i)
    found.push_back(places[i].size_bytes == 0
                        ? "-"
                        : std::string(reinterpret_cast<const char*>(to[i]), places[i].size_bytes));
  return found;
}

}  // namespace block_places_test
}  // namespace

using block_places_test::read_of;
using Texts = std::vector<std::string>;

TEST_CASE("blocks are read wherever they lie, and those that are cut off are missing",
          "[staging]") {
  CHECK(read_of("abcdefgh", {{0, 3}, {3, 2}, {5, 3}}) == Texts{"abc", "de", "fgh"});
  CHECK(read_of("abcdefgh", {{5, 3}, {0, 1}, {2, 2}}) == Texts{"fgh", "a", "cd"});
  CHECK(read_of("abcdefgh", {{0, 3}, {0, 0}, {3, 6}}) == Texts{"abc", "-", "-"});
  CHECK(read_of("abcdefgh", {{8, 1}, {7, 1}}) == Texts{"-", "h"});
  CHECK(read_of("", {{0, 1}}) == Texts{"-"});
}

TEST_CASE("more neighbours are read than one call takes", "[staging]") {
  std::string text;
  std::vector<BlockPlace> places;
  Texts blocks;
  for (std::uint32_t i = 0; i < 2050; ++i) {
    places.push_back({2 * i, 2});
    blocks.push_back(std::string(1, static_cast<char>('a' + i % 26)) +
                     static_cast<char>('A' + i / 26 % 26));
    text += blocks.back();
  }
  CHECK(read_of(text, places) == blocks);
}

TEST_CASE("a block that the index does not have is empty", "[staging]") {
  const std::vector<BlockPlace> index = {{10, 1}, {11, 2}, {13, 3}};
  const std::vector<BlockPlace> places = places_of(index, {2, 3, 0});
  REQUIRE(places.size() == 3);
  CHECK(places[0].offset_bytes == 13);
  CHECK(places[1].size_bytes == 0);
  CHECK(places[2].offset_bytes == 10);
  CHECK(total_bytes(places) == 4);
}
