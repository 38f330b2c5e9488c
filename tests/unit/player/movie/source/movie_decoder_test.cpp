// Frames of ordinary movies: the same numbers from anywhere, and the decoder that serves panels.

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <random>

#include "player/movie/decoder/decode_loop.hpp"
#include "player/movie/decoder/frame_store.hpp"
#include "player/movie/shared/picture_painter.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "player/movie/source/tone_mapper.hpp"
#include "sync/base/error.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;

namespace {

std::uint64_t hash_of(const AVFrame& frame) {
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a over the luma
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      hash = (hash ^ frame.data[0][std::ptrdiff_t{y} * frame.linesize[0] + x]) * 1099511628211U;
  return hash;
}

/// Every frame's picture, decoded in order.
std::vector<std::uint64_t> in_order(const std::filesystem::path& file,
                                    std::optional<Rational> fps = {}) {
  FrameCursor cursor(file, fps, 2);
  std::vector<std::uint64_t> hashes;
  while (const auto picture = cursor.next()) {
    CHECK(picture->span.first == static_cast<std::int64_t>(hashes.size()));
    hashes.insert(hashes.end(), static_cast<std::size_t>(picture->span.count),
                  hash_of(*picture->frame));
  }
  return hashes;
}

/// What comes for `frame` after a jump; 0 when it does not come.
std::uint64_t reached(FrameCursor& cursor, std::int64_t frame) {
  cursor.go_to(frame);
  while (const auto picture = cursor.next())
    if (frame < picture->span.first + picture->span.count)
      return frame >= picture->span.first ? hash_of(*picture->frame) : 0;
  return 0;
}

void check_jumps(const std::filesystem::path& file, std::optional<Rational> fps = {}) {
  CAPTURE(file.filename().string());
  const std::vector<std::uint64_t> expected = in_order(file, fps);
  REQUIRE_FALSE(expected.empty());
  FrameCursor cursor(file, fps, 2);
  const auto last = static_cast<std::int64_t>(expected.size()) - 1;
  std::vector<std::int64_t> frames = {last, 0, last / 2, last / 2 + 1, 1, last - 1, 0, last};
  std::mt19937 random(7);
  for (int i = 0; i < 24; ++i) frames.push_back(static_cast<std::int64_t>(random()) % (last + 1));
  for (const std::int64_t frame : frames) {
    CAPTURE(frame);
    CHECK(reached(cursor, frame) == expected[static_cast<std::size_t>(frame)]);
  }
}

/// A decoder and panels in this process.
class MovieAndDecoder {
 public:
  explicit MovieAndDecoder(const std::filesystem::path& file)
      : fd_(make_movie_memory(movie_slots_bytes)),
        memory_(fd_.get()),
        loop_(file.string(), memory_) {}

  [[nodiscard]] MoviePage& page() const { return memory_.page(); }
  void step() { loop_.step(); }

  /// Panel `seat` waits for `frame`, and shows a picture before it while the decoder is behind.
  void wait_for_newest(int seat, std::int64_t frame) {
    set_request(memory_, page().seats[seat], frame, 1, RequestKind::newest);
  }

  /// The number in the picture of `frame`, as panel `seat` gets it; -1 when it never comes.
  [[nodiscard]] int draw(int seat, std::int64_t frame, int direction = 1) {
    MovieSeat& own = page().seats[seat];
    set_request(memory_, own, frame, direction, RequestKind::waiting);
    for (int turn = 0; turn < 3000; ++turn) {
      if (const auto number = look(seat, frame)) {
        set_request(memory_, own, std::max<std::int64_t>(0, frame + direction), direction,
                    RequestKind::next);
        return *number;
      }
      if (is_out_of_reach(page(), frame)) return -1;
      step();
    }
    return -1;
  }

  /// The same without waiting.
  [[nodiscard]] std::optional<int> look(int seat, std::int64_t frame) {
    const auto pin = try_pin(memory_, page().seats[seat], frame);
    if (!pin) return std::nullopt;
    const PictureView& view = pin->picture();
    Plane luma(view.size_px);
    for (int y = 0; y < view.size_px.height; ++y)
      std::memcpy(
          luma.row(y),
          view.planes.samples[0] + static_cast<std::size_t>(y) * view.planes.stride_bytes[0],
          static_cast<std::size_t>(view.size_px.width));
    return read_frame_number(luma);
  }

 private:
  const UniqueFd fd_;
  const MovieMemory memory_;
  DecodeLoop loop_;
};

CountingMovieOptions small_movie(int frames) {
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = frames;
  return options;
}

/// The picture as the painter draws it, whole, at its displayed size times `scale`.
TestPicture painted(const AVFrame& decoded, const MovieInfo& info, double scale) {
  ToneMapper mapper(HdrMode::map, 2);
  const AVFrame& frame = mapper.mapped(decoded);
  const SharedPicture layout = shared_layout(frame, info.orientation, "test");
  std::vector<std::uint8_t, SampleAllocator<std::uint8_t>> slot(picture_bytes(layout));
  store_frame(frame, layout, "test", slot);
  const auto view = checked_picture(layout, slot);
  REQUIRE(view);
  const SizePx size{static_cast<int>(info.size_px.width * scale),
                    static_cast<int>(info.size_px.height * scale)};
  TestPicture picture(size);
  PicturePainter painter(info.size_px, 1);
  const RectF movie{0, 0, static_cast<double>(info.size_px.width),
                    static_cast<double>(info.size_px.height)};
  const RectF whole{0, 0, static_cast<double>(size.width), static_cast<double>(size.height)};
  REQUIRE(painter.place({movie, whole}, size) == RectPx{0, 0, size.width, size.height});
  DrawCounters counters;
  REQUIRE(painter.paint(*view, picture.view(), counters));
  CHECK(picture.padding_untouched());
  return picture;
}

/// What import would make of it, as red, green and blue.
PlanarPicture converted(const AVFrame& frame, const MovieInfo& info, double scale) {
  const SizePx size{static_cast<int>(info.size_px.width * scale),
                    static_cast<int>(info.size_px.height * scale)};
  PictureConverter converter(
      {info.size_px,
       {0, 0, static_cast<double>(info.size_px.width), static_cast<double>(info.size_px.height)},
       info.orientation,
       size,
       Chroma::rgb},
      "test");
  return converter.convert(frame);
}

int worst_difference(const TestPicture& picture, const PlanarPicture& rgb) {
  int worst = 0;
  for (int y = 0; y < rgb.size_px.height; ++y)
    for (int x = 0; x < rgb.size_px.width; ++x) {
      const Bgrx pixel = pixel_at(picture.view(), {x, y});
      for (std::size_t plane = 0; plane < 3; ++plane)
        worst = std::max(worst, std::abs(pixel[2 - plane] - rgb.planes[plane].row(y)[x]));
    }
  return worst;
}

/// Smooth colours in any of FFmpeg's formats.
AvFrame coloured_frame(SizePx size, const char* format) {
  const auto make = [&](AVPixelFormat pixels) {
    AvFrame frame = new_frame();
    frame.get()->format = pixels;
    frame.get()->width = size.width;
    frame.get()->height = size.height;
    REQUIRE(av_frame_get_buffer(frame.get(), 0) == 0);
    return frame;
  };
  const AvFrame rgb = make(AV_PIX_FMT_RGB24);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      std::uint8_t* const pixel =
          rgb.get()->data[0] + std::ptrdiff_t{y} * rgb.get()->linesize[0] + std::ptrdiff_t{3} * x;
      pixel[0] = static_cast<std::uint8_t>(3 * x);
      pixel[1] = static_cast<std::uint8_t>(5 * y);
      pixel[2] = static_cast<std::uint8_t>(255 - 2 * x - y);
    }
  AvFrame frame = make(av_get_pix_fmt(format));
  if (frame.get()->format == AV_PIX_FMT_PAL8) {
    for (unsigned i = 0; i < 256; ++i) {
      const std::uint32_t entry = 0xff000000U | i << 16U | (255 - i) << 8U | (i * 7 & 255U);
      std::memcpy(frame.get()->data[1] + 4 * i, &entry, 4);
    }
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        frame.get()->data[0][std::ptrdiff_t{y} * frame.get()->linesize[0] + x] =
            static_cast<std::uint8_t>(2 * x + y);
    return frame;
  }
  SwsContext* const scaler = sws_getContext(
      size.width, size.height, AV_PIX_FMT_RGB24, size.width, size.height,
      static_cast<AVPixelFormat>(frame.get()->format), SWS_BILINEAR, nullptr, nullptr, nullptr);
  REQUIRE(scaler != nullptr);
  sws_scale(scaler, rgb.get()->data, rgb.get()->linesize, 0, size.height, frame.get()->data,
            frame.get()->linesize);
  sws_freeContext(scaler);
  return frame;
}

}  // namespace

TEST_CASE("a jump to any frame leads to the very picture that playing on leads to", "[movie]") {
  const TemporaryFolder folder;
  struct Case {
    const char* name;
    const char* codec;
    int key_interval;
    int b_frames;
  };
  for (const Case& one : {Case{"long.mp4", "libx264", 250, 3}, Case{"short.mkv", "libx264", 12, 2},
                          Case{"open.ts", "mpeg2video", 10, 2}, Case{"packed.avi", "mpeg4", 12, 0},
                          Case{"intra.mov", "mjpeg", 1, 0}}) {
    CountingMovieOptions options = small_movie(150);
    options.codec = one.codec;
    options.key_interval = one.key_interval;
    options.b_frames = one.b_frames;
    if (options.codec == "mjpeg") options.pixel_format = "yuvj420p";
    make_counting_movie(folder / one.name, options);
    check_jumps(folder / one.name);
  }
}

TEST_CASE("frame numbers of a variable rate and of an edit list stay the same on jumps",
          "[movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = small_movie(60);
  options.key_interval = 15;
  for (int i = 0; i < 60; ++i)
    options.pts_ticks.push_back(i * 40 + (i % 7) * 3 + (i > 30 ? 900 : 0));
  make_counting_movie(folder / "variable.mkv", options);
  check_jumps(folder / "variable.mkv");
  check_jumps(folder / "variable.mkv", Rational{60, 1});
  check_jumps(folder / "variable.mkv", Rational{10, 1});
  options.pts_ticks.clear();
  options.first_pts = -20;
  make_counting_movie(folder / "edited.mp4", options);
  check_jumps(folder / "edited.mp4");
}

TEST_CASE("a movie without time stamps goes back by its beginning", "[movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = small_movie(40);
  options.key_interval = 10;
  options.b_frames = 0;
  make_counting_movie(folder / "unstamped.h264", options);
  check_jumps(folder / "unstamped.h264");
}

TEST_CASE("frames are counted, or estimated where that takes too long", "[movie]") {
  const TemporaryFolder folder;
  const auto raw = folder / "raw.h264";  // no duration, so that the container estimates nothing
  make_counting_movie(raw, {.frames = 30, .b_frames = 0});
  const FrameCount counted = MovieFile(raw, 1).count_frames(std::chrono::seconds(20));
  CHECK(counted.frames == 30);
  CHECK_FALSE(counted.estimated);
  make_counting_movie(folder / "long.mp4", {.frames = 30});
  const FrameCount in_no_time =
      MovieFile(folder / "long.mp4", 1).count_frames(std::chrono::milliseconds(-1));
  CHECK(in_no_time.frames == 30);
  CHECK(in_no_time.estimated);
}

TEST_CASE("panels get the frame they ask for: on, back, far away, at the seam", "[movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = small_movie(120);
  options.key_interval = 30;
  make_counting_movie(folder / "m.mp4", options);
  MovieAndDecoder movie(folder / "m.mp4");
  for (const int frame : {0, 1, 2, 3, 40, 41, 119, 0, 1, 60, 30, 29, 28, 118, 119})
    CHECK(movie.draw(0, frame) == frame);
  for (int frame = 119; frame >= 0; --frame) REQUIRE(movie.draw(0, frame, -1) == frame);
  CHECK(movie.draw(0, 119, -1) == 119);
  CHECK(movie.page().end_frame.load() == 120);
  CHECK(movie.draw(0, 120) == -1);
}

TEST_CASE("the frames ahead are there before they are asked for, over the seam too", "[movie]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "m.mp4", small_movie(100));
  MovieAndDecoder movie(folder / "m.mp4");
  REQUIRE(movie.draw(0, 94) == 94);
  for (int turn = 0; turn < 200 && !movie.look(1, 5); ++turn) movie.step();
  for (const int frame : {95, 99, 0, 5}) CHECK(movie.look(1, frame) == frame);
}

TEST_CASE("the end of a movie is known once it has been decoded, not before", "[movie]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "m.mp4", small_movie(100));
  MovieAndDecoder fresh(folder / "m.mp4");
  CHECK(fresh.page().end_frame.load() == 0);
  REQUIRE(fresh.draw(0, 50) == 50);
  CHECK(fresh.page().end_frame.load() == 0);
  REQUIRE(fresh.draw(0, 99) == 99);
  CHECK(fresh.draw(0, 100) == -1);
  CHECK(fresh.page().end_frame.load() == 100);
}

TEST_CASE("panels at different places of one movie all get their frames", "[movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = small_movie(200);
  options.key_interval = 20;
  make_counting_movie(folder / "m.mp4", options);
  MovieAndDecoder movie(folder / "m.mp4");
  for (int i = 0; i < 25; ++i) {
    REQUIRE(movie.draw(0, i) == i);
    REQUIRE(movie.draw(1, 150 + i) == 150 + i);
    REQUIRE(movie.draw(2, 100 - i, -1) == 100 - i);
  }
}

TEST_CASE("the decoder keeps away from a place where decoders died", "[movie]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = small_movie(200);
  options.key_interval = 20;
  make_counting_movie(folder / "m.mp4", options);
  MovieAndDecoder movie(folder / "m.mp4");
  movie.page().crash_zone.first.store(80);
  movie.page().crash_zone.end.store(90);
  CHECK(movie.draw(0, 50) == 50);
  CHECK(movie.draw(0, 82) == -1);
  CHECK(movie.draw(0, 95) == -1);  // can only be reached from the key picture at 80
  CHECK(movie.draw(0, 100) == 100);
  CHECK(movie.draw(0, 30) == 30);
}

TEST_CASE("a panel that comes in behind the others makes the decoder decode nothing twice",
          "[movie]") {
  const TemporaryFolder folder;
  constexpr int frames = 100;
  make_counting_movie(folder / "m.mp4", small_movie(frames));  // one key picture
  const auto decoded_pictures = [&](bool a_panel_comes) {
    MovieAndDecoder movie(folder / "m.mp4");
    REQUIRE(movie.draw(0, 30) == 30);
    REQUIRE(movie.draw(1, 37) == 37);  // requests 38, so 30 to 61 are the nearest 32 frames
    while (movie.page().position.load() < 61) movie.step();
    // 61 has been decoded and is not stored yet. For the panel that comes, 30 is nearer.
    if (a_panel_comes) movie.page().seats[2].wanted.store(30);
    for (int turn = 0; turn < 4; ++turn) movie.step();
    for (int frame = 31; frame < frames; ++frame)
      for (int seat = 0; seat < (a_panel_comes ? 3 : 2); ++seat)
        REQUIRE(movie.draw(seat, frame) == frame);
    return movie.page().decoded_pictures.load();
  };
  CHECK(decoded_pictures(true) == decoded_pictures(false));
}

TEST_CASE("late pictures begin where panels lacked one, not on the way from a key picture",
          "[movie]") {
  const TemporaryFolder folder;
  make_counting_movie(folder / "m.mp4", small_movie(200));  // one key picture
  MovieAndDecoder movie(folder / "m.mp4");
  movie.wait_for_newest(0, 60);
  while (!movie.look(0, 60)) {
    for (int frame = 0; frame < 60; ++frame) REQUIRE_FALSE(movie.look(1, frame));
    movie.step();
  }
  // From here on the panel has lacked what the decoder passes; it is not so far behind that it
  // leaves out pictures.
  movie.wait_for_newest(0, 72);
  while (!movie.look(0, 72)) movie.step();
  for (int frame = 61; frame < 72; ++frame) CHECK(movie.look(1, frame) == frame);
}

TEST_CASE("a decoder refuses a file in one line", "[movie][bad-input]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.mp4") << "this is no movie\n";
  const UniqueFd fd = make_movie_memory(movie_slots_bytes);
  const MovieMemory memory(fd.get());
  CHECK_THROWS_AS(DecodeLoop((folder / "text.mp4").string(), memory), InputError);
  CHECK_THROWS_AS(DecodeLoop((folder / "missing.mp4").string(), memory), InputError);
}

TEST_CASE("a picture is painted as import would store it, in every format", "[movie]") {
  const TemporaryFolder folder;
  for (const char* format : {"yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p12le", "gray",
                             "gbrp", "gbrp10le", "yuvj420p", "rgb24", "yuyv422", "nv12", "pal8",
                             "yuva420p", "yuv410p", "yuv411p", "gray10be"}) {
    CAPTURE(format);
    const AvFrame frame = coloured_frame({66, 50}, format);
    MovieInfo info;
    info.size_px = info.stored_px = {66, 50};
    for (const double scale : {1.0, 0.5, 1.7}) {
      CAPTURE(scale);
      CHECK(worst_difference(painted(*frame.get(), info, scale),
                             converted(*frame.get(), info, scale)) <= 1);
    }
    info.orientation = {true, false, true};
    info.size_px = {50, 66};
    CHECK(worst_difference(painted(*frame.get(), info, 1), converted(*frame.get(), info, 1)) <= 1);
  }
}

TEST_CASE("an HDR picture is painted as import would store it", "[movie][hdr]") {
  for (const char* format : {"yuv420p10le", "yuv422p10le", "gbrp10le", "gray10le"})
    for (const AVColorTransferCharacteristic transfer :
         {AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67}) {
      CAPTURE(format, transfer);
      const AvFrame frame = coloured_frame({66, 50}, format);
      frame.get()->color_trc = transfer;
      frame.get()->color_primaries = AVCOL_PRI_BT2020;
      frame.get()->colorspace = AVCOL_SPC_BT2020_NCL;
      MovieInfo info;
      info.size_px = info.stored_px = {66, 50};
      for (const double scale : {1.0, 0.5})
        CHECK(worst_difference(painted(*frame.get(), info, scale),
                               converted(*frame.get(), info, scale)) <= 1);
    }
}
