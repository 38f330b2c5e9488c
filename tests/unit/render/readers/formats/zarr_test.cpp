// OME-Zarr volumes: packings, levels, boxes, fill values, and folders that make no sense.

#include <blosc.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numeric>

#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/support/volume_pyramid.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::string packed_chunk(const std::string& codec, const std::string& bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  if (codec == "zstd")
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  else if (codec == "blosc")
    packed.resize(
        static_cast<std::size_t>(blosc_compress_ctx(5, BLOSC_SHUFFLE, 2, bytes.size(), bytes.data(),
                                                    packed.data(), packed.size(), "lz4", 0, 1)));
  else
    packed = bytes;
  return packed;
}

// (t 2, c 1, z 3, y 4, x 5) in chunks of (1, 1, 2, 3, 4); the last chunk of all is missing.
void write_zarr(const fs::path& folder, const std::string& codec, char separator) {
  const std::string compressor = codec.empty() ? "null" : "{\"id\": \"" + codec + "\"}";
  write_file(folder / ".zgroup", "{\"zarr_format\": 2}");
  write_file(folder / ".zattrs",
             "{\"multiscales\": [{\"version\": \"0.4\", \"axes\": [{\"name\": \"t\"},"
             "{\"name\": \"c\"}, {\"name\": \"z\"}, {\"name\": \"y\"},"
             "{\"name\": \"x\", \"unit\": \"micrometer\"}], \"datasets\": [{\"path\": \"0\","
             "\"coordinateTransformations\": [{\"type\": \"scale\", \"scale\": [0.5, 1, 3, 2, 1]},"
             "{\"type\": \"translation\", \"translation\": [0, 0, 7, 8, 9]}]}]}]}");
  write_file(folder / "0/.zarray",
             "{\"zarr_format\": 2, \"shape\": [2, 1, 3, 4, 5], \"chunks\": [1, 1, 2, 3, 4],"
             "\"dtype\": \">i2\", \"order\": \"C\", \"filters\": null, \"fill_value\": 52,"
             "\"dimension_separator\": \"" +
                 std::string(1, separator) + "\", \"compressor\": " + compressor + "}");
  for (int t = 0; t < 2; ++t)
    for (int cz = 0; cz < 2; ++cz)
      for (int cy = 0; cy < 2; ++cy)
        for (int cx = 0; cx < 2; ++cx) {
          std::string bytes;
          for (int z = 2 * cz; z < 2 * cz + 2; ++z)
            for (int y = 3 * cy; y < 3 * cy + 3; ++y)
              for (int x = 4 * cx; x < 4 * cx + 4; ++x)
                bytes += bytes_of_number(static_cast<std::int16_t>(field(x, y, z, t)), true);
          std::string name;
          for (const int n : {t, 0, cz, cy, cx})
            name += (name.empty() ? "" : std::string(1, separator)) + std::to_string(n);
          if (t + cz + cy + cx < 4) write_file(folder / "0" / name, packed_chunk(codec, bytes));
        }
}

}  // namespace

TEST_CASE("OME-Zarr is read in every packing, with missing chunks filled", "[readers][zarr]") {
  const TemporaryFolder folder;
  REQUIRE(field(4, 3, 2, 1) == 52);  // the only voxel of the chunk that is missing
  for (const auto& [codec, separator] : {std::pair{"", '/'}, {"zstd", '.'}, {"blosc", '/'}}) {
    CAPTURE(codec);
    const fs::path zarr = folder / (std::string("a") + codec + ".zarr");
    write_zarr(zarr, codec, separator);
    CHECK(fault_here(zarr, 2) == "");
    const VolumeInfo info = open_volume_source(zarr.string(), {})->info();
    CHECK(info.place.spacing == Vec3d{1, 2, 3});
    CHECK(info.place.origin == Vec3d{9, 8, 7});
    CHECK(info.slab_voxels == 2);
    CHECK(info.times == std::vector<double>{0, 0.5});
  }
  CHECK_THROWS_AS(fault_here(folder / "a.zarr" / "0"), InputError);  // five axes without names
}

TEST_CASE("a box of a level of OME-Zarr is read from its own chunks alone, and lies in its place",
          "[readers][zarr]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "a.zarr";
  write_pyramid(zarr, {10, 8, 6}, 3,
                [](int x, int y, int z) { return static_cast<std::uint8_t>(x + 10 * y + 2 * z); });
  VolumeFile file = VolumeFile::open(zarr.string());
  REQUIRE(file.info().grids() == 3);
  CHECK(file.info().grid(1).size == VolumeSize{5, 4, 3});
  CHECK(file.info().grid(2).size == VolumeSize{3, 2, 2});
  LoadOptions options;
  options.stretch = {1, 1, 2};
  for (const int grid : {0, 1}) {
    options.grid = grid;
    options.box.reset();
    const Volume all = load_volume(file, options);
    options.box = GridBox{{2, 1, 0}, {5, 4, 2}};
    const Volume box = load_volume(file, options);
    REQUIRE(box.size() == VolumeSize{3, 3, 2});
    const auto at = [](const Volume& of, int x, int y, int z) {
      return of.voxels<std::uint8_t>()[static_cast<std::size_t>(
          (z * of.size().y + y) * of.size().x + x)];
    };
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) CHECK(at(box, x, y, z) == at(all, x + 2, y + 1, z));
    CHECK(length(box.world_of_voxel({0, 0, 0}) - all.world_of_voxel({2, 1, 0})) < 1e-9);
  }
  // A level holds means: it lies half a voxel further in.
  options.box.reset();
  options.grid = 0;
  options.side = 2;
  const Volume halved = load_volume(file, options);
  options.grid = 1;
  options.side = 1;
  const Volume level = load_volume(file, options);
  CHECK(length(halved.world_of_voxel({0, 0, 0}) - level.world_of_voxel({0, 0, 0})) < 1e-9);
  CHECK(halved.voxels<std::uint8_t>()[7] == level.voxels<std::uint8_t>()[7]);
  const std::uint64_t before = file.read_bytes();
  fs::remove(zarr / "0/0/0/0");  // missing chunks are filled; a broken one is not touched
  write_file(zarr / "0/1/1/2", "broken");
  options.grid = 0;
  options.box = GridBox{{0, 0, 0}, {5, 4, 2}};
  CHECK(load_volume(file, options).value_range().min == 0);
  CHECK(file.read_bytes() - before == 5 * 4 * 2);
  options.box.reset();
  CHECK_THROWS_AS(load_volume(file, options), InputError);
  write_file(zarr / "1/.zarray", "{}");
  CHECK(VolumeFile::open(zarr.string()).info().grids() == 1);
}

TEST_CASE("a level of OME-Zarr that was asked for is the finest, in its own place",
          "[readers][zarr]") {
  const TemporaryFolder folder;
  write_pyramid(folder / "a.zarr", {10, 8, 6}, 3,
                [](int x, int, int) { return static_cast<std::uint8_t>(10 * x); });
  VolumeOptions options;
  options.level = 1;
  const VolumeInfo info = open_volume_source((folder / "a.zarr").string(), options)->info();
  REQUIRE(info.grids() == 2);
  CHECK(info.size == VolumeSize{5, 4, 3});
  CHECK(info.grid(1).size == VolumeSize{3, 2, 2});
  const Vec3d finest = open_volume_source((folder / "a.zarr").string(), {})->info().place.spacing;
  CHECK(info.place.spacing.x == Approx(2 * finest.x));
  CHECK(info.place.spacing.y == Approx(2 * finest.y));
  CHECK(info.place.spacing.z == Approx(2 * finest.z));
}

TEST_CASE("of OME-Zarr's levels those are used that do not grow", "[readers][zarr]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "a.zarr";  // levels of 10 x 8 x 6, 5 x 4 x 3 and 3 x 2 x 2 voxels
  write_pyramid(zarr, {10, 8, 6}, 3, [](int, int, int) { return std::uint8_t{1}; });
  struct Case {
    int level;
    const char* shape;  // z, y, x
    int grids;
  };
  for (const Case& one : {Case{1, "[6,8,10]", 3},
                          {1, "[7,4,5]", 1},
                          {1, "[3,9,5]", 1},
                          {1, "[3,4,11]", 1},
                          {2, "[3,4,5]", 3},
                          {2, "[4,2,3]", 2},
                          {2, "[2,5,3]", 2},
                          {2, "[2,2,6]", 2}}) {
    CAPTURE(one.level, one.shape);
    const fs::path file = zarr / std::to_string(one.level) / ".zarray";
    const std::string whole = text_of_file(file);
    write_file(file, replaced(whole, one.level == 1 ? "[3,4,5]" : "[2,2,3]", one.shape));
    const VolumeInfo info = open_volume_source(zarr.string(), {})->info();
    CHECK(info.grids() == one.grids);
    CHECK(info.notes.size() == (one.grids == 3 ? 0 : 1));
    write_file(file, whole);
  }
}

TEST_CASE("a Zarr's fill value is rounded to the number that is stored", "[readers][zarr]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "a.zarr";
  for (const auto& [fill, voxel] : {std::pair{"2.7", 3}, {"2.4", 2}, {"-3", 0}, {"300", 255}}) {
    CAPTURE(fill);
    write_pyramid(zarr, {8, 4, 4}, 1, [](int, int, int) { return std::uint8_t{9}; });
    const fs::path header = zarr / "0/.zarray";
    write_file(header, replaced(text_of_file(header), "\"fill_value\":0",
                                std::string("\"fill_value\":") + fill));
    fs::remove(zarr / "0/0/0/0");
    VolumeFile file = VolumeFile::open(zarr.string());
    const Volume volume = load_volume(file, {});
    CHECK(int{volume.voxels<std::uint8_t>()[0]} == voxel);
    CHECK(int{volume.voxels<std::uint8_t>()[3]} == voxel);
    CHECK(int{volume.voxels<std::uint8_t>()[4]} == 9);
  }
}

TEST_CASE("a Zarr that makes no sense is refused in one line", "[readers][zarr][bad-input]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "a.zarr";
  write_zarr(zarr, "zstd", '/');
  write_file(zarr / "0/0/0/0/0/0", "no zstd");
  CHECK(process_refusal(zarr) == (zarr / "0/0/0/0/0/0").string() +
                                     ": chunk: expected 48 bytes, packed as .zarray says, found "
                                     "something else");
  const std::string header = text_of_file(zarr / "0/.zarray");
  for (const auto& [sides, chunks, count] :
       {std::tuple{"[1, 2, 1, 3, 4, 5]", "[1, 1, 1, 2, 3, 4]", "6"},
        std::tuple{"[1, 3, 4, 5]", "[1, 2, 3, 4]", "4"}}) {
    write_file(zarr / "0/.zarray",
               replaced(replaced(header, "[2, 1, 3, 4, 5]", sides), "[1, 1, 2, 3, 4]", chunks));
    CHECK(process_refusal(zarr).find(
              std::string(".zarray: shape: expected 5 lengths, as there are axes, found ") +
              count) != std::string::npos);
  }
  write_file(zarr / "0/.zarray", "{\"zarr_format\": 2, \"shape\": [3, 4, 5]}");
  CHECK(process_refusal(zarr).find(".zarray: chunks: expected 1 to 8 lengths") !=
        std::string::npos);
  write_file(zarr / ".zattrs", "{\"multiscales\": [{\"axes\": [\"q\"]}]}");
  CHECK(process_refusal(zarr).find("axes: expected t, c, z, y or x, found \"q\"") !=
        std::string::npos);
}
