// Bricks: what is written is what was read, at every level; ranges; interrupted and gone on with.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "render/bricks/brick_job.hpp"
#include "render/bricks/brick_layout.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/bricks/zarr_texts.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// A number below 200; 0 in a corner of many bricks.
int bumpy(int x, int y, int z, int t = 0) {
  if (x >= 32 && y < 32) return 0;
  return (x * 7 + y * y + 3 * z * z + 11 * t) % 199 + 1;
}

const char* nrrd_type(VoxelType type) {
  return type == VoxelType::u8 ? "uint8" : type == VoxelType::u16 ? "int16" : "float";
}

/// As NRRD with directions of its own. Of u16: int16, with numbers below 0. Of f32, every
/// thirteenth voxel, and a whole corner, is NaN.
void write_volume(const fs::path& file, VoxelType type, VolumeSize size, int t = 0) {
  std::string bytes;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) {
        const int number = bumpy(x, y, z, t);
        const bool empty = number == 0 || number % 13 == 0;
        if (type == VoxelType::u8)
          bytes += bytes_of_number(static_cast<std::uint8_t>(number));
        else if (type == VoxelType::u16)
          bytes += bytes_of_number(static_cast<std::int16_t>(number * 100 - 9000));
        else
          bytes += bytes_of_number(empty ? std::nanf("") : 0.37f * static_cast<float>(number));
      }
  write_file(file, "NRRD0004\ntype: " + std::string(nrrd_type(type)) +
                       "\ndimension: 3\nsizes: " + std::to_string(size.x) + " " +
                       std::to_string(size.y) + " " + std::to_string(size.z) +
                       "\nspace: left-posterior-superior\nspace directions: (0,0.5,0) (-0.25,0,0) "
                       "(0,0,2)\nspace origin: (10,-20,30.125)\nspace units: \"mm\" \"mm\" \"mm\"\n"
                       "encoding: raw\nendian: little\n\n" +
                       bytes);
}

BrickResult bricked(const std::vector<std::string>& inputs, BrickOptions options,
                    int stop_after_slabs = -1) {
  VolumeInputs volume(inputs, {});
  std::stop_source stop;
  options.stop = stop.get_token();
  options.threads = 2;
  int slabs = 0;
  return write_bricks(volume, options, [&](const BrickProgress& progress) {
    slabs = static_cast<int>(progress.bricks);
    if (stop_after_slabs >= 0 && slabs >= stop_after_slabs) stop.request_stop();
  });
}

std::vector<float> voxels_of(const fs::path& volume, int timestep = 0, int level = -1) {
  VolumeOptions options;
  options.level = level;
  const VolumeSourcePtr file = open_volume_source(volume.string(), options);
  const VolumeInfo& info = file->info();
  std::vector<std::byte> bytes(info.size.voxels() * static_cast<std::size_t>(bytes_of(info.type)));
  file->read(timestep, 0, info.size.z, bytes.data());
  std::vector<float> voxels;
  for (std::size_t i = 0; i < info.size.voxels(); ++i) {
    if (info.type == VoxelType::u8)
      voxels.push_back(static_cast<float>(std::to_integer<int>(bytes[i])));
    if (info.type == VoxelType::u16)
      voxels.push_back(reinterpret_cast<const std::uint16_t*>(bytes.data())[i]);
    if (info.type == VoxelType::f32)
      voxels.push_back(reinterpret_cast<const float*>(bytes.data())[i]);
  }
  return voxels;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

VolumeSize halved(VolumeSize size) {
  return {(size.x + 1) / 2, (size.y + 1) / 2, (size.z + 1) / 2};
}

/// Means of 2^3 voxels, as the formula says.
std::vector<float> means_of(const std::vector<float>& fine, VolumeSize size, VoxelType type) {
  const VolumeSize half = halved(size);
  std::vector<float> means;
  for (int z = 0; z < half.z; ++z)
    for (int y = 0; y < half.y; ++y)
      for (int x = 0; x < half.x; ++x) {
        double sum = 0, count = 0;
        for (int k = 2 * z; k < std::min(2 * z + 2, size.z); ++k)
          for (int j = 2 * y; j < std::min(2 * y + 2, size.y); ++j)
            for (int i = 2 * x; i < std::min(2 * x + 2, size.x); ++i) {
              const float voxel = fine[static_cast<std::size_t>((k * size.y + j) * size.x + i)];
              if (std::isnan(voxel)) continue;
              sum += static_cast<double>(voxel);
              ++count;
            }
        const double mean = count > 0 ? sum / count : std::nan("");
        means.push_back(static_cast<float>(type == VoxelType::f32 ? mean : std::floor(mean + 0.5)));
      }
  return means;
}

/// All files of a folder, by their paths below it.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[fs::relative(entry.path(), folder).string()] =
          std::string(std::istreambuf_iterator<char>(file), {});
    }
  return files;
}

std::string line_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

ValueRange range_within(const std::vector<float>& voxels, VolumeSize size, VolumeSize begin,
                        int side) {
  ValueRange range = {HUGE_VALF, -HUGE_VALF};
  for (int z = begin.z; z < std::min(begin.z + side, size.z); ++z)
    for (int y = begin.y; y < std::min(begin.y + side, size.y); ++y)
      for (int x = begin.x; x < std::min(begin.x + side, size.x); ++x) {
        const float voxel = voxels[static_cast<std::size_t>((z * size.y + y) * size.x + x)];
        if (std::isnan(voxel)) continue;
        range = {std::min(range.min, voxel), std::max(range.max, voxel)};
      }
  return range;
}

void check_ranges(const fs::path& zarr, int level, const std::vector<float>& voxels) {
  const BrickRanges ranges = BrickRanges::open(zarr, 0, level);
  const RangesPlan& plan = ranges.plan();
  const int cells = plan.brick_side / plan.cell_side;
  int wrong = 0;
  for (int z = 0; z < plan.bricks.z; ++z)
    for (int y = 0; y < plan.bricks.y; ++y)
      for (int x = 0; x < plan.bricks.x; ++x) {
        const VolumeSize at = {x * plan.brick_side, y * plan.brick_side, z * plan.brick_side};
        wrong +=
            ranges.brick(x, y, z) == range_within(voxels, plan.size, at, plan.brick_side) ? 0 : 1;
        const ValueRange wide = range_within(voxels, plan.size, at, plan.brick_side + 1);
        const ValueRange sampled = ranges.sampled(x, y, z);
        wrong += wide.empty() || (sampled.min <= wide.min && wide.max <= sampled.max) ? 0 : 1;
        const std::vector<ValueRange> found = ranges.cells(x, y, z);
        for (int i = 0; i < cells * cells * cells; ++i) {
          const VolumeSize cell = {at.x + i % cells * plan.cell_side,
                                   at.y + i / cells % cells * plan.cell_side,
                                   at.z + i / cells / cells * plan.cell_side};
          wrong += found[static_cast<std::size_t>(i)] ==
                           range_within(voxels, plan.size, cell, plan.cell_side)
                       ? 0
                       : 1;
        }
      }
  CHECK(wrong == 0);
}

void check_written(const fs::path& source, const fs::path& zarr, VoxelType type) {
  const VolumeInfo was = open_volume_source(source.string(), {})->info();
  const VolumeInfo now = open_volume_source(zarr.string(), {})->info();
  CHECK(now.size == was.size);
  CHECK(now.type == was.type);
  CHECK(now.scale.scale == was.scale.scale);
  CHECK(now.scale.offset == was.scale.offset);
  CHECK(now.place.spacing == was.place.spacing);
  CHECK(now.place.origin == was.place.origin);
  CHECK(now.place.axes == was.place.axes);
  CHECK(now.length_unit == was.length_unit);
  VolumeFile first = VolumeFile::open(source.string());
  REQUIRE(now.value_range);
  CHECK(*now.value_range == scan_values(first).range);
  std::vector<float> voxels = voxels_of(source);
  CHECK(same(voxels_of(zarr), voxels));
  VolumeSize size = was.size;
  for (int level = 0; level < now.levels; ++level) {
    CAPTURE(level);
    check_ranges(zarr, level, voxels);
    if (level + 1 == now.levels) break;
    voxels = means_of(voxels, size, type);
    size = halved(size);
    CHECK(same(voxels_of(zarr, 0, level + 1), voxels));
  }
  CHECK(std::max({size.x, size.y, size.z}) <= 64);
}

}  // namespace

TEST_CASE("bricks of every type, packing and odd size are what was read", "[bricks]") {
  const TemporaryFolder folder;
  const fs::path source = folder / "a.nrrd";
  const VolumeSize sizes[] = {{71, 45, 67}, {130, 33, 1}, {1, 1, 97}};
  const VoxelType types[] = {VoxelType::u8, VoxelType::u16, VoxelType::f32};
  const BrickCodec codecs[] = {BrickCodec::blosc, BrickCodec::zstd, BrickCodec::raw};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < (i == 0 ? 3u : 1u); ++k) {
      const VoxelType type = types[(i + k) % 3];
      CAPTURE(i, name_of(type));
      write_volume(source, type, sizes[i]);
      BrickOptions options;
      options.output = folder / ("a" + std::to_string(3 * i + k) + ".zarr");
      options.side = 32;
      options.codec = codecs[(i + k) % 3];
      bricked({source.string()}, options);
      check_written(source, options.output, type);
    }
}

TEST_CASE("coarse levels of bricks stay in their place, and flat ones flat", "[bricks]") {
  const TemporaryFolder folder;
  write_volume(folder / "a.nrrd", VoxelType::u8, {130, 33, 1});
  BrickOptions options;
  options.output = folder / "a.zarr";
  bricked({(folder / "a.nrrd").string()}, options);
  VolumeOptions coarse;
  coarse.level = 2;
  const VolumeInfo info = open_volume_source(options.output.string(), coarse)->info();
  CHECK(info.size == VolumeSize{33, 9, 1});
  CHECK(info.place.spacing == Vec3d{2, 1, 2});
  // Three halves of a voxel along (0, 1, 0) and (-1, 0, 0), of 0.5 and 0.25 mm, from (10, -20, 30)
  // in the file's left, back and top. The world is right, front and top.
  CHECK(info.is_anatomical);
  CHECK(info.place.origin.x == Approx(-10 + 0.375));
  CHECK(info.place.origin.y == Approx(20 - 0.75));
  CHECK(info.place.origin.z == Approx(30.125));
}

TEST_CASE("a brick without a value has no file, and is read as empty", "[bricks]") {
  const TemporaryFolder folder;
  write_volume(folder / "a.nrrd", VoxelType::f32, {64, 64, 32});
  BrickOptions options;
  options.output = folder / "a.zarr";
  options.side = 32;
  const BrickResult result = bricked({(folder / "a.nrrd").string()}, options);
  CHECK(result.counts[0].bricks == 3);  // of four
  CHECK_FALSE(fs::exists(options.output / "0/0/0/1"));
  CHECK(fs::exists(options.output / "0/0/1/1"));
  const BrickRanges ranges = BrickRanges::open(options.output, 0, 0);
  CHECK(ranges.brick(1, 0, 0).empty());
  CHECK_FALSE(ranges.sampled(1, 0, 0).empty());  // its last voxels lean on the next brick
}

TEST_CASE("a brick that is gone is no hole but a line, as its ranges know of its values",
          "[bricks][bad-input]") {
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32}) {
    const TemporaryFolder folder;
    write_volume(folder / "a.nrrd", type, {64, 64, 32});
    BrickOptions options;
    options.output = folder / "a.zarr";
    options.side = 32;
    bricked({(folder / "a.nrrd").string()}, options);
    fs::remove(options.output / "0/0/1/0");
    const auto read = [&] { static_cast<void>(voxels_of(options.output)); };
    CHECK(line_of(read) ==
          (options.output / "0/0/1/0").string() +
              ": expected a brick, as its ranges show values in it, found no file");
    fs::remove_all(options.output / ".tilewall");
    CHECK_NOTHROW(read());  // then it is fill, as by anybody's
    fs::create_directories(options.output / ".tilewall/ranges/0");
    REQUIRE(::mkfifo((options.output / ".tilewall/ranges/0/0").c_str(), 0600) == 0);
    CHECK_NOTHROW(read());  // nobody writes to it
  }
}

TEST_CASE("several inputs become the timesteps of one image, or some of them", "[bricks]") {
  const TemporaryFolder folder;
  std::vector<std::string> inputs;
  for (int t = 0; t < 3; ++t) {
    inputs.push_back((folder / ("step" + std::to_string(t) + ".nrrd")).string());
    write_volume(inputs.back(), VoxelType::u8, {40, 40, 40}, t);
  }
  BrickOptions options;
  options.output = folder / "all.zarr";
  CHECK(bricked(inputs, options).timesteps == 3);
  const VolumeInfo info = open_volume_source(options.output.string(), {})->info();
  CHECK(info.times == std::vector<double>{0, 1, 2});
  CHECK(info.time_labels[2] == "step2.nrrd");
  for (int t = 0; t < 3; ++t)
    CHECK(same(voxels_of(options.output, t), voxels_of(inputs[static_cast<std::size_t>(t)])));
  options.output = folder / "one.zarr";
  options.first_timestep = 1;
  options.timesteps = 1;
  bricked(inputs, options);
  CHECK(same(voxels_of(options.output), voxels_of(inputs[1])));
  write_volume(inputs[2], VoxelType::u8, {40, 41, 40});
  CHECK(line_of([&] { VolumeInputs(inputs, {}); }) ==
        inputs[2] + ": size: expected 40 x 40 x 40, as the first input, found 40 x 41 x 40");
}

TEST_CASE("the range of values that one input states is not that of several", "[bricks]") {
  const TemporaryFolder folder;
  std::vector<std::string> bricks;
  for (int t = 0; t < 2; ++t) {
    const std::string input = (folder / "a.nrrd").string();
    write_volume(input, VoxelType::u8, {8, 8, 8}, t);
    BrickOptions options;
    options.output = folder / (std::to_string(t) + ".zarr");
    bricked({input}, options);
    bricks.push_back(options.output.string());
  }
  CHECK(VolumeInputs({bricks[0]}, {}).info().value_range);
  CHECK_FALSE(VolumeInputs(bricks, {}).info().value_range);
}

TEST_CASE("ranges are taken of bricks of u8 alone, and of the size that is asked for", "[bricks]") {
  const TemporaryFolder folder;
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16}) {
    CAPTURE(name_of(type));
    const std::string input = (folder / "a.nrrd").string();
    write_volume(input, type, {40, 38, 36});
    BrickOptions options;
    options.output = folder / (std::string(name_of(type)) + ".zarr");
    bricked({input}, options);
    const auto found = [&](VolumeSize size) {
      return BrickRanges::try_open(options.output, 0, 0, size).has_value();
    };
    CHECK(found({40, 38, 36}) == (type == VoxelType::u8));
    CHECK_FALSE(found({40, 38, 37}));
    CHECK_FALSE(found({41, 38, 36}));
    CHECK_FALSE(BrickRanges::try_open(options.output, 1, 0, {40, 38, 36}));
  }
}

TEST_CASE("a timestep's name is kept where only that one is no number", "[bricks]") {
  using Names = std::vector<std::string>;
  for (const Names& names : {Names{"start", "1", "2"}, Names{"0", "1", "end"}}) {
    CAPTURE(names);
    const TemporaryFolder folder;
    std::vector<std::string> inputs;
    for (const std::string& name : names) {
      inputs.push_back((folder / name).string());
      write_volume(inputs.back(), VoxelType::u8, {8, 8, 8});
    }
    BrickOptions options;
    options.output = folder / "all.zarr";
    bricked(inputs, options);
    CHECK(open_volume_source(options.output.string(), {})->info().time_labels == names);
  }
}

TEST_CASE("the only timestep has a name or a time where it is not the usual one", "[bricks]") {
  VolumeInfo volume;
  volume.size = {8, 8, 8};
  volume.type = VoxelType::u8;
  const auto names_time = [&](double time, const std::string& label) {
    volume.times = {time};
    volume.time_labels = {label};
    return zattrs_text(volume, brick_layout(volume, 16), {}).find("time_labels") !=
           std::string::npos;
  };
  CHECK_FALSE(names_time(0, ""));
  CHECK(names_time(0, "start"));
  CHECK(names_time(2.5, ""));
  CHECK(names_time(2.5, "2.5"));
}

TEST_CASE("times are listed unless they rise in even steps and are their own names", "[bricks]") {
  VolumeInfo volume;
  volume.size = {8, 8, 8};
  volume.type = VoxelType::u8;
  const auto lists = [&](const std::vector<double>& times, const std::vector<std::string>& labels) {
    volume.times = times;
    volume.time_labels = labels;
    return zattrs_text(volume, brick_layout(volume, 16), {}).find("time_labels") !=
           std::string::npos;
  };
  CHECK_FALSE(lists({0, 1, 2}, {"0", "1", "2"}));
  CHECK_FALSE(lists({0.5, 2, 3.5}, {"0.5", "2", "3.5"}));
  CHECK(lists({0, 1, 3}, {"0", "1", "3"}));
  CHECK(lists({2, 1, 0}, {"2", "1", "0"}));
  CHECK(lists({1, 1}, {"1", "1"}));
  CHECK(lists({0, 1, 2}, {"0", "1", "end"}));
}

TEST_CASE("interrupted bricks, gone on with, are those of an uninterrupted run", "[bricks]") {
  const TemporaryFolder folder;
  std::vector<std::string> inputs;
  for (int t = 0; t < 2; ++t) {
    inputs.push_back((folder / ("step" + std::to_string(t) + ".nrrd")).string());
    write_volume(inputs.back(), VoxelType::u16, {40, 33, 230}, t);
  }
  BrickOptions options;
  options.side = 32;
  options.output = folder / "whole.zarr";
  bricked(inputs, options);
  const auto whole = files_of(options.output);
  options.output = folder / "parts.zarr";
  // Slabs of 2 x 2 bricks: after some of them the coarser levels wait for others.
  for (const int bricks : {1, 9, 25, 45}) {
    const std::string line = line_of([&] { bricked(inputs, options, bricks); });
    CAPTURE(line);
    REQUIRE(line.starts_with(options.output.string() + ": interrupted after "));
    REQUIRE(line.ends_with(" of 16 slabs; the same command goes on from there"));
    CHECK(line_of([&] {
            static_cast<void>(open_volume_source(options.output.string(), {}));
          }).starts_with(options.output.string() + ": expected finished bricks, found unfinished"));
    // What a process that was killed leaves behind.
    const Json mark = Json::parse(files_of(options.output).at(".tilewall/brick.json")).at("mark");
    write_file(
        options.output / "0" / mark.at("timestep").dump() / mark.at("slabs").dump() / "0/0.12.tmp",
        "half");
    write_file(options.output / ".zattrs.12.tmp", "half");
  }
  CHECK(bricked(inputs, options).slabs_before >= 11);
  const auto parts = files_of(options.output);
  CHECK(parts.size() == whole.size());
  for (const auto& [name, bytes] : whole) {
    CAPTURE(name);
    CHECK((parts.count(name) == 1 && parts.at(name) == bytes));
  }
  CHECK(bricked(inputs, options).already_complete);
}

TEST_CASE("bricks of something else are left alone unless they are to be overwritten",
          "[bricks][bad-input]") {
  const TemporaryFolder folder;
  const std::string a = (folder / "a.nrrd").string();
  write_volume(a, VoxelType::u8, {40, 40, 40});
  BrickOptions options;
  options.output = folder / "a.zarr";
  bricked({a}, options);
  const auto refusal = [&] { return line_of([&] { bricked({a}, options); }); };
  options.side = 32;
  CHECK(refusal() ==
        options.output.string() +
            ": brick: expected 64 as it was begun (--overwrite starts anew), found 32");
  options.overwrite = true;
  CHECK(bricked({a}, options).slabs_before == 0);
  CHECK(fs::exists(options.output / "0/1/1/1"));
  options.overwrite = false;
  write_volume(a, VoxelType::u8, {40, 40, 40}, 1);
  CHECK(refusal().starts_with(options.output.string() + ": inputs: expected "));

  options.output = folder / "full";
  write_file(options.output / "a.txt", "mine");
  CHECK(refusal() ==
        options.output.string() +
            ": output: expected a new or empty folder, or one that this command began, "
            "found \"a.txt\" in it");
  options.output = folder / "a.nrrd";
  CHECK(refusal().find("a folder apart from the input") != std::string::npos);
  options.output = folder / "full/a.txt";
  CHECK(refusal() == options.output.string() + ": output: expected a folder, found a file");
  options.output = folder / "full/a.txt/b.zarr";
  CHECK(refusal() == options.output.string() +
                         ": output: expected a path whose parents are folders, found a file");
  options.output = folder.path();
  CHECK(refusal().find("a folder apart from the input") != std::string::npos);
  for (const int side : {0, 24, 60, 264}) {
    options.side = side;
    CHECK(refusal() ==
          "--brick: expected a multiple of 8 from 32 to 256, found " + std::to_string(side));
  }
}

TEST_CASE("an input that turns out damaged leaves nothing, or what can be gone on with",
          "[bricks][bad-input]") {
  const TemporaryFolder folder;
  const fs::path good = folder / "good.zarr";
  write_volume(folder / "a.nrrd", VoxelType::u8, {40, 40, 160});
  BrickOptions options;
  options.output = good;
  options.side = 32;
  bricked({(folder / "a.nrrd").string()}, options);
  write_file(good / "0/4/0/0", "no brick");
  options.output = folder / "again.zarr";
  const std::string line = line_of([&] { bricked({good.string()}, options); });
  CAPTURE(line);
  CHECK(line.starts_with((good / "0/4/0/0").string() + ": chunk: expected "));
  CHECK(line.find("again.zarr keeps 3 of 5 slabs; the same command goes on from there") !=
        std::string::npos);
  write_file(good / "0/0/0/0", "no brick");
  options.output = folder / "third.zarr";
  CHECK(line_of([&] { bricked({good.string()}, options); }).ends_with(" (nothing is left of it)"));
  CHECK_FALSE(fs::exists(options.output));
}

TEST_CASE("ranges of bricks that are cut off or of another kind are refused",
          "[bricks][bad-input]") {
  const TemporaryFolder folder;
  write_volume(folder / "a.nrrd", VoxelType::u8, {40, 40, 40});
  BrickOptions options;
  options.output = folder / "a.zarr";
  bricked({(folder / "a.nrrd").string()}, options);
  const fs::path file = ranges_file(options.output, 0, 0);
  const std::string whole = files_of(file.parent_path()).at("0");
  const auto refused = [&](const std::string& bytes) {
    write_file(file, bytes);
    return line_of([&] { static_cast<void>(BrickRanges::open(options.output, 0, 0)); })
        .starts_with(file.string());
  };
  CHECK_FALSE(refused(whole));
  for (std::size_t length = 0; length < whole.size(); length += length < 80 ? 1 : 331)
    CHECK(refused(whole.substr(0, length)));
  for (std::size_t byte = 0; byte < 40; ++byte) {
    std::string changed = whole;
    changed[byte] = static_cast<char>(~changed[byte]);
    CHECK(refused(changed));
  }
  CHECK_THROWS_AS(BrickRanges::open(options.output, 1, 0), InputError);
}

TEST_CASE("levels halve until no side is longer than 64", "[bricks]") {
  const auto sizes_of = [](VolumeSize size) {
    VolumeInfo info;
    info.size = size;
    info.type = VoxelType::u16;
    std::vector<int> longest;
    const BrickLayout layout = brick_layout(info, 64);
    for (const BrickLevel& level : layout.levels)
      longest.push_back(std::max({level.size.x, level.size.y, level.size.z}));
    return longest;
  };
  CHECK(sizes_of({64, 64, 64}) == std::vector<int>{64});
  CHECK(sizes_of({65, 64, 64}) == std::vector<int>{65, 33});
  CHECK(sizes_of({10, 128, 20}) == std::vector<int>{128, 64});
  CHECK(sizes_of({10, 20, 129}) == std::vector<int>{129, 65, 33});
}

TEST_CASE("bricks whose slabs of all levels exceed the memory are refused with their sum",
          "[bricks][bad-input]") {
  const TemporaryFolder folder;
  // The first level's slab has 512 GiB, the next ones 64, 8 and 1 GiB, and so on.
  write_file(folder / "huge.toml", "size = [65536, 32768, 256]\ntype = \"u8\"\n");
  write_file(folder / "huge.raw", "");
  fs::resize_file(folder / "huge.raw", std::uintmax_t{1} << 39);  // without blocks on the disk
  BrickOptions options;
  options.output = folder / "bricks";
  options.side = 256;
  CHECK_THROWS_WITH(bricked({(folder / "huge.toml").string()}, options),
                    Catch::Contains("slabs of 585.1 GiB"));
}
