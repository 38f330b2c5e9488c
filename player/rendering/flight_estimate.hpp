// What a rendering will take, by parts of frames that are spread over the flight.
#pragma once

#include <cstdint>
#include <vector>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/rendering/flight_movie.hpp"

namespace tilewall::rendering {

/// What a whole rendering by one host is expected to take.
struct FlightEstimate {
  std::int64_t frames = 0;
  std::int64_t sampled_frames = 0;  ///< Frames of which a part was drawn
  double sampled_share = 0;         ///< the part of each of them, to 1
  double seconds = 0;
  double error_s = 0;     ///< standard error of the seconds
  double bytes = 0;       ///< Size of the frames' files
  double read_bytes = 0;  ///< Bytes of voxels
  /// Of `seconds` and `read_bytes`, what each host takes before its first frame.
  double fixed_s = 0;
  double fixed_read_bytes = 0;
};

/// What several hosts that are as fast as this one take, each with its share of the frames.
struct HostShare {
  std::int64_t frames = 0;       ///< The host that draws most draws so many frames.
  double seconds = 0;            ///< That host is ready after so long.
  double error_s = 0;            ///< Standard error of the seconds.
  double read_bytes_of_all = 0;  ///< All hosts together read so many bytes of voxels.
};
/// @pre hosts > 0
[[nodiscard]] HostShare share_of_host(const FlightEstimate& estimate, std::int64_t hosts) noexcept;

/// Draws and stores parts of frames, or whole ones where these are quick, in a folder beside
/// options.output that is removed again. It takes less than ten seconds on a machine that is not
/// busy. Throws as render_flight() does, and JobError where not even one part was drawn in that
/// time, as where the volume is read slowly. Of a series of which whole timesteps are held each one
/// counts as read once.
///
/// Threads: the caller's, one that watches the time, and those of FramePainter.
[[nodiscard]] FlightEstimate estimate_flight(const FlightMovie& flight,
                                             const movie::ImportOptions& options,
                                             movie::ProgressSink& progress);

/// Seconds in which a picture of `whole_px` pixels is drawn, by those of a part and of a little
/// one. What a picture takes whatever its size is the same for all three, if the part is large
/// enough to tell.
[[nodiscard]] double whole_draw_s(double part_s, double part_px, double little_s, double little_px,
                                  double whole_px) noexcept;

/// How an estimate divides its time.
struct SamplePlan {
  int columns = 1;  ///< Frames have so many parts across, of which each sample draws one
  int rows = 1;
  std::size_t samples = 1;
};

/// `pixel_s`: seconds that a pixel takes; `left_s`: those that are left for all samples. Whole
/// frames are drawn, each at most once, where several fit into that time, and parts in columns
/// where one frame takes long. `most_pixels`: limit of a part's.
[[nodiscard]] SamplePlan plan_samples(SizePx frame_px, std::int64_t frames, double pixel_s,
                                      double left_s, double most_pixels) noexcept;

/// One of the plan's equal parts of a frame, which together are all of it, for sample number
/// `sample`: in turn from all over the frame.
[[nodiscard]] RectPx part_of_sample(const SamplePlan& plan, SizePx frame_px,
                                    std::size_t sample) noexcept;

/// The frames of a plan's samples, out of `all` from `first` on: the middles of equal stretches of
/// the flight, in an order in which the first ones are spread over it, too.
[[nodiscard]] std::vector<std::int64_t> frames_of_samples(std::size_t samples, std::int64_t first,
                                                          std::int64_t all);

/// Standard error of the sum of `count` values, of which these are a sample. One alone may be wrong
/// by all of it.
[[nodiscard]] double error_of_sum(const std::vector<double>& sample, double count) noexcept;

}  // namespace tilewall::rendering
