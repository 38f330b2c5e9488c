#include <time.h>
#include <xxhash.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "player/bench/common.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/picture_source.hpp"
#include "player/picture/placement.hpp"
#include "player/present/presenter.hpp"

namespace tilewall::bench {
namespace {

/// The work of one panel process for a frame, without waits.
class PanelWork {
 public:
  PanelWork(const wall::Wall& wall, const wall::Canvas& canvas, std::size_t index,
            const std::filesystem::path& folder)
      : source_(movie::open_wall_movie(folder, 1)), size_px_(wall.panels[index].viewed_size_px()) {
    scene::Region region;
    region.canvas_px = {0, 0, static_cast<double>(canvas.size_px().width),
                        static_cast<double>(canvas.size_px().height)};
    placement_ = picture::place_on_panel(region, source_->size_px(), {},
                                         {canvas.panel_rect_px(index), size_px_})
                     .placement;
    present::PresenterOptions options;
    options.kind = present::PresenterKind::cpu;
    options.headless = true;
    options.frame_buffer_px = wall.panels[index].size_px;
    options.rotation = wall.panels[index].rotation;
    options.color = wall.panels[index].color;
    presenter_ = present::make_presenter(options);
    pixels_.resize(std::size_t{4} * static_cast<std::size_t>(size_px_.width) *
                   static_cast<std::size_t>(size_px_.height));
  }

  std::uint64_t show(std::int64_t frame, bool with_hash) {
    const ImageView picture{pixels_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
    source_->draw(frame, placement_, picture, nullptr);
    presenter_->prepare(picture);
    presenter_->swap();
    return with_hash ? XXH3_64bits(pixels_.data(), pixels_.size()) : 0;
  }

 private:
  std::unique_ptr<picture::PictureSource> source_;
  const SizePx size_px_;
  picture::Placement placement_;
  std::unique_ptr<present::Presenter> presenter_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

WallLimit measure_wall_limit(const wall::Wall& wall, wall::BezelMode bezels,
                             const std::filesystem::path& folder, int frames, bool with_hashes) {
  const wall::Canvas canvas(wall, bezels);
  const std::size_t panels = wall.panels.size();
  std::vector<std::unique_ptr<PanelWork>> work;
  for (std::size_t i = 0; i < panels; ++i)
    work.push_back(std::make_unique<PanelWork>(wall, canvas, i, folder));
  WallLimit limit;
  limit.hashes.assign(panels, std::vector<std::uint64_t>(static_cast<std::size_t>(frames)));
  for (auto& one : work) one->show(0, false);  // buffers are touched before the clock starts

  const double cpu_before_s = process_cpu_s();
  const auto start = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_panel{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::size_t panel = next_panel++; panel < panels; panel = next_panel++)
        for (int frame = 0; frame < frames; ++frame)
          limit.hashes[panel][static_cast<std::size_t>(frame)] =
              work[panel]->show(frame, with_hashes);
    });
  threads.clear();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  limit.fps = frames / elapsed.count();
  limit.cpu_s_per_frame = (process_cpu_s() - cpu_before_s) / frames;
  return limit;
}

}  // namespace tilewall::bench
