#include "player/movie/codecs/image_rows.hpp"

#include <png.h>
#include <tiffio.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/convert/huge_import.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

std::uint8_t sample_at(int x, int y, int channel) {
  return static_cast<std::uint8_t>((x * 3 + y * 5 + channel * 80 + x * y / 16) & 255);
}

std::vector<std::uint8_t> pixels_of(SizePx size, int channels) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < channels; ++c) pixels.push_back(sample_at(x, y, c));
  return pixels;
}

std::vector<std::uint8_t> read_all(ImageRows& rows) {
  const auto row_bytes = static_cast<std::size_t>(rows.size_px().width * rows.channels());
  std::vector<std::uint8_t> pixels(row_bytes * static_cast<std::size_t>(rows.size_px().height));
  for (int y = 0; y < rows.size_px().height; ++y)
    rows.read_row(pixels.data() + static_cast<std::size_t>(y) * row_bytes);
  return pixels;
}

struct TiffKind {
  int channels = 3;
  int bits = 8;
  int tile = 0;  // 0: strips of 7 rows
  bool big = false;
};

void write_tiff(const std::filesystem::path& file, SizePx size, const TiffKind& kind) {
  TIFF* tiff = TIFFOpen(file.c_str(), kind.big ? "w8" : "w");
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, size.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               kind.channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  const int width = kind.tile > 0 ? kind.tile : size.width;
  const int height = kind.tile > 0 ? kind.tile : 7;
  if (kind.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, height);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
  }
  std::uint32_t index = 0;
  for (int y0 = 0; y0 < size.height; y0 += height)
    for (int x0 = 0; x0 < size.width; x0 += width) {
      const int rows = kind.tile > 0 ? height : std::min(height, size.height - y0);
      std::vector<std::uint8_t> bytes;
      for (int y = y0; y < y0 + rows; ++y)
        for (int x = x0; x < x0 + width; ++x)
          for (int c = 0; c < kind.channels; ++c)
            bytes.insert(bytes.end(), static_cast<std::size_t>(kind.bits / 8), sample_at(x, y, c));
      const auto count = static_cast<tmsize_t>(bytes.size());
      REQUIRE((kind.tile > 0 ? TIFFWriteEncodedTile(tiff, index++, bytes.data(), count)
                             : TIFFWriteEncodedStrip(tiff, index++, bytes.data(), count)) == count);
    }
  TIFFClose(tiff);
}

void write_png(const std::filesystem::path& file, SizePx size,
               const std::vector<std::uint8_t>& pixels, std::uint32_t format) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = format;
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), 0, nullptr) != 0);
}

class RowsOf final : public ImageRows {
 public:
  RowsOf(SizePx size, int channels) {
    size_px_ = size;
    channels_ = channels;
  }
  void read_row(std::uint8_t* out) override {
    REQUIRE(next_ < size_px_.height);
    for (int x = 0; x < size_px_.width; ++x)
      for (int c = 0; c < channels_; ++c) *out++ = sample_at(x, next_, c);
    ++next_;
  }

 private:
  int next_ = 0;
};

AvFrame whole_frame(SizePx size, int channels) {
  AvFrame frame = new_frame();
  frame.get()->format = channels == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
  frame.get()->width = size.width;
  frame.get()->height = size.height;
  frame.get()->color_range = AVCOL_RANGE_JPEG;
  REQUIRE(av_frame_get_buffer(frame.get(), 64) == 0);
  RowsOf rows(size, channels);
  for (int y = 0; y < size.height; ++y)
    rows.read_row(frame.get()->data[0] + static_cast<std::ptrdiff_t>(y) * frame.get()->linesize[0]);
  return frame;
}

}  // namespace

TEST_CASE("TIFF rows are the pixels, by scan lines, strips and tiles, with partial tiles",
          "[source]") {
  const TemporaryFolder folder;
  const SizePx size{75, 53};
  for (const TiffKind& kind :
       {TiffKind{3, 8, 0, false}, TiffKind{1, 8, 0, true}, TiffKind{3, 16, 0, false},
        TiffKind{3, 8, 32, false}, TiffKind{1, 8, 16, true}, TiffKind{4, 8, 0, false}}) {
    CAPTURE(kind.channels, kind.bits, kind.tile);
    write_tiff(folder / "a.tif", size, kind);
    const auto rows = open_image_rows(folder / "a.tif");
    REQUIRE(rows);
    REQUIRE(rows->size_px() == size);
    CHECK(rows->channels() == (kind.channels == 1 ? 1 : 3));
    CHECK(read_all(*rows) == pixels_of(size, rows->channels()));
  }
}

TEST_CASE("samples of 16 bits are rounded to the nearest of 8", "[source]") {
  const TemporaryFolder folder;
  // 257 steps of 16 bits are one of 8.
  std::vector<std::uint16_t> samples = {0, 128, 129, 257, 385, 386, 65406, 65407, 65535};
  TIFF* const tiff = TIFFOpen((folder / "a.tif").c_str(), "w");
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<int>(samples.size()));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  REQUIRE(TIFFWriteScanline(tiff, samples.data(), 0, 0) == 1);
  TIFFClose(tiff);
  const auto rows = open_image_rows(folder / "a.tif");
  REQUIRE(rows);
  CHECK(read_all(*rows) == std::vector<std::uint8_t>{0, 0, 1, 1, 1, 2, 254, 255, 255});
}

TEST_CASE("PNG rows are the pixels, alpha over black", "[source]") {
  const TemporaryFolder folder;
  const SizePx size{61, 40};
  write_png(folder / "rgb.png", size, pixels_of(size, 3), PNG_FORMAT_RGB);
  CHECK(read_all(*open_image_rows(folder / "rgb.png")) == pixels_of(size, 3));
  std::vector<std::uint8_t> rgba;
  for (int i = 0; i < size.width * size.height; ++i) rgba.insert(rgba.end(), {200, 100, 50, 51});
  write_png(folder / "rgba.png", size, rgba, PNG_FORMAT_RGBA);
  const auto over = read_all(*open_image_rows(folder / "rgba.png"));
  CHECK(std::vector<std::uint8_t>(over.begin(), over.begin() + 3) ==
        std::vector<std::uint8_t>{40, 20, 10});
}

TEST_CASE("JPEG rows are what TurboJPEG decodes", "[source]") {
  const TemporaryFolder folder;
  PlanarPicture gray({64, 48}, Chroma::gray);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) gray.planes[0].row(y)[x] = static_cast<std::uint8_t>(2 * x + y);
  const std::vector<unsigned char> jpeg = encode_jpeg(gray, 95);
  std::ofstream(folder / "a.jpg", std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
  const auto rows = open_image_rows(folder / "a.jpg");
  REQUIRE(rows->channels() == 1);
  const std::vector<std::uint8_t> read = read_all(*rows);
  const RgbPixels expected = decode_jpeg(jpeg, {64, 48});
  for (std::size_t i = 0; i < read.size(); ++i) REQUIRE(read[i] == expected[3 * i]);
  const PlanarPicture wide({65536, 1}, Chroma::gray);  // JPEG has sides of 65500 at most
  CHECK_THROWS_WITH(encode_jpeg(wide, 95), Catch::StartsWith("TurboJPEG: "));
}

TEST_CASE("damaged images stop reading in one line", "[source][bad-input]") {
  const TemporaryFolder folder;
  const SizePx size{200, 200};
  write_png(folder / "a.png", size, pixels_of(size, 3), PNG_FORMAT_RGB);
  write_tiff(folder / "a.tif", size, {});
  for (const char* name : {"a.png", "a.tif"}) {
    CAPTURE(name);
    std::filesystem::resize_file(folder / name, std::filesystem::file_size(folder / name) / 2);
    CHECK_THROWS_AS(
        [&] {
          const auto rows = open_image_rows(folder / name);
          if (rows) read_all(*rows);
        }(),
        InputError);
  }
  std::ofstream(folder / "text") << "no image";
  CHECK(open_image_rows(folder / "text") == nullptr);
}

TEST_CASE("bands are exactly the rows that one conversion of the whole picture gives", "[source]") {
  for (const int channels : {1, 3})
    for (const SizePx size :
         {SizePx{120, 1700}, SizePx{53, 701}, SizePx{119, 1201}, SizePx{24, 340}}) {
      const SizePx image{120, 1700};
      const Chroma chroma = channels == 1 ? Chroma::gray : Chroma::yuv420;
      CAPTURE(channels, size.width, size.height);
      RowsOf rows(image, channels);
      BandConverter bands(rows, {{0, 0, image.width, image.height}, size, chroma}, "test");
      PictureConverter converter({image, {0, 0, 120, 1700}, {}, size, chroma}, "test");
      const AvFrame frame = whole_frame(image, channels);
      const PlanarPicture whole = converter.convert(*frame.get());
      int done = 0;
      int worst = 0;
      for (PlanarPicture band = bands.next(); !band.planes.empty(); band = bands.next()) {
        for (std::size_t plane = 0; plane < band.planes.size(); ++plane) {
          const int first = plane > 0 && chroma == Chroma::yuv420 ? done / 2 : done;
          for (int y = 0; y < band.planes[plane].size_px.height; ++y)
            for (int x = 0; x < band.planes[plane].size_px.width; ++x)
              worst = std::max(worst, std::abs(band.planes[plane].row(y)[x] -
                                               whole.planes[plane].row(first + y)[x]));
        }
        done += band.size_px.height;
      }
      CHECK(done == size.height);
      CHECK(worst <= 1);
    }
}
