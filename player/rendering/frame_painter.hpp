// Draws frames of a flight as RGB pictures, each pixel the mean of its rays.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "player/movie/source/ffmpeg.hpp"
#include "player/rendering/flight_frame.hpp"
#include "player/rendering/logo.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::rendering {

/// All that the frames of a flight have in common.
struct PictureJob {
  volume::VolumeJob volume;
  SizePx size_px;       ///< Size of the whole picture
  int rays_across = 1;  ///< Number of rays along each side of a pixel, 1 to most_rays_across
  int threads = 1;      ///< that cast
  LogoJob logo{};       ///< drawn over all frames
};

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

  /// Waits for the voxels that the picture needs, and draws it. Throws InputError for a volume that
  /// cannot be read or a look that is not valid, JobError after a request of `stop`.
  [[nodiscard]] movie::SharedFrame draw(const FlightFrame& frame, const std::stop_token& stop);

  /// What draws: the GPU's name, or the processor's kernels. Of the last picture; "" before.
  [[nodiscard]] std::string drawn_by() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::rendering
