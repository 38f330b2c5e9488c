#include "player/movie/convert/import_limits.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/frames/scaler.hpp"
#include "player/movie/source/movie_file.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t max_kept_pictures = 16;  // spread over the measured frames

using Levels = std::vector<PlanarPicture>;

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs body(0) .. body(count - 1) on all cores and returns the seconds. Each thread makes its own
// body.
double seconds_on_all_cores(int count, const std::function<std::function<void(int)>()>& make_body) {
  std::atomic<int> next{0};
  return seconds_of([&] {
    std::vector<std::jthread> threads;
    for (unsigned core = 0; core < std::max(1U, std::thread::hardware_concurrency()); ++core)
      threads.emplace_back([&] {
        const std::function<void(int)> body = make_body();
        for (int i = next++; i < count; i = next++) body(i);
      });
  });
}

// Decodes `frames` pictures and returns some of them; sets the seconds per picture.
std::vector<SharedFrame> decode(const std::string& file, int frames, double& seconds) {
  MovieFile movie(file);
  std::vector<SharedFrame> kept;
  int decoded = 0;
  seconds = seconds_of([&] {
    const int step = std::max(1, frames / static_cast<int>(max_kept_pictures));
    for (; decoded < frames; ++decoded) {
      auto picture = movie.next();
      if (!picture) break;
      if (decoded % step == 0 && kept.size() < max_kept_pictures)
        kept.push_back(std::move(picture->frame));
    }
  });
  TW_CHECK(decoded > 0);
  seconds /= decoded;
  return kept;
}

Levels levels_of(PlanarPicture picture, int count) {
  Levels levels;
  levels.push_back(std::move(picture));
  while (static_cast<int>(levels.size()) < count) levels.push_back(halved(levels.back()));
  return levels;
}

}  // namespace

StageSeconds measure_import_stages(const ImportOptions& options, int frames) {
  const auto fetcher = open_movie_fetcher(options.inputs.front(), options.fps);
  const ImportPlan plan = plan_import(
      options, source_of(options), fetcher->info(),
      choose_chroma(fetcher->samples(), fetcher->info(), options.quality, options.inputs.front()));
  StageSeconds stages;
  const std::vector<SharedFrame> pictures = decode(options.inputs.front(), frames, stages.decode_s);
  const int repeats = std::max(1, frames / static_cast<int>(pictures.size()));
  const int count = repeats * static_cast<int>(pictures.size());
  std::vector<Levels> stored(pictures.size());
  stages.scale_s =
      seconds_on_all_cores(count,
                           [&] {
                             auto converter =
                                 std::make_shared<PictureConverter>(plan.conversion, plan.name);
                             return [&, converter](int i) {
                               const auto at = static_cast<std::size_t>(i) % pictures.size();
                               PlanarPicture picture = converter->convert(*pictures[at]);
                               if (i < static_cast<int>(pictures.size()))
                                 stored[at] = levels_of(std::move(picture), 1);
                             };
                           }) /
      count;
  for (Levels& levels : stored) levels = levels_of(std::move(levels.front()), plan.manifest.levels);
  stages.encode_s =
      seconds_on_all_cores(
          count,
          [&] {
            return [&](int i) {
              for (const PlanarPicture& level : stored[static_cast<std::size_t>(i) % stored.size()])
                (void)encode_jpeg(level, plan.manifest.quality);
            };
          }) /
      count;
  return stages;
}

}  // namespace tilewall::movie
