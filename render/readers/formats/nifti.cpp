// Reads NIfTI-1 and NIfTI-2, in one file (.nii, .nii.gz) and as a pair (.hdr, .img). Fields and
// their offsets are from nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h and nifti2.h. World axes
// are the standard's: x to the right, y to the front, z up, in millimetres.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "render/readers/formats/grid_volume.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t nifti_header_bytes = 348;
constexpr std::size_t nifti2_header_bytes = 540;

/// Offsets of the fields of a version's header. NIfTI-2 has the fields of NIfTI-1 as wider numbers.
struct NiftiLayout {
  std::size_t magic, datatype, dim, pixdim, vox_offset, scl_slope, scl_inter, toffset, qform_code,
      sform_code, quatern_b, qoffset_x, srow_x, xyzt_units;
};
constexpr NiftiLayout nifti1_layout = {344, 70,  40,  76,  108, 112, 116,
                                       136, 252, 254, 256, 268, 280, 123};
constexpr NiftiLayout nifti2_layout = {4,   12,  16,  104, 168, 176, 184,
                                       216, 344, 348, 352, 376, 400, 500};

class NiftiHeader {
 public:
  NiftiHeader(const fs::path& file, std::string bytes)
      : file_(file.string()), bytes_(std::move(bytes)) {
    if (bytes_.size() < nifti_header_bytes)
      place("header").refuse(fmt::format("{} bytes", nifti_header_bytes),
                             fmt::format("{} bytes", bytes_.size()));
    std::int32_t length = 0;
    std::memcpy(&length, bytes_.data(), sizeof length);
    swapped_ = length != 348 && length != 540;
    const auto bytes_here = static_cast<std::size_t>(number<std::int32_t>(0));
    if (bytes_here != nifti_header_bytes && bytes_here != nifti2_header_bytes)
      place("sizeof_hdr").refuse("348 (NIfTI-1) or 540 (NIfTI-2)", fmt::format("{}", length));
    if (bytes_.size() < bytes_here)
      place("header").refuse(fmt::format("{} bytes", bytes_here),
                             fmt::format("{} bytes", bytes_.size()));
    is_second_ = bytes_here == nifti2_header_bytes;
    at_ = is_second_ ? nifti2_layout : nifti1_layout;
  }

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file_, field}; }
  [[nodiscard]] bool swapped() const noexcept { return swapped_; }
  [[nodiscard]] bool is_second() const noexcept { return is_second_; }
  [[nodiscard]] const NiftiLayout& at() const noexcept { return at_; }
  [[nodiscard]] std::string magic() const { return bytes_.substr(at_.magic, 3); }

  template <typename T>
  [[nodiscard]] T number(std::size_t offset) const {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data() + offset, sizeof(T));
    if (swapped_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }
  /// Number `index` of an array of real numbers (float, double in NIfTI-2).
  [[nodiscard]] double real(std::size_t offset, std::size_t index = 0) const {
    return is_second_ ? number<double>(offset + 8 * index)
                      : static_cast<double>(number<float>(offset + 4 * index));
  }
  /// A code (16 bits, 32 in NIfTI-2).
  [[nodiscard]] int code(std::size_t offset) const {
    return is_second_ ? number<std::int32_t>(offset) : number<std::int16_t>(offset);
  }
  [[nodiscard]] std::int64_t dim(std::size_t index) const {
    return is_second_ ? number<std::int64_t>(at_.dim + 8 * index)
                      : number<std::int16_t>(at_.dim + 2 * index);
  }
  [[nodiscard]] int units() const {
    return is_second_ ? number<std::int32_t>(at_.xyzt_units) : number<std::uint8_t>(at_.xyzt_units);
  }
  /// Offset of the voxels in their file; not a whole number in damaged headers.
  [[nodiscard]] double data_offset() const {
    return is_second_ ? static_cast<double>(number<std::int64_t>(at_.vox_offset))
                      : real(at_.vox_offset);
  }

 private:
  std::string file_;
  std::string bytes_;
  bool swapped_ = false;
  bool is_second_ = false;  // NIfTI-2
  NiftiLayout at_ = nifti1_layout;
};

/// The version that a header's first number tells, in either order of bytes; 0 for others.
int nifti_version(std::string_view start) {
  using namespace std::string_view_literals;
  const std::string_view length = start.substr(0, 4);
  if (length == "\x5c\x01\0\0"sv || length == "\0\0\x01\x5c"sv) return 1;
  return length == "\x1c\x02\0\0"sv || length == "\0\0\x02\x1c"sv ? 2 : 0;
}

struct NiftiType {
  int code;
  Element element;
  int components;
};
constexpr NiftiType nifti_types[] = {
    {2, Element::u8, 1},     {4, Element::i16, 1},    {8, Element::i32, 1},
    {16, Element::f32, 1},   {64, Element::f64, 1},   {128, Element::u8, 3},
    {256, Element::i8, 1},   {512, Element::u16, 1},  {768, Element::u32, 1},
    {1024, Element::i64, 1}, {1280, Element::u64, 1}, {2304, Element::u8, 4}};

const NiftiType& nifti_type(const NiftiHeader& header) {
  const int code = header.number<std::int16_t>(header.at().datatype);
  for (const NiftiType& type : nifti_types)
    if (type.code == code) return type;
  header.place("datatype")
      .refuse("whole or floating-point numbers, such as 4 or 16", fmt::format("{}", code));
}

// Millimetres per unit of length, by the code in the header's xyzt_units.
double nifti_length(int units) {
  switch (units & 7) {
    case 1:
      return 1000;
    case 3:
      return 0.001;
    default:
      return 1;
  }
}

// Returns the columns of the rotation matrix of the header's unit quaternion, of which b, c and d
// are stored (nifti1.h, method 2).
std::array<Vec3d, 3> nifti_quaternion(const NiftiHeader& header) {
  const std::size_t at = header.at().quatern_b;
  const double b = header.real(at, 0), c = header.real(at, 1), d = header.real(at, 2);
  const double rest = 1 - (b * b + c * c + d * d);
  if (!(rest > -1e-3)) header.place("quatern_b").refuse("a unit quaternion", "a longer one");
  const double a = std::sqrt(std::max(rest, 0.0));
  return {Vec3d{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
          Vec3d{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
          Vec3d{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - b * b - c * c}};
}

void place_nifti(const NiftiHeader& header, VolumeInfo& info) {
  const double unit = nifti_length(header.units());
  const NiftiLayout& fields = header.at();
  std::array<Vec3d, 3> steps;
  Vec3d origin;
  std::string field = "pixdim";
  info.is_anatomical = header.code(fields.sform_code) > 0 || header.code(fields.qform_code) > 0;
  if (header.code(fields.sform_code) > 0) {
    field = "srow";
    const auto at = [&](std::size_t row, std::size_t column) {
      return unit * header.real(fields.srow_x, 4 * row + column);
    };
    for (std::size_t i = 0; i < 3; ++i) steps[i] = {at(0, i), at(1, i), at(2, i)};
    origin = {at(0, 3), at(1, 3), at(2, 3)};
  } else {
    steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    if (header.code(fields.qform_code) > 0) {
      steps = nifti_quaternion(header);
      if (header.real(fields.pixdim) < 0) steps[2] = -1.0 * steps[2];  // qfac
      const auto at = [&](std::size_t i) { return unit * header.real(fields.qoffset_x, i); };
      origin = {at(0), at(1), at(2)};
    }
    for (std::size_t i = 0; i < 3; ++i)
      steps[i] = unit * checked_spacing(header.real(fields.pixdim, i + 1), header.place("pixdim")) *
                 steps[i];
  }
  info.place = place_of_steps(origin, steps, header.place(field), info.notes);
  info.length_unit = "mm";
}

std::vector<FileAxis> nifti_axes(const NiftiHeader& header, int packed_components) {
  const auto dim = [&](std::size_t i) { return header.dim(i); };
  const std::int64_t count = dim(0);
  if (count < 3 || count > 7)
    header.place("dim[0]").refuse("3 to 7 axes", fmt::format("{}", count));
  std::vector<FileAxis> axes = {
      {AxisRole::x, dim(1)}, {AxisRole::y, dim(2)}, {AxisRole::z, dim(3)}};
  if (packed_components > 1) axes.insert(axes.begin(), {AxisRole::component, packed_components});
  if (count >= 4 && dim(4) != 1) axes.push_back({AxisRole::timestep, dim(4)});
  if (count >= 5 && dim(5) != 1) {
    if (packed_components > 1)
      header.place("dim[5]").refuse("1 of colours", fmt::format("{}", dim(5)));
    axes.push_back({AxisRole::component, dim(5)});
  }
  for (std::size_t i = 6; i <= 7 && static_cast<std::int64_t>(i) <= count; ++i)
    if (dim(i) != 1) header.place(fmt::format("dim[{}]", i)).refuse("1", fmt::format("{}", dim(i)));
  return axes;
}

void time_nifti(const NiftiHeader& header, const std::vector<FileAxis>& axes, VolumeInfo& info) {
  for (const FileAxis& axis : axes) {
    if (axis.role != AxisRole::timestep) continue;
    const int units = header.units() & 0x38;
    const double second = units == 16 ? 1e-3 : units == 24 ? 1e-6 : 1;
    double step = second * header.real(header.at().pixdim, 4);
    if (!(step > 0) || !std::isfinite(step)) step = 1;
    set_timesteps(info, axis.length, second * header.real(header.at().toffset), step, "s",
                  header.place("dim[4]"));
  }
}

}  // namespace

VolumeSourcePtr open_nifti(const fs::path& file, const VolumeOptions& options) {
  // The first number of a header tells how long it is.
  const std::string start = first_bytes(file, nifti_header_bytes);
  const NiftiHeader header(
      file, nifti_version(start) == 2 ? first_bytes(file, nifti2_header_bytes) : start);
  const std::string magic = header.magic();
  const std::string single = header.is_second() ? "n+2" : "n+1";
  const std::string pair = header.is_second() ? "ni2" : "ni1";
  if (magic != single && magic != pair)
    header.place("magic").refuse(fmt::format("\"{}\" or \"{}\"", single, pair), in_quotes(magic));
  const NiftiType& type = nifti_type(header);
  GridFormat format;
  format.element = type.element;
  format.swapped = header.swapped();
  const double slope = header.real(header.at().scl_slope);
  if (slope != 0 && std::isfinite(slope)) {
    format.rules.slope = slope;
    format.rules.intercept = header.real(header.at().scl_inter);
    if (!std::isfinite(format.rules.intercept))
      header.place("scl_inter").refuse("a number", "none");
  }
  const auto axes = nifti_axes(header, type.components);
  VolumeInfo info;
  info.format = header.is_second() ? "NIfTI-2" : "NIfTI-1";
  place_nifti(header, info);
  time_nifti(header, axes, info);

  fs::path data = file;
  double offset = header.data_offset();
  const double least = header.is_second() ? 544 : 352;  // behind the header's extension
  if (magic == pair) {
    const bool named_packed = data.extension() == ".gz";
    if (named_packed) data.replace_extension();
    data.replace_extension(".img");
    if (named_packed) data += ".gz";
  } else if (offset == 0) {
    offset = least;
  }
  if (!(offset >= 0 && offset < 1e15) || offset != std::floor(offset) ||
      (magic == single && offset < least - 4))
    header.place("vox_offset")
        .refuse(fmt::format("{} or more bytes", least), fmt::format("{}", offset));
  const auto skip = static_cast<std::uint64_t>(offset);
  const bool packed = is_gzip(data);
  ByteSourcePtr bytes = packed ? skipped_bytes(inflated_bytes(data, 0, Wrapper::gzip),
                                               static_cast<std::int64_t>(skip), 0)
                               : std::make_unique<FileBytes>(data, skip);
  // Some writers pad the end of the file, so bytes after the last number are ignored.
  return std::make_unique<GridVolume>(std::move(info), axes, format, std::move(bytes), options,
                                      header.place("dim"), GridVolume::Rest::ignore);
}

}  // namespace tilewall::render
