// `tilewall brick` as users run it: interrupted, on a full disk, gone on with, read by others.

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string program = test::program_path("tilewall");

/// Noise, which no codec makes smaller, as raw u16 with a sidecar.
std::string write_noise(const TemporaryFolder& folder, int side, int slices) {
  std::ofstream(folder / "a.toml") << "size = [" << side << ", " << side << ", " << slices
                                   << "]\ntype = \"u16\"\nendian = \"little\"\nscale = 0.5\n"
                                      "offset = -7.0\nspacing = [0.5, 0.5, 2.0]\n";
  std::ofstream raw(folder / "a.raw", std::ios::binary);
  std::uint64_t state = 1;
  std::vector<std::uint64_t> row(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) /
                                 4);
  for (int z = 0; z < slices; ++z) {
    for (std::uint64_t& word : row) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      word = state;
    }
    raw.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof row[0]));
  }
  return (folder / "a.toml").string();
}

std::string differences(const fs::path& a, const fs::path& b) {
  return run_program({"diff", "-r", a.string(), b.string()}).out;
}

}  // namespace

TEST_CASE("Ctrl-C ends bricking in a line, and the same command goes on", "[brick]") {
  const TemporaryFolder folder;
  const std::string input = write_noise(folder, 256, 512);
  const fs::path whole = folder / "whole.zarr";
  const fs::path parts = folder / "parts.zarr";
  const ProgramResult once = run_program({program, "brick", input, "-o", whole.string(), "--json"});
  CAPTURE(once.err);
  REQUIRE(once.exit_code == 0);
  const Json report = Json::parse(once.out);
  CHECK(report.at("levels").size() == 4);
  CHECK(report.at("levels")[0].at("written_bricks") == 4 * 4 * 8);
  CHECK(report.at("input_bytes") == 256 * 256 * 512 * 2);

  RunningProgram run({program, "brick", input, "-o", parts.string()});
  REQUIRE(eventually([&] { return fs::exists(parts / "0/1"); }));
  run.send_signal(SIGINT);
  const ProgramResult stopped = run.wait(std::chrono::seconds(10));
  CAPTURE(stopped.err);
  CHECK(stopped.exit_code == 1);
  CHECK(stopped.err.find("tilewall: " + parts.string() + ": interrupted after ") !=
        std::string::npos);
  const ProgramResult info = run_program({program, "info", parts.string()});
  CHECK(info.exit_code == 2);
  CHECK(info.err.starts_with("tilewall: " + parts.string() + ": expected finished bricks, found"));
  CHECK(std::count(info.err.begin(), info.err.end(), '\n') == 1);
  const ProgramResult rest = run_program({program, "brick", input, "-o", parts.string(), "--json"});
  CAPTURE(rest.err);
  REQUIRE(rest.exit_code == 0);
  CHECK(differences(whole, parts) == "");

  const Json found = Json::parse(run_program({program, "info", parts.string(), "--json"}).out);
  const Json there = Json::parse(run_program({program, "info", input, "--json"}).out);
  for (const char* key : {"size_voxels", "type", "spacing", "origin", "direction", "value_range"})
    CHECK(found.at(key) == there.at(key));
  CHECK(found.at("levels") == 4);
}

TEST_CASE("a full disk ends bricking in a line, and more room lets it go on", "[brick]") {
  const TemporaryFolder folder;
  if (run_program({"unshare", "-m", "mount", "-t", "tmpfs", "none", folder.path().string()})
          .exit_code != 0) {
    WARN("skipped: no disk of its own can be made here");
    return;
  }
  const std::string input = write_noise(folder, 128, 256);  // 8 MiB
  const std::string disk = (folder / "disk").string();
  fs::create_directory(disk);
  const std::string brick = program + " brick " + input + " -o " + disk + "/a.zarr";
  const ProgramResult run =
      run_program({"unshare", "-m", "sh", "-c",
                   "mount -t tmpfs -o size=5m none " + disk + "; " + brick +
                       "; echo ended $?; mount -o "
                       "remount,size=50m " +
                       disk + "; " + brick + "; echo ended $?; " + program + " brick " + input +
                       " -o " + (folder / "b.zarr").string() + "; diff -r " + disk + "/a.zarr " +
                       (folder / "b.zarr").string() + " && echo same"},
                  std::chrono::seconds(60));
  CAPTURE(run.out, run.err);
  CHECK(run.out.find("ended 1") != std::string::npos);
  CHECK(run.out.find("ended 0") != std::string::npos);
  CHECK(run.out.find("same") != std::string::npos);
  CHECK(run.err.find("No space left on device (" + disk + "/a.zarr keeps ") != std::string::npos);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

TEST_CASE("Python's zarr reads bricks as what they were made of", "[brick]") {
  if (run_program({"/usr/bin/python3", "-c", "import zarr"}).exit_code != 0) {
    WARN("skipped: no python3-zarr");
    return;
  }
  const TemporaryFolder folder;
  std::ofstream(folder / "a.py") << R"(
import json, subprocess, sys
import numpy, zarr
folder, program = sys.argv[1:]
i = numpy.indices((70, 37, 45))
for kind in 'u1', 'u2', 'f4':
  for codec in 'blosc', 'zstd', 'raw':
    steps = [((3 * i[0] + 5 * i[1] + 7 * i[2] + t) % 251 + t).astype(kind) for t in range(2)]
    if kind == 'f4':
      steps[0][3:40, :, 20:] = numpy.nan
    else:
      steps[0][0:32, 0:32, 0:32] = 0
    for t in range(2):
      numpy.save(f'{folder}/s{t}.npy', steps[t])
    out = f'{folder}/{kind}{codec}.zarr'
    subprocess.run([program, 'brick', f'{folder}/s0.npy', f'{folder}/s1.npy', '-o', out, '--brick',
                    '32', '--compress', codec], check=True, stdout=subprocess.DEVNULL)
    group = zarr.open_group(out, mode='r')
    image = group.attrs['multiscales'][0]
    assert image['version'] == '0.4' and [a['name'] for a in image['axes']] == list('tzyx')
    assert [d['path'] for d in image['datasets']] == ['0', '1']
    steps = image['datasets'][1]['coordinateTransformations']
    assert steps[0] == {'type': 'scale', 'scale': [1, 2, 2, 2]}, steps
    assert steps[1] == {'type': 'translation', 'translation': [0, .5, .5, .5]}, steps
    for t in range(2):
      there = numpy.load(f'{folder}/s{t}.npy')
      numpy.testing.assert_array_equal(group['0'][t], there)
    assert group['0'].chunks == (1, 32, 32, 32) and group['1'].shape == (2, 35, 19, 23)
    numpy.testing.assert_allclose(group['1'][1, :34, :18, :22],
        there[:68, :36, :44].reshape(34, 2, 18, 2, 22, 2).astype('f8').mean((1, 3, 5)),
        atol=1e-4 if kind == 'f4' else 0.5)
)";
  const ProgramResult run = run_program(
      {"/usr/bin/python3", (folder / "a.py").string(), folder.path().string(), program});
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("brick refuses options and inputs that make no sense in one line", "[brick]") {
  const TemporaryFolder folder;
  const std::string input = write_noise(folder, 40, 40);
  const std::string out = (folder / "a.zarr").string();
  std::ofstream(folder / "empty.nrrd");
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {program, "brick"});
    const ProgramResult run = run_program(words);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(out));
    return run.err;
  };
  CHECK(refused({input, "-o", out, "--brick", "31"}) ==
        "tilewall: --brick: expected a multiple of 8 from 32 to 256, found 31\n");
  CHECK(refused({input, "-o", out, "--compress", "zip"}) ==
        "tilewall: --compress: expected raw, zstd or blosc, found \"zip\"\n");
  CHECK(
      refused({input, "-o", out, "--time", "1"})
          .starts_with("tilewall: --time: expected A-B, A-, -B or N, timesteps of 0 to 0, found "));
  CHECK(refused({input, "-o", out, "--component", "x"}).starts_with("tilewall: "));
  CHECK(refused({(folder / "empty.nrrd").string(), "-o", out})
            .starts_with("tilewall: " + (folder / "empty.nrrd").string() + ": "));
  CHECK(refused({(folder / "no.nrrd").string(), "-o", out})
            .starts_with("tilewall: " + (folder / "no.nrrd").string() + ": "));
  CHECK(refused({input}).find("--output") != std::string::npos);
}
