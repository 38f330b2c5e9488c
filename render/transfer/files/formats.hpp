// The formats of transfer functions, one reader each. Of this folder only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "render/transfer/transfer_spec.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {

/// A file's bytes, and which of its functions is wanted.
struct TransferFile {
  std::string path;
  std::string bytes;
  std::optional<std::string> choice;  ///< empty: the first
};

[[nodiscard]] TransferSpec read_paraview_json(const TransferFile& file);
[[nodiscard]] TransferSpec read_slicer_xml(const TransferFile& file);
[[nodiscard]] TransferSpec read_colour_table(const TransferFile& file);
[[nodiscard]] TransferSpec read_transfer_toml(const TransferFile& file);

/// Where in `names` the file's choice is, without regard to case where no other way fits; 0 where
/// there is no choice. Throws InputError listing the names. @pre names are not empty
[[nodiscard]] std::size_t chosen(const TransferFile& file, std::span<const std::string> names);

/// The points of a line must rise, not necessarily everywhere. Throws InputError naming
/// `field` and the first that falls, or where all are the same.
void check_rising(const InputPlace& place, std::string_view field,
                  std::span<const TransferPoint> line);

/// A colour or an opacity. Rounding past an end is forgiven.
[[nodiscard]] float checked_channel(const InputPlace& place, std::string_view field, double value);

/// Of ASCII letters.
[[nodiscard]] std::string lower_case(std::string_view text);

/// `text` as a name: printable, cut at max_transfer_name_bytes.
[[nodiscard]] std::string transfer_name(std::string_view text);

}  // namespace tilewall::render
