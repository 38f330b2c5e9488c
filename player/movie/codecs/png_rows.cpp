#include <vector>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/codecs/png_reader.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

std::uint8_t over_black(std::uint8_t sample, std::uint8_t alpha) {
  return static_cast<std::uint8_t>((sample * alpha + 127) / 255);
}

class PngRows final : public ImageRows {
 public:
  explicit PngRows(const std::filesystem::path& file)
      : name_(file.string()), fd_(open_for_reading(file)), png_(fd_.get()) {
    if (!png_.read_header() || !png_.convert_to(PngSamples::stored))
      throw InputError({name_}, "", "a PNG", png_.error_text());
    size_px_ = png_.size_px();
    const int stored = png_.channels();
    channels_ = stored <= 2 ? 1 : 3;
    has_alpha_ = stored != channels_;
    row_.resize(png_.row_bytes());
    if (png_.interlaced())
      throw InputError({name_}, "",
                       "a PNG without interlacing, as one of this size is read by rows",
                       "an interlaced one");
  }

  void read_row(std::uint8_t* out) override {
    if (!png_.read_row(has_alpha_ ? row_.data() : out))
      throw InputError({name_}, "row " + std::to_string(next_row_), "pixels", png_.error_text());
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
  const UniqueFd fd_;
  PngReader png_;
  bool has_alpha_ = false;
  std::vector<std::uint8_t> row_;
  int next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageRows> open_png_rows(const std::filesystem::path& file) {
  return std::make_unique<PngRows>(file);
}

}  // namespace tilewall::movie
