#include "player/command/demo_movie.hpp"

#include <fmt/format.h>

#include <array>
#include <future>
#include <thread>
#include <vector>

#include "player/command/progress.hpp"
#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/convert/video_encoder.hpp"
#include "render/demo/demo_scene.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::command {
namespace {

constexpr SizePx demo_px{1280, 480};
constexpr int demo_fps = 24;
// Length of the flight, which then repeats without a seam.
constexpr int demo_frames = 10 * demo_fps;
constexpr int demo_crf = 14;
constexpr const char* demo_preset = "ultrafast";

void paint(const render::DemoScene& scene, int frame, const ImageView& picture) {
  const double phase = static_cast<double>(frame) / demo_frames;
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> painters;
  painters.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i)
    painters.emplace_back([&, i] {
      scene.paint_rows(phase, picture, demo_px.height * i / threads,
                       demo_px.height * (i + 1) / threads);
    });
  painters.clear();
  render::paint_demo_caption(fmt::format("{:02}:{:02}", frame / demo_fps, frame % demo_fps),
                             picture);
}

}  // namespace

void make_demo_movie(const std::filesystem::path& file, const std::stop_token& stop) {
  if (std::filesystem::exists(file)) return;
  std::filesystem::create_directories(file.parent_path());
  const render::DemoScene scene;
  movie::VideoSettings settings;
  settings.size_px = demo_px;
  settings.fps = {demo_fps, 1};
  settings.crf = demo_crf;
  settings.preset = demo_preset;
  movie::VideoEncoder encoder(file, settings);
  // The next picture is painted while one is encoded.
  std::array<std::vector<std::uint8_t>, 2> pixels;
  for (auto& one : pixels) one.resize(std::size_t{4} * demo_px.width * demo_px.height);
  const auto picture = [&](int frame) {
    return ImageView{pixels[static_cast<std::size_t>(frame % 2)].data(), demo_px,
                     std::size_t{4} * demo_px.width};
  };
  const auto painted = [&](int frame) {
    return std::async(std::launch::async, [&, frame] { paint(scene, frame, picture(frame)); });
  };
  ProgressLine progress("paint the demo's movie");
  std::future<void> next = painted(0);
  for (int frame = 0; frame < demo_frames; ++frame) {
    if (stop.stop_requested()) throw JobError("interrupted while painting the demo's movie");
    next.get();
    if (frame + 1 < demo_frames) next = painted(frame + 1);
    encoder.add(movie::planes_of(picture(frame)));
    progress.update({frame + 1, demo_frames, 0});
  }
  encoder.finish();
}

}  // namespace tilewall::command
