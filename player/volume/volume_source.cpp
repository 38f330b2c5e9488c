#include "player/volume/volume_source.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "player/movie/frames/bgrx.hpp"
#include "player/scene/volume_shot.hpp"
#include "player/volume/caster_link.hpp"
#include "render/volume/sub_view.hpp"
#include "sync/base/error.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr double pixel_tolerance = 1e-6;

bool is_whole(double px) { return std::abs(px - std::round(px)) <= pixel_tolerance; }

/// Where a region's whole picture lies, in pixels of a panel's part of it.
struct RegionPicture {
  PointF first;
  double width = 0;
  double height = 0;
};

/// @pre the region's picture has been neither zoomed nor cut: all of it is `movie_px`
RegionPicture picture_of(const Placement& placement) {
  const double scale = placement.picture_px.height / placement.movie_px.height;
  return {{placement.picture_px.x - placement.movie_px.x * scale,
           placement.picture_px.y - placement.movie_px.y * scale},
          placement.movie_px.width * scale,
          placement.movie_px.height * scale};
}

/// Whole panels' pixels, and so the same rays on every panel, where the region lies on whole
/// pixels.
CastMessage message_for(const VolumeCamera& camera, const RegionPicture& region, SizePx part_px) {
  CastMessage message;
  message.width = part_px.width;
  message.height = part_px.height;
  const int left = static_cast<int>(std::floor(region.first.x + pixel_tolerance));
  const int top = static_cast<int>(std::floor(region.first.y + pixel_tolerance));
  const SizePx whole{
      std::max(static_cast<int>(std::ceil(region.width - pixel_tolerance)), part_px.width - left),
      std::max(static_cast<int>(std::ceil(region.height - pixel_tolerance)), part_px.height - top)};
  message.x = std::max(-left, 0);
  message.y = std::max(-top, 0);
  message.picture_width = whole.width;
  message.picture_height = whole.height;
  CastView view{
      camera,
      {static_cast<int>(std::lround(region.width)), static_cast<int>(std::lround(region.height))},
      {}};
  set_region(message, camera, view.picture_px);
  const bool exact = is_whole(region.first.x) && is_whole(region.first.y) &&
                     is_whole(region.width) && is_whole(region.height) && view.picture_px == whole;
  if (!exact) {
    // Of the region's own height, which is not a whole number of pixels, and where it begins.
    const double share = view.picture_px.height / region.height;
    view.camera.fov_rad = 2 * std::atan(std::tan(view.camera.fov_rad / 2) * share);
    view.camera.view_height *= share;
    view.camera.centre_offset_px.x += (region.width - view.picture_px.width) / 2;
    view.camera.centre_offset_px.y += (region.height - view.picture_px.height) / 2;
    view = sub_view(view, {left - region.first.x, top - region.first.y}, 1, whole);
  }
  set_camera(message, view.camera);
  return message;
}

class VolumeSource final : public PictureSource {
 public:
  explicit VolumeSource(VolumeSourceOptions options)
      : name_(options.name), link_(std::move(options)) {
    const TraceSpan span("wait for volume");
    const CasterLink::Outcome outcome = link_.open();
    if (outcome.end == CasterLink::End::refused) throw InputError(line_of(outcome.answer));
    if (outcome.end == CasterLink::End::lost)
      throw JobError(name_ + ": nobody on this host draws it; see its logs");
  }

  [[nodiscard]] SizePx size_px() const noexcept override { return {}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  [[nodiscard]] std::string drawn_by() const override {
    const std::scoped_lock lock(drawn_by_mutex_);
    return drawn_by_;
  }
  void wish(const DrawWish& wish) override { wish_ = wish; }

  DrawStatus draw(std::int64_t timestep, const Placement& placement, const ImageView& picture,
                  const ImageView* last_good) override {
    const RectPx all{0, 0, picture.size_px.width, picture.size_px.height};
    if (!wish_.shot) {
      fill_black(picture, all);
      return DrawStatus::whole;
    }
    if (wish_.shot->style != style_) {
      style_ = wish_.shot->style;
      link_.set_style(to_json(*style_).dump());
    }
    CastMessage message = message_for(wish_.shot->camera, picture_of(placement), picture.size_px);
    message.timestep = timestep;
    message.coarser_by = wish_.coarser_by;
    if (wish_.keep && wish_.coarser_by == 0)
      message.detail = wish_.awaits_best ? CastDetail::awaited : CastDetail::soon;
    const CasterLink::Outcome outcome = wait_for(message);
    if (outcome.end == CasterLink::End::abandoned) return DrawStatus::abandoned;
    if (outcome.end != CasterLink::End::done) {
      copy_or_blacken(last_good, picture, all);
      ++counters_.damaged_frames;
      return DrawStatus::damaged;
    }
    count(outcome.answer, picture.size_px);
    copy_or_blacken(&picture_view(picture.size_px), picture, all);
    return outcome.answer.finer_comes != 0 ? DrawStatus::provisional : DrawStatus::whole;
  }

 private:
  CasterLink::Outcome wait_for(const CastMessage& message) {
    const TraceSpan span("wait for caster");
    return link_.cast(message);
  }

  const ImageView& picture_view(SizePx size_px) {
    shown_ = link_.picture(size_px.width, size_px.height);
    return shown_;
  }

  void count(const CastAnswer& answer, SizePx size_px) {
    counters_.decoded_px +=
        static_cast<std::uint64_t>(size_px.width) * static_cast<std::uint64_t>(size_px.height);
    counters_.decode_ns += answer.cast_ns;
    counters_.samples += answer.samples;
    counters_.level = answer.level;
    counters_.volume_bytes = answer.held_bytes;
    counters_.volume_budget_bytes = answer.budget_bytes;
    counters_.volume_read_bytes = answer.read_bytes;
    counters_.volume_read_ns = answer.read_ns;
    counters_.volume_style_ns = answer.style_ns;
    const std::scoped_lock lock(drawn_by_mutex_);
    drawn_by_ = line_of(answer);
  }

  const std::string name_;
  DrawCounters counters_;
  mutable std::mutex drawn_by_mutex_;
  std::string drawn_by_;  // guarded by drawn_by_mutex_
  DrawWish wish_;
  std::shared_ptr<const VolumeStyle> style_;  // told to the caster last
  ImageView shown_;
  CasterLink link_;
};

}  // namespace

std::unique_ptr<PictureSource> open_volume_source(VolumeSourceOptions options) {
  return std::make_unique<VolumeSource>(std::move(options));
}

}  // namespace tilewall
