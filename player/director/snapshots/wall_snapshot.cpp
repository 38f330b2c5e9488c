#include "player/director/snapshots/wall_snapshot.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "player/movie/codecs/png_writer.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::director {
namespace {

ImageView view_of(std::vector<std::uint8_t>& pixels, SizePx size) {
  return {pixels.data(), size, static_cast<std::size_t>(size.width) * 4};
}

std::filesystem::path panel_file(const std::filesystem::path& file, const std::string& panel) {
  std::filesystem::path path = file;
  return path.replace_filename(
      fmt::format("{}-{}{}", file.stem().string(), panel, file.extension().string()));
}

/// Replaces the file of that name in an open folder, whatever now has the folder's path. A link is
/// replaced, not followed; a file keeps its mode. Throws JobError with the file's path.
void replace_in(int folder, const std::filesystem::path& file, std::string_view bytes) {
  const std::string name = file.filename().string();
  const std::string temporary = fmt::format("{}.{}.tmp", name, ::getpid());
  struct stat old = {};
  const bool is_replaced =
      ::fstatat(folder, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode);
  const auto fail = [&](const char* call) {
    throw JobError(fmt::format("{}: {}: {}", file.string(), call, std::strerror(errno)));
  };
  ::unlinkat(folder, temporary.c_str(), 0);  // of a process that died
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(folder, temporary.c_str(), flags, 0644));
  if (fd.empty()) fail("open");
  try {
    constexpr mode_t permissions = 07777;
    if (is_replaced && ::fchmod(fd.get(), old.st_mode & permissions) != 0) fail("fchmod");
    write_all(fd.get(), bytes, file.string());
    fd.reset();
    if (::renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) fail("rename");
  } catch (...) {
    ::unlinkat(folder, temporary.c_str(), 0);
    throw;
  }
}

}  // namespace

WallSnapshot::WallSnapshot(const wall::Wall& wall, SnapshotRequest request)
    : wall_(wall),
      request_(std::move(request)),
      pictures_(wall.panels.size()),
      missing_(wall.panels.size()) {}

void WallSnapshot::add(std::size_t panel, std::int64_t shown_frame, SizePx size_px,
                       std::vector<std::uint8_t> pixels) {
  PanelPicture& picture = pictures_.at(panel);
  const std::size_t expected =
      static_cast<std::size_t>(size_px.width) * static_cast<std::size_t>(size_px.height) * 4;
  if (!picture.pixels.empty() || size_px != wall_.panels[panel].viewed_size_px() ||
      pixels.size() != expected)
    return;
  picture = {shown_frame, std::move(pixels)};
  --missing_;
}

std::string WallSnapshot::write(int folder) const {
  if (empty())
    throw JobError(fmt::format("{}: frame {}: expected a panel that showed it, found none",
                               request_.file.string(), request_.frame));
  request_.per_panel ? write_panels() : write_assembled(folder);
  const std::string strays = this->strays();
  if (strays.empty()) return {};
  return fmt::format("{}: frame {}: {}", request_.file.string(), request_.frame, strays);
}

std::string WallSnapshot::strays() const {
  const auto same = [&](const PanelPicture& picture) {
    return picture.shown_frame == pictures_.front().shown_frame;
  };
  const bool alike = pictures_.size() > 1 && std::ranges::all_of(pictures_, same);
  if (alike && pictures_.front().shown_frame != request_.frame)
    return fmt::format("all {} panels showed {}", pictures_.size(), pictures_.front().shown_frame);
  std::string strays;
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    const PanelPicture& picture = pictures_[i];
    if (picture.shown_frame == request_.frame) continue;
    strays += fmt::format("{}{} showed {}", strays.empty() ? "" : ", ", wall_.panels[i].name,
                          picture.pixels.empty() ? "nothing" : std::to_string(picture.shown_frame));
  }
  return strays;
}

void WallSnapshot::write_panels() const {
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    if (pictures_[i].pixels.empty()) continue;
    std::vector<std::uint8_t> pixels = pictures_[i].pixels;
    movie::write_snapshot(view_of(pixels, wall_.panels[i].viewed_size_px()),
                          panel_file(request_.file, wall_.panels[i].name));
  }
}

void WallSnapshot::write_assembled(int folder) const {
  const wall::Canvas canvas(wall_, wall::BezelMode::show, wall::ContentMode::arc_length);
  const SizePx size = canvas.size_px();
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.width) *
                                   static_cast<std::size_t>(size.height) * 4);
  const ImageView whole = view_of(pixels, size);
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    if (pictures_[i].pixels.empty()) continue;
    const RectF& rect = canvas.panel_rect_px(i);
    const SizePx panel = wall_.panels[i].viewed_size_px();
    const auto rows = static_cast<int>(std::lround(rect.height));
    const auto columns = static_cast<int>(std::lround(rect.width));
    const auto left = static_cast<int>(std::lround(rect.x));
    const auto top = static_cast<int>(std::lround(rect.y));
    // Panels of another pixel density are resampled to the canvas's by the nearest pixel.
    for (int y = 0; y < rows && top + y < size.height; ++y) {
      const std::uint8_t* from = pictures_[i].pixels.data() + std::size_t(y * panel.height / rows) *
                                                                  std::size_t(panel.width) * 4;
      for (int x = 0; x < columns && left + x < size.width; ++x)
        std::memcpy(whole.row(top + y) + 4 * (left + x), from + 4 * (x * panel.width / columns), 4);
    }
  }
  if (folder < 0) return movie::write_snapshot(whole, request_.file);
  replace_in(folder, request_.file, movie::encode_snapshot(whole, request_.file.string()));
}

}  // namespace tilewall::director
