// Transfer functions out of other programs' files, and our own.
//
// A file is at most 4 MiB, and read whole. Its kind is told from its name's end (.json, .xml,
// .toml, .csv, .txt), or else from its first character. All errors are InputErrors of one line:
// file, line or field, expected, found. Threads: pure functions; a file is read while they run.
#pragma once

#include <cstddef>
#include <string>

#include "render/transfer/transfer_spec.hpp"

namespace tilewall::render {

inline constexpr std::size_t max_transfer_file_bytes = 4U << 20;

/// `file` or `file#name`, the one of that name in a file of several; without a name the first.
/// ParaView's colour maps (JSON), Slicer's volume presets (XML), tables of colours (CSV or
/// columns), or TOML, as README.md describes them.
[[nodiscard]] TransferSpec read_transfer_file(const std::string& file);

/// One of transfer_names(), or else a file: "./gray" is a file in any case.
[[nodiscard]] TransferSpec read_transfer(const std::string& name_or_file);

}  // namespace tilewall::render
