// NRRD: its types, encodings, files, places and refusals.

#include <catch2/catch.hpp>
#include <cmath>

#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

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
  // The world is right, front and top: x and y of this space point the other way.
  CHECK(turned.spacing == Vec3d{2, 3, 4});
  CHECK(turned.origin == Vec3d{-1, -2, 3});
  CHECK(turned.axes[0] == Vec3d{0, -1, 0});
  CHECK(turned.axes[1] == Vec3d{1, 0, 0});
  CHECK(turned.axes[2] == Vec3d{0, 0, 1});
}

TEST_CASE("NRRD's spaces and NIfTI are one world: right, front, top", "[readers][nrrd]") {
  const TemporaryFolder folder;
  write_file(folder / "a.nii",
             nifti_file(false, 0, 0, 1));  // rows (-2 0 0 10) (0 3 0 20) (0 0 4 30)
  const VolumeInfo nifti = open_volume_source((folder / "a.nii").string(), {})->info();
  CHECK(nifti.is_anatomical);
  struct Space {
    const char* word;
    const char* vectors;
    bool is_anatomical;
  };
  for (const Space& space :
       {Space{"RAS", "(-2,0,0) (0,3,0) (0,0,4)\nspace origin: (10,20,30)\n", true},
        Space{"left-posterior-superior", "(2,0,0) (0,-3,0) (0,0,4)\nspace origin: (-10,-20,30)\n",
              true},
        Space{"left-anterior-superior", "(2,0,0) (0,3,0) (0,0,4)\nspace origin: (-10,20,30)\n",
              true},
        Space{"scanner-xyz", "(-2,0,0) (0,3,0) (0,0,4)\nspace origin: (10,20,30)\n", false}}) {
    CAPTURE(space.word);
    write_file(folder / "a.nrrd",
               nrrd_text(std::string("type: uchar\nencoding: raw\nspace: ") + space.word +
                         "\nspace directions: " + space.vectors + "\n") +
                   field_bytes<std::uint8_t>());
    const VolumeInfo info = open_volume_source((folder / "a.nrrd").string(), {})->info();
    CHECK(info.is_anatomical == space.is_anatomical);
    CHECK(info.place.origin == nifti.place.origin);
    CHECK(info.place.axes == nifti.place.axes);
    CHECK(info.place.spacing == nifti.place.spacing);
  }
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

TEST_CASE("of vectors a note tells what is shown, and of one component none", "[readers][nrrd]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nrrd";
  const auto notes_of = [&](int components, int asked) {
    write_file(file, "NRRD0004\ntype: uchar\nencoding: raw\ndimension: 4\nsizes: " +
                         std::to_string(components) +
                         " 2 2 2\nkinds: vector space space space\n\n" +
                         std::string(static_cast<std::size_t>(8 * components), 'a'));
    VolumeOptions options;
    options.component = asked;
    return open_volume_source(file.string(), options)->info().notes;
  };
  using Notes = std::vector<std::string>;
  CHECK(notes_of(2, -1) == Notes{"2 numbers a voxel: shown is their vector's length"});
  CHECK(notes_of(3, -1) == Notes{"3 numbers a voxel: shown is their vector's length"});
  CHECK(notes_of(2, 1).empty());
  CHECK(notes_of(1, -1).empty());
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
