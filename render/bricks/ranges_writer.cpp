#include "render/bricks/ranges_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall {

RangesWriter::RangesWriter(const std::filesystem::path& file, const RangesPlan& plan)
    : plan_(plan), file_(file.string()) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  fd_ = UniqueFd(
      retry_eintr([&] { return ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644); }));
  if (fd_.empty()) throw JobError(file_ + ": open: " + std::strerror(errno));
  if (::ftruncate(fd_.get(), static_cast<off_t>(plan.file_bytes())) != 0)
    throw JobError(file_ + ": ftruncate: " + std::strerror(errno));
  const RangesHeader header = plan.header();
  write(std::as_bytes(std::span(&header, 1)), 0);
}

void RangesWriter::write_cells(std::size_t brick, std::span<const std::byte> pairs) const {
  write(pairs, plan_.cells_offset(brick));
}

void RangesWriter::write_bricks(std::size_t first_brick, std::span<const std::byte> pairs) const {
  write(pairs, plan_.brick_offset(first_brick));
}

void RangesWriter::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t written = retry_eintr([&] {
      return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (written < 0) throw JobError(file_ + ": write: " + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace tilewall
