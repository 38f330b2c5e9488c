// Finds the image files that a user names by a file, a folder, a numbered pattern, a glob, or a
// list.
//
// With a pattern (frame-%06d.png), numbers are frames: frame 0 is the lowest number that exists,
// and a missing number is a gap, in which the picture before stays. The files of a folder, a glob
// or a list follow each other in natural order (2 before 10); missing numbers are named there, but
// take no frame. No image is decoded, and no codec is linked.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::movie {

struct ImageSequence {
  std::string name;                          ///< the user's input; the first file of a list
  std::vector<std::filesystem::path> files;  ///< files by frame number; "" = a gap
  std::int64_t gap_frames = 0;               ///< number of gaps
  std::string missing;  ///< "frame-000012..000014, frame-000020"; "" = no number is missing
};

/// The images that `inputs` name. Empty for one file that is no image by its name or first bytes (a
/// movie), and for one folder that is a wall movie. Throws InputError naming the input for a file
/// that does not exist, a folder without images, a pattern or glob without matches, and a list with
/// other files in it.
[[nodiscard]] std::optional<ImageSequence> resolve_images(const std::vector<std::string>& inputs);

/// Whether the name has the ending of an image (.jpg, .png, .tif, .exr, ...), in upper or lower
/// case.
[[nodiscard]] bool has_image_name(const std::filesystem::path& file);

/// Whether the file begins as a JPEG, PNG, TIFF or EXR. Throws InputError for a file that cannot be
/// read.
[[nodiscard]] bool has_image_magic(const std::filesystem::path& file);

/// Names the numbers that are missing in a numbered set of files, such as "frame-000012..000014,
/// frame-000020 and 3 more gaps". Empty if the names differ in more than their last number, or no
/// number is missing between the lowest and the highest.
[[nodiscard]] std::string describe_missing_numbers(const std::vector<std::filesystem::path>& files);

}  // namespace tilewall::movie
