// Draws frames of a flight as RGB or float pictures, each pixel the mean of its rays.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "player/movie/source/ffmpeg.hpp"
#include "player/path/unseen_volume.hpp"
#include "player/rendering/flight_frame.hpp"
#include "player/rendering/logo.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::rendering {

/// The part of the picture that a screen shows which is not in the plane of the flat picture.
struct ScreenPart {
  RectPx part_px;
  scene::ScreenTilt tilt;  ///< in pixels of PictureJob::canvas_px
  bool operator==(const ScreenPart&) const = default;
};

/// All that the frames of a flight have in common.
struct PictureJob {
  volume::VolumeJob volume;
  SizePx size_px;       ///< Size of the whole picture
  int rays_across = 1;  ///< Number of rays along each side of a pixel, 1 to most_rays_across
  int threads = 1;      ///< Threads that cast
  /// Of a wall that is not a plane. Each has rays of its own, through the places of its pixels in
  /// the room, as `view` has; between them the picture is black. Empty: the picture is flat.
  std::vector<ScreenPart> screens = {};
  SizePx canvas_px = {};  ///< Size of the wall, where there are screens
  LogoJob logo{};         ///< drawn over all frames
  /// Float pictures (float_picture.hpp) in linear light instead of RGB: the volume alone, without
  /// background, annotations and logo. Each pixel has the depth of its rays' nearest first hit.
  bool is_float = false;
  bool is_whole = false;  ///< a frame is never drawn in bands, as images are made of all of it
};

/// Whether the frames get the same bytes on every processor.
[[nodiscard]] inline bool is_portable(const PictureJob& job) {
  return job.volume.caster == volume::CasterChoice::scalar;
}

/// The screens of a wall, and their parts of a picture that is laid over its whole canvas. Empty
/// where all lie in the plane of the picture.
[[nodiscard]] std::vector<ScreenPart> screens_of(const wall::Wall& wall, wall::BezelMode bezels,
                                                 SizePx picture_px);

/// What a picture of `picture_px` shows over a wall with these screens and that canvas.
[[nodiscard]] path::ShownPicture shown_picture(const std::vector<ScreenPart>& screens,
                                               SizePx canvas_px, SizePx picture_px);

inline constexpr int most_rays_across = 4;
inline constexpr int most_rays_a_side = volume::max_picture_side_px;  ///< Limit for a picture
inline constexpr double most_rays = 1 << 29;  ///< Limit for a picture, so that it fits 2 GiB

/// Threads: any thread may call it; one picture is drawn at a time, on a thread of its own, as a
/// GPU's context belongs to one thread.
class FramePainter {
 public:
  /// Opens the volume. `note` gets lines for people, on the thread that draws. Throws InputError.
  FramePainter(const PictureJob& job, std::function<void(const std::string&)> note);
  ~FramePainter();
  FramePainter(const FramePainter&) = delete;
  FramePainter& operator=(const FramePainter&) = delete;

  [[nodiscard]] std::int64_t timesteps() const;
  /// Whether the memory limit changes no picture.
  [[nodiscard]] bool holds_all() const;

  /// Waits for the voxels that the picture needs, and draws it. Throws InputError for a volume that
  /// cannot be read or a look that is not valid, JobError after a request of `stop`. `next`: the
  /// frame that comes next, for which voxels are read meanwhile; null: it is not known.
  [[nodiscard]] movie::SharedFrame draw(const FlightFrame& frame, const std::stop_token& stop,
                                        const FlightFrame* next = nullptr);

  /// Draws a part of the frame in the same way, with the pixels that it has in the whole. `next` is
  /// drawn from its upper edge on.
  [[nodiscard]] movie::SharedFrame draw_part(const FlightFrame& frame, const RectPx& part,
                                             const std::stop_token& stop,
                                             const FlightFrame* next = nullptr);

  /// Draws the part of the frame by which its chroma is chosen, sampled_part() of frame_bands.hpp.
  [[nodiscard]] movie::SharedFrame draw_sample(const FlightFrame& frame,
                                               const std::stop_token& stop);

  /// Bytes of voxels that were read so far.
  [[nodiscard]] std::uint64_t read_bytes() const;

  /// What draws: the GPU's name, or the processor's kernels. Of the last picture; "" before.
  [[nodiscard]] std::string drawn_by() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::rendering
