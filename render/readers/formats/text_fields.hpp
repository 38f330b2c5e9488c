// Numbers and words in headers made of text, and what most formats check alike.
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

/// Where a header's field stands, for messages.
struct FieldPlace {
  std::string file;
  std::string field;
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;
};

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
[[nodiscard]] std::string lower_case(std::string_view text);
/// Parts between any of `separators`, empty ones left out.
[[nodiscard]] std::vector<std::string> split(std::string_view text,
                                             std::string_view separators = " \t\r\n");

/// All of the text is one number. Empty where it is not.
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text) noexcept;
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// Throws InputError unless all are numbers; `count` of them where it is not 0.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(std::string_view text,
                                                      const FieldPlace& place,
                                                      std::size_t count = 0);
[[nodiscard]] std::vector<double> real_numbers(std::string_view text, const FieldPlace& place,
                                               std::size_t count = 0);

/// Throws InputError for a side out of range or a product beyond all reason.
[[nodiscard]] VolumeSize checked_size(const std::array<std::int64_t, 3>& sides,
                                      const FieldPlace& place);
/// Throws InputError unless it is above 0 and finite.
double checked_spacing(double spacing, const FieldPlace& place);

/// The place of voxels whose neighbours along axis i are `steps[i]` away: a sheared grid becomes a
/// box, and `notes` say so. Throws InputError where steps are nil or lie in a plane.
[[nodiscard]] VolumePlace place_of_steps(Vec3d origin, const std::array<Vec3d, 3>& steps,
                                         const FieldPlace& place, std::vector<std::string>& notes);

/// A single timestep, without a name.
void set_one_timestep(VolumeInfo& info);
/// Timesteps of an axis: start, start + step, ...
void set_timesteps(VolumeInfo& info, std::int64_t count, double start, double step,
                   std::string_view unit, const FieldPlace& place);

/// The asked for of `names`: by name, or the only one, or as options say. Throws InputError that
/// lists them. @pre names not empty
[[nodiscard]] std::size_t choose_dataset(const std::vector<std::string>& names,
                                         const VolumeOptions& options, const FieldPlace& place);

/// For messages: at most 40 bytes, in quotes, without control characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace tilewall::render
