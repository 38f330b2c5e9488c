#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "player/movie/staging/block_fetcher.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t most_parts = 1024;  // buffers of one preadv: IOV_MAX of Linux

/// Fills the parts with the file's bytes from offset `at` on, by as many calls as it takes. Returns
/// the offset behind the last byte read.
std::uint64_t read_parts(int fd, std::span<iovec> parts, std::uint64_t at) {
  while (!parts.empty()) {
    const ssize_t got = retry_eintr([&] {
      return ::preadv(fd, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(at));
    });
    if (got <= 0) break;
    at += static_cast<std::uint64_t>(got);
    auto left = static_cast<std::size_t>(got);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (parts.empty()) break;
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
    parts.front().iov_len -= left;
  }
  return at;
}

}  // namespace

std::vector<BlockPlace> places_of(std::span<const BlockPlace> index,
                                  const std::vector<int>& wanted) {
  std::vector<BlockPlace> places;
  places.reserve(wanted.size());
  for (const int block : wanted)
    places.push_back(static_cast<std::size_t>(block) < index.size()
                         ? index[static_cast<std::size_t>(block)]
                         : BlockPlace{});
  return places;
}

std::size_t total_bytes(std::span<const BlockPlace> places) noexcept {
  std::size_t total = 0;
  for (const BlockPlace& place : places) total += place.size_bytes;
  return total;
}

void read_blocks(int fd, std::vector<BlockPlace>& places, const std::vector<std::byte*>& to) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return places[i].size_bytes == 0; });
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return places[a].offset_bytes < places[b].offset_bytes;
  });
  for (std::size_t first = 0; first < order.size();) {
    std::vector<iovec> parts;
    const std::uint64_t begin = places[order[first]].offset_bytes;
    std::uint64_t end = begin;
    std::size_t next = first;
    for (; next < order.size() && parts.size() < most_parts; ++next) {
      const BlockPlace& place = places[order[next]];
      if (place.offset_bytes != end) break;
      parts.push_back({to[order[next]], place.size_bytes});
      end += place.size_bytes;
    }
    const std::uint64_t whole_to = read_parts(fd, parts, begin);
    for (std::size_t i = first; i < next; ++i) {
      BlockPlace& place = places[order[i]];
      if (place.offset_bytes + place.size_bytes > whole_to) place.size_bytes = 0;
    }
    first = next;
  }
}

}  // namespace tilewall::movie
