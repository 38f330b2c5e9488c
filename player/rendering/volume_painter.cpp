#include "player/rendering/volume_painter.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/volume/cast_request.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

constexpr int look_ms = 100;  // between looks at the stop token

void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw JobError("interrupted; run the same command again to resume");
}

volume::CastMessage request_for(std::int64_t timestep, const scene::VolumeShot& shot,
                                const picture::Placement& placement, SizePx size) {
  volume::CastMessage request = volume::cast_request(shot, placement, size);
  request.timestep = timestep;
  request.detail = volume::CastDetail::awaited;
  return request;
}

}  // namespace

VolumePainter::VolumePainter(const volume::VolumeJob& job, int threads,
                             std::function<void(const std::string&)> note)
    : threads_(threads),
      steps_between_(job.steps_between),
      note_(std::move(note)),
      gpu_(job.caster),
      store_(job, gpu_, threads, volume::TimestepStore::Previews::left_out) {}

void VolumePainter::wait(const std::stop_token& stop) {
  pollfd news{store_.ready_fd(), POLLIN, 0};
  ::poll(&news, 1, look_ms);
  store_.drain();
  throw_if_stopped(stop);
}

volume::ReadyTimestepPtr VolumePainter::overview_of(std::int64_t timestep,
                                                    const std::stop_token& stop) {
  for (;;) {
    if (volume::ReadyTimestepPtr ready = store_.get(timestep)) return ready;
    wait(stop);
  }
}

void VolumePainter::set_style(const scene::VolumeStyle& style) {
  if (!style_.text.empty() && style == given_style_) return;
  given_style_ = style;
  style_ = {scene::to_json(style).dump(), style};
}

/// Puts the values of quantiles in the place of the quantiles.
void VolumePainter::settle_quantiles(const volume::ReadyTimestep& timestep,
                                     const std::stop_token& stop) {
  scene::VolumeStyle& style = style_.style;
  if (!style.quantiles || style.range) return;
  auto answer = store_.quantiles({*style.quantiles, style.scale});
  for (; !answer; answer = store_.quantiles({*style.quantiles, style.scale})) wait(stop);
  const bool is_wide = answer->range && answer->range->min < answer->range->max;
  if (std::exchange(noted_quantiles_, style.quantiles) != style.quantiles)
    note_(is_wide ? fmt::format("{}: the colours' range is {:.7g} to {:.7g}", timestep.words.volume,
                                answer->range->min, answer->range->max)
                  : fmt::format("{}: no range of these quantiles, so colours are for all values",
                                timestep.words.volume));
  style.quantiles.reset();
  if (is_wide) style.range = answer->range;
  style_.text = scene::to_json(style).dump();
}

volume::SeenPart VolumePainter::seen_by(const volume::CastMessage& request) const {
  const scene::VolumeStyle& style = style_.style;
  return {volume::region_camera_of(request),
          {request.region_width, request.region_height},
          style.clip_min,
          style.clip_max,
          style.clip_planes,
          request.sees_around != 0};
}

volume::TimestepStore::Choice VolumePainter::choose(const volume::CastMessage& request,
                                                    const volume::ReadyTimestep& overview,
                                                    const std::stop_token& stop) {
  const auto chosen = [&] {
    return store_.choose(request.timestep, seen_by(request),
                         volume::look_of(overview, style_.style));
  };
  auto choice = chosen();
  for (; choice.lacks; choice = chosen()) {
    store_.want_cells(request.timestep, *choice.lacks);
    wait(stop);
  }
  return choice;
}

void VolumePainter::expect(double timestep, const scene::VolumeShot& shot,
                           const picture::Placement& placement, SizePx part_px) {
  coming_ = {request_for(std::llround(timestep * steps_between_), shot, placement, part_px),
             shot.style};
}

/// Lets be read what the coming picture needs, if it is of that timestep and the last style.
void VolumePainter::look_ahead(std::int64_t timestep, const std::stop_token& stop) {
  std::optional<Expected> coming = std::exchange(coming_, std::nullopt);
  if (!coming || coming->request.timestep != timestep || *coming->style != given_style_) return;
  const auto choice = store_.choose(timestep, seen_by(coming->request),
                                    volume::look_of(*overview_of(timestep, stop), style_.style));
  if (choice.lacks || !choice.detail) return;
  coming->detail = *choice.detail;
  store_.expect_detail(timestep, coming->detail);
  chosen_ = std::move(coming);
}

volume::ReadyTimestepPtr VolumePainter::best_of(const volume::CastMessage& request,
                                                const std::stop_token& stop) {
  using State = volume::TimestepStore::DetailState;
  volume::ReadyTimestepPtr overview = overview_of(request.timestep, stop);
  settle_quantiles(*overview, stop);
  const std::optional<Expected> chosen = std::exchange(chosen_, std::nullopt);
  const bool is_chosen = chosen && *chosen->style == given_style_ && chosen->request == request;
  const std::optional<volume::DetailChoice> choice =
      is_chosen ? std::optional(chosen->detail) : choose(request, *overview, stop).detail;
  if (!choice) return overview;
  for (;;) {
    volume::TimestepStore::Detail detail = store_.detail(request.timestep, *choice);
    if (detail.state == State::ready) return std::move(detail.ready);
    if (detail.state == State::failed) throw InputError(detail.fault);
    if (detail.state == State::none) store_.want_detail(request.timestep, *choice);
    wait(stop);
  }
}

void VolumePainter::paint(double timestep, const scene::VolumeShot& shot,
                          const picture::Placement& placement, const ImageView& to,
                          const std::stop_token& stop) {
  throw_if_stopped(stop);
  set_style(*shot.style);
  const volume::CastMessage request =
      request_for(std::llround(timestep * steps_between_), shot, placement, to.size_px);
  const volume::ReadyTimestepPtr ready = best_of(request, stop);
  look_ahead(request.timestep, stop);
  volume::make_picture(*ready, style_, request, to, threads_);
  drawn_by_ = ready->caster.drawn_by();
}

render::FloatPicture VolumePainter::cast_floats(double timestep, const scene::VolumeShot& shot,
                                                const picture::Placement& placement, SizePx part_px,
                                                const std::stop_token& stop) {
  throw_if_stopped(stop);  // a part takes long
  set_style(*shot.style);
  const volume::CastMessage request =
      request_for(std::llround(timestep * steps_between_), shot, placement, part_px);
  const volume::ReadyTimestepPtr ready = best_of(request, stop);
  drawn_by_ = "cpu: scalar";
  return volume::make_float_picture(*ready, style_, request, threads_);
}

}  // namespace tilewall::rendering
