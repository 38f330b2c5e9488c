// Volume formats whose headers are ours to parse: raw, NRRD, MetaImage, NIfTI-1, NumPy, VTI,
// series.

#include <libdeflate.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "render/readers/formats/element.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

std::string deflated(const std::string& bytes, bool gzip) {
  libdeflate_compressor* packer = libdeflate_alloc_compressor(6);
  std::string packed(bytes.size() + 1000, '\0');
  const auto pack = gzip ? libdeflate_gzip_compress : libdeflate_zlib_compress;
  packed.resize(pack(packer, bytes.data(), bytes.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(packer);
  return packed;
}

std::string base64(const std::string& bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : letters[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string refusal_of(const fs::path& path, const VolumeOptions& options = {}) {
  try {
    const VolumeSourcePtr source = open_volume_source(path.string(), options);
    values_here(*source);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// Every truncation is refused in one line that names the file, or one beside it.
void check_truncations(const fs::path& file, const std::string& whole, std::size_t step = 1) {
  for (std::size_t length = 0; length < whole.size(); length += step) {
    write_file(file, whole.substr(0, length));
    const std::string line = refusal_of(file);
    CAPTURE(length, line);
    REQUIRE(line.starts_with(file.parent_path().string()));
    REQUIRE(line.find('\n') == std::string::npos);
  }
}

std::string nrrd_text(const std::string& more) {
  return "NRRD0004\n# made by hand\ndimension: 3\nsizes: 5 4 3\n" + more;
}

template <typename T>
void check_nrrd_type(const fs::path& folder, const std::string& type) {
  for (const bool big : {false, true}) {
    CAPTURE(type, big);
    write_file(folder / "a.nrrd", nrrd_text("type: " + type + "\nencoding: raw\nendian: " +
                                            (big ? "big" : "little") + "\n\n") +
                                      field_bytes<T>(big));
    CHECK(fault_here(folder / "a.nrrd") == "");
  }
}

}  // namespace

TEST_CASE("NRRD of every type and both byte orders is read", "[readers][nrrd]") {
  const TemporaryFolder folder;
  check_nrrd_type<std::int8_t>(folder.path(), "signed char");
  check_nrrd_type<std::uint8_t>(folder.path(), "uint8");
  check_nrrd_type<std::int16_t>(folder.path(), "short");
  check_nrrd_type<std::uint16_t>(folder.path(), "ushort");
  check_nrrd_type<std::int32_t>(folder.path(), "int");
  check_nrrd_type<std::uint32_t>(folder.path(), "uint32");
  check_nrrd_type<std::int64_t>(folder.path(), "longlong");
  check_nrrd_type<std::uint64_t>(folder.path(), "uint64_t");
  check_nrrd_type<float>(folder.path(), "float");
  check_nrrd_type<double>(folder.path(), "double");
}

TEST_CASE("NRRD in all its encodings and files is read", "[readers][nrrd]") {
  const TemporaryFolder folder;
  const std::string bytes = field_bytes<std::int16_t>();
  const std::string type = "type: short\nendian: little\n";
  const fs::path file = folder / "a.nrrd";
  SECTION("gzip, in two members and after skipped lines") {
    write_file(file, nrrd_text(type + "encoding: gzip\nline skip: 2\n\n") + "one\ntwo\n" +
                         deflated(bytes.substr(0, 31), true) + deflated(bytes.substr(31), true));
    CHECK(fault_here(file) == "");
  }
  SECTION("gzip, the last bytes of what it holds") {
    write_file(file, nrrd_text(type + "encoding: gzip\nbyte skip: -1\n\n") +
                         deflated("abcdefg" + bytes, true));
    CHECK(fault_here(file) == "");
  }
  SECTION("text") {
    std::string text;
    for_field(1, [&](int value, auto...) { text += std::to_string(value) + "\n"; });
    write_file(file, nrrd_text("type: float\nencoding: ascii\n\n") + text);
    CHECK(fault_here(file) == "");
  }
  SECTION("detached, at the end of its file") {
    write_file(folder / "a.nhdr",
               nrrd_text(type + "encoding: raw\nbyte skip: -1\ndata file: a.raw\n"));
    write_file(folder / "a.raw", "header" + bytes);
    CHECK(fault_here(folder / "a.nhdr") == "");
  }
  SECTION("a file each slice, by a pattern and by a list") {
    for (int z = 0; z < 3; ++z)
      write_file(folder / ("s0" + std::to_string(z + 1)),
                 bytes.substr(static_cast<std::size_t>(z) * 40, 40));
    for (const char* files : {"data file: s%02d 1 3 1\n", "data file: LIST\ns01\ns02\ns03\n"}) {
      write_file(folder / "a.nhdr", nrrd_text(type + "encoding: raw\n" + files));
      CHECK(fault_here(folder / "a.nhdr") == "");
    }
  }
  SECTION("timesteps as the first axis, and vectors") {
    std::string mixed, vectors;
    for_field(1, [&](int value, int x, int y, int z, int) {
      for (int t = 0; t < 4; ++t) mixed += bytes_of_number(static_cast<float>(field(x, y, z, t)));
      vectors += bytes_of_number(3.0f * static_cast<float>(value)) +
                 bytes_of_number(4.0f * static_cast<float>(value));
    });
    const std::string head = "NRRD0005\ntype: float\nendian: little\nencoding: raw\ndimension: 4\n";
    write_file(file, head + "sizes: 4 5 4 3\nkinds: list domain domain domain\n\n" + mixed);
    CHECK(fault_here(file, 4) == "");
    write_file(file, head + "sizes: 2 5 4 3\nkinds: 2-vector space space space\n\n" + vectors);
    CHECK(fault_here(file, 1, {}, 5) == "");
    VolumeOptions second;
    second.component = 1;
    CHECK(fault_here(file, 1, second, 4) == "");
    second.component = 2;
    CHECK(refusal_of(file, second) == file.string() + ": component: expected 0 to 1, found 2");
    // Without one of its components a vector is none, whatever the others are.
    const std::string doubles =
        "NRRD0005\ntype: double\nendian: little\nencoding: raw\n"
        "dimension: 4\nsizes: 2 1 1 2\nkinds: 2-vector space space space\n\n";
    const std::string good = bytes_of_number(3.0) + bytes_of_number(4.0);
    write_file(file, doubles + bytes_of_number(1e200) + bytes_of_number(std::nan("")) + good);
    const auto lengths = values_here(*open_volume_source(file.string(), {}));
    CHECK(std::isnan(lengths.front()));
    CHECK(lengths.back() == 5);
    write_file(file, doubles + bytes_of_number(1e200) + bytes_of_number(1.0) + good);
    CHECK(refusal_of(file).find("1e+200") != std::string::npos);
  }
}

TEST_CASE("numbers written as text reach the ends of their type", "[readers][nrrd]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nrrd";
  struct Type {
    const char* name;
    std::vector<float> ends;
  };
  for (const Type& type :
       {Type{"uchar", {0, 255, 1, 254}}, Type{"int8", {-128, 127, -1, 126}},
        Type{"uint16", {0, 65535, 1, 65534}}, Type{"int16", {-32768, 32767, 0, 1}}}) {
    CAPTURE(type.name);
    std::string text;
    for (const float end : type.ends)
      for (int i = 0; i < 2; ++i) text += std::to_string(static_cast<int>(end)) + " ";
    write_file(file, std::string("NRRD0004\ndimension: 3\nsizes: 2 2 2\nencoding: ascii\ntype: ") +
                         type.name + "\n\n" + text + "\n");
    const auto found = values_here(*open_volume_source(file.string(), {}));
    REQUIRE(found.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) CHECK(found[i] == type.ends[i / 2]);
  }
}

TEST_CASE("NRRD says where its voxels are", "[readers][nrrd]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nrrd";
  const auto place_with = [&](const std::string& fields) {
    write_file(file, nrrd_text("type: uchar\nencoding: raw\n" + fields + "\n") +
                         field_bytes<std::uint8_t>());
    return open_volume_source(file.string(), {})->info().place;
  };
  CHECK(place_with("spacings: 0.5 1 2\n").spacing == Vec3d{0.5, 1, 2});
  const VolumePlace turned = place_with(
      "space: left-posterior-superior\nspace directions: (0,2,0) (-3,0,0) (0,0,4)\n"
      "space origin: (1,2,3)\n");
  CHECK(turned.spacing == Vec3d{2, 3, 4});
  CHECK(turned.origin == Vec3d{1, 2, 3});
  CHECK(turned.axes[0] == Vec3d{0, 1, 0});
  CHECK(turned.axes[1] == Vec3d{-1, 0, 0});
}

TEST_CASE("with time as its first axis a NRRD's places are those of its other axes",
          "[readers][nrrd]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nrrd";
  const std::string head =
      "NRRD0005\ntype: uchar\nencoding: raw\ndimension: 4\nsizes: 2 5 4 3\n"
      "kinds: time domain domain domain\n";
  const auto place_with = [&](const std::string& fields) {
    write_file(file, head + fields + "\n" + std::string(2 * 5 * 4 * 3, 'a'));
    return open_volume_source(file.string(), {})->info().place;
  };
  CHECK(place_with("spacings: 7 0.5 1 2\n").spacing == Vec3d{0.5, 1, 2});
  CHECK(place_with("spacings: nan 0.5 nan 2\n").spacing == Vec3d{0.5, 1, 2});
  const VolumePlace turned = place_with(
      "space dimension: 3\nspace directions: none (0,2,0) (3,0,0) (0,0,4)\n"
      "space origin: (1,2,3)\n");
  CHECK(turned.spacing == Vec3d{2, 3, 4});
  CHECK(turned.axes[0] == Vec3d{0, 1, 0});
  CHECK(turned.origin == Vec3d{1, 2, 3});
}

TEST_CASE("a NRRD that makes no sense is refused in one line", "[readers][nrrd][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nrrd";
  const std::string bytes = field_bytes<std::uint8_t>();
  const auto line_of = [&](const std::string& header, const std::string& data) {
    write_file(file, "NRRD0004\n" + header + "\n" + data);
    const std::string line = refusal_of(file);
    REQUIRE(line.starts_with(file.string() + ": "));
    return line.substr(file.string().size() + 2);
  };
  const std::string good = "type: uchar\nencoding: raw\ndimension: 3\n";
  CHECK(line_of(good + "sizes: 5 4 3\n", bytes.substr(1)) ==
        "data: expected 60 bytes of u8, as sizes says, found 59 bytes");
  CHECK(line_of(good + "sizes: 5 4 3\n", bytes + "x").find("found 61 bytes") != std::string::npos);
  CHECK(line_of(good + "sizes: 5 4 0\n", bytes) == "sizes: expected lengths of 1 or more, found 0");
  CHECK(line_of(good + "sizes: 1000000 1000000 1000000\n", bytes)
            .starts_with("sizes: expected at most"));
  CHECK(line_of(good + "sizes: 9223372036854775807 9223372036854775807 9\n", bytes)
            .starts_with("sizes: expected "));
  CHECK(line_of(good + "sizes: 92233720368547758070 2 9\n", bytes)
            .starts_with("sizes: expected whole numbers, found"));
  CHECK(line_of(good + "sizes: 5 4 3\nspacings: 1 0 1\n", bytes) ==
        "spacings: expected a length above 0, found 0");
  CHECK(line_of(good + "sizes: 5 4 3\nspacings: 1 -2 1\n", bytes) ==
        "spacings: expected a length above 0, found -2");
  CHECK(line_of(good + "sizes: 5 4 3\nspace directions: (1,0,0) (2,0,0) (0,0,1)\n", bytes) ==
        "space directions: expected three directions, found some in one plane");
  CHECK(line_of("type: block\nencoding: raw\ndimension: 3\nsizes: 5 4 3\n", bytes)
            .starts_with("type: expected "));
  CHECK(line_of("type: short\nencoding: raw\ndimension: 3\nsizes: 5 4 3\n", bytes) ==
        "endian: expected little or big, found nothing");
  CHECK(line_of("type: uchar\nencoding: bzip2\ndimension: 3\nsizes: 5 4 3\n", bytes) ==
        "encoding: expected raw, gzip or ascii, found \"bzip2\"");
  const std::string packed = deflated(bytes, true);
  CHECK(line_of("type: uchar\nencoding: gzip\ndimension: 3\nsizes: 5 4 3\n",
                packed.substr(0, packed.size() - 20))
            .starts_with("data: expected "));
  std::string wrong = packed;
  wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 1);
  const std::string gzip = "type: uchar\nencoding: gzip\ndimension: 3\nsizes: 5 4 3\n";
  CHECK(line_of(gzip, wrong) ==
        "data: expected a deflated stream without damage, found a wrong checksum");
  CHECK(line_of(gzip, deflated(bytes + "x", true)) == "data: expected 60 bytes, found 61 bytes");
  check_truncations(file, nrrd_text("type: uchar\nencoding: raw\n\n") + bytes);
}

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

namespace {

std::string nifti_file(bool big, float slope, float intercept, int timesteps) {
  std::string bytes(352, '\0');
  const auto put = [&](std::size_t at, auto number) {
    bytes.replace(at, sizeof number, bytes_of_number(number, big));
  };
  put(0, std::int32_t{348});
  const std::int16_t sides[] = {static_cast<std::int16_t>(timesteps > 1 ? 4 : 3),
                                5,
                                4,
                                3,
                                static_cast<std::int16_t>(timesteps),
                                1,
                                1,
                                1};
  for (std::size_t i = 0; i < 8; ++i) put(40 + 2 * i, sides[i]);
  put(70, std::int16_t{4});
  put(72, std::int16_t{16});
  const float steps[] = {1, 2, 3, 4, 0.5f};
  for (std::size_t i = 0; i < 5; ++i) put(76 + 4 * i, steps[i]);
  put(108, 352.0f);
  put(112, slope);
  put(116, intercept);
  bytes[123] = 2 + 8;  // mm, s
  put(254, std::int16_t{1});
  const float rows[3][4] = {{-2, 0, 0, 10}, {0, 3, 0, 20}, {0, 0, 4, 30}};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 4; ++c) put(280 + 16 * r + 4 * c, rows[r][c]);
  bytes.replace(344, 4, std::string("n+1\0", 4));
  return bytes + field_bytes<std::int16_t>(big, timesteps);
}

}  // namespace

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

namespace {

std::string npy_file(int version, const std::string& descr, bool fortran, const std::string& shape,
                     const std::string& data) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  const std::string length = version == 1
                                 ? bytes_of_number(static_cast<std::uint16_t>(header.size()))
                                 : bytes_of_number(static_cast<std::uint32_t>(header.size()));
  return "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0') + length +
         header + data;
}

}  // namespace

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
  CHECK_THROWS_WITH(find_value_range(large), (folder / "c.npy").string() +
                                                 ": values: expected numbers of at most 3.4e+38, "
                                                 "as voxels are float32, found 1e+200");
  write_file(folder / "b.npy", npy_file(1, "|u1", false, "(1, 4097, 2)", std::string(8194, '\7')));
  source = open_volume_source((folder / "b.npy").string(), {});
  CHECK(source->info().size == VolumeSize{2, 4097, 1});
  values = values_here(*source);
  CHECK(std::count(values.begin(), values.end(), 7.0) == 8194);
}

TEST_CASE("raw files are what their sidecar says", "[readers][raw]") {
  const TemporaryFolder folder;
  const std::string sidecar =
      "size = [5, 4, 3]\ntype = \"u16\"\nendian = \"big\"\n"
      "spacing = [1, 1.5, 2.5]\norigin = [1, 2, 3]\n";
  write_file(folder / "a.toml", sidecar + "header_bytes = 7\nscale = 2.0\noffset = -1\n");
  write_file(folder / "a.raw", "headers" + field_bytes<std::uint16_t>(true));
  CHECK(fault_here(folder / "a.raw", 1, {}, 2, -1) == "");
  const VolumeInfo info = open_volume_source((folder / "a.toml").string(), {})->info();
  CHECK(info.place.spacing == Vec3d{1, 1.5, 2.5});
  CHECK(info.place.origin == Vec3d{1, 2, 3});

  write_file(folder / "t.toml", sidecar + "file = \"t-%04d.raw\"\n");
  const std::string all = field_bytes<std::uint16_t>(true, 4);
  for (std::size_t t = 0; t < 4; ++t)
    write_file(folder / ("t-000" + std::to_string(t + 3) + ".raw"), all.substr(t * 120, 120));
  CHECK(fault_here(folder / "t.toml", 4) == "");
  write_file(folder / "t-0009.raw", "x");
  CHECK(refusal_of(folder / "t.toml") ==
        (folder / "t-0009.raw").string() +
            ": data: expected 120 bytes after 0, as t.toml says, found 1 bytes");

  write_file(folder / "c.raw", "x");
  CHECK(refusal_of(folder / "c.raw").find("c.raw: expected a sidecar beside it, ") !=
        std::string::npos);

  const auto line_of = [&](const std::string& text) {
    write_file(folder / "b.toml", text);
    const std::string line = refusal_of(folder / "b.toml");
    REQUIRE(line.starts_with((folder / "b.toml").string() + ":"));
    return line.substr((folder / "b.toml").string().size() + 1);
  };
  CHECK(line_of("size = [5, 4]\ntype = \"u8\"\n") ==
        "1: size: expected an array of 3 values, each an integer in [1, 1048576], found an array "
        "of 2 values");
  CHECK(line_of("size = [5, 4, 3]\ntype = \"u9\"\n").starts_with("2: type: expected one of i8"));
  CHECK(line_of("size = [5, 4, 3]\ntype = \"f32\"\n") ==
        " endian: expected \"little\" or \"big\", found nothing");
  CHECK(line_of("size = [5, 4, 3]\ntype = \"u8\"\nspacing = [1, 0, 1]\n") ==
        "3: spacing: expected a length above 0, found 0");
  CHECK(line_of("size = [5, 4, 3]\ntype = \"u8\"\nspaceing = [1, 0, 1]\n") ==
        "3: spaceing: expected a known key (the nearest is \"spacing\"), found an unknown one");
  CHECK(line_of("size = [5, 4, 3]\ntype = \"u8\"\nscale = \"2\"\n") ==
        "3: scale: expected a number, found \"2\"");
  std::string deep = "size = [5, 4, 3]\ntype = \"u8\"\na";  // toml++ itself overflows the stack
  for (int i = 0; i < 200'000; ++i) deep += ".a";
  CHECK(line_of(deep + " = 1\n") == "3: expected keys of at most 16 parts, found a longer one");

  write_file(folder / "n.toml",
             "size = [5, 4, 3]\ntype = \"f32\"\nendian = \"little\"\nfill_value = nan\n");
  write_file(folder / "n.raw", std::string(240, 0));
  CHECK_NOTHROW(open_volume_source((folder / "n.toml").string(), {}));
}

namespace {

std::string vti_file(const std::string& attributes, const std::string& array_attributes,
                     const std::string& inside, const std::string& appended = "",
                     bool cells = false) {
  const std::string extent = cells ? "10 15 0 4 0 3" : "10 14 0 3 0 2";
  const std::string kind = cells ? "CellData" : "PointData";
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" " + attributes +
         ">\n<ImageData WholeExtent=\"" + extent +
         "\" Origin=\"1 2 3\" Spacing=\"0.5 1 2\">\n<Piece Extent=\"" + extent + "\">\n<" + kind +
         " Scalars=\"f\">\n<DataArray Name=\"f\" NumberOfComponents=\"1\" " + array_attributes +
         ">\n   " + inside + "\n</DataArray>\n</" + kind + ">\n</Piece>\n</ImageData>\n" +
         appended + "</VTKFile>\n";
}

}  // namespace

TEST_CASE("VTI is read as text, base64, appended and in blocks of zlib", "[readers][vti]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.vti";
  const std::string bytes = field_bytes<std::int32_t>();
  const std::string little = "byte_order=\"LittleEndian\" ";
  SECTION("text, and cells lie between points") {
    std::string text;
    for_field(1, [&](int value, auto...) { text += std::to_string(value) + ' '; });
    write_file(file, vti_file(little, "type=\"Float32\" format=\"ascii\"", text, "", true));
    CHECK(fault_here(file) == "");
    CHECK(open_volume_source(file.string(), {})->info().place.origin == Vec3d{6.25, 2.5, 4});
  }
  SECTION("base64") {
    const std::string whole = vti_file(little, "type=\"Int32\" format=\"binary\"",
                                       base64(bytes_of_number(std::uint32_t{240}) + bytes));
    write_file(file, whole);
    CHECK(fault_here(file) == "");
    CHECK(open_volume_source(file.string(), {})->info().place.origin == Vec3d{6, 2, 3});
    check_truncations(file, whole.substr(0, whole.size() - 12), 3);
  }
  SECTION("appended, big endian, with wide headers") {
    write_file(file, vti_file("byte_order=\"BigEndian\" header_type=\"UInt64\"",
                              "type=\"Int32\" format=\"appended\" offset=\"3\"", "",
                              "<AppendedData encoding=\"raw\">\n _abc" +
                                  bytes_of_number(std::uint64_t{240}, true) +
                                  field_bytes<std::int32_t>(true) + "</AppendedData>"));
    CHECK(fault_here(file) == "");
  }
  SECTION("blocks of zlib, appended and in base64") {
    const std::string one = deflated(bytes.substr(0, 100), false);
    const std::string two = deflated(bytes.substr(100, 100), false);
    const std::string three = deflated(bytes.substr(200), false);
    std::string head;
    for (const std::size_t n :
         {std::size_t{3}, std::size_t{100}, std::size_t{40}, one.size(), two.size(), three.size()})
      head += bytes_of_number(static_cast<std::uint32_t>(n));
    const std::string zlib = little + "compressor=\"vtkZLibDataCompressor\"";
    write_file(file, vti_file(zlib, "type=\"Int32\" format=\"appended\" offset=\"0\"", "",
                              "<AppendedData encoding=\"raw\">_" + head + one + two + three +
                                  "</AppendedData>"));
    CHECK(fault_here(file) == "");
    write_file(file, vti_file(zlib, "type=\"Int32\" format=\"binary\"",
                              base64(head) + base64(one + two + three)));
    CHECK(fault_here(file) == "");
  }
  SECTION("what disagrees is refused") {
    write_file(file, vti_file(little, "type=\"Int32\" format=\"binary\"",
                              base64(bytes_of_number(std::uint32_t{236}) + bytes)));
    CHECK(refusal_of(file) ==
          file.string() + ": data: expected 240 bytes, as Extent says, found 236 bytes");
    VolumeOptions other;
    other.dataset = "g";
    CHECK(refusal_of(file, other) == file.string() + ": DataArray: expected one of f, found \"g\"");
    write_file(file, "<VTKFile type=\"PolyData\"></VTKFile>");
    CHECK(refusal_of(file) ==
          file.string() + ": VTKFile: expected type=\"ImageData\", found \"PolyData\"");
  }
}

TEST_CASE("series are folders, patterns, globs and collections", "[readers][series]") {
  const TemporaryFolder folder;
  const std::string all = field_bytes<std::uint8_t>(false, 4);
  std::string collection = "<VTKFile type=\"Collection\"><Collection>\n";
  for (std::size_t t = 0; t < 4; ++t) {
    const std::string part = all.substr(t * 60, 60);
    const std::string number = std::to_string(8 + t);  // 10 comes after 9
    write_file(folder / "n" / ("a-" + number + ".nrrd"),
               nrrd_text("type: uchar\nencoding: raw\n\n") + part);
    write_file(folder / "v" / ("b" + number + ".vti"),
               vti_file("byte_order=\"LittleEndian\"", "type=\"UInt8\" format=\"binary\"",
                        base64(bytes_of_number(std::uint32_t{60}) + part)));
    collection += "<DataSet timestep=\"" + std::to_string(t) + ".5\" part=\"0\" file=\"v/b" +
                  number + ".vti\"/>\n";
  }
  write_file(folder / "c.pvd", collection + "</Collection></VTKFile>\n");
  CHECK(fault_here(folder / "n", 4) == "");
  CHECK(fault_here(folder / "n" / "a-%d.nrrd", 4) == "");
  CHECK(fault_here(folder / "v" / "b*.vti", 4) == "");
  CHECK(fault_here(folder / "c.pvd", 4) == "");
  CHECK(open_volume_source((folder / "c.pvd").string(), {})->info().times ==
        std::vector<double>{0.5, 1.5, 2.5, 3.5});
  write_file(folder / "n" / "a-12.nrrd",
             "NRRD0004\ntype: uchar\nencoding: raw\ndimension: 3\n"
             "sizes: 5 4 2\n\n" +
                 std::string(40, 'x'));
  CHECK(refusal_of(folder / "n") ==
        (folder / "n" / "a-12.nrrd").string() +
            ": size: expected 5 x 4 x 3, as the first file of its series, found 5 x 4 x 2");
}

TEST_CASE("damaged bytes anywhere in a file are read or refused", "[readers][bad-input]") {
  const TemporaryFolder folder;
  const std::string bytes = field_bytes<std::int16_t>();
  const std::pair<const char*, std::string> files[] = {
      {"a.nrrd", nrrd_text("type: short\nendian: big\nencoding: gzip\nbyte skip: -1\n\n") +
                     deflated(bytes, true)},
      {"a.mha",
       "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\n"
       "CompressedData = True\nElementDataFile = LOCAL\n" +
           deflated(bytes, false)},
      {"a.nii", nifti_file(true, 2, 1, 4)},
      {"a.npy", npy_file(2, "<i2", true, "(3, 4, 5)", bytes)},
      {"a.vti", vti_file("byte_order=\"LittleEndian\"", "type=\"Int16\" format=\"binary\"",
                         base64(bytes_of_number(std::uint32_t{120}) + bytes))}};
  std::uint32_t random = 12345;
  const auto next = [&random](std::size_t below) {
    random = random * 1664525u + 1013904223u;
    return static_cast<std::size_t>(random >> 8) % below;
  };
  int refused = 0;
  for (const auto& [name, whole] : files)
    for (int i = 0; i < 150; ++i) {
      std::string damaged = whole;
      for (std::size_t k = next(3) + 1; k > 0; --k)
        damaged[next(damaged.size())] = static_cast<char>(next(256));
      CAPTURE(name, i);
      write_file(folder / name, damaged);
      try {
        const VolumeSourcePtr source = open_volume_source((folder / name).string(), {});
        if (source->info().size.voxels() < 100'000) values_here(*source);
      } catch (const InputError&) {
        ++refused;
      }
    }
  CHECK(refused > 150);
}

TEST_CASE("a fill value stands for the nearest number that the file can hold", "[readers]") {
  // 1e34 is no float: the nearest one is greater by 4e26.
  ValueRules rules;
  rules.fills = {1e34, -0.1};
  const auto voxels = [&](const auto& numbers, Element element) {
    const VoxelConverter converter(element, false, rules);
    REQUIRE(converter.type() == VoxelType::f32);
    std::vector<float> converted(numbers.size());
    converter.convert(reinterpret_cast<const std::byte*>(numbers.data()),
                      static_cast<std::ptrdiff_t>(sizeof numbers[0]), numbers.size(),
                      reinterpret_cast<std::byte*>(converted.data()));
    return converted;
  };
  const auto floats = voxels(std::vector<float>{1e34F, 2, -0.1F, 1.1e34F}, Element::f32);
  CHECK(std::isnan(floats[0]));
  CHECK(floats[1] == 2);
  CHECK(std::isnan(floats[2]));
  CHECK(floats[3] == 1.1e34F);
  const double near = static_cast<double>(1e34F);  // as doubles these are two numbers
  const auto doubles = voxels(std::vector<double>{1e34, near, -0.1}, Element::f64);
  CHECK(std::isnan(doubles[0]));
  CHECK(doubles[1] == 1e34F);
  CHECK(std::isnan(doubles[2]));
}
