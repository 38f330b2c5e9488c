// How long a classic NetCDF file must be, by its header: its library reads zeros beyond the end of
// a file that was cut, without a word.
//
// The format: "The NetCDF Classic Format Specification" (Unidata, NetCDF User's Guide, appendix),
// versions 1, 2 (64-bit offsets) and 5 (64-bit data).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tilewall {

/// Bytes up to the last value of the last variable. Empty for files of other formats, and for
/// headers that make no sense to it, which are the library's to refuse.
[[nodiscard]] std::optional<std::uint64_t> classic_netcdf_bytes(const std::filesystem::path& file);

}  // namespace tilewall
