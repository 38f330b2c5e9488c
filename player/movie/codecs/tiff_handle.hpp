// An owning handle for libtiff's files, and opening without messages on the terminal.
#pragma once

#include <tiffio.h>

#include <filesystem>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct TiffTraits {
  using Raw = TIFF*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { TIFFClose(raw); }
};
using Tiff = UniqueHandle<TiffTraits>;

/// Opens a file for reading; empty if libtiff cannot. Turns libtiff's messages off for the whole
/// process.
[[nodiscard]] inline Tiff open_tiff_quietly(const std::filesystem::path& file) {
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
  return Tiff(TIFFOpen(file.c_str(), "rm"));
}

}  // namespace tilewall::movie
