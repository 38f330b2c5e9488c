#include <fmt/format.h>

#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

constexpr const char* known_formats =
    "a volume (NRRD, MetaImage, NIfTI-1, VTI, PVD, NumPy, HDF5, NetCDF, AMReX, OME-Zarr, raw with "
    "a sidecar, or a series of them)";

constexpr const char* read_format = "a volume of a format that is read";

VolumeSourcePtr open_folder_or_files(const std::string& path, const VolumeOptions& options) {
  std::vector<SeriesStep> steps;
  for (std::filesystem::path& file : series_files(path)) {
    const std::string name = file.filename().string();
    steps.push_back({std::move(file), static_cast<double>(steps.size()), name});
  }
  return open_series(path, std::move(steps), options);
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

[[noreturn]] void refuse_unknown(const std::string& path) {
  if (!std::filesystem::exists(path) || std::filesystem::is_regular_file(path))
    static_cast<void>(open_for_reading(path));
  throw InputError({path}, "", known_formats, "something else");
}

}  // namespace

VolumeSourcePtr open_volume_source(const std::string& path, const VolumeOptions& options) {
  switch (volume_kind_of(path)) {
    case VolumeKind::raw:
      return open_described(path);
    case VolumeKind::nrrd:
      return open_nrrd(path, options);
    case VolumeKind::metaimage:
      return open_metaimage(path, options);
    case VolumeKind::nifti:
      return open_nifti(path, options);
    case VolumeKind::npy:
      return open_npy(path);
    case VolumeKind::vti:
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
      return open_folder_or_files(path, options);
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

}  // namespace tilewall
