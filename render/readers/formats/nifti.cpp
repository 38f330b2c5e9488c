// Reads NIfTI-1, in one file (.nii, .nii.gz) and as a pair (.hdr, .img). Fields and their offsets
// are from nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h. World axes are the standard's: x to
// the right, y to the front, z up, in millimetres.
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

class NiftiHeader {
 public:
  NiftiHeader(const fs::path& file, std::string bytes)
      : file_(file.string()), bytes_(std::move(bytes)) {
    if (bytes_.size() < nifti_header_bytes)
      place("header").refuse(fmt::format("{} bytes", nifti_header_bytes),
                             fmt::format("{} bytes", bytes_.size()));
    std::int32_t length = 0;
    std::memcpy(&length, bytes_.data(), sizeof length);
    if (length == 348) return;
    swapped_ = true;
    if (number<std::int32_t>(0) != 348)
      place("sizeof_hdr").refuse("348, of NIfTI-1", fmt::format("{}", length));
  }

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file_, field}; }
  [[nodiscard]] bool swapped() const noexcept { return swapped_; }
  [[nodiscard]] std::string magic() const { return bytes_.substr(344, 3); }

  template <typename T>
  [[nodiscard]] T number(std::size_t offset) const {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data() + offset, sizeof(T));
    if (swapped_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }
  [[nodiscard]] double real(std::size_t offset) const {
    return static_cast<double>(number<float>(offset));
  }

 private:
  std::string file_;
  std::string bytes_;
  bool swapped_ = false;
};

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
  const int code = header.number<std::int16_t>(70);
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
  const double b = header.real(256), c = header.real(260), d = header.real(264);
  const double rest = 1 - (b * b + c * c + d * d);
  if (!(rest > -1e-3)) header.place("quatern_b").refuse("a unit quaternion", "a longer one");
  const double a = std::sqrt(std::max(rest, 0.0));
  return {Vec3d{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
          Vec3d{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
          Vec3d{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - b * b - c * c}};
}

void place_nifti(const NiftiHeader& header, VolumeInfo& info) {
  const double unit = nifti_length(header.number<std::uint8_t>(123));
  std::array<Vec3d, 3> steps;
  Vec3d origin;
  std::string field = "pixdim";
  if (header.number<std::int16_t>(254) > 0) {  // sform_code
    field = "srow";
    const auto at = [&](std::size_t row, std::size_t column) {
      return unit * header.real(280 + 16 * row + 4 * column);
    };
    for (std::size_t i = 0; i < 3; ++i) steps[i] = {at(0, i), at(1, i), at(2, i)};
    origin = {at(0, 3), at(1, 3), at(2, 3)};
  } else {
    steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    if (header.number<std::int16_t>(252) > 0) {  // qform_code
      steps = nifti_quaternion(header);
      if (header.real(76) < 0) steps[2] = -1.0 * steps[2];  // qfac
      origin = {unit * header.real(268), unit * header.real(272), unit * header.real(276)};
    }
    for (std::size_t i = 0; i < 3; ++i)
      steps[i] = unit * checked_spacing(header.real(80 + 4 * i), header.place("pixdim")) * steps[i];
  }
  info.place = place_of_steps(origin, steps, header.place(field), info.notes);
  info.length_unit = "mm";
}

std::vector<FileAxis> nifti_axes(const NiftiHeader& header, int packed_components) {
  const auto dim = [&](std::size_t i) {
    return std::int64_t{header.number<std::int16_t>(40 + 2 * i)};
  };
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
    const int units = header.number<std::uint8_t>(123) & 0x38;
    const double second = units == 16 ? 1e-3 : units == 24 ? 1e-6 : 1;
    double step = second * header.real(92);
    if (!(step > 0) || !std::isfinite(step)) step = 1;
    set_timesteps(info, axis.length, second * header.real(136), step, "s", header.place("dim[4]"));
  }
}

}  // namespace

VolumeSourcePtr open_nifti(const fs::path& file, const VolumeOptions& options) {
  const NiftiHeader header(file, first_bytes(file, nifti_header_bytes));
  const std::string magic = header.magic();
  if (magic != "n+1" && magic != "ni1")
    header.place("magic").refuse("\"n+1\" or \"ni1\"", in_quotes(magic));
  const NiftiType& type = nifti_type(header);
  GridFormat format;
  format.element = type.element;
  format.swapped = header.swapped();
  const double slope = header.real(112);
  if (slope != 0 && std::isfinite(slope)) {
    format.rules.slope = slope;
    format.rules.intercept = header.real(116);
    if (!std::isfinite(format.rules.intercept))
      header.place("scl_inter").refuse("a number", "none");
  }
  const auto axes = nifti_axes(header, type.components);
  VolumeInfo info;
  info.format = "NIfTI-1";
  place_nifti(header, info);
  time_nifti(header, axes, info);

  fs::path data = file;
  double offset = header.real(108);  // vox_offset
  if (magic == "ni1") {
    const bool named_packed = data.extension() == ".gz";
    if (named_packed) data.replace_extension();
    data.replace_extension(".img");
    if (named_packed) data += ".gz";
  } else if (offset == 0) {
    offset = 352;
  }
  if (!(offset >= 0 && offset < 1e15) || offset != std::floor(offset) ||
      (magic == "n+1" && offset < 348))
    header.place("vox_offset").refuse("352 or more bytes", fmt::format("{}", offset));
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
