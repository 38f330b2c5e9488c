// Frames that are drawn in bands because of the memory limit.

#include "player/rendering/frame_bands.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tilewall;
using namespace tilewall::rendering;

namespace {

PictureJob job_of(SizePx size_px, std::size_t memory_mib) {
  PictureJob job;
  job.size_px = size_px;
  job.volume.memory_bytes = memory_mib << 20;
  return job;
}

}  // namespace

TEST_CASE("a frame is drawn in bands where it takes more than the memory limit", "[render]") {
  PictureJob job = job_of({12800, 4800}, 64);
  CHECK(is_banded(job));
  CHECK(band_rows_of(job) == 402);  // of 13 bytes a pixel
  job.rays_across = 4;
  CHECK(band_rows_of(job) == 70);  // of 73
  job.volume.memory_bytes = 1 << 20;
  CHECK(band_rows_of(job) == 64);
  job.is_float = true;
  CHECK_FALSE(is_banded(job));
  job.is_float = false;
  job.is_whole = true;
  CHECK(band_rows_of(job) == 4800);
  CHECK_FALSE(is_banded(job_of({12800, 4800}, 2048)));
  CHECK_FALSE(is_banded(job_of({12800, 33}, 1)));
}

TEST_CASE("as many frames are under way as fit the memory limit", "[render]") {
  CHECK(storing_threads(job_of({12800, 4800}, 64), 16) == 1);
  CHECK(storing_threads(job_of({12800, 4800}, 2048), 16) == 2);  // of 15 bytes a pixel
  CHECK(storing_threads(job_of({1920, 1080}, 2048), 16) == 16);
}

TEST_CASE("what is drawn and stored at a time takes no more than the memory limit", "[render]") {
  for (const int width : {2, 640, 1281, 13535, 100'000})
    for (const int height : {2, 65, 480, 5167, 30'001})
      for (const int across : {1, 2, 4})
        for (const std::size_t memory_mib : {1U, 7U, 64U, 1000U, 20'000U}) {
          CAPTURE(width, height, across, memory_mib);
          PictureJob job = job_of({width, height}, memory_mib);
          job.rays_across = across;
          const int rows = band_rows_of(job);
          REQUIRE(rows > 0);
          REQUIRE(rows <= height);
          // A ray has 4 bytes; a pixel 3 sums of 2 bytes and 3 colours while it is drawn, and 11
          // bytes while it is converted and halved.
          const double row_bytes = static_cast<double>(width) * (4 * across * across + 9);
          const double limit = static_cast<double>(job.volume.memory_bytes);
          if (is_banded(job)) {
            CHECK((rows * row_bytes <= limit || rows == 64));
            CHECK(rows % 2 == 0);
            CHECK(storing_threads(job, 64) == 1);
            CHECK(height * (row_bytes + 11.0 * width) > limit);
            // Two more rows would not fit, or two bands are enough.
            CHECK(((rows + 2) * row_bytes > limit || rows + 2 > height / 2 || rows == 64));
          } else if (height > 64) {
            CHECK(height * (row_bytes + 11.0 * width) <= limit);
            const int threads = storing_threads(job, 64);
            const double frame_bytes = height * (row_bytes + 2.0 * width);
            CHECK((threads == 1 || threads * frame_bytes <= limit));
          }
        }
}

TEST_CASE("the chroma of a frame in bands is chosen by its middle", "[render]") {
  CHECK(sampled_part(job_of({12800, 4800}, 64)) == RectPx{5360, 1360, 2080, 2080});
  CHECK(sampled_part(job_of({12801, 501}, 1)) == RectPx{5360, 0, 2080, 501});
  CHECK(sampled_part(job_of({12800, 4800}, 2048)) == RectPx{0, 0, 12800, 4800});
}

TEST_CASE("bands are drawn once each, from above, when their rows are read", "[render]") {
  const PictureJob job = job_of({3000, 150}, 1);
  std::vector<RectPx> drawn;
  FrameBands bands(job, [&](const RectPx& part) {
    drawn.push_back(part);
    movie::AvFrame band = movie::new_packed_picture(AV_PIX_FMT_RGB24, {part.width, part.height});
    for (int y = 0; y < part.height; ++y)
      *movie::packed_row(band, y) = static_cast<std::uint8_t>(part.y + y);
    return movie::share(std::move(band));
  });
  CHECK(bands.size_px() == job.size_px);
  CHECK(bands.channels() == 3);
  std::vector<std::uint8_t> row(3 * 3000);
  for (int y = 0; y < 150; ++y) {
    bands.read_row(row.data());
    CHECK(row.front() == y);
  }
  CHECK(drawn == std::vector<RectPx>{{0, 0, 3000, 64}, {0, 64, 3000, 64}, {0, 128, 3000, 22}});
}
