#include <algorithm>
#include <vector>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/codecs/tiff_stream.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

// libtiff converts strips or tiles of any kind to RGBA, but only whole ones. A large TIFF in a
// single strip would exceed the memory bound, so plain gray and RGB files are read by scan lines.
enum class TiffWay { scan_lines, strips, tiles };

constexpr std::int64_t no_limit = 0;  // max_row_store_bytes bounds what rows are read into

template <typename T>
T field(TIFF* tiff, std::uint32_t tag) {
  T value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

class TiffRows final : public ImageRows {
 public:
  explicit TiffRows(const std::filesystem::path& file)
      : name_(file.string()), fd_(open_for_reading(file)), tiff_(fd_.get(), "rm", no_limit) {
    if (tiff_.get() == nullptr) refuse("a TIFF that libtiff can open", "damage");
    TIFF* tiff = tiff_.get();
    const auto width = field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH);
    const auto height = field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH);
    if (width == 0 || height == 0 || width > 1'000'000 || height > 1'000'000)
      refuse("sides from 1 to 1000000", std::to_string(width) + "x" + std::to_string(height));
    size_px_ = {static_cast<int>(width), static_cast<int>(height)};
    samples_ = field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL);
    bits_ = field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
    const auto photometric = field<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC);
    const bool gray = photometric == PHOTOMETRIC_MINISBLACK && samples_ == 1;
    channels_ = gray ? 1 : 3;
    choose_way(gray || (photometric == PHOTOMETRIC_RGB && samples_ == 3));
  }

  void read_row(std::uint8_t* out) override {
    if (way_ == TiffWay::scan_lines) {
      read_scan_line(out);
    } else {
      if (next_row_ >= stored_until_) fill_store();
      copy_stored(next_row_, out);
    }
    ++next_row_;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw InputError({name_}, "", expected, found);
  }
  [[noreturn]] void refuse_row() const {
    throw InputError({name_}, "row " + std::to_string(next_row_), "pixels", "damage");
  }

  void choose_way(bool plain) {
    TIFF* tiff = tiff_.get();
    const bool together = field<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG;
    const bool integers = field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_UINT;
    if (TIFFIsTiled(tiff) != 0) {
      way_ = TiffWay::tiles;
      store_rows_ = field<std::uint32_t>(tiff, TIFFTAG_TILELENGTH);
      tile_width_ = field<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH);
      if (store_rows_ == 0 || tile_width_ == 0) refuse("tiles with a size", "none");
    } else if (plain && together && integers && (bits_ == 8 || bits_ == 16)) {
      way_ = TiffWay::scan_lines;
      store_.resize(static_cast<std::size_t>(TIFFScanlineSize(tiff)) / sizeof(std::uint32_t) + 1);
      return;
    } else {
      way_ = TiffWay::strips;
      store_rows_ = std::min(field<std::uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP),
                             static_cast<std::uint32_t>(size_px_.height));
    }
    char why[1024] = {};
    if (TIFFRGBAImageOK(tiff, why) != 1) refuse("a TIFF that libtiff can show", why);
    const std::size_t pixels = std::size_t{store_rows_} * static_cast<std::size_t>(size_px_.width);
    if (pixels * sizeof(std::uint32_t) > max_row_store_bytes)
      refuse("strips or rows of tiles of at most 64 Mpixel",
             std::to_string(pixels / 1'000'000) + " Mpixel");
    store_.resize(pixels);
  }

  void read_scan_line(std::uint8_t* out) {
    if (TIFFReadScanline(tiff_.get(), store_.data(), static_cast<std::uint32_t>(next_row_), 0) != 1)
      refuse_row();
    const std::size_t count =
        static_cast<std::size_t>(size_px_.width) * static_cast<std::size_t>(channels_);
    if (bits_ == 8) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(store_.data());
      std::copy(bytes, bytes + count, out);
      return;
    }
    const auto* words = reinterpret_cast<const std::uint16_t*>(store_.data());
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<std::uint8_t>((words[i] * 255U + 32767U) / 65535U);
  }

  // Row 0 of the store is the upper one.
  void fill_store() {
    stored_from_ = next_row_;
    stored_until_ = std::min(size_px_.height, next_row_ + static_cast<int>(store_rows_));
    const auto rows = static_cast<std::uint32_t>(stored_until_ - stored_from_);
    if (way_ == TiffWay::tiles) {
      fill_from_tiles(rows);
    } else {
      if (TIFFReadRGBAStrip(tiff_.get(), static_cast<std::uint32_t>(next_row_), store_.data()) != 1)
        refuse_row();
      flip(store_.data(), static_cast<std::size_t>(size_px_.width), rows);
    }
  }

  void fill_from_tiles(std::uint32_t rows) {
    tile_.resize(std::size_t{tile_width_} * store_rows_);
    const auto width = static_cast<std::uint32_t>(size_px_.width);
    for (std::uint32_t x = 0; x < width; x += tile_width_) {
      if (TIFFReadRGBATile(tiff_.get(), x, static_cast<std::uint32_t>(stored_from_),
                           tile_.data()) != 1)
        refuse_row();
      const std::uint32_t columns = std::min(tile_width_, width - x);
      for (std::uint32_t y = 0; y < rows; ++y) {  // libtiff gives a tile's bottom row first
        const std::uint32_t* from = tile_.data() + std::size_t{store_rows_ - 1 - y} * tile_width_;
        std::copy(from, from + columns, store_.data() + std::size_t{y} * width + x);
      }
    }
  }

  static void flip(std::uint32_t* pixels, std::size_t width, std::uint32_t rows) {
    for (std::uint32_t y = 0; y < rows / 2; ++y)
      std::swap_ranges(pixels + y * width, pixels + (y + 1) * width,
                       pixels + (rows - 1 - y) * width);
  }

  void copy_stored(int row, std::uint8_t* out) const {
    const std::uint32_t* from = store_.data() + static_cast<std::size_t>(row - stored_from_) *
                                                    static_cast<std::size_t>(size_px_.width);
    for (int x = 0; x < size_px_.width; ++x) {
      *out++ = static_cast<std::uint8_t>(TIFFGetR(from[x]));
      if (channels_ == 1) continue;
      *out++ = static_cast<std::uint8_t>(TIFFGetG(from[x]));
      *out++ = static_cast<std::uint8_t>(TIFFGetB(from[x]));
    }
  }

  const std::string name_;
  const UniqueFd fd_;
  TiffStream tiff_;
  TiffWay way_ = TiffWay::strips;
  std::uint16_t samples_ = 0;
  std::uint16_t bits_ = 0;
  std::uint32_t store_rows_ = 0;  // rows of a strip or a tile
  std::uint32_t tile_width_ = 0;
  std::vector<std::uint32_t> store_;  // R, G, B, A from the low byte up; or one scan line
  std::vector<std::uint32_t> tile_;
  int stored_from_ = 0;
  int stored_until_ = 0;
  int next_row_ = 0;
};

}  // namespace

std::unique_ptr<ImageRows> open_tiff_rows(const std::filesystem::path& file) {
  return std::make_unique<TiffRows>(file);
}

}  // namespace tilewall::movie
