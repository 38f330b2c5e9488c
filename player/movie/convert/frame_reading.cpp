#include "player/movie/convert/frame_reading.hpp"

#include <algorithm>

#include "player/movie/frames/frame_reader.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

SharedPicture black_picture(const MovieManifest& manifest) {
  auto picture = std::make_shared<PlanarPicture>(manifest.size_px, manifest.chroma);
  for (std::size_t plane = 0; plane < picture->planes.size(); ++plane) {
    const bool chroma = plane > 0 && manifest.chroma != Chroma::rgb;
    auto& samples = picture->planes[plane].samples;
    std::fill(samples.begin(), samples.end(), static_cast<std::uint8_t>(chroma ? 128 : 0));
  }
  return picture;
}

}  // namespace

FrameReading::FrameReading(MovieManifest manifest, std::filesystem::path folder, std::int64_t first,
                           std::int64_t last, int ahead)
    : manifest_(std::move(manifest)),
      folder_(std::move(folder)),
      next_started_(first),
      last_(last),
      ahead_(static_cast<std::size_t>(std::max(1, ahead))) {}

void FrameReading::start_more() {
  while (running_.size() < ahead_ && next_started_ <= last_)
    running_.push_back(
        std::async(std::launch::async, [this, frame = next_started_++]() -> SharedPicture {
          try {
            return std::make_shared<PlanarPicture>(
                decode_frame_to_planes(manifest_, folder_, frame, 0));
          } catch (const InputError&) {
            return nullptr;
          }
        }));
}

SharedPicture FrameReading::next() {
  start_more();
  if (running_.empty()) return nullptr;
  SharedPicture picture = running_.front().get();
  running_.pop_front();
  start_more();
  if (!picture) {
    ++damaged_;
    return last_good_ ? last_good_ : black_picture(manifest_);
  }
  last_good_ = picture;
  return picture;
}

}  // namespace tilewall::movie
