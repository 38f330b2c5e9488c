#include "player/volume/caster/panel_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "player/scene/volume_style.hpp"
#include "player/volume/cast_wire.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::volume {
namespace {

constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr off_t most_picture_bytes = off_t{max_part_side_px} * max_part_side_px * 4;

}  // namespace

PictureMemory::PictureMemory(int fd) {
  struct stat status = {};
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & fixed_size) != fixed_size || ::fstat(fd, &status) != 0 ||
      status.st_size <= 0 || status.st_size > most_picture_bytes)
    return;
  void* const at = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                          MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return;
  begin_ = static_cast<std::uint8_t*>(at);
  bytes_ = static_cast<std::size_t>(status.st_size);
}

PictureMemory::PictureMemory(PictureMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

PictureMemory& PictureMemory::operator=(PictureMemory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PictureMemory::~PictureMemory() {
  if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

std::shared_ptr<const RequestedStyle> read_style(int fd) {
  auto requested = std::make_shared<RequestedStyle>();
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || status.st_size <= 0 || status.st_size > max_style_bytes)
    throw InputError("a style: expected a memory file of 1 to " + std::to_string(max_style_bytes) +
                     " bytes");
  requested->text.resize(static_cast<std::size_t>(status.st_size));
  if (::pread(fd, requested->text.data(), requested->text.size(), 0) != status.st_size)
    throw InputError("a style: expected " + std::to_string(status.st_size) + " bytes, found fewer");
  requested->style = scene::volume_style_from_json(parse_json(requested->text));
  return requested;
}

}  // namespace tilewall::volume
