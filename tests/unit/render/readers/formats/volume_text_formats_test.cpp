// Raw files, VTI and series; what holds of all formats whose headers are ours to parse.

#include <lz4.h>
#include <lzma.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "render/readers/formats/element.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

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

  write_file(folder / "a.toml", sidecar + "header_bytes = 0\n");
  write_file(folder / "a.raw", field_bytes<std::uint16_t>(true));
  CHECK(fault_here(folder / "a.raw") == "");
  write_file(folder / "a.toml", sidecar + "header_bytes = -1\n");
  CHECK_THAT(refusal_of(folder / "a.raw"),
             Catch::Contains("6: header_bytes: expected an integer "));

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
    // Three blocks of 80 bytes: with 0 bytes the last one is whole.
    const auto packed_of = [&](std::uint32_t last_bytes) {
      std::string numbers, blocks;
      for (const std::uint32_t n : {3u, 80u, last_bytes}) numbers += bytes_of_number(n);
      for (std::size_t at = 0; at < bytes.size(); at += 80) {
        const std::string block = deflated(bytes.substr(at, 80), false);
        numbers += bytes_of_number(static_cast<std::uint32_t>(block.size()));
        blocks += block;
      }
      return "<AppendedData encoding=\"raw\">_" + numbers + blocks + "</AppendedData>";
    };
    for (const std::uint32_t last_bytes : {0u, 80u}) {
      CAPTURE(last_bytes);
      write_file(file, vti_file(zlib, "type=\"Int32\" format=\"appended\" offset=\"0\"", "",
                                packed_of(last_bytes)));
      CHECK(fault_here(file) == "");
    }
    for (const std::uint32_t last_bytes : {79u, 81u}) {
      CAPTURE(last_bytes);
      write_file(file, vti_file(zlib, "type=\"Int32\" format=\"appended\" offset=\"0\"", "",
                                packed_of(last_bytes)));
      CHECK_THAT(refusal_of(file), Catch::Contains("blocks of 240 bytes together"));
    }
  }
  SECTION("blocks of LZ4 and of LZMA") {
    const auto lz4 = [](const std::string& block) {
      std::string packed(
          static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(block.size()))), '\0');
      packed.resize(static_cast<std::size_t>(
          LZ4_compress_default(block.data(), packed.data(), static_cast<int>(block.size()),
                               static_cast<int>(packed.size()))));
      return packed;
    };
    const auto lzma = [](const std::string& block) {
      std::string packed(lzma_stream_buffer_bound(block.size()), '\0');
      std::size_t size = 0;
      REQUIRE(lzma_easy_buffer_encode(5, LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const std::uint8_t*>(block.data()),
                                      block.size(), reinterpret_cast<std::uint8_t*>(packed.data()),
                                      &size, packed.size()) == LZMA_OK);
      packed.resize(size);
      return packed;
    };
    for (const bool is_lzma : {false, true}) {
      CAPTURE(is_lzma);
      const auto pack = [&](const std::string& block) {
        return is_lzma ? lzma(block) : lz4(block);
      };
      const std::string one = pack(bytes.substr(0, 128)), two = pack(bytes.substr(128));
      std::string head;
      for (const std::size_t n :
           {std::size_t{2}, std::size_t{128}, std::size_t{112}, one.size(), two.size()})
        head += bytes_of_number(static_cast<std::uint32_t>(n));
      const std::string compressor =
          little + "compressor=\"vtk" + (is_lzma ? "LZMA" : "LZ4") + "DataCompressor\"";
      const auto write = [&](const std::string& blocks) {
        write_file(
            file, vti_file(compressor, "type=\"Int32\" format=\"appended\" offset=\"0\"", "",
                           "<AppendedData encoding=\"raw\">_" + head + blocks + "</AppendedData>"));
      };
      write(one + two);
      CHECK(fault_here(file) == "");
      std::string damaged = one + two;
      damaged[is_lzma ? 40 : one.size()] = '\xff';
      write(damaged);
      CHECK_THROWS_WITH(values_here(*open_volume_source(file.string(), {})),
                        Catch::Contains(is_lzma ? "a block of LZMA without damage, found damage"
                                                : "a block of LZ4 without damage, found damage"));
    }
    write_file(file, vti_file(little + "compressor=\"vtkOther\"", "type=\"Int32\"", ""));
    CHECK_THAT(refusal_of(file), Catch::Contains("vtkLZMADataCompressor, found \"vtkOther\""));
  }
  SECTION("a rectilinear grid lies at its coordinates") {
    const auto grid = [&](const std::string& z) {
      return "<VTKFile type=\"RectilinearGrid\" " + little +
             "><RectilinearGrid WholeExtent=\"0 4 0 3 0 2\"><Piece Extent=\"0 4 0 3 0 2\">"
             "<PointData><DataArray Name=\"f\" type=\"Int32\" format=\"binary\">" +
             base64(bytes_of_number(std::uint32_t{240}) + bytes) +
             "</DataArray></PointData><Coordinates>"
             "<DataArray type=\"Float32\" format=\"ascii\">1 2 3 4 5</DataArray>"
             "<DataArray type=\"Float32\" format=\"ascii\">0 2 4 6</DataArray>"
             "<DataArray type=\"Float64\" format=\"ascii\">" +
             z + "</DataArray></Coordinates></Piece></RectilinearGrid></VTKFile>";
    };
    write_file(file, grid("-1 0 1"));
    CHECK(fault_here(file) == "");
    CHECK(open_volume_source(file.string(), {})->info().place.origin == Vec3d{1, 0, -1});
    CHECK(open_volume_source(file.string(), {})->info().place.spacing == Vec3d{1, 2, 1});
    write_file(file, grid("0 10 30"));
    const VolumeSourcePtr uneven = open_volume_source(file.string(), {});
    REQUIRE(uneven->info().size == VolumeSize{5, 4, 4});
    CHECK(uneven->info().place.spacing == Vec3d{1, 2, 10});
    CHECK(uneven->info().notes ==
          std::vector<std::string>{"z is uneven, 0 to 30: resampled from 3 to 4 even steps"});
    CHECK(values_here(*uneven)[2 * 20] == (field(0, 0, 1) + field(0, 0, 2)) / 2.0);
    write_file(file, grid("0 10 10"));
    CHECK(refusal_of(file) ==
          file.string() + ": Coordinates: expected finite numbers that grow, found others");
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
          file.string() +
              ": VTKFile: expected type=\"ImageData\" or type=\"RectilinearGrid\", "
              "found \"PolyData\"");
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

TEST_CASE("a series of one file has the file's name as its label", "[readers][series]") {
  const TemporaryFolder folder;
  write_file(folder / "n" / "a-7.nrrd",
             nrrd_text("type: uchar\nencoding: raw\n\n") + field_bytes<std::uint8_t>());
  const VolumeInfo info = open_volume_source((folder / "n").string(), {})->info();
  CHECK(info.times == std::vector<double>{0});
  CHECK(info.time_labels == std::vector<std::string>{"a-7.nrrd"});
  CHECK(fault_here(folder / "n") == "");
}

TEST_CASE("files of a series have one type, and values in one scale", "[readers][series]") {
  const TemporaryFolder folder;
  write_file(folder / "a-0.nii", nifti_file(false, 0.5F, -3, 1));
  const auto refusal_beside = [&](float slope, float intercept) {
    write_file(folder / "a-1.nii", nifti_file(false, slope, intercept, 1));
    const VolumeSourcePtr series = open_volume_source(folder.path().string(), {});
    std::vector<std::uint16_t> voxels(60);
    try {
      series->read(1, 0, 3, reinterpret_cast<std::byte*>(voxels.data()));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal_beside(0.5F, -3) == "");
  for (const auto& [slope, intercept] : {std::pair{0.5F, -4.0F}, {0.25F, -3.0F}}) {
    CAPTURE(slope, intercept);
    CHECK(refusal_beside(slope, intercept) ==
          (folder / "a-1.nii").string() +
              ": type: expected i16 in the scale of its series' first file, found i16 in another "
              "scale");
  }
}

TEST_CASE("a series whose files go, change and come back is read again", "[readers][series]") {
  const TemporaryFolder folder;
  const std::string all = field_bytes<std::uint8_t>(false, 2);
  const auto write_step = [&](std::size_t step) {
    write_file(folder / "n" / ("a-" + std::to_string(step) + ".nrrd"),
               nrrd_text("type: uchar\nencoding: raw\n\n") + all.substr(step * 60, 60));
  };
  write_step(0);
  write_step(1);
  const VolumeSourcePtr series = open_volume_source((folder / "n").string(), {});
  std::string bytes(60, ' ');
  const auto read = [&](int step) {
    series->read(step, 0, 3, reinterpret_cast<std::byte*>(bytes.data()));
    return bytes;
  };
  CHECK(read(0) == all.substr(0, 60));
  fs::rename(folder / "n", folder / "away");
  CHECK_THROWS_AS(read(1), InputError);
  CHECK_THROWS_AS(read(0), InputError);
  fs::rename(folder / "away", folder / "n");
  CHECK(read(0) == all.substr(0, 60));
  // A larger step never fits into the caller's memory, however often it is asked for.
  write_file(folder / "n" / "a-1.nrrd",
             "NRRD0004\ntype: uchar\nencoding: raw\ndimension: 3\nsizes: 5 4 9\n\n" +
                 std::string(180, 'x'));
  CHECK_THROWS_AS(read(1), InputError);
  CHECK_THROWS_AS(read(1), InputError);
  write_step(1);
  CHECK(read(1) == all.substr(60, 60));
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

TEST_CASE("a large part of a file is read in pieces, whatever the order of its axes", "[readers]") {
  // 6 MiB, of which 4 MiB are read at a time. NumPy's Fortran order has the first axis, z, fastest.
  const TemporaryFolder folder;
  const VolumeSize size = {256, 192, 128};
  const auto number_at = [](int x, int y, int z) {
    return static_cast<char>((x * 7 + y * 3 + z * 5 + x * z / 16) & 127);
  };
  for (const bool fortran : {false, true}) {
    CAPTURE(fortran);
    std::string header =
        "{'descr': '|u1', 'fortran_order': " + std::string(fortran ? "True" : "False") +
        ", 'shape': (128, 192, 256), }";
    header.append(117 - header.size(), ' ');
    header += '\n';
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
    if (fortran)
      for (int x = 0; x < size.x; ++x)
        for (int y = 0; y < size.y; ++y)
          for (int z = 0; z < size.z; ++z) bytes += number_at(x, y, z);
    else
      for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
          for (int x = 0; x < size.x; ++x) bytes += number_at(x, y, z);
    write_file(folder / "a.npy", bytes);
    const VolumeSourcePtr source = open_volume_source((folder / "a.npy").string(), {});
    REQUIRE(source->info().size == size);
    std::vector<std::byte> voxels(size.voxels());
    source->read(0, 0, size.z, voxels.data());
    int wrong = 0;
    std::size_t at = 0;
    for (int z = 0; z < size.z; ++z)
      for (int y = 0; y < size.y; ++y)
        for (int x = 0; x < size.x; ++x)
          wrong += std::to_integer<int>(voxels[at++]) != number_at(x, y, z) ? 1 : 0;
    CHECK(wrong == 0);
  }
}
