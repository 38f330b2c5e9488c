#include "player/rendering/flight_estimate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "player/movie/convert/frame_pipeline.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/rendering/flight_identity.hpp"
#include "player/rendering/frame_bands.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of ten seconds: until then parts are begun, and then nothing is waited for any more.
constexpr double begun_s = 8;
constexpr std::chrono::milliseconds waited_limit{9500};
constexpr double least_samples = 24;  // that are to fit into the time
constexpr double most_parts = 96;
constexpr double most_sampled_frames = 500;
constexpr int first_side_px = 16;    // of the part by which the speed is measured first
constexpr double measured_s = 0.05;  // A part that takes as long tells the speed.
constexpr double part_aspect = 64;   // Parts are columns, so that all threads have rows to draw.

double seconds_since(SteadyClock::time_point began) {
  return std::chrono::duration<double>(SteadyClock::now() - began).count();
}

double pixels_of(SizePx size) { return static_cast<double>(size.width) * size.height; }

/// Pixels of all blocks of a frame.
double block_pixels(const movie::MovieManifest& movie) {
  double pixels = 0;
  for (int level = 0; level < movie.levels; ++level)
    pixels += movie::block_grid(movie, level).count() * pixels_of(movie.block_px);
  return pixels;
}

/// A part in the middle of the frame.
RectPx middle_part(SizePx frame_px, int side_px) {
  const int width = std::min(frame_px.width, side_px);
  const int height = std::min(frame_px.height, side_px);
  return {(frame_px.width - width) / 2, (frame_px.height - height) / 2, width, height};
}

/// Requests a stop after a time, or with another one.
class TimeLimit {
 public:
  TimeLimit(std::chrono::milliseconds limit, const std::stop_token& other)
      : forward_(other, [this] { source_.request_stop(); }),
        thread_([this, limit](const std::stop_token& ended) {
          std::unique_lock lock(mutex_);
          if (!end_.wait_for(lock, ended, limit, [] { return false; }) && !ended.stop_requested())
            source_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::mutex mutex_;
  std::condition_variable_any end_;
  std::jthread thread_;  // last: joined before what it uses
};

/// A folder beside the movie's, which goes at the end.
class SampleFolder {
 public:
  explicit SampleFolder(const std::filesystem::path& output)
      : path_((output.has_filename() ? output : output.parent_path()).string() +
              fmt::format(".estimate-{}", ::getpid())) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) throw JobError(path_.string() + ": " + error.message());
  }
  ~SampleFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  const std::filesystem::path path_;
};

/// What one whole frame takes, as far as a part of it tells.
struct FrameCost {
  double read_s = 0;
  double draw_s = 0;   ///< without reading
  double store_s = 0;  ///< on one thread
  double bytes = 0;
  double read_bytes = 0;
};

/// Draws and stores parts of frames.
class PartSampler {
 public:
  PartSampler(const FlightMovie& movie, const movie::ImportOptions& options,
              movie::ProgressSink& progress, std::stop_token stop)
      : movie_(movie),
        options_(options),
        stop_(std::move(stop)),
        flight_(path::flight_of(movie.path, movie.path_file)),
        folder_(options.output),
        painter_(movie.pictures, [&progress](const std::string& line) { progress.note(line); }) {
    movie::check_import_options(options);
    check_timesteps(movie, painter_.timesteps());
  }

  [[nodiscard]] std::int64_t frames() const { return info_of(movie_, flight_).frames; }
  [[nodiscard]] std::uint64_t read_bytes() const { return painter_.read_bytes(); }

  /// Reads the volume, and chooses the chroma.
  void begin(std::int64_t frame) {
    const RectPx part = middle_part(movie_.pictures.size_px, first_side_px);
    const movie::SharedFrame picture = draw(frame, part);
    if (movie_.pictures.is_float) return;
    movie::MovieInfo info;
    info.stored_px = info.size_px = {part.width, part.height};
    chroma_ = movie::choose_chroma({picture}, info, options_.quality, movie_.path_file,
                                   is_portable(movie_.pictures));
  }

  /// Whether the time is over.
  [[nodiscard]] bool is_stopped() const { return stop_.stop_requested(); }

  /// Seconds that a pixel in the middle of the frame takes, without what each picture takes
  /// whatever its size.
  [[nodiscard]] double measured_pixel_s(std::int64_t frame) {
    const SizePx frame_px = movie_.pictures.size_px;
    const RectPx little = middle_part(frame_px, first_side_px);
    static_cast<void>(draw(frame, little));  // reads the voxels
    const double little_s = stored_s(frame, little);
    for (int side = 2 * first_side_px;; side *= 2) {
      const RectPx part = middle_part(frame_px, side);
      const double took_s = stored_s(frame, part) - little_s;
      if (took_s >= measured_s || side >= std::max(frame_px.width, frame_px.height))
        return std::max(took_s, 1e-6) / pixels_of({part.width, part.height});
    }
  }

  /// The cost of a frame after the one before it, of which the voxels are in memory.
  [[nodiscard]] FrameCost cost_of(std::int64_t frame, const RectPx& part) {
    const RectPx little = middle_part(movie_.pictures.size_px, first_side_px);
    if (frame > 0) static_cast<void>(draw(frame - 1, little));
    // What is read for a frame does not depend on the part.
    FrameCost cost;
    const std::uint64_t read_before = read_bytes();
    const double first_s = drawn_s(frame, little);
    cost.read_bytes = static_cast<double>(read_bytes() - read_before);
    const double little_s = drawn_s(frame, little);
    if (cost.read_bytes > 0) cost.read_s = std::max(0.0, first_s - little_s);
    const auto began = SteadyClock::now();
    const movie::SharedFrame picture = draw(frame, part);
    const double part_px = pixels_of({part.width, part.height});
    cost.draw_s =
        whole_draw_s(seconds_since(began), part_px, little_s,
                     pixels_of({little.width, little.height}), pixels_of(movie_.pictures.size_px));
    const Stored stored = store(*picture);
    cost.bytes = frame_bytes(stored.bytes, {part.width, part.height});
    cost.store_s = pixels_of(movie_.pictures.size_px) / part_px * stored.seconds;
    return cost;
  }

  /// Whether each timestep is read once for all frames that show it.
  [[nodiscard]] bool reads_whole_timesteps() const { return painter_.holds_all(); }

  /// How many of them the frames show, and how many a place between two takes.
  [[nodiscard]] double shown_timesteps(std::int64_t first, std::int64_t count) const {
    if (painter_.timesteps() == 1) return 1;
    std::set<double> places;
    for (std::int64_t i = first; i < first + count; ++i)
      for (const FlightMoment& moment : frame_at(movie_, flight_, i, painter_.timesteps()).moments)
        places.insert(moment.timestep);
    double sum = 0;
    for (const double place : places) sum += place == std::floor(place) ? 1 : 2;
    return sum;
  }

  /// Seconds of one frame in the row of many: all cores draw one, and each thread that stores has
  /// one of those before it.
  [[nodiscard]] double frame_s(const FrameCost& cost) const {
    const double read_s = reads_whole_timesteps() ? 0 : cost.read_s;
    if (is_banded(movie_.pictures)) return read_s + cost.draw_s + cost.store_s;
    const int cores = movie_.pictures.threads;
    const double workers = movie::affordable_workers(options_.files, movie_.pictures.size_px,
                                                     storing_threads(movie_.pictures, cores));
    const bool by_gpu = painter_.drawn_by().starts_with("gl: ");
    return read_s +
           std::max(cost.draw_s + (by_gpu ? 0 : cost.store_s / cores), cost.store_s / workers);
  }

  /// Seconds of the pictures by which chroma and space are chosen before the first frame.
  [[nodiscard]] double start_s(const std::vector<FrameCost>& costs) const {
    const RectPx part = rendering::sampled_part(movie_.pictures);
    const double share = pixels_of({part.width, part.height}) / pixels_of(movie_.pictures.size_px);
    double sum_s = 0;
    for (const FrameCost& cost : costs)
      sum_s += share * (cost.draw_s + (is_banded(movie_.pictures) ? 0 : cost.store_s));
    const std::vector<std::int64_t> drawn = rendering::sampled_frames(frames());
    return sum_s / static_cast<double>(costs.size()) * static_cast<double>(drawn.size());
  }

 private:
  [[nodiscard]] movie::SharedFrame draw(std::int64_t frame, const RectPx& part) {
    return painter_.draw_part(frame_at(movie_, flight_, frame, painter_.timesteps()), part, stop_);
  }

  [[nodiscard]] double drawn_s(std::int64_t frame, const RectPx& part) {
    const auto began = SteadyClock::now();
    static_cast<void>(draw(frame, part));
    return seconds_since(began);
  }

  [[nodiscard]] double stored_s(std::int64_t frame, const RectPx& part) {
    const auto began = SteadyClock::now();
    static_cast<void>(store(*draw(frame, part)));
    return seconds_since(began);
  }

  struct Stored {
    double bytes = 0;
    double seconds = 0;
  };
  /// Writes the part as a picture of its own.
  [[nodiscard]] Stored store(const AVFrame& part) {
    const movie::ImportPlan plan = plan_of({part.width, part.height});
    movie::FrameFileWriter writer(plan);
    const auto began = SteadyClock::now();
    const auto bytes = static_cast<double>(writer.write(part, folder_.path() / "frame"));
    return {bytes, seconds_since(began)};
  }

  /// The plan of a movie whose frames are such parts.
  [[nodiscard]] movie::ImportPlan plan_of(SizePx part_px) const {
    movie::ImportOptions options = options_;
    options.frames.reset();
    options.size_px = part_px;
    if (part_px != movie_.pictures.size_px) options.wall = {};
    movie::MovieInfo info = info_of(movie_, flight_);
    info.stored_px = info.size_px = part_px;
    return movie::plan_import(options, source_of(movie_, painter_.drawn_by()), info, chroma_);
  }

  /// Bytes of a frame, by those of its part. A block of a wall movie takes bytes even where it is
  /// black, and a part has more blocks for its size than the frame. So what the part has beyond a
  /// black one counts, and the frame's blocks, as if they were black.
  [[nodiscard]] double frame_bytes(double part_bytes, SizePx part_px) {
    const SizePx frame_px = movie_.pictures.size_px;
    const double scale = pixels_of(frame_px) / pixels_of(part_px);
    if (part_px == frame_px || options_.files != movie::FrameFiles::movie)
      return scale * part_bytes;
    if (std::exchange(black_px_, part_px) != part_px) {
      black_part_bytes_ = bytes_of_black(part_px);
      const movie::MovieManifest whole = plan_of(frame_px).manifest;
      const movie::MovieManifest block = plan_of(whole.block_px).manifest;
      black_frame_bytes_ =
          bytes_of_black(whole.block_px) * block_pixels(whole) / block_pixels(block);
    }
    return black_frame_bytes_ + scale * std::max(0.0, part_bytes - black_part_bytes_);
  }

  [[nodiscard]] double bytes_of_black(SizePx size_px) {
    movie::AvFrame black = movie::new_packed_picture(AV_PIX_FMT_RGB24, size_px);
    for (int y = 0; y < size_px.height; ++y)
      std::fill_n(movie::packed_row(black, y),
                  std::size_t{3} * static_cast<std::size_t>(size_px.width), std::uint8_t{0});
    return store(*black.get()).bytes;
  }

  const FlightMovie& movie_;
  const movie::ImportOptions& options_;
  const std::stop_token stop_;
  const render::FlightPath flight_;
  const SampleFolder folder_;
  movie::Chroma chroma_ = movie::Chroma::rgb;
  SizePx black_px_;  // of the parts of which the next two are known; empty: not yet
  double black_part_bytes_ = 0;
  double black_frame_bytes_ = 0;
  FramePainter painter_;
};

/// Shows no progress, only notes.
class NotesAlone final : public movie::ProgressSink {
 public:
  explicit NotesAlone(movie::ProgressSink& to) : to_(to) {}
  void update(const movie::TransferProgress& /*progress*/) override {}
  void note(const std::string& line) override { to_.note(line); }

 private:
  movie::ProgressSink& to_;
};

/// The costs of as many of the plan's samples as there is time for.
std::vector<FrameCost> sampled_costs(PartSampler& sampler, const SamplePlan& plan, SizePx frame_px,
                                     std::int64_t first, std::int64_t all,
                                     SteadyClock::time_point began,
                                     const std::stop_token& user_stop) {
  std::vector<FrameCost> costs;
  double slowest_s = 0;
  for (const std::int64_t frame : frames_of_samples(plan.samples, first, all)) {
    const auto sample_began = SteadyClock::now();
    if (!costs.empty() && seconds_since(began) + slowest_s > begun_s) break;
    try {
      costs.push_back(sampler.cost_of(frame, part_of_sample(plan, frame_px, costs.size())));
    } catch (const JobError&) {
      if (costs.empty() || !sampler.is_stopped() || user_stop.stop_requested()) throw;
      break;  // the time is over
    }
    if (user_stop.stop_requested()) throw JobError("interrupted");
    slowest_s = std::max(slowest_s, seconds_since(sample_began));
  }
  return costs;
}

FlightEstimate estimate_within(const FlightMovie& flight, const movie::ImportOptions& options,
                               movie::ProgressSink& progress, const std::stop_token& stop) {
  const auto began = SteadyClock::now();
  NotesAlone notes(progress);
  PartSampler sampler(flight, options, notes, stop);
  FlightEstimate estimate;
  const auto [first, last] = movie::frames_within(options.frames, sampler.frames());
  estimate.frames = last - first + 1;
  sampler.begin(first);
  const double opening_s = seconds_since(began);
  const auto opening_bytes = static_cast<double>(sampler.read_bytes());
  const SizePx frame_px = flight.pictures.size_px;
  const double pixel_s = sampler.measured_pixel_s(first + estimate.frames / 2);
  const double most_pixels = static_cast<double>(frame_px.width) * band_rows_of(flight.pictures);
  const SamplePlan plan =
      plan_samples(frame_px, estimate.frames, pixel_s,
                   std::max(begun_s - seconds_since(began), pixel_s), most_pixels);
  const std::vector<FrameCost> costs =
      sampled_costs(sampler, plan, frame_px, first, estimate.frames, began, options.stop);
  estimate.sampled_frames = static_cast<std::int64_t>(costs.size());
  const auto all = static_cast<double>(estimate.frames);
  const double of_each = all / static_cast<double>(costs.size());
  std::vector<double> times;
  estimate.fixed_s = opening_s + sampler.start_s(costs);
  estimate.seconds = estimate.fixed_s;
  estimate.fixed_read_bytes = estimate.read_bytes = opening_bytes;
  double read_s = 0;
  double readings = 0;
  for (const FrameCost& cost : costs) {
    times.push_back(sampler.frame_s(cost));
    estimate.seconds += times.back() * of_each;
    estimate.bytes += cost.bytes * of_each;
    read_s += cost.read_s;
    readings += cost.read_s > 0 ? 1 : 0;
    if (!sampler.reads_whole_timesteps()) estimate.read_bytes += cost.read_bytes * of_each;
  }
  if (sampler.reads_whole_timesteps()) {
    const double shown = sampler.shown_timesteps(first, estimate.frames);
    estimate.read_bytes = shown * opening_bytes;
    // The thread that reads ahead may have had more than the first one by then.
    if (estimate.sampled_frames == estimate.frames)
      estimate.read_bytes =
          std::min(estimate.read_bytes, static_cast<double>(sampler.read_bytes()));
    estimate.seconds += (shown - 1) * read_s / std::max(readings, 1.0);
  }
  estimate.error_s = error_of_sum(times, all);
  estimate.sampled_share = 1.0 / plan.columns / plan.rows;
  return estimate;
}

}  // namespace

double whole_draw_s(double part_s, double part_px, double little_s, double little_px,
                    double whole_px) noexcept {
  if (part_px < 8 * little_px) return part_s * whole_px / part_px;
  const double pixel_s = std::max(0.0, part_s - little_s) / (part_px - little_px);
  return std::min(part_s, little_s) + pixel_s * (whole_px - little_px);
}

HostShare share_of_host(const FlightEstimate& estimate, std::int64_t hosts) noexcept {
  HostShare share;
  share.frames = (estimate.frames + hosts - 1) / hosts;
  const double part = static_cast<double>(share.frames) /
                      static_cast<double>(std::max<std::int64_t>(estimate.frames, 1));
  share.seconds = estimate.fixed_s + part * (estimate.seconds - estimate.fixed_s);
  share.error_s = part * estimate.error_s;
  share.read_bytes_of_all =
      estimate.read_bytes +
      static_cast<double>(std::min(hosts, estimate.frames) - 1) * estimate.fixed_read_bytes;
  return share;
}

SamplePlan plan_samples(SizePx frame_px, std::int64_t frames, double pixel_s, double left_s,
                        double most_pixels) noexcept {
  const double whole = pixels_of(frame_px);
  const double affordable = left_s / pixel_s;  // pixels of all samples
  SamplePlan plan;
  if (affordable >= least_samples * whole && whole <= most_pixels) {
    const double most = std::min(most_sampled_frames, static_cast<double>(frames));
    plan.samples = static_cast<std::size_t>(std::clamp(affordable / whole, 1.0, most));
    return plan;
  }
  const double part = std::clamp(affordable / least_samples, 1.0, std::min(most_pixels, whole));
  // As high as the frame, unless that would be too narrow.
  const double height =
      std::min({static_cast<double>(frame_px.height), std::sqrt(part * part_aspect), part});
  const auto parts = [](double side, double of_part) {
    return static_cast<int>(std::clamp(std::ceil(side / std::max(of_part, 1.0)), 1.0, side));
  };
  plan.rows = parts(frame_px.height, height);
  plan.columns = parts(frame_px.width, part / height);
  plan.samples =
      static_cast<std::size_t>(most_parts);  // Most parts are cheaper than in the middle.
  return plan;
}

RectPx part_of_sample(const SamplePlan& plan, SizePx frame_px, std::size_t sample) noexcept {
  // The R2 sequence (Roberts, 2018) comes evenly to all places of a square.
  constexpr double across = 0.7548776662466927;
  constexpr double down = 0.5698402909980532;
  const auto part = [sample](double step, int parts, int side) {
    const double place = 0.5 + step * static_cast<double>(sample);
    const auto index = static_cast<std::int64_t>((place - std::floor(place)) * parts);
    const auto edge = [&](std::int64_t number) { return static_cast<int>(number * side / parts); };
    return std::pair(edge(index), edge(index + 1));
  };
  const auto [left, right] = part(across, plan.columns, frame_px.width);
  const auto [top, bottom] = part(down, plan.rows, frame_px.height);
  return {left, top, right - left, bottom - top};
}

std::vector<std::int64_t> frames_of_samples(std::size_t samples, std::int64_t first,
                                            std::int64_t all) {
  constexpr double golden = 0.618034;
  const std::size_t count = std::max<std::size_t>(samples, 1);
  std::size_t stride = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(golden * static_cast<double>(count))));
  while (std::gcd(stride, count) != 1) ++stride;
  std::vector<std::int64_t> frames(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<double>(i * stride % count) + 0.5;
    frames[i] = first + static_cast<std::int64_t>(place * static_cast<double>(all) /
                                                  static_cast<double>(count));
  }
  return frames;
}

double error_of_sum(const std::vector<double>& sample, double count) noexcept {
  const auto size = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / std::max(size, 1.0);
  if (size < 2) return count * mean;
  double squares = 0;
  for (const double value : sample) squares += (value - mean) * (value - mean);
  return count * std::sqrt(squares / (size - 1) / size);
}

FlightEstimate estimate_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                               movie::ProgressSink& progress) {
  const TimeLimit limit(waited_limit, options.stop);
  try {
    return estimate_within(flight, options, progress, limit.token());
  } catch (const JobError&) {
    if (options.stop.stop_requested() || !limit.token().stop_requested()) throw;
    throw JobError(
        "--estimate: no part of a frame was drawn within ten seconds, so slowly is the volume "
        "read");
  }
}

}  // namespace tilewall::rendering
