#include "player/movie/frames/block_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uint64_t largest_gap_bytes = 8192;  // reading it is cheaper than another call

// Reads up to `size` bytes, less at the end of the file or an error; returns the number read.
std::size_t read_at(int fd, std::uint8_t* bytes, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = retry_eintr(
        [&] { return ::pread(fd, bytes + done, size - done, static_cast<off_t>(offset + done)); });
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

std::size_t BlockReader::end_of_run(std::size_t first) const {
  std::uint64_t run_end = places_[order_[first]].file_at + places_[order_[first]].size_bytes;
  std::size_t end = first + 1;
  for (; end < order_.size(); ++end) {
    const Place& place = places_[order_[end]];
    if (place.file_at > run_end + largest_gap_bytes) break;
    run_end = std::max(run_end, place.file_at + place.size_bytes);
  }
  return end;
}

void BlockReader::read_run(int fd, std::size_t first, std::size_t end, std::size_t buffer_at) {
  const std::uint64_t run_at = places_[order_[first]].file_at;
  std::uint64_t run_end = run_at;
  for (std::size_t i = first; i < end; ++i)
    run_end = std::max(run_end, places_[order_[i]].file_at + places_[order_[i]].size_bytes);
  const std::size_t size = static_cast<std::size_t>(run_end - run_at);
  if (buffer_.size() < buffer_at + size) buffer_.resize(buffer_at + size);
  const std::size_t got = read_at(fd, buffer_.data() + buffer_at, size, run_at);
  read_bytes_ += got;
  for (std::size_t i = first; i < end; ++i) {
    Place& place = places_[order_[i]];
    const auto in_run = static_cast<std::size_t>(place.file_at - run_at);
    place.buffer_at = buffer_at + in_run;
    if (in_run + place.size_bytes > got) place.size_bytes = 0;
  }
}

void BlockReader::read(int fd, std::span<const BlockPlace> index, std::span<const int> wanted) {
  read_bytes_ = 0;
  places_.clear();
  for (const int block : wanted) {
    const BlockPlace& place = index[static_cast<std::size_t>(block)];
    places_.push_back({place.offset_bytes, 0, place.size_bytes});
  }
  order_.resize(places_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::erase_if(order_, [&](std::uint32_t i) { return places_[i].size_bytes == 0; });
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return places_[a].file_at < places_[b].file_at;
  });
  std::size_t buffer_at = 0;
  for (std::size_t first = 0; first < order_.size();) {
    const std::size_t end = end_of_run(first);
    read_run(fd, first, end, buffer_at);
    for (std::size_t i = first; i < end; ++i) {
      const Place& place = places_[order_[i]];
      buffer_at = std::max(buffer_at, place.buffer_at + place.size_bytes);
    }
    first = end;
  }
}

}  // namespace tilewall::movie
