// An open NetCDF file, classic or 4: its variables and attributes.
#pragma once

#include <netcdf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/formats/element.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::render {

struct NcTraits {
  using Raw = int;
  static constexpr int null() noexcept { return -1; }
  static void close(int raw) noexcept { nc_close(raw); }
};

struct NcVariable {
  int id = 0;
  std::string name;
  nc_type type = NC_NAT;
  std::vector<int> dimensions;
};

/// The numbers of that type; empty where the player has none such.
[[nodiscard]] std::optional<Element> nc_element(nc_type type);

/// What a variable without a fill value of its own is filled with. Empty for bytes, which are not
/// filled.
[[nodiscard]] std::optional<double> nc_standard_fill(nc_type type);

class NcFile {
 public:
  /// Throws InputError naming the file: no NetCDF, or shorter than its header says.
  explicit NcFile(const std::string& name);

  [[nodiscard]] int id() const noexcept { return id_.get(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Throws InputError naming `field` unless `status` is NC_NOERR.
  void check(int status, const std::string& field) const;

  /// The attribute's text; "" where there is none.
  [[nodiscard]] std::string text(int variable, const char* attribute) const;
  /// The attribute's numbers, at most 64; empty where there are none.
  [[nodiscard]] std::vector<double> numbers(int variable, const char* attribute) const;
  [[nodiscard]] std::vector<NcVariable> variables() const;

 private:
  /// The library reads zeros beyond the end.
  void check_length() const;

  std::string name_;
  UniqueHandle<NcTraits> id_;
};

// How long a classic NetCDF file must be, by its header: its library reads zeros beyond the end of
// a file that was cut, without a word.
//
// The format: "The NetCDF Classic Format Specification" (Unidata, NetCDF User's Guide, appendix),
// versions 1, 2 (64-bit offsets) and 5 (64-bit data).

/// Bytes up to the last value of the last variable. Empty for files of other formats, and for
/// headers that make no sense to it, which are the library's to refuse.
[[nodiscard]] std::optional<std::uint64_t> classic_netcdf_bytes(const std::filesystem::path& file);

}  // namespace tilewall::render
