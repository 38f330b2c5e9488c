#include "player/movie/transfer/disk_space.hpp"

#include <fmt/format.h>

#include "sync/base/error.hpp"

namespace tilewall {

void require_space(const std::filesystem::path& folder, double frame_bytes, std::int64_t frames) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || frames <= 0) return;
  const double needed = frame_bytes * static_cast<double>(frames);
  if (needed > static_cast<double>(space.available))
    throw JobError(fmt::format("{}: not enough space: {} more frames need about {}, {} are free",
                               folder.string(), frames, bytes_text(needed),
                               bytes_text(static_cast<double>(space.available))));
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace tilewall
