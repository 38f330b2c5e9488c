// Which image files a user means: one file, a folder, a numbered pattern, a glob, or a list.
//
// A pattern (frame-%06d.png) is a numbered axis: frame 0 is the lowest number there is, and a
// missing number is a gap, where the picture before it stays. A folder, a glob or a list is what it
// holds, in natural order (2 before 10); numbers left out there are named but cost no frame. Lean
// on purpose: no image is opened, and no codec is linked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::movie {

struct ImageSequence {
  std::string name;                          ///< as the user gave it; the first file of a list
  std::vector<std::filesystem::path> files;  ///< of frame n; "" = a gap
  std::int64_t gap_frames = 0;               ///< frames without a file of their own
  std::string missing;  ///< "frame-000012..000014, frame-000020"; "" = nothing is left out
};

/// The images that `inputs` name; empty when it is one file that is no image by its name or first
/// bytes (a movie), or one folder that is a wall movie. Throws InputError naming the input:
/// missing, a folder without images, a pattern or glob that nothing matches, a list with something
/// else in it.
[[nodiscard]] std::optional<ImageSequence> resolve_images(const std::vector<std::string>& inputs);

/// Whether the name ends as an image's does (.jpg, .png, .tif, .exr, ...), in any case.
[[nodiscard]] bool has_image_name(const std::filesystem::path& file);

/// Whether the first bytes are a JPEG's, PNG's, TIFF's or EXR's. Throws InputError for a file that
/// cannot be read.
[[nodiscard]] bool has_image_magic(const std::filesystem::path& file);

// Names the numbers that a numbered set of files leaves out.

/// "frame-000012..000014, frame-000020 and 3 more gaps"; "" when the names differ in more than
/// their last number, or nothing is left out between the lowest and the highest.
[[nodiscard]] std::string describe_missing_numbers(const std::vector<std::filesystem::path>& files);

}  // namespace tilewall::movie
