// Reads transfer functions from other programs' files, and from our own.
//
// A file has at most 4 MiB, and is read whole. Its kind is recognized by its suffix (.json, .xml,
// .toml, .csv, .txt, .ctbl, .lut), or else by its first character. All errors are InputErrors of
// one line: file, line or field, expected, found. Threads: pure functions; a file is read while
// they run.
#pragma once

#include <cstddef>
#include <string>

#include "render/transfer/transfer_spec.hpp"

namespace tilewall::render {

inline constexpr std::size_t max_transfer_file_bytes = 4U << 20;

/// Reads `file`, or `file#name` for the function of that name in a file of several, which is
/// refused without a name. Formats: ParaView's colour maps (JSON), Slicer's volume presets (XML),
/// tables of colours (CSV or columns, ImageJ's, MRIcron's, Slicer's), and TOML as README.md
/// describes it.
[[nodiscard]] TransferSpec read_transfer_file(const std::string& file);

/// A function of transfer_names(), or else a file. "./gray" is always a file.
[[nodiscard]] TransferSpec read_transfer(const std::string& name_or_file);

/// The function as TOML that read_transfer_file() reads: points, unit and name.
[[nodiscard]] std::string transfer_toml_text(const TransferSpec& spec);

}  // namespace tilewall::render
