// The formats of transfer functions, with one reader each. Used in this folder only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "render/transfer/transfer_spec.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {

/// Most colours of a table: the point at which the default opacity begins to rise comes to them.
inline constexpr std::size_t most_table_colours = max_transfer_points - 1;

/// A file's bytes, and the name of the wanted function.
struct TransferFile {
  std::string path;
  std::string bytes;
  std::optional<std::string> choice;  ///< Empty: the only function
};

[[nodiscard]] TransferSpec read_paraview_json(const TransferFile& file);
[[nodiscard]] TransferSpec read_slicer_xml(const TransferFile& file);
[[nodiscard]] TransferSpec read_colour_table(const TransferFile& file);
/// ImageJ's and MRIcron's tables of 256 colours, in bytes or as text.
[[nodiscard]] TransferSpec read_lut(const TransferFile& file);
/// Slicer's tables of labels, a colour for each whole number.
[[nodiscard]] bool is_label_table(const TransferFile& file);
[[nodiscard]] TransferSpec read_label_table(const TransferFile& file);
[[nodiscard]] TransferSpec read_transfer_toml(const TransferFile& file);

/// Index into `names` of the file's choice, ignoring case where no name fits otherwise; 0 where
/// there is no choice and one name. Throws InputError listing the names. @pre names are not empty
[[nodiscard]] std::size_t chosen(const TransferFile& file, std::span<const std::string> names);

/// Checks that values of points rise, or stay the same. Throws InputError naming `field` and the
/// first that falls, or where all are the same.
void check_rising(const InputPlace& place, std::string_view field,
                  std::span<const TransferPoint> line);

/// A channel of a colour, or an opacity, within [0, 1]. Values a rounding error beyond an end
/// become that end.
[[nodiscard]] float checked_channel(const InputPlace& place, std::string_view field, double value);

/// The text with ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

/// `text` as a name: printable, cut at max_transfer_name_bytes.
[[nodiscard]] std::string transfer_name(std::string_view text);

}  // namespace tilewall::render
