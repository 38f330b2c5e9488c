#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <vector>

#include "player/movie/codecs/image_rows.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

// libpng reports errors by longjmp, so every call that may fail is made under a setjmp, in a
// function that has no destructors to run.
struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  char text[128] = {};
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void jump_out(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(reader->text, sizeof reader->text, "%s", message);
  png_longjmp(png, 1);
}

void keep_quiet(png_structp, png_const_charp) {}

// Sets libpng up to give 8-bit gray, gray with alpha, RGB or RGBA.
bool start(PngReader& reader, std::FILE* file) {
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, &jump_out, &keep_quiet);
  if (reader.png == nullptr) return false;
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr || setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_init_io(reader.png, file);
  png_read_info(reader.png, reader.info);
  png_set_expand(reader.png);
  png_set_scale_16(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_one(PngReader& reader, std::uint8_t* row) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_row(reader.png, row, nullptr);
  return true;
}

std::uint8_t over_black(std::uint8_t sample, std::uint8_t alpha) {
  return static_cast<std::uint8_t>((sample * alpha + 127) / 255);
}

class PngRows final : public ImageRows {
 public:
  explicit PngRows(const std::filesystem::path& file)
      : name_(file.string()), file_(std::fopen(file.c_str(), "rb")) {
    if (file_.empty()) throw InputError({name_}, "", "a readable file", "none");
    if (!start(reader_, file_.get())) throw InputError({name_}, "", "a PNG", reader_.text);
    size_px_ = {static_cast<int>(png_get_image_width(reader_.png, reader_.info)),
                static_cast<int>(png_get_image_height(reader_.png, reader_.info))};
    const int stored = png_get_channels(reader_.png, reader_.info);
    channels_ = stored <= 2 ? 1 : 3;
    has_alpha_ = stored != channels_;
    row_.resize(png_get_rowbytes(reader_.png, reader_.info));
    if (png_get_interlace_type(reader_.png, reader_.info) != PNG_INTERLACE_NONE)
      throw InputError({name_}, "",
                       "a PNG without interlacing, as one of this size is read by rows",
                       "an interlaced one");
  }

  void read_row(std::uint8_t* out) override {
    if (!read_one(reader_, has_alpha_ ? row_.data() : out))
      throw InputError({name_}, "row " + std::to_string(next_row_), "pixels", reader_.text);
    ++next_row_;
    if (has_alpha_) drop_alpha(out);
  }

 private:
  void drop_alpha(std::uint8_t* out) const {
    const std::uint8_t* from = row_.data();
    for (int x = 0; x < size_px_.width; ++x, from += channels_ + 1)
      for (int channel = 0; channel < channels_; ++channel)
        *out++ = over_black(from[channel], from[channels_]);
  }

  const std::string name_;
  UniqueFile file_;
  PngReader reader_;
  bool has_alpha_ = false;
  std::vector<std::uint8_t> row_;
  int next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageRows> open_png_rows(const std::filesystem::path& file) {
  return std::make_unique<PngRows>(file);
}

}  // namespace tilewall::movie
