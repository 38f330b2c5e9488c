// Volume formats that libraries read, and AMReX; and the process that reads them all.

#include <hdf5.h>
#include <netcdf.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>

#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/support/volume_pyramid.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

std::vector<float> field_floats(int timesteps = 1) {
  std::vector<float> floats;
  for_field(timesteps, [&](int value, auto...) { floats.push_back(static_cast<float>(value)); });
  return floats;
}

void add_attribute(hid_t object, const char* name, std::vector<double> numbers) {
  const hsize_t count = numbers.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t id = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, H5T_NATIVE_DOUBLE, numbers.data());
  H5Aclose(id);
  H5Sclose(space);
}

void add_texts(hid_t object, const char* name, std::vector<const char*> texts) {
  const hsize_t count = texts.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, type, texts.data());
  H5Aclose(id);
  H5Tclose(type);
  H5Sclose(space);
}

void add_floats(hid_t file, const char* path, std::vector<hsize_t> sides, const float* numbers,
                hid_t type = H5T_IEEE_F32BE) {
  const hid_t space = H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
  std::vector<hsize_t> chunk(sides.size(), 2);
  H5Pset_chunk(chunks, static_cast<int>(sides.size()), chunk.data());
  H5Pset_deflate(chunks, 4);
  const hid_t set = H5Dcreate2(file, path, type, space, links, chunks, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
  H5Dclose(set);
  H5Pclose(chunks);
  H5Pclose(links);
  H5Sclose(space);
}

}  // namespace

TEST_CASE("HDF5 is read by a dataset's path, and lists them when there are several",
          "[readers][hdf5]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.h5";
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto floats = field_floats(4);
  add_floats(id, "native_fields/density", {3, 4, 5}, floats.data(), H5T_STD_U16LE);
  add_floats(id, "native_fields/series", {4, 3, 4, 5}, floats.data());
  add_floats(id, "table", {240}, floats.data());
  const hid_t domain = H5Gcreate2(id, "domain", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add_attribute(domain, "size", {10, 8, 9});
  H5Gclose(domain);
  H5Fclose(id);
  VolumeOptions options;
  options.dataset = "native_fields/density";
  CHECK(process_fault(file, 1, options) == "");
  VolumeFile density = VolumeFile::open(file.string(), options);
  CHECK(density.info().type == VoxelType::u16);
  CHECK(density.info().slab_voxels == 2);  // of its chunks
  CHECK(density.info().place.spacing == Vec3d{2, 2, 3});
  options.dataset = "/native_fields/series";
  CHECK(process_fault(file, 4, options) == "");
  CHECK(process_refusal(file) ==
        file.string() +
            ": dataset: expected the name of one (--dataset NAME), as there are several, found "
            "native_fields/density, native_fields/series");
  options.dataset = "rho";
  CHECK(process_refusal(file, options) ==
        file.string() +
            ": dataset: expected one of native_fields/density, native_fields/series, "
            "found \"rho\"");
}

TEST_CASE("openPMD gives iterations, the order of axes, spacing and units", "[readers][hdf5]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.h5";
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  add_texts(id, "openPMD", {"1.1.0"});
  for (int t = 0; t < 2; ++t) {
    std::vector<float> turned;  // indices (x, y, z)
    for (int x = 0; x < 5; ++x)
      for (int y = 0; y < 4; ++y)
        for (int z = 0; z < 3; ++z) turned.push_back(static_cast<float>(field(x, y, z, t)));
    const std::string base = t == 0 ? "/data/20" : "/data/100";
    add_floats(id, (base + "/meshes/B/x").c_str(), {5, 4, 3}, turned.data());
    const hid_t group = H5Gopen2(id, base.c_str(), H5P_DEFAULT);
    add_attribute(group, "time", {t * 2.0});
    add_attribute(group, "timeUnitSI", {1e-3});
    H5Gclose(group);
    const hid_t mesh = H5Gopen2(id, (base + "/meshes/B").c_str(), H5P_DEFAULT);
    add_texts(mesh, "axisLabels", {"x", "y", "z"});
    add_attribute(mesh, "gridSpacing", {1, 2, 3});
    add_attribute(mesh, "gridGlobalOffset", {-1, 0, 1});
    add_attribute(mesh, "gridUnitSI", {0.5});
    H5Gclose(mesh);
  }
  H5Fclose(id);
  CHECK(process_fault(file, 2) == "");
  const VolumeFile volume = VolumeFile::open(file.string());
  CHECK(volume.info().dataset == "B/x");
  CHECK(volume.info().place.spacing == Vec3d{0.5, 1, 1.5});
  CHECK(volume.info().place.origin == Vec3d{-0.5, 0, 0.5});
  CHECK(volume.info().times == std::vector<double>{0, 2e-3});
}

TEST_CASE("NetCDF, classic and 4: coordinates, packed values, fills and time",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  for (const int mode : {NC_CLOBBER, NC_CLOBBER | NC_NETCDF4}) {
    const fs::path file = folder / "a.nc";
    int nc = -1, dims[4], field_id = -1, flat = -1;
    REQUIRE(nc_create(file.c_str(), mode, &nc) == NC_NOERR);
    nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]);
    nc_def_dim(nc, "depth", 3, &dims[1]);
    nc_def_dim(nc, "lat", 4, &dims[2]);
    nc_def_dim(nc, "lon", 5, &dims[3]);
    const char* names[] = {"time", "depth", "lat", "lon"};
    const char* units[] = {"days since 2000-01-01", "degrees", "degrees_north", "degrees_east"};
    int axis[4];
    for (int i = 0; i < 4; ++i) {
      nc_def_var(nc, names[i], NC_DOUBLE, 1, &dims[i], &axis[i]);
      nc_put_att_text(nc, axis[i], "units", std::strlen(units[i]), units[i]);
    }
    nc_put_att_text(nc, axis[1], "positive", 4, "down");
    nc_def_var(nc, "temp", NC_SHORT, 4, dims, &field_id);
    nc_def_var(nc, "flat", NC_FLOAT, 2, dims + 2, &flat);
    const short fill = -999;
    const double scale = 0.5, offset = 0;
    nc_put_att_short(nc, field_id, "_FillValue", NC_SHORT, 1, &fill);
    nc_put_att_double(nc, field_id, "scale_factor", NC_DOUBLE, 1, &scale);
    nc_put_att_double(nc, field_id, "add_offset", NC_DOUBLE, 1, &offset);
    const double actual[] = {1, 58};
    nc_put_att_double(nc, field_id, "actual_range", NC_DOUBLE, 2, actual);
    nc_enddef(nc);
    std::vector<short> packed;
    for_field(2, [&](int value, int x, int y, int z, int t) {
      packed.push_back(x + y + z + t == 0 ? fill : static_cast<short>(2 * value));
    });
    const std::size_t start[4] = {}, count[4] = {2, 3, 4, 5};
    REQUIRE(nc_put_vara_short(nc, field_id, start, count, packed.data()) == NC_NOERR);
    const double time[] = {15, 45}, depth[] = {0, 10, 30}, lat[] = {3, 2, 1, 0},
                 lon[] = {10, 12, 14, 16, 18};
    nc_put_vara_double(nc, axis[0], start, count, time);
    nc_put_var_double(nc, axis[1], depth);
    nc_put_var_double(nc, axis[2], lat);
    nc_put_var_double(nc, axis[3], lon);
    REQUIRE(nc_close(nc) == NC_NOERR);

    VolumeOptions as_stored;
    as_stored.levels = LevelSpacing::index;
    VolumeFile volume = VolumeFile::open(file.string(), as_stored);
    const VolumeInfo& info = volume.info();
    CHECK(info.dataset == "temp");
    CHECK(info.interpretation == "time, z = depth (positive down), y = lat, x = lon");
    CHECK(info.time_labels == std::vector<std::string>{"2000-01-16 00:00", "2000-02-15 00:00"});
    CHECK(info.datasets == std::vector<std::string>{"temp", "flat"});
    auto values = field_values(info, [&](int t, int z, int end, std::vector<std::byte>& into) {
      volume.read(t, z, end, into);
    });
    REQUIRE(!values.empty());
    CHECK(std::isnan(values[0]));
    values[0] = 0;
    CHECK(field_fault(info, values, 2) == "");
    CHECK(info.times == std::vector<double>{15, 45});
    REQUIRE(info.value_range);
    CHECK(info.value_range->min == 1);
    CHECK(info.value_range->max == 58);
    CHECK(info.place.axes[1] == Vec3d{0, -1, 0});
    CHECK(info.place.axes[2] == Vec3d{0, 0, -1});
    CHECK(info.place.spacing.x == 2);
    CHECK(info.place.origin.y == 3);
    CHECK(info.notes.size() == 2);  // depth is drawn by index, and of another unit
    VolumeOptions flat_one;
    flat_one.dataset = "flat";
    CHECK(VolumeFile::open(file.string(), flat_one).info().size == VolumeSize{5, 4, 1});
    fs::resize_file(file, fs::file_size(file) - 8);
    CHECK_THROWS_WITH(VolumeFile::open(file.string()),
                      Catch::Contains("NetCDF") || Catch::Contains("as its header says"));
  }
}

TEST_CASE("bounds of NetCDF's cells and coordinates of its fields are no fields",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  int nc = -1, dims[2], ids[4];
  REQUIRE(nc_create(file.c_str(), NC_CLOBBER, &nc) == NC_NOERR);
  nc_def_dim(nc, "y", 3, &dims[0]);
  nc_def_dim(nc, "x", 4, &dims[1]);
  const char* names[] = {"edges_of_area", "nav_lat", "sst", "bounds_lat"};
  for (int i = 0; i < 4; ++i) nc_def_var(nc, names[i], NC_FLOAT, 2, dims, &ids[i]);
  nc_put_att_text(nc, ids[1], "bounds", 13, "edges_of_area");
  nc_put_att_text(nc, ids[2], "coordinates", 7, "nav_lat");
  nc_enddef(nc);
  REQUIRE(nc_close(nc) == NC_NOERR);
  const VolumeInfo info = open_volume_source(file.string(), {})->info();
  CHECK(info.datasets == std::vector<std::string>{"sst"});
  CHECK(info.dataset == "sst");
}

TEST_CASE("NetCDF's range of values is believed where it is two different numbers",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  for (const std::vector<double>& stated :
       {std::vector<double>{3, 40}, {40, 3}, {3}, {3, 40, 50}, {3, 3}, {3, INFINITY}}) {
    CAPTURE(stated);
    int nc = -1, dims[3], id = -1;
    REQUIRE(nc_create(file.c_str(), NC_CLOBBER, &nc) == NC_NOERR);
    for (int i = 0; i < 3; ++i) nc_def_dim(nc, std::string(1, "zyx"[i]).c_str(), 2, &dims[i]);
    nc_def_var(nc, "field", NC_FLOAT, 3, dims, &id);
    nc_put_att_double(nc, id, "actual_range", NC_DOUBLE, stated.size(), stated.data());
    nc_enddef(nc);
    const float values[8] = {3, 4, 5, 6, 7, 8, 9, 40};
    nc_put_var_float(nc, id, values);
    REQUIRE(nc_close(nc) == NC_NOERR);
    const VolumeInfo info = open_volume_source(file.string(), {})->info();
    const bool is_range = stated.size() == 2 && stated[0] + stated[1] == 43;
    REQUIRE(info.value_range.has_value() == is_range);
    if (!is_range) continue;
    CHECK(info.value_range->min == 3);
    CHECK(info.value_range->max == 40);
  }
}

namespace {

std::string fab_bytes(int x0, int y0, int z0, int x1, int y1, int z1, int shift, bool as_double) {
  std::string box;
  for (const auto& [x, y, z] : {std::array{x0, y0, z0}, std::array{x1, y1, z1}})
    box += "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ") ";
  std::string bytes = std::string("FAB ") +
                      (as_double ? "((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))"
                                 : "((8, (32 8 23 0 1 9 0 127)),(4, (1 2 3 4)))") +
                      "(" + box + "(0,0,0)) 2\n";
  for (int c = 0; c < 2; ++c)
    for (int z = z0; z <= z1; ++z)
      for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
          const int value = c == 0 ? -1 : field(x, y, z) + shift;
          bytes += as_double ? bytes_of_number(static_cast<double>(value))
                             : bytes_of_number(static_cast<float>(value), true);
        }
  return bytes;
}

/// The list of a level's boxes, of which it has one.
std::string cells_of(const std::string& box) {
  return "1\n1\n2\n0\n(1 0\n(" + box + " (0,0,0))\n)\n1\nFabOnDisk: Cell_D_00000 3\n\n";
}

}  // namespace

TEST_CASE("AMReX cells that begin below 0 and are one deep lie in their places",
          "[readers][amrex]") {
  const TemporaryFolder folder;
  const fs::path plot = folder / "plt00000";
  write_file(plot / "Header",
             "HyperCLaw-V1.1\n2\nzero\nrho\n3\n0.25\n1\n-2 0 0\n2 2 1\n((2,2,1))\n"
             "((-2,0,0) (1,1,0) (0,0,0)) ((-4,0,0) (3,3,0) (0,0,0))\n1 1\n1 1 1\n0.5 0.5 1\n0\n0\n"
             "0 1 0.25\n1\n-2 2\n0 2\n0 1\nLevel_0/Cell\n1 1 0.25\n1\n0 2\n0 2\n0 1\n"
             "Level_1/Cell\n");
  write_file(plot / "Level_0/Cell_H", cells_of("(-2,0,0) (1,1,0)"));
  write_file(plot / "Level_1/Cell_H", cells_of("(0,0,0) (3,3,0)"));
  write_file(plot / "Level_0/Cell_D_00000", "abc" + fab_bytes(-2, 0, 0, 1, 1, 0, 100, true));
  write_file(plot / "Level_1/Cell_D_00000", "abc" + fab_bytes(0, 0, 0, 3, 3, 0, 0, false));
  VolumeOptions options;
  options.dataset = "rho";
  const VolumeSourcePtr source = open_volume_source(plot.string(), options);
  REQUIRE(source->info().size == VolumeSize{8, 4, 1});
  const auto values = values_here(*source);
  // The left half is of coarse cells -2, -2, -1, -1, the right half of fine ones from 0 on.
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x) {
      CAPTURE(x, y);
      CHECK(values[static_cast<std::size_t>(y * 8 + x)] ==
            (x < 4 ? field(x / 2 - 2, y / 2, 0) + 100 : field(x - 4, y, 0)));
    }
}

TEST_CASE("AMReX levels come on one grid, coarse cells repeated", "[readers][amrex]") {
  const TemporaryFolder folder;
  const fs::path plot = folder / "plt00000";
  const std::string header =
      "HyperCLaw-V1.1\n2\nzero\nrho\n3\n0.25\n1\n0 0 0\n4 2 2\n2\n"
      "((0,0,0) (3,1,1) (0,0,0)) ((0,0,0) (7,3,3) (0,0,0))\n1 1\n1 1 1\n0.5 0.5 0.5\n0\n0\n"
      "0 1 0.25\n1\n0 4\n0 2\n0 2\nLevel_0/Cell\n1 1 0.25\n1\n0 2\n0 2\n0 2\nLevel_1/Cell\n";
  write_file(plot / "Header", header);
  write_file(plot / "Level_0/Cell_H", cells_of("(0,0,0) (3,1,1)"));
  write_file(plot / "Level_1/Cell_H", cells_of("(0,0,0) (3,3,3)"));
  write_file(plot / "Level_0/Cell_D_00000", "abc" + fab_bytes(0, 0, 0, 3, 1, 1, 100, true));
  write_file(plot / "Level_1/Cell_D_00000", "abc" + fab_bytes(0, 0, 0, 3, 3, 3, 0, false));
  VolumeOptions options;
  options.dataset = "rho";
  const VolumeSourcePtr source = open_volume_source(plot.string(), options);
  CHECK(source->info().size == VolumeSize{8, 4, 4});
  CHECK(source->info().place.origin == Vec3d{0.25, 0.25, 0.25});
  const auto values = values_here(*source);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 8; ++x) {
        CAPTURE(x, y, z);
        CHECK(values[static_cast<std::size_t>((z * 4 + y) * 8 + x)] ==
              (x < 4 ? field(x, y, z) : field(x / 2, y / 2, z / 2) + 100));
      }
  options.level = 0;
  CHECK(open_volume_source(plot.string(), options)->info().size == VolumeSize{4, 2, 2});
  CHECK(process_refusal(plot).find(": dataset: expected the name of one (--dataset NAME)") !=
        std::string::npos);
  options.level = -1;
  for (std::size_t length = 14; length + 1 < header.size(); ++length) {
    write_file(plot / "Header", header.substr(0, length));
    CAPTURE(length);
    CHECK_THROWS_AS(open_volume_source(plot.string(), options), InputError);
  }
  write_file(plot / "Header", header);
  write_file(plot / "Level_0/Cell_D_00000", "abc" + fab_bytes(0, 0, 0, 2, 1, 1, 100, true));
  CHECK_THROWS_AS(values_here(*open_volume_source(plot.string(), options)), InputError);
}

TEST_CASE("a reader that takes too long, and one that takes too much, become one line",
          "[readers][bad-input]") {
  const TemporaryFolder folder;
  write_file(folder / "a.nrrd",
             "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 5 4 3\n"
             "encoding: raw\n\n" +
                 field_bytes<std::uint8_t>());
  ReaderLimits limits;
  limits.open = std::chrono::milliseconds(1);  // less than a process takes to start
  CHECK(process_refusal(folder / "a.nrrd", {}, limits) ==
        (folder / "a.nrrd").string() +
            ": expected a volume, found one that takes its reader longer than 0.001 s");
  if (sanitized()) return;  // A sanitizer needs more memory than the reader is allowed below.
  write_file(folder / "a.zarr/.zarray",
             "{\"zarr_format\": 2, \"shape\": [9, 9, 9], \"chunks\": [1290, 1290, 1290],"
             "\"dtype\": \"|u1\", \"compressor\": null}");
  limits = {};
  limits.memory_bytes = std::uint64_t{1} << 30;
  CHECK(process_refusal(folder / "a.zarr", {}, limits) ==
        (folder / "a.zarr").string() +
            ": memory: expected a volume whose pieces fit 1024 MiB, found a larger one");
}

TEST_CASE("what is no volume, or one of a kind not read, is told so", "[readers][bad-input]") {
  const TemporaryFolder folder;
  write_file(folder / "a.vdb", std::string(" BDV\0\0\0\0", 8) + std::string(100, '\1'));
  CHECK(process_refusal(folder / "a.vdb").find("found OpenVDB: save its grid as") !=
        std::string::npos);
  write_file(folder / "a.bin", "nothing known");
  CHECK(process_refusal(folder / "a.bin").find(": expected a volume (NRRD, ") != std::string::npos);
  CHECK(process_refusal(folder / "none.nrrd").starts_with((folder / "none.nrrd").string() + ": "));
}

TEST_CASE("kinds of files that are not read are named, with what to do", "[readers][bad-input]") {
  const TemporaryFolder folder;
  const auto found_in = [&](const fs::path& path) {
    const std::string line = refusal_of(path);
    const std::string start =
        path.string() + ": expected a volume of a format that is read, found ";
    CAPTURE(line);
    CHECK(line.starts_with(start));
    return line.substr(std::min(start.size(), line.size()));
  };
  write_file(folder / "a.vtk", "# vtk DataFile Version 3.0\n");
  CHECK(found_in(folder / "a.vtk") ==
        "a legacy VTK file: save it as .vti (ParaView, or vtkXMLImageDataWriter)");
  write_file(folder / "a.npz", "PK\3\4");
  CHECK(found_in(folder / "a.npz") ==
        "an archive of NumPy: save one array as .npy (numpy.save(\"a.npy\", archive[name]))");
  write_file(folder / "scan/IM0001", std::string(128, '\0') + "DICM" + std::string(100, '\0'));
  CHECK(found_in(folder / "scan") == "a folder of DICOM: convert its series with dcm2niix");
  write_file(folder / "DD0010/DD0010.hierarchy", "");
  CHECK(found_in(folder / "DD0010") ==
        "a folder of Enzo: save a covering_grid of yt as .npy (numpy.save)");
  write_file(folder / "stack/1.tif", "II*");
  CHECK(found_in(folder / "stack") == "a folder of TIFF: save the stack as .nrrd or .mha (ImageJ)");
  write_file(folder / "plt00000/Header", "HyperCLaw-V1.1\n");
  CHECK(found_in(folder / "plt00000/Header") ==
        "the header of a plotfile: name its folder, " + (folder / "plt00000").string());
  write_file(folder / "a.npy", npy_file(1, "|u1", false, "(3, 4, 5)", field_bytes<std::uint8_t>()));
  VolumeOptions options;
  options.fixed["member"] = 1;
  CHECK(refusal_of(folder / "a.npy", options) ==
        (folder / "a.npy").string() +
            ": axis: expected none, as only NetCDF's axes have names, found \"member\"");
}

TEST_CASE("VTKHDF's image has its spacing, origin and directions", "[readers][hdf5]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.vtkhdf";
  const auto floats = field_floats(2);
  const auto make = [&](const char* type) {
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(id, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add_texts(group, "Type", {type});
    add_attribute(group, "WholeExtent", {1, 5, 0, 3, 0, 2});
    add_attribute(group, "Spacing", {2, 3, 4});
    add_attribute(group, "Origin", {10, 20, 30});
    // x goes along the world's y, and y against its x.
    add_attribute(group, "Direction", {0, -1, 0, 1, 0, 0, 0, 0, 1});
    H5Gclose(group);
    add_floats(id, "VTKHDF/PointData/density", {3, 4, 5}, floats.data());
    add_floats(id, "VTKHDF/PointData/steps", {2, 3, 4, 5}, floats.data());
    add_floats(id, "VTKHDF/CellData/of_cells", {2, 3, 4}, floats.data());
    H5Fclose(id);
  };
  make("ImageData");
  VolumeOptions options;
  options.dataset = "density";
  CHECK(fault_here(file, 1, options) == "");
  const VolumeInfo info = open_volume_source(file.string(), options)->info();
  CHECK(info.format == "VTKHDF");
  CHECK(info.place.spacing == Vec3d{2, 3, 4});
  CHECK(info.place.origin == Vec3d{10, 22, 30});  // the first point has index 1
  CHECK(info.place.axes[0] == Vec3d{0, 1, 0});
  CHECK(info.place.axes[1] == Vec3d{-1, 0, 0});
  options.dataset = "steps";
  CHECK(fault_here(file, 2, options) == "");
  options.dataset = "of_cells";
  // The first cell's middle lies half a step further in along all three directions.
  CHECK(open_volume_source(file.string(), options)->info().place.origin == Vec3d{8.5, 23, 32});
  make("UnstructuredGrid");
  CHECK(refusal_of(file, options) ==
        file.string() +
            ": VTKHDF Type: expected \"ImageData\" (ParaView's filter Resample To Image "
            "makes one), found \"UnstructuredGrid\"");
}

TEST_CASE("a volume of one slice becomes one that can be cast", "[readers]") {
  const TemporaryFolder folder;
  write_file(folder / "a.nrrd",
             "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 5 4 1\n"
             "spacings: 1 1 2\nencoding: raw\n\n" +
                 field_bytes<std::uint8_t>().substr(0, 20));
  VolumeFile file = VolumeFile::open((folder / "a.nrrd").string());
  const Volume volume = load_volume(file);
  CHECK(volume.size() == VolumeSize{5, 4, 2});
  CHECK(volume.place().origin == Vec3d{0, 0, -1});
  CHECK(volume.value_range() == ValueRange{0, 27});
  CHECK(volume.voxels<std::uint8_t>()[20 + 6] == field(1, 1, 0));
}

TEST_CASE("the only voxel along any axis becomes two around its place", "[readers]") {
  struct Thin {
    const char* sizes;
    VolumeSize size;
    Vec3d origin;
    std::vector<std::uint8_t> voxels;
  };
  const TemporaryFolder folder;
  for (const Thin& thin : {Thin{"1 2 2", {2, 2, 2}, {-2, 0, 0}, {1, 1, 2, 2, 3, 3, 4, 4}},
                           Thin{"2 1 2", {2, 2, 2}, {0, -3, 0}, {1, 2, 1, 2, 3, 4, 3, 4}},
                           Thin{"1 2 1", {2, 2, 2}, {-2, 0, -4}, {1, 1, 2, 2, 1, 1, 2, 2}}}) {
    CAPTURE(thin.sizes);
    const std::string bytes("\1\2\3\4", std::string_view(thin.sizes) == "1 2 1" ? 2 : 4);
    write_file(folder / "a.nrrd", std::string("NRRD0004\ntype: uchar\ndimension: 3\nsizes: ") +
                                      thin.sizes + "\nspacings: 4 6 8\nencoding: raw\n\n" + bytes);
    VolumeFile file = VolumeFile::open((folder / "a.nrrd").string());
    const Volume volume = load_volume(file);
    CHECK(volume.size() == thin.size);
    CHECK(volume.place().origin == thin.origin);
    const auto voxels = volume.voxels<std::uint8_t>();
    CHECK(std::vector<std::uint8_t>(voxels.begin(), voxels.end()) == thin.voxels);
  }
}
