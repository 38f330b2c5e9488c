#include "player/movie/codecs/image_rows.hpp"

#include <unistd.h>

#include <array>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {

std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& file) {
  using namespace std::string_view_literals;
  const UniqueFd fd = open_for_reading(file);
  std::array<char, 4> head = {};
  const ssize_t got = retry_eintr([&] { return ::read(fd.get(), head.data(), head.size()); });
  const std::string_view bytes(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (bytes.starts_with("\xff\xd8\xff"sv)) return open_jpeg_rows(file);
  if (bytes == "\x89PNG"sv) return open_png_rows(file);
  for (const std::string_view tiff : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (bytes == tiff) return open_tiff_rows(file);
  return nullptr;
}

}  // namespace tilewall::movie
