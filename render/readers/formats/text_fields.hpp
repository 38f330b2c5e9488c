// Parses numbers and words of text headers, and has the checks that most formats share.
//
// Threads: no shared state; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/readers/volume_info.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {

/// A field of a header, for messages.
struct FieldPlace {
  std::string file;
  std::string field;
  /// Throws InputError with file, field, expected and found.
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;
};

/// Removes white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// Converts ASCII letters to lower case.
[[nodiscard]] std::string lower_case(std::string_view text);
/// Splits at any character of `separators`; empty parts are left out.
[[nodiscard]] std::vector<std::string> split(std::string_view text,
                                             std::string_view separators = " \t\r\n");

/// Parses text that is exactly one number, in any locale; empty if it is not one.
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text) noexcept;
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// Parses numbers between white space. Throws InputError if a word is no number, or if `count` is
/// not 0 and there are not exactly so many.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(std::string_view text,
                                                      const FieldPlace& place,
                                                      std::size_t count = 0);
[[nodiscard]] std::vector<double> real_numbers(std::string_view text, const FieldPlace& place,
                                               std::size_t count = 0);

/// Throws InputError for a side outside of 1 to max_file_side, or more than 2^48 voxels.
[[nodiscard]] VolumeSize checked_size(const std::array<std::int64_t, 3>& sides,
                                      const FieldPlace& place);
/// Returns `spacing`; throws InputError unless it is above 0 and finite.
double checked_spacing(double spacing, const FieldPlace& place);

/// Returns the place of voxels whose neighbours along axis i are `steps[i]` away. A sheared grid
/// becomes a box, with a sentence in `notes`. Throws InputError if a step is 0 or the steps lie in
/// a plane.
[[nodiscard]] VolumePlace place_of_steps(Vec3d origin, const std::array<Vec3d, 3>& steps,
                                         const FieldPlace& place, std::vector<std::string>& notes);

/// Sets a single timestep without a label.
void set_one_timestep(VolumeInfo& info);
/// Sets `count` timesteps at start, start + step, ... Throws InputError if `count` is out of range.
void set_timesteps(VolumeInfo& info, std::int64_t count, double start, double step,
                   std::string_view unit, const FieldPlace& place);

/// Returns the index of options.dataset in `names`; without a dataset, 0 if it is the only name or
/// options.first_dataset is set. Otherwise throws InputError with the names. @pre names not empty
[[nodiscard]] std::size_t choose_dataset(const std::vector<std::string>& names,
                                         const VolumeOptions& options, const FieldPlace& place);

/// Quotes a word of a file for a message: at most 40 bytes, others than printable ASCII as "?".
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace tilewall::render
