#include "player/movie/frames/likely_ranges.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace tilewall::movie {
namespace {

constexpr std::size_t most_ranges = 32;  // each takes a system call
constexpr std::uint64_t joined_gap_bytes = 8192;
constexpr std::uint64_t least_margin_bytes = 4096;

}  // namespace

void LikelyRanges::prefetch(int fd) {
  struct stat status = {};
  file_bytes_ = ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (learnt_bytes_ == 0) return;
  const double scale = static_cast<double>(file_bytes_) / static_cast<double>(learnt_bytes_);
  for (const Range& range : ranges_) {
    const auto begin = static_cast<std::uint64_t>(static_cast<double>(range.begin) * scale);
    const auto size =
        static_cast<std::uint64_t>(static_cast<double>(range.end - range.begin) * scale);
    const std::uint64_t margin = std::max(least_margin_bytes, size / 16);
    const std::uint64_t from = begin - std::min(begin, margin);
    ::posix_fadvise(fd, static_cast<off_t>(from), static_cast<off_t>(begin - from + size + margin),
                    POSIX_FADV_WILLNEED);
  }
}

void LikelyRanges::learn(std::span<const BlockPlace> index, std::span<const int> wanted) {
  ranges_.clear();
  learnt_bytes_ = file_bytes_;
  for (const int block : wanted) {
    const auto number = static_cast<std::size_t>(block);
    if (number >= index.size() || index[number].size_bytes == 0) continue;
    const BlockPlace& place = index[number];
    ranges_.push_back({place.offset_bytes, place.offset_bytes + place.size_bytes});
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
  std::size_t kept = 0;
  for (const Range& range : ranges_) {
    if (kept > 0 && range.begin <= ranges_[kept - 1].end + joined_gap_bytes)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  }
  ranges_.resize(std::min(kept, most_ranges));
}

}  // namespace tilewall::movie
