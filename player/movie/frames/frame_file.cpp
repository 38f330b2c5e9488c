#include "player/movie/frames/frame_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t most_gathered_bytes = std::size_t{4} << 20;

}  // namespace

FrameFile::FrameFile(const MovieManifest& manifest, const std::filesystem::path& file)
    : layout_(manifest),
      name_(file.string()),
      temporary_(fmt::format("{}.{}.tmp", name_, ::getpid())),
      index_(empty_frame_index(manifest, layout_)),
      gathered_(index_) {
  fd_ = UniqueFd(retry_eintr(
      [&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644); }));
  if (fd_.empty()) throw JobError(name_ + ": open: " + std::strerror(errno));
}

FrameFile::~FrameFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FrameFile::write_block(int level, int block, std::span<const std::uint8_t> bytes) {
  const FrameLayout::Level& at = layout_.levels[static_cast<std::size_t>(level)];
  TW_CHECK(block >= 0 && block < at.blocks, "{}", block);
  const std::uint64_t offset = gathered_at_ + gathered_.size();
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto number = static_cast<std::size_t>(block);
  std::memcpy(index_.data() + at.offsets + 8 * number, &offset, sizeof offset);
  std::memcpy(index_.data() + at.sizes + 4 * number, &size, sizeof size);
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  if (gathered_.size() >= most_gathered_bytes) write_gathered();
}

void FrameFile::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retry_eintr([&] {
      return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (put <= 0) throw JobError(name_ + ": write: " + std::strerror(put < 0 ? errno : ENOSPC));
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void FrameFile::write_gathered() {
  write_at(gathered_at_, gathered_);
  gathered_at_ += gathered_.size();
  gathered_.clear();
}

std::uint64_t FrameFile::finish() {
  const bool whole = gathered_at_ == 0;
  if (whole) std::copy(index_.begin(), index_.end(), gathered_.begin());
  write_gathered();
  if (!whole) write_at(0, index_);
  if (::close(fd_.release()) != 0) throw JobError(name_ + ": close: " + std::strerror(errno));
  if (::rename(temporary_.c_str(), name_.c_str()) != 0)
    throw JobError(name_ + ": rename: " + std::strerror(errno));
  temporary_.clear();
  return gathered_at_;
}

}  // namespace tilewall::movie
