// Volume files as users name them, the real ones of the data folder, and every damaged HDF5 and
// rare NRRD file: read, or refused in one line.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::render;
namespace fs = std::filesystem;

namespace {

struct RealVolume {
  const char* path;
  const char* dataset;
  VolumeSize size;
  int timesteps;
  double spacing_z;
  ValueRange range;
};

constexpr float any = -1e30f;
const RealVolume real_volumes[] = {
    {"mri-icbm152/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz",
     "",
     {197, 233, 189},
     1,
     1,
     {0, 255}},
    {"ct-chest-lidc/LIDC2.nhdr", "", {256, 256, 133}, 1, 2.5, {0, 255}},
    {"cosmology-lcdm/egpbos-LCDM.npy", "", {128, 128, 128}, 1, 1, {0, 255}},
    {"magnetic-field-openpmd/example-femm-3d.h5", "B/z", {47, 47, 47}, 1, 0, {any, any}},
    {"ocean-timeseries-netcdf/ocean_atlas_subset.nc", "TEMP", {180, 90, 19}, 12, 0, {any, any}},
    {"climate-netcdf4/E1_north_america.nc", "", {49, 37, 1}, 240, 1, {any, any}},
    {"climate-netcdf4/rotated_pole.nc", "", {36, 22, 1}, 1, 1, {any, any}},
    {"amrex-plotfiles/plt_eb_3d", "volFrac", {128, 64, 32}, 1, 0.000625, {0, 1}},
    {"amrex-plotfiles/plt2_F", "temp", {32, 32, 32}, 1, 0.0005, {any, any}}};

}  // namespace

TEST_CASE("the real volumes are read as they were described", "[readers][data]") {
  const fs::path folder = test::shared_data("volumes");
  if (folder.empty()) return;
  for (const RealVolume& real : real_volumes) {
    CAPTURE(real.path);
    VolumeOptions options;
    options.dataset = real.dataset;
    VolumeFile file = VolumeFile::open((folder / real.path).string(), options);
    const VolumeInfo& info = file.info();
    CHECK((info.stored_size.x > 0 ? info.stored_size : info.size) == real.size);
    CHECK(file.info().timesteps() == real.timesteps);
    if (real.spacing_z > 0) CHECK(file.info().place.spacing.z == Approx(real.spacing_z));
    const ValueRange range = scan_values(file).range;
    CHECK_FALSE(range.empty());
    if (real.range.min > any) CHECK(range == real.range);
  }
}

TEST_CASE("every damaged volume is read or refused in one line, soon", "[readers][bad-input]") {
  const fs::path folder = test::shared_data("corrupt");
  if (folder.empty()) return;
  ReaderLimits limits;
  limits.open = limits.read = std::chrono::milliseconds(300);
  int files = 0, refused = 0;
  for (const char* kind : {"hdf5", "nrrd-edge"})
    for (const auto& entry : fs::directory_iterator(folder / kind)) {
      ++files;
      CAPTURE(entry.path().string());
      VolumeOptions options;
      options.first_dataset = true;
      try {
        VolumeFile file = VolumeFile::open(entry.path().string(), options, limits);
        static_cast<void>(scan_values(file));
      } catch (const InputError& error) {
        ++refused;
        const std::string line = error.what();
        CHECK(line.find('\n') == std::string::npos);
        CHECK(line.find((folder / kind).string()) != std::string::npos);
      }
    }
  std::cout << files << " damaged or rare volumes: " << refused << " refused\n";
  CHECK(files > 60);
}

TEST_CASE("info tells what a volume holds, or in one line why it cannot", "[readers][cli]") {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "a.nrrd").string();
  std::ofstream(file) << "NRRD0004\ntype: int16\ndimension: 3\nsizes: 2 2 1\nspacings: 1 1 2.5\n"
                         "endian: little\nencoding: ascii\n\n-5 0 7 9\n";
  const std::string program = test::program_path("tilewall");
  const ProgramResult good = run_program({program, "info", file, "--json"});
  CHECK(good.err == "");
  REQUIRE(good.exit_code == 0);
  const auto report = nlohmann::json::parse(good.out);
  CHECK(report.at("kind") == "volume");
  CHECK(report.at("format") == "NRRD");
  CHECK(report.at("size_voxels") == nlohmann::json({2, 2, 1}));
  CHECK(report.at("type") == "i16");
  CHECK(report.at("spacing") == nlohmann::json({1.0, 1.0, 2.5}));
  CHECK(report.at("origin") == nlohmann::json({0.0, 0.0, 0.0}));
  CHECK(report.at("timesteps") == 1);
  CHECK(report.at("value_range") == nlohmann::json({-5.0, 9.0}));
  CHECK(report.at("datasets").empty());
  const ProgramResult text = run_program({program, "info", file});
  CHECK(text.exit_code == 0);
  for (const char* line : {"kind                 volume\n", "size_voxels          2 2 1\n",
                           "value_range          -5 9\n", "grids                2 2 1\n"}) {
    CAPTURE(line, text.out);
    CHECK(text.out.find(line) != std::string::npos);
  }
  std::ofstream(file) << "NRRD0004\ntype: int16\n\n";
  const ProgramResult bad = run_program({program, "info", file});
  CHECK(bad.exit_code == 2);
  CHECK(bad.out == "");
  CHECK(bad.err == "tilewall: " + file + ": encoding: expected this field, found none\n");
}

TEST_CASE("info and view refuse in one line what no file is behind", "[readers][cli][bad-input]") {
  const test::TemporaryFolder folder;
  const std::string program = test::program_path("tilewall");
  const std::string pipe = (folder / "pipe").string();
  const std::string loop = (folder / "loop").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink("loop", loop);
  const auto refusal = [&](const std::string& command, const std::string& input) {
    std::vector<std::string> words = {program, command, input};
    if (command == "view") words.emplace_back("--headless");
    const ProgramResult result = run_program(words, std::chrono::seconds(5));
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(refusal("info", pipe) ==
        "tilewall: " + pipe + ": expected a file or folder, found a pipe\n");
  const std::string unreadable = ": expected a readable file, found ";
  for (const char* command : {"info", "view"}) {
    CHECK(refusal(command, loop) ==
          "tilewall: " + loop + unreadable + "Too many levels of symbolic links\n");
    CHECK(refusal(command, "") == "tilewall: \"\"" + unreadable + "No such file or directory\n");
  }
}
