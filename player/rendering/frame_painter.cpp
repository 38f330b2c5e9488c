#include "player/rendering/frame_painter.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "player/movie/source/float_picture.hpp"
#include "player/rendering/frame_bands.hpp"
#include "player/rendering/volume_painter.hpp"
#include "wallconfigs/eye_view.hpp"

namespace tilewall::rendering {
namespace {

/// Does one piece of work after the other on a thread of its own.
class DrawThread {
 public:
  DrawThread() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  /// Waits until `work` is done, and throws what it threw. One caller at a time.
  void run(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return work_ != nullptr; })) {
      try {
        (*work_)();
      } catch (...) {
        error_ = std::current_exception();
      }
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  const std::function<void()>* work_ = nullptr;  // guarded by mutex_; null: nothing to do
  std::exception_ptr error_;                     // guarded by mutex_
  std::jthread thread_;                          // last: joined before what it uses
};

/// Adds the rays of each pixel of row y of the picture to `sums`, as RGB.
void add_rays(const ImageView& view, int y, int across, std::span<std::uint16_t> sums) {
  static_assert(most_rays_across * most_rays_across * shutter_moments * 255 <= 65535);
  const auto add = [](std::uint16_t& sum, std::uint8_t value) {
    sum = static_cast<std::uint16_t>(sum + value);
  };
  for (int down = 0; down < across; ++down) {
    const std::uint8_t* from = view.row(y * across + down);
    for (std::size_t x = 0; x < sums.size(); x += 3)
      for (int right = 0; right < across; ++right, from += 4)
        for (std::size_t channel = 0; channel < 3; ++channel)
          add(sums[x + channel], from[2 - channel]);
  }
}

constexpr int band_rows = 64;  // of a float picture that are cast at once

/// The light of a colour of sRGB, which may be brighter than white.
float light_of(float coded) {
  return coded <= 0.04045F ? coded / 12.92F : std::pow((coded + 0.055F) / 1.055F, 2.4F);
}

/// Adds the share that a ray has in its pixel.
void add_ray(const render::Rgba& ray, float depth, float share, const movie::FloatRow& to,
             std::size_t x) {
  to.depth[x] = std::min(to.depth[x], depth);
  if (!(ray.a > 0)) return;
  // Colours are made and mixed in sRGB, as a wall shows them, so the sum of a ray is converted.
  to.red[x] += share * ray.a * light_of(ray.r / ray.a);
  to.green[x] += share * ray.a * light_of(ray.g / ray.a);
  to.blue[x] += share * ray.a * light_of(ray.b / ray.a);
  to.opacity[x] += share * ray.a;
}

/// Adds a band's rays, `across` each way in a pixel, to the pixels from `at` on.
void add_band(const render::FloatPicture& band, PointPx at, int across, float share,
              movie::AvFrame& to) {
  const render::Rgba* ray = band.pixels.data();
  const float* depth = band.depths.data();
  for (int y = 0; y < band.size_px.height; ++y) {
    const movie::FloatRow row = movie::float_row(to, at.y + y / across);
    for (int x = 0; x < band.size_px.width; ++x) {
      const int column = at.x + x / across;
      add_ray(*ray++, *depth++, share, row, static_cast<std::size_t>(column));
    }
  }
}

RectPx in_rays(const RectPx& part, int across) {
  return {part.x * across, part.y * across, part.width * across, part.height * across};
}

}  // namespace

std::vector<ScreenPart> screens_of(const wall::Wall& wall, wall::BezelMode bezels,
                                   SizePx picture_px) {
  if (wall.flat() || wall.content != wall::ContentMode::arc_length) return {};
  const std::vector<wall::ScreenFromEye> screens = wall::screens_from_eye(wall, bezels);
  if (screens.empty()) return {};
  const SizePx canvas_px = wall::Canvas(wall, bezels).size_px();
  const RectF region{0, 0, static_cast<double>(canvas_px.width),
                     static_cast<double>(canvas_px.height)};
  const wall::RegionPlane plane = wall::region_plane(screens, region);
  const double across = picture_px.width / region.width;
  const double down = picture_px.height / region.height;
  std::vector<ScreenPart> parts;
  for (const wall::ScreenFromEye& screen : screens) {
    // Edges are rounded, so that neighbours abut.
    const RectF& canvas = screen.canvas_px;
    const auto left = static_cast<int>(std::lround(canvas.x * across));
    const auto top = static_cast<int>(std::lround(canvas.y * down));
    const auto right = static_cast<int>(std::lround(canvas.right() * across));
    const auto bottom = static_cast<int>(std::lround(canvas.bottom() * down));
    const RectPx part{std::max(left, 0), std::max(top, 0),
                      std::min(right, picture_px.width) - std::max(left, 0),
                      std::min(bottom, picture_px.height) - std::max(top, 0)};
    if (part.width > 0 && part.height > 0)
      parts.push_back({part, {wall::onto_plane(screen, plane, region), plane.seen_px}});
  }
  return parts;
}

path::ShownPicture shown_picture(const std::vector<ScreenPart>& screens, SizePx canvas_px,
                                 SizePx picture_px) {
  path::ShownPicture picture =
      path::flat_picture(static_cast<double>(picture_px.width) / picture_px.height);
  if (screens.empty()) return picture;
  picture.seen.reset();
  if (const auto& seen_px = screens.front().tilt.seen_px) {
    const double height = canvas_px.height;
    picture.seen = {(seen_px->x - canvas_px.width / 2.0) / height,
                    (seen_px->y - height / 2) / height, seen_px->width / height,
                    seen_px->height / height};
  }
  return picture;
}

struct FramePainter::State {
  explicit State(const PictureJob& with) : job(with), logo(with.logo) {}

  /// Where the whole picture lies as seen from the corner of a part. Both are counted in rays.
  [[nodiscard]] picture::Placement placement_of(const RectPx& part) const {
    const double width = job.size_px.width * job.rays_across;
    const double height = job.size_px.height * job.rays_across;
    return {{0, 0, width, height},
            {static_cast<double>(-part.x), static_cast<double>(-part.y), width, height}};
  }

  /// The moment that comes after the next paint(), and the part that is drawn of it, in rays, on
  /// `thread`. Those of tilted screens take turns, so none is expected.
  void expect(const FlightMoment& moment, const RectPx& part) {
    if (!job.screens.empty()) return;
    painter->expect(moment.timestep, moment.shot, placement_of(part), {part.width, part.height});
  }
  /// Draws a part of a picture, in rays, on `thread`. @pre `view` has the part's size
  void paint(const FlightMoment& moment, const RectPx& part, const ImageView& view,
             const std::stop_token& stop) {
    // Parallel rays have no eye point, so an orthographic picture lies along the screens.
    if (job.screens.empty() || moment.shot.camera.lens == render::Lens::orthographic) {
      painter->paint(moment.timestep, moment.shot, placement_of(part), view, stop);
    } else {
      // An orthographic picture before this one has covered what lies between the screens, too.
      std::ranges::fill(bgrx, std::uint8_t{0});
      for (const ScreenPart& screen : job.screens) paint_screen(moment, screen, part, view, stop);
    }
    const std::scoped_lock lock(drawn_by_mutex);
    drawn_by = painter->drawn_by();
  }

  void paint_screen(const FlightMoment& moment, const ScreenPart& screen, const RectPx& part,
                    const ImageView& view, const std::stop_token& stop) {
    const RectPx seen = intersection(in_rays(screen.part_px, job.rays_across), part);
    if (seen.empty()) return;
    const ImageView to{view.row(seen.y - part.y) + std::ptrdiff_t{4} * (seen.x - part.x),
                       {seen.width, seen.height},
                       view.stride_bytes};
    scene::VolumeShot shot = moment.shot;
    shot.tilt = screen.tilt;
    const RectF canvas{0, 0, static_cast<double>(job.canvas_px.width),
                       static_cast<double>(job.canvas_px.height)};
    painter->paint(moment.timestep, shot, {canvas, placement_of(seen).picture_px}, to, stop);
  }

  /// Adds a part of a float picture to `to`, which has the part's size, on `thread`.
  void add_floats(const FlightMoment& moment, const RectPx& part, float share, movie::AvFrame& to,
                  const std::stop_token& stop) {
    const PointPx corner{part.x, part.y};
    if (job.screens.empty() || moment.shot.camera.lens == render::Lens::orthographic)
      add_rays_of(moment.timestep, moment.shot, part, corner, share, to, stop);
    else
      for (const ScreenPart& screen : job.screens) {
        scene::VolumeShot tilted = moment.shot;
        tilted.tilt = screen.tilt;
        add_rays_of(moment.timestep, tilted, intersection(screen.part_px, part), corner, share, to,
                    stop);
      }
    const std::scoped_lock lock(drawn_by_mutex);
    drawn_by = painter->drawn_by();
  }

  /// Adds a part, of all of a flat picture or of that of a tilted screen. `corner`: that of `to`.
  void add_rays_of(double timestep, const scene::VolumeShot& shot, const RectPx& part,
                   PointPx corner, float share, movie::AvFrame& to, const std::stop_token& stop) {
    if (part.empty()) return;
    const int across = job.rays_across;
    const double width = job.size_px.width * across;
    const double height = job.size_px.height * across;
    // A tilt is in pixels of the canvas.
    const RectF region = shot.tilt ? RectF{0, 0, static_cast<double>(job.canvas_px.width),
                                           static_cast<double>(job.canvas_px.height)}
                                   : RectF{0, 0, width, height};
    for (int y = 0; y < part.height; y += band_rows) {
      const PointPx at{part.x, part.y + y};
      const SizePx band_px{part.width * across, std::min(band_rows, part.height - y) * across};
      const RectF whole{static_cast<double>(-at.x * across), static_cast<double>(-at.y * across),
                        width, height};
      add_band(painter->cast_floats(timestep, shot, {region, whole}, band_px, stop),
               {at.x - corner.x, at.y - corner.y}, across, share, to);
    }
  }

  movie::AvFrame draw_floats(const FlightFrame& frame, const RectPx& part,
                             const std::stop_token& stop) {
    movie::AvFrame picture = movie::new_float_picture({part.width, part.height});
    const float share = 1 / (static_cast<float>(job.rays_across * job.rays_across) *
                             static_cast<float>(frame.moments.size()));
    for (const FlightMoment& moment : frame.moments)
      thread.run([&] { add_floats(moment, part, share, picture, stop); });
    return picture;
  }

  const PictureJob job;
  const Logo logo;
  mutable std::mutex mutex;              // held while a picture is drawn
  std::optional<VolumePainter> painter;  // guarded by mutex; `thread` makes, uses and ends it
  std::vector<std::uint8_t> bgrx;        // guarded by mutex
  std::vector<std::uint16_t> sums;       // guarded by mutex; of a pixel's rays, by channel
  DrawThread thread;                     // guarded by mutex
  mutable std::mutex drawn_by_mutex;     // held for a moment only, also while a picture is drawn
  std::string drawn_by;                  // guarded by drawn_by_mutex
};

FramePainter::FramePainter(const PictureJob& job, std::function<void(const std::string&)> note)
    : state_(std::make_unique<State>(job)) {
  state_->thread.run([&] { state_->painter.emplace(job.volume, job.threads, std::move(note)); });
}

FramePainter::~FramePainter() {
  state_->thread.run([this] { state_->painter.reset(); });
}

std::int64_t FramePainter::timesteps() const { return state_->painter->timesteps(); }

bool FramePainter::holds_all() const { return state_->painter->holds_all(); }

movie::SharedFrame FramePainter::draw(const FlightFrame& frame, const std::stop_token& stop,
                                      const FlightFrame* next) {
  const SizePx size_px = state_->job.size_px;
  return draw_part(frame, {0, 0, size_px.width, size_px.height}, stop, next);
}

movie::SharedFrame FramePainter::draw_part(const FlightFrame& frame, const RectPx& part,
                                           const std::stop_token& stop, const FlightFrame* next) {
  const std::scoped_lock lock(state_->mutex);
  const PictureJob& job = state_->job;
  if (job.is_float) return movie::share(state_->draw_floats(frame, part, stop));
  const int across = job.rays_across;
  const RectPx rays = in_rays(part, across);
  const SizePx cast{rays.width, rays.height};
  state_->bgrx.resize(static_cast<std::size_t>(cast.width) * static_cast<std::size_t>(cast.height) *
                      4);
  const ImageView view{state_->bgrx.data(), cast, static_cast<std::size_t>(cast.width) * 4};
  const std::size_t row = static_cast<std::size_t>(part.width) * 3;
  const bool is_one = frame.moments.size() == 1;
  state_->sums.assign(is_one ? row : row * static_cast<std::size_t>(part.height), 0);
  const auto sums_of = [&](int y) {
    return std::span(state_->sums).subspan(is_one ? 0 : static_cast<std::size_t>(y) * row, row);
  };
  const auto rays_of_pixel =
      static_cast<unsigned>(across * across) * static_cast<unsigned>(frame.moments.size());
  movie::AvFrame picture = movie::new_packed_picture(AV_PIX_FMT_RGB24, {part.width, part.height});
  for (std::size_t i = 0; i < frame.moments.size(); ++i) {
    const FlightMoment& moment = frame.moments[i];
    const bool is_last = i + 1 == frame.moments.size();
    state_->thread.run([&] {
      if (!is_last)
        state_->expect(frame.moments[i + 1], rays);
      else if (next != nullptr)
        state_->expect(next->moments.front(), {rays.x, 0, rays.width, rays.height});
      state_->paint(moment, rays, view, stop);
    });
    for (int y = 0; y < part.height; ++y) {
      const std::span<std::uint16_t> sums = sums_of(y);
      add_rays(view, y, across, sums);
      if (!is_last) continue;
      std::uint8_t* const to = movie::packed_row(picture, y);
      std::ranges::transform(sums, to, [&](std::uint16_t sum) {
        return static_cast<std::uint8_t>((sum + rays_of_pixel / 2) / rays_of_pixel);
      });
      state_->logo.draw({part.x, part.y + y}, {to, row});
      if (is_one) std::ranges::fill(sums, std::uint16_t{0});
    }
  }
  return movie::share(std::move(picture));
}

movie::SharedFrame FramePainter::draw_sample(const FlightFrame& frame,
                                             const std::stop_token& stop) {
  const PictureJob& job = state_->job;
  if (!is_banded(job)) return draw(frame, stop);
  const RectPx part = sampled_part(job);
  movie::AvFrame sample = movie::new_packed_picture(AV_PIX_FMT_RGB24, {part.width, part.height});
  const int band_rows = band_rows_of(job);
  for (int y = 0; y < part.height; y += band_rows) {
    const int rows = std::min(band_rows, part.height - y);
    const movie::SharedFrame band = draw_part(frame, {part.x, part.y + y, part.width, rows}, stop);
    for (int i = 0; i < rows; ++i)
      std::copy_n(band->data[0] + std::ptrdiff_t{i} * band->linesize[0],
                  static_cast<std::size_t>(part.width) * 3, movie::packed_row(sample, y + i));
  }
  return movie::share(std::move(sample));
}

std::uint64_t FramePainter::read_bytes() const { return state_->painter->read_bytes(); }

std::string FramePainter::drawn_by() const {
  const std::scoped_lock lock(state_->drawn_by_mutex);
  return state_->drawn_by;
}

}  // namespace tilewall::rendering
