// Imports one image too large for memory: read by rows, scaled and coloured band by band, written
// by rows.
#pragma once

#include <optional>

#include "player/movie/source/image_rows.hpp"
#include "player/movie/transfer/import_job.hpp"

namespace tilewall {

inline constexpr std::int64_t huge_from_px = 64'000'000;

/// The rows of the one image that `inputs` name, where it is a JPEG, PNG or TIFF of more than
/// huge_from_px; else null. Throws InputError.
[[nodiscard]] std::unique_ptr<ImageRows> open_huge_image(const std::vector<std::string>& inputs);

/// As import_movie(); memory stays under about 512 MiB.
ImportResult import_huge_image(const ImportOptions& options, std::unique_ptr<ImageRows> rows,
                               ProgressSink& progress);

}  // namespace tilewall
