// Whether a disk holds what a job is about to write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewall {

/// Throws JobError with both numbers when `frames` of `frame_bytes` do not fit on the disk of
/// `folder`.
void require_space(const std::filesystem::path& folder, double frame_bytes, std::int64_t frames);

/// "1.5 GB", powers of ten.
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace tilewall
