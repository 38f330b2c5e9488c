// A field whose value at every voxel is known, as bytes of any type, for tests of volume readers.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "render/readers/formats/volume_source.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::test {

inline constexpr render::VolumeSize field_size = {5, 4, 3};

/// At most 41 in the first timestep, 74 in the fourth: fits every type.
inline int field(int x, int y, int z, int t = 0) { return 3 * x + 5 * y + 7 * z + 11 * t; }

template <typename Use>
void for_field(int timesteps, Use&& use) {
  for (int t = 0; t < timesteps; ++t)
    for (int z = 0; z < field_size.z; ++z)
      for (int y = 0; y < field_size.y; ++y)
        for (int x = 0; x < field_size.x; ++x) use(field(x, y, z, t), x, y, z, t);
}

template <typename T>
std::string bytes_of_number(T number, bool big = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  if (big) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// x fastest.
template <typename T>
std::string field_bytes(bool big = false, int timesteps = 1) {
  std::string bytes;
  for_field(timesteps,
            [&](int value, auto...) { bytes += bytes_of_number(static_cast<T>(value), big); });
  return bytes;
}

inline void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

/// Values of all voxels and timesteps, NaN where empty, read in slabs of two slices.
template <typename Read>
std::vector<double> field_values(const render::VolumeInfo& info, Read&& read) {
  std::vector<double> values;
  const std::size_t slice =
      static_cast<std::size_t>(info.size.x) * static_cast<std::size_t>(info.size.y);
  const auto voxel = static_cast<std::size_t>(render::bytes_of(info.type));
  for (int t = 0; t < info.timesteps(); ++t)
    for (int z = 0; z < info.size.z; z += 2) {
      const int end = std::min(z + 2, info.size.z);
      std::vector<std::byte> slab(slice * static_cast<std::size_t>(end - z) * voxel);
      read(t, z, end, slab);
      for (std::size_t at = 0; at < slab.size(); at += voxel) {
        double stored = 0;
        if (info.type == render::VoxelType::u8) stored = std::to_integer<int>(slab[at]);
        if (info.type == render::VoxelType::u16)
          stored = *reinterpret_cast<const std::uint16_t*>(&slab[at]);
        if (info.type == render::VoxelType::f32)
          stored = static_cast<double>(*reinterpret_cast<const float*>(&slab[at]));
        values.push_back(info.scale.offset + info.scale.scale * stored);
      }
    }
  return values;
}

/// Reads all values in this process, with the format's own reader.
inline std::vector<double> values_here(render::VolumeSource& source) {
  return field_values(source.info(), [&](int t, int z, int end, std::vector<std::byte>& into) {
    source.read(t, z, end, into.data());
  });
}

/// Describes the first place where the values differ from the field's; "" where they are equal.
inline std::string field_fault(const render::VolumeInfo& info, const std::vector<double>& values,
                               int timesteps = 1, double slope = 1, double intercept = 0) {
  if (!(info.size == field_size)) return "another size";
  if (info.timesteps() != timesteps) return "other timesteps";
  std::string fault;
  std::size_t at = 0;
  for_field(timesteps, [&](int value, int x, int y, int z, int t) {
    const double wanted = slope * value + intercept;
    if (fault.empty() && !(std::abs(values[at] - wanted) < 1e-4))
      fault = "at " + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
              ", " + std::to_string(t) + ": " + std::to_string(values[at]) + ", not " +
              std::to_string(wanted);
    ++at;
  });
  return fault;
}

/// Reads boxes of the first timestep with read(box, into), and compares them with parts of the
/// whole. Describes the first difference; "" where there is none.
template <typename Read>
std::string box_fault(const render::VolumeInfo& info, const std::vector<std::byte>& whole,
                      Read&& read) {
  const auto voxel = static_cast<std::size_t>(render::bytes_of(info.type));
  const render::GridBox boxes[] = {
      {{1, 0, 0}, {4, 3, 2}}, {{0, 2, 1}, {5, 4, 3}}, {{2, 1, 2}, {3, 2, 3}}};
  for (const render::GridBox& box : boxes) {
    const render::VolumeSize cut = box.size();
    std::vector<std::byte> got(cut.voxels() * voxel);
    read(box, got);
    const std::byte* at = got.data();
    for (int z = box.begin[2]; z < box.end[2]; ++z)
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        const int first = (z * info.size.y + y) * info.size.x + box.begin[0];
        const std::size_t row = static_cast<std::size_t>(cut.x) * voxel;
        if (std::memcmp(at, whole.data() + static_cast<std::size_t>(first) * voxel, row) != 0)
          return "another box of " + std::to_string(cut.x) + " x " + std::to_string(cut.y) + " x " +
                 std::to_string(cut.z) + " in row " + std::to_string(y) + " of slice " +
                 std::to_string(z);
        at += row;
      }
  }
  return "";
}

/// Opens and reads a file in this process. Returns the fault; "" without one.
inline std::string fault_here(const std::filesystem::path& path, int timesteps = 1,
                              const render::VolumeOptions& options = {}, double slope = 1,
                              double intercept = 0) {
  const render::VolumeSourcePtr source = render::open_volume_source(path.string(), options);
  const std::string fault =
      field_fault(source->info(), values_here(*source), timesteps, slope, intercept);
  if (!fault.empty()) return fault;
  const render::VolumeInfo& info = source->info();
  std::vector<std::byte> whole(info.size.voxels() *
                               static_cast<std::size_t>(render::bytes_of(info.type)));
  source->read(0, 0, info.size.z, whole.data());
  return box_fault(info, whole, [&](const render::GridBox& box, std::vector<std::byte>& into) {
    source->read_box(0, 0, box, into.data());
  });
}

}  // namespace tilewall::test
