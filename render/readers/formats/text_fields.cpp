#include "render/readers/formats/text_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewall::render {
namespace {

constexpr std::uint64_t max_file_voxels = std::uint64_t{1} << 48;
constexpr std::size_t max_listed_names = 20;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < max_listed_names; ++i)
    text += (i > 0 ? ", " : "") + std::string(names[i]);
  if (names.size() > max_listed_names)
    text += fmt::format(" and {} more", names.size() - max_listed_names);
  return text;
}

}  // namespace

void FieldPlace::refuse(std::string_view expected, std::string_view found) const {
  throw InputError({file}, field, expected, found);
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 40)) out += c >= ' ' && c < 127 ? c : '?';
  return out + (text.size() > 40 ? "...\"" : "\"");
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return parts;
}

std::optional<std::int64_t> parse_whole(std::string_view text) noexcept {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // Numbers beyond a double's range are refused too: from_chars does not say which way they exceed
  // it.
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::int64_t> whole_numbers(std::string_view text, const FieldPlace& place,
                                        std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split(text)) {
    const auto number = parse_whole(part);
    if (!number) place.refuse("whole numbers", in_quotes(part));
    numbers.push_back(*number);
  }
  if (count > 0 && numbers.size() != count)
    place.refuse(fmt::format("{} whole numbers", count), fmt::format("{}", numbers.size()));
  return numbers;
}

std::vector<double> real_numbers(std::string_view text, const FieldPlace& place,
                                 std::size_t count) {
  std::vector<double> numbers;
  for (const std::string& part : split(text)) {
    const auto number = parse_real(part);
    if (!number) place.refuse("numbers", in_quotes(part));
    numbers.push_back(*number);
  }
  if (count > 0 && numbers.size() != count)
    place.refuse(fmt::format("{} numbers", count), fmt::format("{}", numbers.size()));
  return numbers;
}

VolumeSize checked_size(const std::array<std::int64_t, 3>& sides, const FieldPlace& place) {
  std::uint64_t voxels = 1;
  for (const std::int64_t side : sides) {
    if (side < 1 || side > max_file_side)
      place.refuse(fmt::format("1 to {} voxels along an axis", max_file_side),
                   fmt::format("{}", side));
    voxels *= static_cast<std::uint64_t>(side);  // at most 2^60
  }
  if (voxels > max_file_voxels)
    place.refuse(fmt::format("at most {} voxels", max_file_voxels),
                 fmt::format("{} x {} x {}", sides[0], sides[1], sides[2]));
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1]), static_cast<int>(sides[2])};
}

double checked_spacing(double spacing, const FieldPlace& place) {
  if (!(spacing > 0) || !std::isfinite(spacing))
    place.refuse("a length above 0", fmt::format("{}", spacing));
  return spacing;
}

VolumePlace place_of_steps(Vec3d origin, const std::array<Vec3d, 3>& steps, const FieldPlace& place,
                           std::vector<std::string>& notes) {
  constexpr double square_enough = 5e-4;  // cosine of an angle; half of a Volume's tolerance
  VolumePlace result;
  result.origin = origin + Vec3d{};  // -0 becomes 0
  for (const double at : axes_of(origin))
    if (!std::isfinite(at)) place.refuse("an origin of finite numbers", fmt::format("{}", at));
  std::array<double, 3> spacing = {};
  bool sheared = false;
  for (std::size_t i = 0; i < 3; ++i) {
    spacing[i] = checked_spacing(length(steps[i]), place);
    Vec3d axis = (1.0 / spacing[i]) * steps[i];
    for (std::size_t j = 0; j < i; ++j) {
      const double cosine = dot(axis, result.axes[j]);
      if (std::abs(cosine) < square_enough) continue;
      sheared = true;
      axis = axis - cosine * result.axes[j];
    }
    if (length(axis) < 1e-3) place.refuse("three directions", "some in one plane");
    result.axes[i] = normalized(axis) + Vec3d{};  // -0 becomes 0
  }
  result.spacing = {spacing[0], spacing[1], spacing[2]};
  if (sheared) notes.emplace_back("the grid is sheared: it is taken as a box");
  return result;
}

void set_one_timestep(VolumeInfo& info) {
  info.times = {0};
  info.time_labels = {""};
}

void set_timesteps(VolumeInfo& info, std::int64_t count, double start, double step,
                   std::string_view unit, const FieldPlace& place) {
  if (count < 1 || count > max_file_side)
    place.refuse(fmt::format("1 to {} timesteps", max_file_side), fmt::format("{}", count));
  if (count == 1) return set_one_timestep(info);
  info.times.clear();
  info.time_labels.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    const double time = start + step * static_cast<double>(i);
    info.times.push_back(std::isfinite(time) ? time : static_cast<double>(i));
    info.time_labels.push_back(
        fmt::format("{:.6g}{}{}", info.times.back(), unit.empty() ? "" : " ", unit));
  }
}

std::size_t choose_dataset(const std::vector<std::string>& names, const VolumeOptions& options,
                           const FieldPlace& place) {
  if (options.dataset.empty()) {
    if (names.size() > 1 && !options.first_dataset)
      place.refuse("the name of one (--dataset NAME), as there are several", listed(names));
    return 0;
  }
  const auto found = std::find(names.begin(), names.end(), options.dataset);
  if (found == names.end()) place.refuse("one of " + listed(names), in_quotes(options.dataset));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace tilewall::render
