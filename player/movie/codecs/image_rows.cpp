#include "player/movie/codecs/image_rows.hpp"

#include "player/movie/codecs/image_codecs.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {

std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& file) {
  const auto kind = kind_of_image(open_for_reading(file).get());
  if (!kind) return nullptr;
  return *kind == ImageKind::jpeg  ? open_jpeg_rows(file)
         : *kind == ImageKind::png ? open_png_rows(file)
                                   : open_tiff_rows(file);
}

}  // namespace tilewall::movie
