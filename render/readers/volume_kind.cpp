#include "render/readers/volume_kind.hpp"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::string_view volume_suffixes[] = {
    ".nrrd", ".nhdr", ".mhd", ".mha", ".nii", ".nii.gz", ".hdr",    ".vti",    ".npy",
    ".h5",   ".hdf5", ".hdf", ".nc",  ".nc4", ".cdf",    ".hdr.gz", ".vtkhdf", ".vtr"};

std::string lower_name(const fs::path& path) {
  std::string name = path.filename().string();
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

std::string head_of(const fs::path& file, std::size_t count) {
  const UniqueFd fd = open_for_reading(file);
  std::string head(count, '\0');
  const ssize_t got = retry_eintr([&] { return ::pread(fd.get(), head.data(), head.size(), 0); });
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return head;
}

bool is_plotfile(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "Header", error)) return false;
  const std::string head = head_of(folder / "Header", 32);
  return head.starts_with("HyperCLaw") || head.starts_with("NavierStokes");
}

// Whether the text has lines that assign the keys `size` and `type`.
bool describes_raw(const fs::path& file) {
  const std::string text = "\n" + head_of(file, 1 << 16);
  const auto has = [&](std::string_view key) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t", at + key.size());
      if (next != std::string::npos && text[next] == '=') return true;
    }
    return false;
  };
  return has("\nsize") && has("\ntype");
}

fs::path sidecar_of(const fs::path& raw) {
  std::error_code error;
  for (fs::path sidecar : {fs::path(raw).concat(".toml"), fs::path(raw).replace_extension(".toml")})
    if (fs::is_regular_file(sidecar, error)) return sidecar;
  return {};
}

VolumeKind kind_of_text(std::string_view head, const std::string& name) {
  if (head.find("<VTKFile") != std::string_view::npos) {
    if (name.ends_with(".pvd") || head.find("\"Collection\"") != std::string_view::npos)
      return VolumeKind::pvd;
    return VolumeKind::vti;
  }
  if (name.ends_with(".mhd") || name.ends_with(".mha") || head.starts_with("ObjectType") ||
      head.starts_with("NDims"))
    return VolumeKind::metaimage;
  return VolumeKind::none;
}

VolumeKind kind_of_file(const fs::path& file) {
  const std::string name = lower_name(file);
  if (name.ends_with(".toml")) return describes_raw(file) ? VolumeKind::raw : VolumeKind::none;
  const std::string head = head_of(file, 4096);
  if (head.starts_with("NRRD")) return VolumeKind::nrrd;
  if (head.starts_with("\x93NUMPY")) return VolumeKind::npy;
  if (head.starts_with("CDF\x01"sv) || head.starts_with("CDF\x02"sv) ||
      head.starts_with("CDF\x05"sv))
    return VolumeKind::netcdf;
  // HDF5's signature stands at 0, or behind a user block at 512, 1024, 2048, ...
  for (std::size_t at = 0; at < head.size(); at = at == 0 ? 512 : at * 2)
    if (std::string_view(head).substr(at).starts_with("\x89HDF\r\n\x1a\n"))
      return name.ends_with(".nc") || name.ends_with(".nc4") || name.ends_with(".cdf")
                 ? VolumeKind::netcdf
                 : VolumeKind::hdf5;
  if (head.size() > 4 && std::string_view(head).substr(0, 8) == " BDV\0\0\0\0"sv)
    return VolumeKind::openvdb;
  if (head.size() > 132 && head.substr(128, 4) == "DICM") return VolumeKind::dicom;
  const std::string_view length = std::string_view(head).substr(0, 4);
  if (head.size() >= 348 && (length == "\x5c\x01\0\0"sv || length == "\0\0\x01\x5c"sv ||
                             length == "\x1c\x02\0\0"sv || length == "\0\0\x02\x1c"sv))
    return VolumeKind::nifti;
  for (const std::string_view suffix : {".nii", ".nii.gz", ".hdr.gz"})
    if (name.ends_with(suffix)) return VolumeKind::nifti;
  if (const VolumeKind kind = kind_of_text(head, name); kind != VolumeKind::none) return kind;
  // The bytes are not known, so the name decides; the format's reader then reports what is wrong.
  for (const auto& [suffix, kind] : {std::pair{".nrrd"sv, VolumeKind::nrrd},
                                     {".nhdr"sv, VolumeKind::nrrd},
                                     {".npy"sv, VolumeKind::npy},
                                     {".vti"sv, VolumeKind::vti},
                                     {".vtr"sv, VolumeKind::vti},
                                     {".pvd"sv, VolumeKind::pvd},
                                     {".h5"sv, VolumeKind::hdf5},
                                     {".hdf5"sv, VolumeKind::hdf5},
                                     {".vtkhdf"sv, VolumeKind::hdf5},
                                     {".nc"sv, VolumeKind::netcdf},
                                     {".nc4"sv, VolumeKind::netcdf},
                                     {".vdb"sv, VolumeKind::openvdb},
                                     {".dcm"sv, VolumeKind::dicom}})
    if (name.ends_with(suffix)) return kind;
  if (name.ends_with(".raw")) return VolumeKind::raw;
  return VolumeKind::none;
}

std::vector<fs::path> listed(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(path, error)) {
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (it->is_directory(error) ? is_plotfile(it->path()) : has_volume_name(it->path()))
        files.push_back(it->path());
  } else if (const auto pattern = parse_numbered_pattern(path)) {
    const fs::path folder = pattern->folder.empty() ? fs::path(".") : pattern->folder;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (number_in(*pattern, it->path().filename().string()))
        files.push_back(pattern->folder / it->path().filename());
  } else if (path.find_first_of("*?[") != std::string::npos) {
    glob_t matches = {};
    if (::glob(path.c_str(), GLOB_NOSORT | GLOB_TILDE, nullptr, &matches) == 0)
      for (std::size_t i = 0; i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
    ::globfree(&matches);
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.native(), b.native());
  });
  return files;
}

VolumeKind kind_of_folder(const std::string& folder) {
  std::error_code error;
  for (const char* mark : {".zattrs", ".zgroup", ".zarray"})
    if (fs::exists(fs::path(folder) / mark, error)) return VolumeKind::zarr;
  if (fs::exists(fs::path(folder) / "zarr.json", error)) return VolumeKind::zarr3;
  if (is_plotfile(folder)) return VolumeKind::amrex;
  return listed(folder).empty() ? VolumeKind::none : VolumeKind::series;
}

VolumeKind kind_of(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return kind_of_folder(path);
  if (fs::is_regular_file(path, error)) return kind_of_file(path);
  if (fs::exists(path, error)) return VolumeKind::none;
  const std::vector<fs::path> files = listed(path);
  if (files.empty()) return VolumeKind::none;
  if (fs::is_directory(files.front(), error))
    return is_plotfile(files.front()) ? VolumeKind::series : VolumeKind::none;
  return kind_of_file(files.front()) == VolumeKind::none ? VolumeKind::none : VolumeKind::series;
}

}  // namespace

bool has_volume_name(const fs::path& path) {
  const std::string name = lower_name(path);
  return std::any_of(std::begin(volume_suffixes), std::end(volume_suffixes),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

VolumeKind volume_kind_of(const std::string& path) noexcept {
  try {
    return kind_of(path);
  } catch (const std::exception&) {  // the path is missing or cannot be read
    return VolumeKind::none;
  }
}

std::vector<fs::path> series_files(const std::string& path) { return listed(path); }

fs::path raw_sidecar_of(const fs::path& path) {
  return lower_name(path).ends_with(".toml") ? path : sidecar_of(path);
}

}  // namespace tilewall::render
