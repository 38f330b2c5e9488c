// For tests of volume formats: files of those whose headers are ours to parse, made by hand, and
// what becomes of a file that is read.
#pragma once

#include <filesystem>
#include <string>

#include "render/readers/volume_file.hpp"
#include "render/readers/volume_info.hpp"

namespace tilewall::test {

/// The bytes packed by gzip, or by zlib.
[[nodiscard]] std::string deflated(const std::string& bytes, bool gzip);
[[nodiscard]] std::string base64(const std::string& bytes);

/// The line with which the file is refused; "" where it is read.
[[nodiscard]] std::string refusal_of(const std::filesystem::path& path,
                                     const render::VolumeOptions& options = {});
/// The same by the process that reads volumes, within its limits.
[[nodiscard]] std::string process_refusal(const std::filesystem::path& path,
                                          const render::VolumeOptions& options = {},
                                          const render::ReaderLimits& limits = {});
/// What differs between the test field and what that process reads, at once and in many windows; ""
/// where nothing does.
[[nodiscard]] std::string process_fault(const std::filesystem::path& path, int timesteps = 1,
                                        const render::VolumeOptions& options = {});
/// Checks that every truncation of `whole`, written to `file`, is refused in one line that names
/// the file, or one beside it.
void check_truncations(const std::filesystem::path& file, const std::string& whole,
                       std::size_t step = 1);

/// A NRRD header of 5 x 4 x 3 voxels that goes on with `more`.
[[nodiscard]] std::string nrrd_text(const std::string& more);
/// A NIfTI-1 file of 5 x 4 x 3 voxels of i16.
[[nodiscard]] std::string nifti_file(bool big, float slope, float intercept, int timesteps);
/// A NIfTI-2 file of 5 x 4 x 3 voxels of i16, with the place of nifti_file().
[[nodiscard]] std::string nifti2_file(bool big);
/// An NPY file of that format version, whose header has these words.
[[nodiscard]] std::string npy_file(int version, const std::string& descr, bool fortran,
                                   const std::string& shape, const std::string& data);
/// A VTI file of 5 x 4 x 3 points, or cells; `inside` stands in its DataArray.
[[nodiscard]] std::string vti_file(const std::string& attributes,
                                   const std::string& array_attributes, const std::string& inside,
                                   const std::string& appended = "", bool cells = false);

}  // namespace tilewall::test
