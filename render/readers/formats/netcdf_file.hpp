// An open NetCDF file, classic or 4, with its variables and attributes.
//
// Threads: one, as libnetcdf is not thread-safe.
#pragma once

#include <netcdf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/formats/element.hpp"
#include "render/readers/formats/file_root.hpp"
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
  std::vector<int> dimensions;  ///< ids, slowest first
};

/// Returns the element for a type of NetCDF; empty for types that are no numbers.
[[nodiscard]] std::optional<Element> nc_element(nc_type type);

/// Returns the fill value of variables that name none. Empty for bytes, which have none, and for
/// 64-bit whole numbers.
[[nodiscard]] std::optional<double> nc_standard_fill(nc_type type);

class NcFile {
 public:
  /// Throws InputError with the file if it is not NetCDF, or shorter than its header says.
  explicit NcFile(const std::string& name);

  [[nodiscard]] int id() const noexcept { return id_.get(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Throws InputError with `field` and the library's text unless `status` is NC_NOERR.
  void check(int status, const std::string& field) const;

  /// Returns an attribute's text; "" if it is missing, longer than 64 KiB or no text.
  [[nodiscard]] std::string text(int variable, const char* attribute) const;
  /// Returns an attribute's numbers; empty if it is missing, has more than 64 or is not numeric.
  [[nodiscard]] std::vector<double> numbers(int variable, const char* attribute) const;
  /// Returns all variables of the root group.
  [[nodiscard]] std::vector<NcVariable> variables() const;

 private:
  /// Refuses a classic file that was cut, because the library would read zeros beyond its end.
  void check_length() const;

  std::string name_;
  FileRoot::ForLibrary opened_;
  UniqueHandle<NcTraits> id_;
};

// The length of a classic NetCDF file follows from its header. It is checked because the library
// reads zeros beyond the end of a file that was cut, without an error.
//
// Format: "The NetCDF Classic Format Specification" (Unidata, NetCDF User's Guide, appendix),
// versions 1, 2 (64-bit offsets) and 5 (64-bit data).

/// Returns the bytes up to the last value of the last variable. Empty for other formats, and for
/// damaged headers, which the library refuses.
[[nodiscard]] std::optional<std::uint64_t> classic_netcdf_bytes(const std::filesystem::path& file);

}  // namespace tilewall::render
