// Files in a served folder that name data outside of it: headers, links, HDF5's references. A
// client gets none of it.

#include <hdf5.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "player/movie/remote/movie_server.hpp"
#include "player/volume/remote/volume_server.hpp"
#include "render/readers/volume_file.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr render::VolumeSize secret_size{4, 4, 4};
const std::string secret(64, '\x5a');

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string nrrd(const std::string& data_file) {
  return "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 4 4\nencoding: raw\ndata file: " +
         data_file + "\n";
}

std::string metaimage(const std::string& data_file) {
  return "ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\n"
         "ElementDataFile = " +
         data_file + "\n";
}

std::string vti() {
  std::string numbers;
  for (const char c : secret) numbers += std::to_string(static_cast<int>(c)) + " ";
  return R"(<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian">)"
         R"(<ImageData WholeExtent="0 3 0 3 0 3" Origin="0 0 0" Spacing="1 1 1">)"
         R"(<Piece Extent="0 3 0 3 0 3"><PointData Scalars="s"><DataArray type="UInt8" Name="s" )"
         R"(format="ascii">)" +
         numbers + "</DataArray></PointData></Piece></ImageData></VTKFile>";
}

std::string pvd(const std::string& file) {
  return R"(<VTKFile type="Collection"><Collection><DataSet timestep="0" file=")" + file +
         R"("/></Collection></VTKFile>)";
}

/// A plotfile of one level whose cells lie in `fab`.
void write_amrex(const fs::path& folder, const std::string& fab) {
  write(folder / "Header",
        "HyperCLaw-V1.1\n1\nrho\n3\n0.25\n0\n0 0 0\n4 4 4\n\n((0,0,0) (3,3,3) (0,0,0))\n1\n"
        "1 1 1\n0\n0\n0 1 0.25\n1\n0 4\n0 4\n0 4\nLevel_0/Cell\n");
  write(folder / "Level_0" / "Cell_H",
        "1\n1\n1\n0\n(1 0\n((0,0,0) (3,3,3) (0,0,0))\n)\n1\nFabOnDisk: " + fab + " 0\n\n");
}

void write_zarr_header(const fs::path& folder) {
  write(folder / ".zarray",
        R"({"zarr_format":2,"shape":[4,4,4],"chunks":[4,4,4],"dtype":"|u1","compressor":null,)"
        R"("fill_value":0,"order":"C","filters":null})");
}

/// Ids of libhdf5, closed together.
struct Hdf5Writer {
  explicit Hdf5Writer(const fs::path& file)
      : id(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5Writer() { H5Fclose(id); }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Adds the array "secret" with that creation list.
  void add(hid_t list, bool with_values) const {
    const hsize_t sides[] = {4, 4, 4};
    const hid_t space = H5Screate_simple(3, sides, nullptr);
    const hid_t set =
        H5Dcreate2(id, "secret", H5T_NATIVE_UCHAR, space, H5P_DEFAULT, list, H5P_DEFAULT);
    REQUIRE(set >= 0);
    if (with_values) H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret.data());
    H5Dclose(set);
    H5Sclose(space);
  }

  const hid_t id;
};

void write_hdf5(const fs::path& served, const fs::path& outside) {
  Hdf5Writer(outside / "plain.h5").add(H5P_DEFAULT, true);
  const hid_t stored = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(stored, (outside / "secret.raw").c_str(), 0, secret.size());
  Hdf5Writer(served / "stored.h5").add(stored, false);
  Hdf5Writer(served / "stored.nc").add(stored, false);
  H5Pclose(stored);
  const hid_t virtually = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t sides[] = {4, 4, 4};
  const hid_t space = H5Screate_simple(3, sides, nullptr);
  H5Pset_virtual(virtually, space, (outside / "plain.h5").c_str(), "/secret", space);
  Hdf5Writer(served / "virtual.h5").add(virtually, false);
  H5Sclose(space);
  H5Pclose(virtually);
  const Hdf5Writer linked(served / "linked.h5");
  H5Lcreate_external((outside / "plain.h5").c_str(), "/secret", linked.id, "secret", H5P_DEFAULT,
                     H5P_DEFAULT);
}

/// What a client is told of a volume; "" where it gets its voxels.
std::string refusal(volume::VolumeServer& server, const std::string& name) {
  volume::BoxRequest request{
      {name, {}}, 0, 0, secret_size, render::VoxelType::u8, {{0, 0, 0}, {4, 4, 4}}};
  request.volume.options.first_dataset = true;
  std::string line;
  try {
    const Json opened = server.call(
        {{"type", "open"}, {"name", name}, {"options", render::to_json(request.volume.options)}});
    const render::VolumeInfo info = render::volume_info_from_json(opened.at("volume"), name);
    request.type = info.type;
    request.grid_size = info.size;
  } catch (const std::exception& error) {
    line = error.what();
  }
  const auto slab = server.read(volume::to_bytes(request));
  const std::string_view bytes(reinterpret_cast<const char*>(slab->data()), slab->size());
  CHECK(bytes.find(secret.substr(0, 16)) == std::string_view::npos);
  const auto answer = volume::parse_box_answer(slab->bytes(), volume::box_bytes(request));
  if (answer.status == volume::BoxAnswerStatus::found) return "";
  return line.empty() ? answer.line : line;
}

/// Whether this machine's own user sees the secret, and is told where it lies. Where the kernel
/// confines readers to the folder of their file, is told to put what lies elsewhere there.
void check_local(const fs::path& file, const std::string& told) try {
  render::VolumeOptions options;
  options.first_dataset = true;
  render::VolumeFile volume = render::VolumeFile::open(file.string(), options);
  std::vector<std::byte> voxels(volume.slab_bytes(0, 4));
  volume.read(0, 0, 4, voxels);
  CHECK(std::memcmp(voxels.data(), secret.data(), secret.size()) == 0);
  const auto& others = volume.info().other_files;
  CAPTURE(others);
  CHECK(std::any_of(others.begin(), others.end(),
                    [&](const std::string& other) { return other.ends_with(told); }));
} catch (const InputError& error) {
  CHECK_THAT(error.what(), Catch::Contains("put all files of the volume there"));
  CHECK(told.starts_with("outside/"));
}

}  // namespace

TEST_CASE("no volume of a served folder delivers data from outside of it", "[attack]") {
  const TemporaryFolder folder;
  const fs::path served = folder / "served";
  const fs::path outside = folder / "outside";
  write(outside / "secret.raw", secret);
  write(outside / "secret.vti", vti());
  write(outside / "whole.nrrd", nrrd("secret.raw"));
  write(outside / "fab",
        "FAB ((8, (32 8 23 0 1 9 0 127)),(4, (4 3 2 1)))"
        "((0,0,0) (3,3,3) (0,0,0)) 1\n" +
            std::string(256, '\x5a'));
  write(served / "up.nrrd", nrrd("../outside/secret.raw"));
  write(served / "whole.nrrd", nrrd((outside / "secret.raw").string()));
  write(served / "list.nrrd",
        nrrd("LIST 2\n../outside/secret.raw\n../outside/secret.raw\n../outside/secret.raw\n"
             "../outside/secret.raw"));
  write(served / "up.mhd", metaimage("../outside/secret.raw"));
  write(served / "up.toml", "size = [4, 4, 4]\ntype = \"u8\"\nfile = \"../outside/secret.raw\"\n");
  write(served / "up.pvd", pvd("../outside/secret.vti"));
  write_amrex(served / "plt", "../../../outside/fab");
  fs::create_symlink("../outside/secret.raw", served / "secret.raw");
  write(served / "link.nrrd", nrrd("secret.raw"));
  fs::create_symlink("../outside/whole.nrrd", served / "linked.nrrd");
  fs::create_directory_symlink("../outside", served / "folder");
  write(served / "through.nrrd", nrrd("folder/secret.raw"));
  write_zarr_header(served / "chunk.zarr");
  fs::create_symlink("../../outside/secret.raw", served / "chunk.zarr" / "0.0.0");
  write_zarr_header(outside / "header.zarr");
  fs::create_directory(served / "header.zarr");
  fs::create_symlink("../../outside/header.zarr/.zarray", served / "header.zarr" / ".zarray");
  write_hdf5(served, outside);
  volume::VolumeServer server({served});

  const std::string beneath = "expected a file beneath the served folder";
  for (const std::string name :
       {"up.nrrd", "whole.nrrd", "list.nrrd", "up.mhd", "up.toml", "up.pvd", "plt", "link.nrrd",
        "through.nrrd", "chunk.zarr", "header.zarr"}) {
    CAPTURE(name);
    CHECK_THAT(refusal(server, name), Catch::Contains(beneath));
  }
  for (const std::string name : {"stored.h5", "virtual.h5", "stored.nc"}) {
    CAPTURE(name);
    CHECK_THAT(refusal(server, name), Catch::Contains("expected data in this file"));
  }
  for (const std::string name :
       {"linked.h5", "linked.nrrd", "folder/whole.nrrd", "../outside/whole.nrrd"}) {
    CAPTURE(name);
    CHECK_FALSE(refusal(server, name).empty());
  }

  for (const char* name : {"up.nrrd", "up.mhd", "up.toml", "stored.h5"})
    check_local(served / name, "outside/secret.raw");
  check_local(served / "virtual.h5", "outside/plain.h5");
  write(served / "near.raw", secret);
  write(served / "near.nrrd", nrrd("near.raw"));
  check_local(served / "near.nrrd", "served/near.raw");

  // The user's own links, and files that the user names, are followed.
  check_local(served / "link.nrrd", "served/secret.raw");
  render::VolumeOptions series;
  series.more = {"../outside/whole.nrrd"};
  CHECK(render::VolumeFile::open((served / "near.nrrd").string(), series).info().timesteps() == 2);
}

TEST_CASE("a volume of a served folder may name files beside it", "[attack]") {
  const TemporaryFolder folder;
  write(folder / "data" / "inside.raw", secret);
  write(folder / "runs" / "inside.nrrd", nrrd("../data/inside.raw"));
  volume::VolumeServer server({folder.path()});
  volume::BoxRequest request{{"runs/inside.nrrd", {}}, 0, 0, secret_size, render::VoxelType::u8,
                             {{0, 0, 0}, {4, 4, 4}}};
  const auto slab = server.read(volume::to_bytes(request));
  const auto answer = volume::parse_box_answer(slab->bytes(), secret.size());
  CAPTURE(answer.line);
  REQUIRE(answer.status == volume::BoxAnswerStatus::found);
  CHECK(std::memcmp(answer.voxels.data(), secret.data(), secret.size()) == 0);
  // Served by itself, it may name what lies in its own folder.
  volume::VolumeServer alone({folder / "runs" / "inside.nrrd"});
  request.volume.name = "inside.nrrd";
  const auto refused = alone.read(volume::to_bytes(request));
  CHECK_THAT(volume::parse_box_answer(refused->bytes(), secret.size()).line,
             Catch::Contains("beneath the served folder"));
}

TEST_CASE("no movie of a served folder delivers frames or sound from outside of it", "[attack]") {
  const TemporaryFolder folder;
  write(folder / "outside" / "frame-000000.tif", secret);
  write(folder / "outside" / "sound.flac", secret);
  const fs::path movie = folder / "served" / "movie";
  movie::MovieManifest manifest;
  manifest.size_px = {64, 48};
  manifest.block_px = {64, 48};
  manifest.frames = 1;
  manifest.audio_file = "sound.flac";
  fs::create_directories(movie);
  movie::save_manifest(movie, manifest);
  fs::create_symlink("../../outside/frame-000000.tif", movie / movie::frame_file_name(0));
  fs::create_symlink("../../outside/sound.flac", movie / "sound.flac");
  fs::create_directory_symlink("../outside", folder / "served" / "linked");
  movie::MovieServer server({folder / "served"});
  const auto frame = server.read(to_bytes(movie::BlockRequest{"movie", 0, 0, {0}}));
  CHECK(movie::parse_block_answer(frame->bytes(), 1).status == movie::BlockAnswerStatus::no_frame);
  CHECK(server.call({{"type", "open"}, {"name", "movie"}}).at("sound_bytes") == 0);
  const auto sound = server.read(to_bytes(movie::SoundRange{"movie", 0, 64}));
  CHECK(sound->size() == 0);
  CHECK_FALSE(server.has("linked"));
}
