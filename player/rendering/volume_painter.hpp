// Draws pictures of a volume one after the other, each as fine as the memory limit allows: what a
// wall that stands still shows of the same look, to the bit. It is the pipeline of the wall's
// caster (player/volume/caster) without panels.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "player/picture/draw_parameters.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "player/volume/volume_job.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::rendering {

/// Threads: one owner. The store has a thread that reads.
class VolumePainter {
 public:
  /// Opens the volume. `note` gets lines for people. Throws InputError.
  VolumePainter(const volume::VolumeJob& job, int threads,
                std::function<void(const std::string&)> note);

  /// TimestepStore::holds_all()
  [[nodiscard]] bool holds_all() const noexcept { return store_.holds_all(); }

  [[nodiscard]] std::int64_t timesteps() const { return store_.timesteps(); }

  /// Bytes of voxels that were read so far; any thread may ask.
  [[nodiscard]] std::uint64_t read_bytes() const { return store_.figures().read.read_bytes; }

  /// The picture that comes after the next paint(): what it needs is read while that one is cast,
  /// if both have one style and timestep. It changes no picture.
  void expect(double timestep, const scene::VolumeShot& shot, const picture::Placement& placement,
              SizePx part_px);

  /// Draws the part `to` of a picture. `placement`: where the whole picture lies, from the part's
  /// corner, and its size in the canvas's pixels, which a tilt of `shot` is in. Waits for the
  /// voxels that it needs. Where the job has steps between timesteps, `timestep` may have a
  /// fraction. Throws InputError for a volume that cannot be read or a look that is not valid,
  /// JobError after a request of `stop`.
  void paint(double timestep, const scene::VolumeShot& shot, const picture::Placement& placement,
             const ImageView& to, const std::stop_token& stop);

  /// Casts floats in the same way, of a part of that size, by the reference caster
  /// (volume::make_float_picture()).
  [[nodiscard]] render::FloatPicture cast_floats(double timestep, const scene::VolumeShot& shot,
                                                 const picture::Placement& placement,
                                                 SizePx part_px, const std::stop_token& stop);

  /// What draws: the GPU's name, or the processor's kernels. Of the last picture; "" before.
  [[nodiscard]] const std::string& drawn_by() const noexcept { return drawn_by_; }

 private:
  void set_style(const scene::VolumeStyle& style);
  [[nodiscard]] volume::ReadyTimestepPtr overview_of(std::int64_t timestep,
                                                     const std::stop_token& stop);
  void settle_quantiles(const volume::ReadyTimestep& timestep, const std::stop_token& stop);
  [[nodiscard]] volume::ReadyTimestepPtr best_of(const volume::CastMessage& request,
                                                 const std::stop_token& stop);
  [[nodiscard]] volume::SeenPart seen_by(const volume::CastMessage& request) const;
  [[nodiscard]] volume::TimestepStore::Choice choose(const volume::CastMessage& request,
                                                     const volume::ReadyTimestep& overview,
                                                     const std::stop_token& stop);
  void look_ahead(std::int64_t timestep, const std::stop_token& stop);
  void wait(const std::stop_token& stop);

  const int threads_;
  const int steps_between_;
  const std::function<void(const std::string&)> note_;
  volume::HostGpu gpu_;
  volume::TimestepStore store_;
  scene::VolumeStyle given_style_;  ///< the style that style_ was made of
  volume::RequestedStyle style_;    ///< its text is "" before the first picture
  std::optional<std::array<double, 2>> noted_quantiles_;  ///< Those of the newest note about them
  struct Expected {
    volume::CastMessage request;
    std::shared_ptr<const scene::VolumeStyle> style;
    volume::DetailChoice detail = {};  ///< what it needs, once that was chosen
  };
  /// What the last expect() named, until the next picture is drawn.
  std::optional<Expected> coming_;
  std::optional<Expected> chosen_;  ///< the picture after the last one, with its detail
  std::string drawn_by_;
};

}  // namespace tilewall::rendering
