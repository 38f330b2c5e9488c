// MetaImage, NIfTI-1 and NumPy arrays.

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "render/readers/formats/byte_source.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/load_volume.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

TEST_CASE("MetaImage is read with its data inside, beside, packed and as text", "[readers][meta]") {
  const TemporaryFolder folder;
  const std::string head =
      "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementSpacing = 1 2 3\n"
      "Offset = 4 5 6\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\n";
  const fs::path file = folder / "a.mha";
  write_file(file, head +
                       "ElementType = MET_SHORT\nBinaryDataByteOrderMSB = True\n"
                       "ElementDataFile = LOCAL\n" +
                       field_bytes<std::int16_t>(true));
  CHECK(fault_here(file) == "");
  const VolumePlace place = open_volume_source(file.string(), {})->info().place;
  CHECK(place.spacing == Vec3d{1, 2, 3});
  CHECK(place.origin == Vec3d{4, 5, 6});
  CHECK(place.axes[0] == Vec3d{0, 1, 0});
  write_file(folder / "b.mhd", head +
                                   "ElementType = MET_FLOAT\nHeaderSize = -1\n"
                                   "ElementDataFile = b.raw\n");
  write_file(folder / "b.raw", "xyz" + field_bytes<float>());
  CHECK(fault_here(folder / "b.mhd") == "");
  write_file(folder / "c.mhd", head +
                                   "ElementType = MET_FLOAT\nHeaderSize = 3\n"
                                   "ElementDataFile = b.raw\n");
  CHECK(fault_here(folder / "c.mhd") == "");
  std::string text;
  for_field(1, [&](int value, auto...) { text += std::to_string(value) + " "; });
  // Text has no order of bytes, whatever the header says.
  write_file(file,
             head +
                 "ElementType = MET_SHORT\nBinaryData = False\nBinaryDataByteOrderMSB = True\n"
                 "ElementDataFile = LOCAL\n" +
                 text);
  CHECK(fault_here(file) == "");
  const std::string whole = head +
                            "ElementType = MET_DOUBLE\nCompressedData = True\n"
                            "ElementDataFile = LOCAL\n" +
                            deflated(field_bytes<double>(), false);
  write_file(file, whole);
  CHECK(fault_here(file) == "");
  check_truncations(file, whole);
  write_file(file, head + "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n123");
  CHECK(refusal_of(file).find(": data: expected 60 bytes of u8, as DimSize says, found 3") !=
        std::string::npos);
}

TEST_CASE("NIfTI-1 is read in both byte orders, packed, scaled and placed", "[readers][nifti]") {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    write_file(folder / "a.nii", nifti_file(big, 0, 0, 1));
    CHECK(fault_here(folder / "a.nii") == "");
  }
  write_file(folder / "a.nii.gz", deflated(nifti_file(false, 0.5f, -3, 4), true));
  CHECK(fault_here(folder / "a.nii.gz", 4, {}, 0.5, -3) == "");
  const VolumeInfo info = open_volume_source((folder / "a.nii.gz").string(), {})->info();
  CHECK(info.type == VoxelType::u16);
  CHECK(info.place.spacing == Vec3d{2, 3, 4});
  CHECK(info.place.origin == Vec3d{10, 20, 30});
  CHECK(info.place.axes[0] == Vec3d{-1, 0, 0});
  CHECK(info.times == std::vector<double>{0, 0.5, 1, 1.5});

  // Lengths are in metres, millimetres or micrometres, times in s, ms or us; other codes have no
  // unit.
  const std::pair<char, Vec3d> lengths[] = {
      {1, {2000, 3000, 4000}}, {2, {2, 3, 4}}, {3, {0.002, 0.003, 0.004}}, {0, {2, 3, 4}}};
  for (const auto& [code, spacing] : lengths) {
    CAPTURE(int{code});
    std::string bytes = nifti_file(false, 0, 0, 1);
    bytes[123] = code;
    write_file(folder / "a.nii", bytes);
    const VolumeInfo in_unit = open_volume_source((folder / "a.nii").string(), {})->info();
    CHECK(in_unit.place.spacing.x == Approx(spacing.x));
    CHECK(in_unit.place.spacing.y == Approx(spacing.y));
    CHECK(in_unit.place.spacing.z == Approx(spacing.z));
  }
  for (const auto& [code, third_s] : {std::pair{8, 1.0}, {16, 1e-3}, {24, 1e-6}}) {
    CAPTURE(code);
    std::string bytes = nifti_file(false, 0, 0, 4);
    bytes[123] = static_cast<char>(2 + code);
    write_file(folder / "a.nii", bytes);
    const VolumeInfo in_unit = open_volume_source((folder / "a.nii").string(), {})->info();
    CHECK(in_unit.times.at(2) == Approx(third_s));
  }

  // A quaternion of (0.2, 0.4, 0.8, 0.4) and qfac -1, which turns the third axis round.
  std::string turned = nifti_file(false, 0, 0, 1);
  turned[254] = 0;
  turned[252] = 1;
  turned.replace(76, 4, bytes_of_number(-1.0f));
  for (const auto& [at, number] :
       {std::pair{256, 0.4f}, {260, 0.8f}, {264, 0.4f}, {268, 5.0f}, {272, 6.0f}, {276, 7.0f}})
    turned.replace(static_cast<std::size_t>(at), 4, bytes_of_number(number));
  write_file(folder / "a.nii", turned);
  const VolumePlace place = open_volume_source((folder / "a.nii").string(), {})->info().place;
  CHECK(place.spacing.x == Approx(2));
  CHECK(place.spacing.y == Approx(3));
  CHECK(place.spacing.z == Approx(4));
  CHECK(place.origin == Vec3d{5, 6, 7});
  const Vec3d turned_axes[] = {{-0.6, 0.8, 0}, {0.48, 0.36, 0.8}, {-0.64, -0.48, 0.6}};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(place.axes[i].x == Approx(turned_axes[i].x).margin(1e-6));
    CHECK(place.axes[i].y == Approx(turned_axes[i].y).margin(1e-6));
    CHECK(place.axes[i].z == Approx(turned_axes[i].z).margin(1e-6));
  }

  turned[123] = 1;  // metres
  write_file(folder / "a.nii", turned);
  CHECK(open_volume_source((folder / "a.nii").string(), {})->info().place.origin ==
        Vec3d{5000, 6000, 7000});

  std::string by_pixdim = nifti_file(false, 0, 0, 1);
  by_pixdim[254] = 0;
  by_pixdim.replace(84, 4, bytes_of_number(-3.0f));
  write_file(folder / "a.nii", by_pixdim);
  CHECK(refusal_of(folder / "a.nii").find(": pixdim: expected a length above 0, found -3") !=
        std::string::npos);
  check_truncations(folder / "a.nii", nifti_file(false, 0, 0, 1));
  const std::string packed = deflated(nifti_file(false, 0, 0, 1), true);
  check_truncations(folder / "a.nii.gz", packed, 7);
}

TEST_CASE("a NIfTI file says where its numbers begin, which is not within its header",
          "[readers][nifti]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nii";
  const std::string whole = nifti_file(false, 0, 0, 1);
  const auto write_with = [&](float offset, std::size_t begin) {
    std::string bytes = whole.substr(0, 348);
    bytes.replace(108, 4, bytes_of_number(offset));
    write_file(file, bytes + std::string(begin - 348, '\0') + whole.substr(352));
  };
  // Directly behind the header, behind its empty extension, behind a longer one; 0 is the usual.
  for (const auto& [offset, begin] :
       std::vector<std::pair<float, std::size_t>>{{348, 348}, {352, 352}, {400, 400}, {0, 352}}) {
    CAPTURE(offset);
    write_with(offset, begin);
    CHECK(fault_here(file) == "");
  }
  for (const float offset : {347.0F, 1.0F, -1.0F, 352.5F, 1e16F}) {
    CAPTURE(offset);
    write_with(offset, 352);
    CHECK(refusal_of(file).find(": vox_offset: expected 352 or more bytes") != std::string::npos);
  }
}

TEST_CASE("NumPy arrays are the same volume in both orders", "[readers][npy]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.npy";
  std::string fortran;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 3; ++z) fortran += bytes_of_number(static_cast<float>(field(x, y, z)));
  write_file(file, npy_file(1, "<f4", true, "(3, 4, 5)", fortran));
  CHECK(fault_here(file) == "");
  write_file(file, npy_file(2, ">i8", false, "(4, 3, 4, 5)", field_bytes<std::int64_t>(true, 4)));
  CHECK(fault_here(file, 4) == "");
  std::string halves;
  for_field(1, [&](int value, auto...) {
    const auto bits = static_cast<unsigned>(std::ilogb(std::max(value, 1)));
    const unsigned fraction =
        value == 0 ? 0 : (static_cast<unsigned>(value) << (10 - bits)) & 1023u;
    halves +=
        bytes_of_number(static_cast<std::uint16_t>(value == 0 ? 0 : (bits + 15) << 10 | fraction));
  });
  write_file(file, npy_file(3, "<f2", false, "(3, 4, 5)", halves));
  CHECK(fault_here(file) == "");
  check_truncations(file, npy_file(1, "|u1", false, "(3, 4, 5)", field_bytes<std::uint8_t>()));
  write_file(file, npy_file(1, "<c8", false, "(3, 4, 5)", fortran + fortran));
  CHECK(refusal_of(file).find(": descr: expected") != std::string::npos);
  write_file(file, npy_file(1, "<f4", false, "(60,)", fortran));
  CHECK(refusal_of(file).find(": shape: expected 3 indices") != std::string::npos);
}

TEST_CASE("a file whose bytes say nothing is of the kind that its name says", "[readers]") {
  const TemporaryFolder folder;
  for (const auto& [name, kind] : std::vector<std::pair<std::string, VolumeKind>>{
           {"a.nrrd", VolumeKind::nrrd},     {"a.nhdr", VolumeKind::nrrd},
           {"a.npy", VolumeKind::npy},       {"a.vti", VolumeKind::vti},
           {"a.vtr", VolumeKind::vti},       {"a.pvd", VolumeKind::pvd},
           {"a.h5", VolumeKind::hdf5},       {"a.HDF5", VolumeKind::hdf5},
           {"a.vtkhdf", VolumeKind::hdf5},   {"a.nc", VolumeKind::netcdf},
           {"a.nc4", VolumeKind::netcdf},    {"a.vdb", VolumeKind::openvdb},
           {"a.dcm", VolumeKind::dicom},     {"a.mhd", VolumeKind::metaimage},
           {"a.mha", VolumeKind::metaimage}, {"a.nii", VolumeKind::nifti},
           {"a.nii.gz", VolumeKind::nifti},  {"a.hdr.gz", VolumeKind::nifti},
           {"a.raw", VolumeKind::raw},       {"a.toml", VolumeKind::none},
           {"a.gz", VolumeKind::none},       {"a.dat", VolumeKind::none}}) {
    CAPTURE(name);
    write_file(folder / name, "what is this?");
    CHECK(volume_kind_of((folder / name).string()) == kind);
  }
  const std::string hdf5 = "\x89HDF\r\n\x1a\n";
  for (const std::size_t user_block : {0U, 512U, 1024U, 2048U}) {
    CAPTURE(user_block);
    write_file(folder / "b.bin", std::string(user_block, ' ') + hdf5);
    CHECK(volume_kind_of((folder / "b.bin").string()) == VolumeKind::hdf5);
    write_file(folder / "b.cdf", std::string(user_block, ' ') + hdf5);
    CHECK(volume_kind_of((folder / "b.cdf").string()) == VolumeKind::netcdf);
  }
  write_file(folder / "b.bin", std::string(1536, ' ') + hdf5);
  CHECK(volume_kind_of((folder / "b.bin").string()) == VolumeKind::none);
}

TEST_CASE("a packed file that ends early is refused with the end of what was read", "[readers]") {
  const TemporaryFolder folder;
  std::string numbers;
  for (int i = 0; i < 50; ++i) numbers += static_cast<char>(i);
  write_file(folder / "a.gz", deflated(numbers, true));
  const ByteSourcePtr bytes = inflated_bytes(folder / "a.gz", 0, Wrapper::gzip);
  std::array<std::byte, 20> into = {};
  for (const std::uint64_t offset : {30U, 0U, 10U, 10U, 30U}) {
    bytes->read(offset, into);
    CHECK(into[0] == static_cast<std::byte>(offset));
    CHECK(into[19] == static_cast<std::byte>(offset + 19));
  }
  CHECK_THROWS_WITH(bytes->read(40, into),
                    (folder / "a.gz").string() + ": data: expected 60 bytes, found 50 bytes");
  CHECK(inflated_bytes(folder / "a.gz", 0, Wrapper::gzip)->measure() == 50);
}

TEST_CASE("a NumPy header of version 2 may be longer than 64 KiB, up to 1 MiB", "[readers][npy]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.npy";
  const auto with_header_bytes = [&](int version, std::size_t header_bytes) {
    const std::string shape = "(3, 4, 5)";
    // "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5), }" and the line's end
    const std::string spaces(header_bytes - 63, ' ');
    write_file(file, npy_file(version, "|u1", false, shape + spaces, field_bytes<std::uint8_t>()));
  };
  with_header_bytes(1, 65535);  // 0xFFFF
  CHECK(fault_here(file) == "");
  with_header_bytes(2, 70000);  // 0x11170: three of its four bytes are not 0
  CHECK(fault_here(file) == "");
  with_header_bytes(2, 1048576);
  CHECK(fault_here(file) == "");
  with_header_bytes(3, 1048577);
  CHECK(refusal_of(file) ==
        file.string() + ": header: expected at most 1048576 bytes, found 1048577 bytes");
}

TEST_CASE("NumPy's last axis of two to four numbers is a vector's, in a series too",
          "[readers][npy]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.npy";
  std::string vectors;  // (0, 3 v, 4 v), whose length is 5 v
  for_field(2, [&](int value, auto...) {
    vectors += bytes_of_number(0.0F) + bytes_of_number(3.0F * static_cast<float>(value)) +
               bytes_of_number(4.0F * static_cast<float>(value));
  });
  write_file(file, npy_file(1, "<f4", false, "(2, 3, 4, 5, 3)", vectors));
  CHECK(fault_here(file, 2, {}, 5) == "");
  CHECK(open_volume_source(file.string(), {})->info().interpretation == "time, z, y, x, component");
  VolumeOptions second;
  second.component = 1;
  CHECK(fault_here(file, 2, second, 3) == "");
  write_file(file,
             npy_file(1, "<f4", false, "(3, 4, 5, 3)", vectors.substr(0, vectors.size() / 2)));
  CHECK(fault_here(file, 1, {}, 5) == "");
  CHECK(open_volume_source(file.string(), {})->info().interpretation == "z, y, x, component");
  second.component = 3;
  CHECK(refusal_of(file, second) == file.string() + ": component: expected 0 to 2, found 3");
  write_file(file, npy_file(1, "<f4", false, "(4, 3, 4, 5)", field_bytes<float>(false, 4)));
  CHECK(open_volume_source(file.string(), {})->info().interpretation == "time, z, y, x");
}

TEST_CASE("NIfTI-2 is read in both byte orders, where NIfTI-1 would be", "[readers][nifti]") {
  const TemporaryFolder folder;
  write_file(folder / "first.nii", nifti_file(false, 0, 0, 1));
  const VolumePlace first = open_volume_source((folder / "first.nii").string(), {})->info().place;
  for (const bool big : {false, true}) {
    write_file(folder / "a.nii", nifti2_file(big));
    CHECK(fault_here(folder / "a.nii") == "");
    const VolumeInfo info = open_volume_source((folder / "a.nii").string(), {})->info();
    CHECK(info.format == "NIfTI-2");
    CHECK(info.is_anatomical);
    CHECK(info.place.origin == first.origin);
    CHECK(info.place.axes == first.axes);
    CHECK(info.place.spacing == first.spacing);
  }
  write_file(folder / "a.nii.gz", deflated(nifti2_file(false), true));
  CHECK(fault_here(folder / "a.nii.gz") == "");
  check_truncations(folder / "a.nii", nifti2_file(false));
}

TEST_CASE("values are counted that a logarithm leaves out", "[readers]") {
  const TemporaryFolder folder;
  std::string bytes;
  for (const float value : {NAN, -2.0f, 0.0f, 1e-30f, 5.0f, -0.0f, 3.0f, 1.0f})
    bytes += bytes_of_number(value);
  write_file(folder / "a.npy", npy_file(1, "<f4", false, "(2, 2, 2)", bytes));
  VolumeFile file = VolumeFile::open((folder / "a.npy").string());
  const ScannedValues found = scan_values(file);
  CHECK(found.range == ValueRange{-2, 5});
  CHECK(found.not_positive == 3);
  write_file(folder / "b.npy",
             npy_file(1, "|u1", false, "(1, 2, 2)", std::string({'\0', '\1', '\2', '\0'})));
  VolumeFile whole = VolumeFile::open((folder / "b.npy").string());
  CHECK(scan_values(whole).not_positive == 2);
}

TEST_CASE("what is not a number is empty, and constant data are read", "[readers]") {
  const TemporaryFolder folder;
  std::string bytes;
  for (const float value : {NAN, INFINITY, -INFINITY, 1.0f}) bytes += bytes_of_number(value);
  write_file(folder / "a.npy", npy_file(1, "<f4", false, "(1, 1, 4)", bytes));
  auto source = open_volume_source((folder / "a.npy").string(), {});
  auto values = values_here(*source);
  CHECK(
      (std::isnan(values[0]) && std::isnan(values[1]) && std::isnan(values[2]) && values[3] == 1));
  bytes.clear();
  for (const double value : {1.0, HUGE_VAL, std::numeric_limits<double>::max(), 2.0})
    bytes += bytes_of_number(value);
  write_file(folder / "c.npy", npy_file(1, "<f8", false, "(1, 1, 4)", bytes));
  values = values_here(*open_volume_source((folder / "c.npy").string(), {}));
  CHECK((std::isnan(values[1]) && std::isnan(values[2]) && values[3] == 2));
  write_file(folder / "c.npy",
             npy_file(1, "<f8", false, "(1, 1, 4)", bytes.substr(0, 24) + bytes_of_number(1e200)));
  VolumeFile large = VolumeFile::open((folder / "c.npy").string());
  CHECK_THROWS_WITH(scan_values(large), (folder / "c.npy").string() +
                                            ": values: expected numbers of at most 3.4e+38, "
                                            "as voxels are float32, found 1e+200");
  write_file(folder / "b.npy", npy_file(1, "|u1", false, "(1, 4097, 2)", std::string(8194, '\7')));
  source = open_volume_source((folder / "b.npy").string(), {});
  CHECK(source->info().size == VolumeSize{2, 4097, 1});
  values = values_here(*source);
  CHECK(std::count(values.begin(), values.end(), 7.0) == 8194);
}

TEST_CASE("a sheared grid becomes a box, to whichever side it leans", "[readers]") {
  const FieldPlace field{"a.file", "steps"};
  for (const double lean : {-1.0, 1.0}) {
    CAPTURE(lean);
    std::vector<std::string> notes;
    const VolumePlace place =
        place_of_steps({1, 2, 3}, {Vec3d{2, 0, 0}, {lean, 1, 0}, {0, 0, 5}}, field, notes);
    CHECK(notes == std::vector<std::string>{"the grid is sheared: it is taken as a box"});
    CHECK(place.origin == Vec3d{1, 2, 3});
    CHECK(place.spacing.x == Approx(2));
    CHECK(place.spacing.y == Approx(std::sqrt(2.0)));
    CHECK(place.spacing.z == Approx(5));
    CHECK(place.axes[1].x == Approx(0).margin(1e-12));
    CHECK(place.axes[1].y == Approx(1));
    // A cosine of 0.0004 is still a right angle, one of 0.0006 is not.
    for (const double cosine : {0.0004, 0.0006}) {
      notes.clear();
      static_cast<void>(
          place_of_steps({}, {Vec3d{1, 0, 0}, {lean * cosine, 1, 0}, {0, 0, 1}}, field, notes));
      CHECK(notes.size() == (cosine > 0.0005 ? 1 : 0));
    }
  }
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(place_of_steps({}, {Vec3d{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, field, notes),
                    "a.file: steps: expected three directions, found some in one plane");
}

TEST_CASE("a number in a header is all of its word", "[readers]") {
  CHECK(parse_whole("12") == 12);
  CHECK(parse_whole("+12") == 12);
  CHECK(parse_whole("-12") == -12);
  for (const char* const text : {"", "12x", "x12", "1 2", "1.5", "99999999999999999999"})
    CHECK_FALSE(parse_whole(text));
  CHECK(parse_real("+1.5e2") == 150);
  for (const char* const text : {"", "1.5x", "1,5", "1e999"}) CHECK_FALSE(parse_real(text));
}
