// Movies decoded by a device that fails: at its opening, at a pixel format, in mid-stream. The
// device is made up: FFmpeg's processor decoders behind it, and NV12 as GPUs hand it out.

#include "player/movie/source/hardware_decoder.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "player/movie/decoder/decode_loop.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/sample_rows.hpp"
#include "sync/base/error.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::scene;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t never = -1;  // fails

/// A copy of an 8-bit 4:2:0 picture with its chroma interleaved.
AvFrame as_nv12(const AVFrame& planar) {
  AvFrame copy = new_frame();
  copy.get()->format = AV_PIX_FMT_NV12;
  copy.get()->width = planar.width;
  copy.get()->height = planar.height;
  REQUIRE(av_frame_get_buffer(copy.get(), 64) == 0);
  REQUIRE(av_frame_copy_props(copy.get(), &planar) == 0);
  for (int y = 0; y < planar.height; ++y)
    std::memcpy(copy.get()->data[0] + std::ptrdiff_t{y} * copy.get()->linesize[0],
                planar.data[0] + std::ptrdiff_t{y} * planar.linesize[0],
                static_cast<std::size_t>(planar.width));
  for (int y = 0; y < (planar.height + 1) / 2; ++y)
    for (int x = 0; x < (planar.width + 1) / 2; ++x)
      for (const int plane : {1, 2})
        copy.get()->data[1][std::ptrdiff_t{y} * copy.get()->linesize[1] + 2 * x + plane - 1] =
            planar.data[plane][std::ptrdiff_t{y} * planar.linesize[plane] + x];
  return copy;
}

struct Failure {
  bool at_codec = false;
  bool at_open = false;
  bool at_format = false;
  std::int64_t at_picture = never;  ///< fetched pictures before it fails
};

class MadeUpDevice final : public HardwareDecoder {
 public:
  explicit MadeUpDevice(Failure failure) : failure_(failure) {}

  [[nodiscard]] DecodeDevice device() const noexcept override { return DecodeDevice::cuda; }
  [[nodiscard]] const AVCodec* codec_for(AVCodecID codec) const noexcept override {
    return failure_.at_codec ? nullptr : avcodec_find_decoder(codec);
  }
  [[nodiscard]] bool prepare(AVCodecContext& context) override {
    context.thread_count = 1;
    return !failure_.at_open;
  }
  [[nodiscard]] bool holds(const AVFrame&) const noexcept override { return !failure_.at_format; }
  [[nodiscard]] AvFrame fetch(const AVFrame& picture) override {
    if (fetched_ == failure_.at_picture) return {};
    ++fetched_;
    return as_nv12(picture);
  }

  [[nodiscard]] std::int64_t fetched() const noexcept { return fetched_; }

 private:
  const Failure failure_;
  std::int64_t fetched_ = 0;
};

std::shared_ptr<MadeUpDevice> device_failing(const Failure& failure) {
  return std::make_shared<MadeUpDevice>(failure);
}

/// FNV-1a over all samples of all planes, however they are stored.
std::uint64_t samples_hash(const AVFrame& frame) {
  const SampleFormat format = sample_format(static_cast<AVPixelFormat>(frame.format), "");
  std::uint64_t hash = 1469598103934665603U;
  std::vector<std::uint8_t> row(static_cast<std::size_t>(frame.width));
  for (int plane = 0; plane < format.planes; ++plane) {
    const int width = plane == 0 ? frame.width : AV_CEIL_RSHIFT(frame.width, 1);
    const int height = plane == 0 ? frame.height : AV_CEIL_RSHIFT(frame.height, 1);
    for (int y = 0; y < height; ++y) {
      read_sample_row(frame, format, false, plane, y, 0, width, row.data());
      for (int x = 0; x < width; ++x)
        hash = (hash ^ row[static_cast<std::size_t>(x)]) * 1099511628211U;
    }
  }
  return hash;
}

struct NumberedHash {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::uint64_t hash = 0;
  bool operator==(const NumberedHash&) const = default;
};

/// The pictures from `from` on to the end.
std::vector<NumberedHash> pictures(const fs::path& file, std::int64_t from,
                                   std::shared_ptr<HardwareDecoder> device) {
  FrameCursor cursor(file, {}, 2, ReadErrors::end, std::move(device));
  if (from > 0) cursor.go_to(from, FrameCursor::Way::jump);
  std::vector<NumberedHash> all;
  while (const auto picture = cursor.next())
    if (picture->span.first >= from)
      all.push_back({picture->span.first, picture->span.count, samples_hash(*picture->frame)});
  return all;
}

fs::path encoded_movie(const TemporaryFolder& folder, const char* name, const char* codec,
                       int key_interval) {
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 60;
  options.codec = codec;
  options.key_interval = key_interval;
  make_counting_movie(folder / name, options);
  return folder / name;
}

}  // namespace

TEST_CASE("a device that fails anywhere leaves the same frames with the same numbers", "[movie]") {
  const TemporaryFolder folder;
  const fs::path files[] = {encoded_movie(folder, "long.mp4", "libx264", 250),
                            encoded_movie(folder, "short.mkv", "libx264", 12),
                            encoded_movie(folder, "coarse.ts", "mpeg2video", 10),
                            encoded_movie(folder, "unstamped.h264", "libx264", 12)};
  for (const fs::path& file : files) {
    CAPTURE(file.filename().string());
    for (const std::int64_t from : {std::int64_t{0}, std::int64_t{31}}) {
      const auto expected = pictures(file, from, nullptr);
      REQUIRE(expected.size() == static_cast<std::size_t>(60 - from));
      for (const std::int64_t at : {0, 1, 2, 13, 28, 40}) {
        CAPTURE(from, at);
        const auto device = device_failing({.at_picture = at});
        CHECK(pictures(file, from, device) == expected);
        // From a late frame on, fewer pictures than that may be needed.
        if (device->fetched() < at && from > 0) continue;
        CHECK(device->fetched() == at);
        CHECK(device->failure() == "cuda: a picture could not be fetched");
      }
      CHECK(pictures(file, from, device_failing({})) == expected);
    }
  }
}

TEST_CASE("a device that does not take the movie leaves it to the processor", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = encoded_movie(folder, "m.mp4", "libx264", 12);
  const auto expected = pictures(file, 0, nullptr);
  struct Case {
    Failure failure;
    const char* why;
  };
  for (const Case& one :
       {Case{{.at_codec = true}, "cuda: does not decode h264"},
        Case{{.at_open = true}, "cuda: its decoder does not open"},
        Case{{.at_format = true}, "cuda: does not take the movie's pixel format"}}) {
    const auto device = device_failing(one.failure);
    CHECK(pictures(file, 0, device) == expected);
    CHECK(device->failure() == one.why);
    CHECK(device->fetched() == 0);
  }
}

TEST_CASE("a device that has given up is not asked again", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = encoded_movie(folder, "m.mp4", "libx264", 12);
  const auto device = device_failing({.at_picture = 5});
  FrameCursor cursor(file, {}, 2, ReadErrors::end, device);
  for (const std::int64_t frame : {40, 3, 50, 0}) {
    cursor.go_to(frame);
    std::optional<TimedPicture> picture = cursor.next();
    while (picture && picture->span.first < frame) picture = cursor.next();
    REQUIRE(picture);
    CHECK(picture->span.first == frame);
  }
  CHECK(device->fetched() == 5);
}

TEST_CASE("the page names the device that decodes, and why it no longer does", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = encoded_movie(folder, "m.mp4", "libx264", 12);
  const UniqueFd fd = make_movie_memory(movie_slots_bytes);
  const MovieMemory memory(fd.get());
  MoviePage& page = memory.page();
  DecodeLoop loop(file.string(), memory, device_failing({.at_picture = 8}));
  CHECK(page.device.load() == DecodeDevice::cuda);
  page.seats[0].wanted.store(0);
  for (int turn = 0; turn < 100 && page.device.load() == DecodeDevice::cuda; ++turn) loop.step();
  CHECK(page.device.load() == DecodeDevice::cpu);
  CHECK(device_note_of(page) == "cuda: a picture could not be fetched");
}

TEST_CASE("without a device of its kind the choice says why", "[movie]") {
  CHECK(open_hardware_decoder(DecodeDevice::cpu).decoder == nullptr);
  CHECK(open_hardware_decoder(DecodeDevice::cpu).why_not.empty());
  for (const DecodeDevice device : {DecodeDevice::cuda, DecodeDevice::vaapi}) {
    const HardwareChoice choice = open_hardware_decoder(device);
    if (choice.decoder) {
      CHECK(choice.decoder->device() == device);
      continue;
    }
    CHECK_THAT(choice.why_not, Catch::Matchers::StartsWith(std::string(name_of(device)) + ": "));
  }
}

TEST_CASE("samples of more than eight bits are read as FFmpeg describes them", "[movie]") {
  std::mt19937 random(11);
  for (const AVPixelFormat pixel_format :
       {AV_PIX_FMT_P010LE, AV_PIX_FMT_P016LE, AV_PIX_FMT_P210LE, AV_PIX_FMT_YUV420P10LE,
        AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_Y210LE, AV_PIX_FMT_X2RGB10LE,
        AV_PIX_FMT_RGB48LE, AV_PIX_FMT_YUV420P10BE}) {
    const AVPixFmtDescriptor& pixel = *av_pix_fmt_desc_get(pixel_format);
    CAPTURE(pixel.name);
    AvFrame frame = new_frame();
    frame.get()->format = pixel_format;
    frame.get()->width = 46;
    frame.get()->height = 6;
    REQUIRE(av_frame_get_buffer(frame.get(), 64) == 0);
    for (AVBufferRef* const buffer : frame.get()->buf)
      for (std::size_t i = 0; buffer != nullptr && i < buffer->size; ++i)
        buffer->data[i] = static_cast<std::uint8_t>(random());
    const SampleFormat format = sample_format(pixel_format, "");
    for (int plane = 0; plane < format.planes; ++plane) {
      const int width = plane == 0 ? 46 : AV_CEIL_RSHIFT(46, format.subsample_w_log2);
      std::vector<std::uint16_t> read(static_cast<std::size_t>(width));
      std::vector<std::uint16_t> expected(read.size());
      read_sample_row(*frame.get(), format, false, plane, 2, 0, width,
                      reinterpret_cast<std::uint8_t*>(read.data()));
      const std::uint8_t* data[4] = {frame.get()->data[0], frame.get()->data[1],
                                     frame.get()->data[2], frame.get()->data[3]};
      av_read_image_line2(expected.data(), data, frame.get()->linesize, &pixel, 0, 2, plane, width,
                          0, sizeof(std::uint16_t));
      CHECK(read == expected);
    }
  }
}
