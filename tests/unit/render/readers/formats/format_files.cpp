#include "tests/unit/render/readers/formats/format_files.hpp"

#include <libdeflate.h>

#include <catch2/catch.hpp>

#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"

namespace tilewall::test {

using namespace render;
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

std::string refusal_of(const std::filesystem::path& path, const VolumeOptions& options) {
  try {
    const VolumeSourcePtr source = open_volume_source(path.string(), options);
    values_here(*source);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void check_truncations(const std::filesystem::path& file, const std::string& whole,
                       std::size_t step) {
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

std::string nifti2_file(bool big) {
  std::string bytes(544, '\0');
  const auto put = [&](std::size_t at, auto number) {
    bytes.replace(at, sizeof number, bytes_of_number(number, big));
  };
  put(0, std::int32_t{540});
  bytes.replace(4, 8, std::string("n+2\0\r\n\032\n", 8));
  put(12, std::int16_t{4});
  put(14, std::int16_t{16});
  const std::int64_t sides[] = {3, 5, 4, 3, 1, 1, 1, 1};
  for (std::size_t i = 0; i < 8; ++i) put(16 + 8 * i, sides[i]);
  const double steps[] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < 4; ++i) put(104 + 8 * i, steps[i]);
  put(168, std::int64_t{544});
  put(348, std::int32_t{1});
  const double rows[3][4] = {{-2, 0, 0, 10}, {0, 3, 0, 20}, {0, 0, 4, 30}};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 4; ++c) put(400 + 32 * r + 8 * c, rows[r][c]);
  put(500, std::int32_t{2 + 8});
  return bytes + field_bytes<std::int16_t>(big);
}

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

std::string vti_file(const std::string& attributes, const std::string& array_attributes,
                     const std::string& inside, const std::string& appended, bool cells) {
  const std::string extent = cells ? "10 15 0 4 0 3" : "10 14 0 3 0 2";
  const std::string kind = cells ? "CellData" : "PointData";
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" " + attributes +
         ">\n<ImageData WholeExtent=\"" + extent +
         "\" Origin=\"1 2 3\" Spacing=\"0.5 1 2\">\n<Piece Extent=\"" + extent + "\">\n<" + kind +
         " Scalars=\"f\">\n<DataArray Name=\"f\" NumberOfComponents=\"1\" " + array_attributes +
         ">\n   " + inside + "\n</DataArray>\n</" + kind + ">\n</Piece>\n</ImageData>\n" +
         appended + "</VTKFile>\n";
}

std::string process_refusal(const std::filesystem::path& path, const VolumeOptions& options,
                            const ReaderLimits& limits) {
  try {
    VolumeFile file = VolumeFile::open(path.string(), options, limits);
    static_cast<void>(scan_values(file));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string process_fault(const std::filesystem::path& path, int timesteps,
                          const VolumeOptions& options) {
  VolumeFile file = VolumeFile::open(path.string(), options);
  const auto values = field_values(
      file.info(),
      [&](int t, int z, int end, std::vector<std::byte>& into) { file.read(t, z, end, into); });
  const std::string fault = field_fault(file.info(), values, timesteps);
  if (!fault.empty()) return fault;
  std::vector<std::byte> whole(file.slab_bytes(0, file.info().size.z));
  file.read(0, 0, file.info().size.z, whole);
  ReaderLimits limits;
  limits.window_bytes = 24;  // in many windows
  VolumeFile narrow = VolumeFile::open(path.string(), options, limits);
  const auto voxel = static_cast<std::size_t>(bytes_of(file.info().type));
  return box_fault(file.info(), whole, [&](const GridBox& box, std::vector<std::byte>& into) {
    const std::size_t row = static_cast<std::size_t>(box.size().x) * voxel;
    narrow.read_box(0, 0, box, {into.data(), row, row * static_cast<std::size_t>(box.size().y)});
  });
}

}  // namespace tilewall::test
