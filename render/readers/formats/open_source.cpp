#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t cut_bytes = std::size_t{64} << 20;  // slices read at a time to cut boxes

constexpr const char* known_formats =
    "a volume (NRRD, MetaImage, NIfTI, VTI, VTR, PVD, NumPy, HDF5, NetCDF, AMReX, OME-Zarr, raw "
    "with "
    "a sidecar, or a series of them)";

constexpr int most_looked_at = 100;  // files of a folder

constexpr const char* read_format = "a volume of a format that is read";

VolumeSourcePtr open_files(const std::string& path, const std::vector<std::filesystem::path>& files,
                           const VolumeOptions& options) {
  std::vector<SeriesStep> steps;
  steps.reserve(files.size());
  for (const std::filesystem::path& file : files)
    steps.push_back({file, static_cast<double>(steps.size()), file.filename().string()});
  return open_series(path, std::move(steps), options);
}

VolumeSourcePtr open_listed(const std::string& path, VolumeOptions options) {
  std::vector<std::filesystem::path> files = {path};
  for (const std::string& file : std::exchange(options.more, {}))
    files.push_back(files.front().parent_path() / file);
  return open_files(path, files, options);
}

VolumeSourcePtr open_described(const std::string& path) {
  const std::filesystem::path sidecar = raw_sidecar_of(path);
  if (sidecar.empty())
    throw InputError({path}, "",
                     "a sidecar beside it, " +
                         std::filesystem::path(path).replace_extension(".toml").string() +
                         ", with size, type and endian",
                     "none");
  return open_raw_volume(sidecar);
}

/// A line for data of kinds that are not read, which says what to do; "" for others.
std::string remedy_for(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string name = lower_case(path.filename().string());
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends(".vtk"))
    return "a legacy VTK file: save it as .vti (ParaView, or vtkXMLImageDataWriter)";
  for (const char* end : {".vts", ".vtu", ".vtp", ".vtm", ".pvti", ".pvtr"})
    if (ends(end))
      return fmt::format("a {} file of VTK: save it as .vti (ParaView: Resample To Image)", end);
  if (ends(".npz"))
    return "an archive of NumPy: save one array as .npy (numpy.save(\"a.npy\", archive[name]))";
  if (ends(".tif") || ends(".tiff"))
    return "TIFF: save the stack as .nrrd or .mha (ImageJ), or as .npy (tifffile, numpy.save)";
  if (ends(".hierarchy") || ends(".boundary"))
    return "Enzo: save a covering_grid of yt as .npy (numpy.save)";
  if (name == "header" && volume_kind_of(path.parent_path().string()) == VolumeKind::amrex)
    return fmt::format("the header of a plotfile: name its folder, {}",
                       path.parent_path().string());
  if (!fs::is_directory(path, error)) return "";
  int looked_at = 0;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (++looked_at > most_looked_at) break;
    const std::string file = lower_case(it->path().filename().string());
    if (file.ends_with(".hierarchy"))
      return "a folder of Enzo: save a covering_grid of yt as .npy (numpy.save)";
    if (file == "dicomdir" ||
        (it->is_regular_file(error) && volume_kind_of(it->path().string()) == VolumeKind::dicom))
      return "a folder of DICOM: convert its series with dcm2niix";
    if (file.ends_with(".tif") || file.ends_with(".tiff"))
      return "a folder of TIFF: save the stack as .nrrd or .mha (ImageJ)";
  }
  return "";
}

[[noreturn]] void refuse_unknown(const std::string& path) {
  std::error_code error;  // ignored: opening the path gives the better message
  const auto type = std::filesystem::status(path, error).type();
  if (error || type == std::filesystem::file_type::not_found ||
      type == std::filesystem::file_type::regular)
    static_cast<void>(FileRoot::of_process().open(path));
  const std::string remedy = remedy_for(path);
  throw InputError({path}, "", remedy.empty() ? known_formats : read_format,
                   remedy.empty() ? "something else" : remedy);
}

}  // namespace

void VolumeSource::read_box(int grid, int timestep, const GridBox& box, std::byte* into) {
  TW_CHECK(grid == 0);
  const VolumeSize size = info_.size;
  const VolumeSize cut = box.size();
  if (cut.x == size.x && cut.y == size.y) return read(timestep, box.begin[2], box.end[2], into);
  const auto voxel = static_cast<std::size_t>(bytes_of(info_.type));
  const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  const std::size_t cut_row = static_cast<std::size_t>(cut.x) * voxel;
  const int slab = static_cast<int>(
      std::clamp<std::size_t>(cut_bytes / slice, 1, static_cast<std::size_t>(info_.slab_voxels)));
  std::vector<std::byte> slices(slice * static_cast<std::size_t>(std::min(slab, cut.z)));
  for (int z = box.begin[2]; z < box.end[2];) {
    const int end = std::min(box.end[2], (z / slab + 1) * slab);
    read(timestep, z, end, slices.data());
    for (int k = 0; k < end - z; ++k)
      for (int y = box.begin[1]; y < box.end[1]; ++y, into += cut_row)
        std::memcpy(into,
                    slices.data() + static_cast<std::size_t>(k) * slice +
                        static_cast<std::size_t>(y) * row +
                        static_cast<std::size_t>(box.begin[0]) * voxel,
                    cut_row);
    z = end;
  }
}

VolumeSourcePtr open_volume_source(const std::string& path, const VolumeOptions& options) {
  FileRoot::of_process().check(path);
  if (!options.more.empty()) return open_listed(path, options);
  const VolumeKind kind = volume_kind_of(path);
  if (kind != VolumeKind::netcdf && kind != VolumeKind::series) {
    if (!options.fixed.empty())
      throw InputError({path}, "axis", "none, as only NetCDF's axes have names",
                       in_quotes(options.fixed.begin()->first));
    if (options.levels != LevelSpacing::even)
      throw InputError({path}, "levels", "none, as only NetCDF's axes have coordinates",
                       std::string(level_spacing_names[static_cast<std::size_t>(options.levels)]));
  }
  switch (kind) {
    case VolumeKind::raw:
      return open_described(path);
    case VolumeKind::nrrd:
      return open_nrrd(path, options);
    case VolumeKind::metaimage:
      return open_metaimage(path, options);
    case VolumeKind::nifti:
      return open_nifti(path, options);
    case VolumeKind::npy:
      return open_npy(path, options);
    case VolumeKind::vti:
      if (const std::string remedy = remedy_for(path); !remedy.empty())
        throw InputError({path}, "", read_format, remedy);
      return open_vti(path, options);
    case VolumeKind::pvd:
      return open_pvd(path, options);
    case VolumeKind::hdf5:
      return open_hdf5(path, options);
    case VolumeKind::netcdf:
      return open_netcdf(path, options);
    case VolumeKind::amrex:
      return open_amrex(path, options);
    case VolumeKind::zarr:
      return open_zarr(path, options);
    case VolumeKind::series:
      return open_files(path, series_files(path), options);
    case VolumeKind::openvdb:
      throw InputError(
          {path}, "", read_format,
          "OpenVDB: save its grid as .npy (pyopenvdb's copyToArray) or .vti (ParaView)");
    case VolumeKind::zarr3:
      throw InputError({path}, "zarr_format", "2 (OME-Zarr 0.4)", "3");
    case VolumeKind::dicom:
      throw InputError({path}, "", read_format, "DICOM: convert its series with dcm2niix");
    case VolumeKind::none:
      break;
  }
  refuse_unknown(path);
}

}  // namespace tilewall::render
