// The picture source of wall movies: plan, read, decode side by side, mend from the last good
// picture.
#include <algorithm>
#include <cmath>
#include <optional>

#include "player/movie/frames/bgrx.hpp"
#include "player/movie/frames/block_decoder.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_loader.hpp"
#include "player/movie/frames/picture_source.hpp"
#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/thread_time.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/worker_pool.hpp"
#include "sync/base/check.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

class WallMovie final : public PictureSource {
 public:
  WallMovie(const std::filesystem::path& folder, int threads)
      : movie_(load_manifest(folder)), loader_(folder, movie_), pool_(threads) {
    for (int worker = 0; worker < threads; ++worker) decoders_.emplace_back(movie_);
  }

  [[nodiscard]] SizePx size_px() const noexcept override { return movie_.size_px; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }

  DrawStatus draw(std::int64_t frame, const Placement& placement, const ImageView& picture,
                  const ImageView* last_good) override;
  void expect_next(std::int64_t frame) override { next_frame_ = frame; }

 private:
  void prepare(const Placement& placement, SizePx picture_px);
  void decode_exact(const ImageView& picture);
  bool decode_scaled(const ImageView& picture);
  [[nodiscard]] RectPx block_in_picture(int block) const;
  void mend(const ImageView& picture, const ImageView* last_good);
  template <typename Decode>
  void decode_blocks(Decode&& decode);

  const MovieManifest movie_;

  // What the last placement asks for; kept while it stays.
  std::optional<Placement> placement_;
  SizePx picture_px_;
  ViewPlan plan_;
  std::optional<PlanarPicture> window_;  // the decoded blocks of a scaled view
  std::optional<Scaler> scaler_;

  const LoadedFrame* frame_ = nullptr;      // the one being drawn
  std::optional<std::int64_t> next_frame_;  // expected after it
  std::vector<BlockDecoder> decoders_;      // one per worker
  std::vector<std::uint8_t> decoded_;       // per block of the plan: whether it came out whole
  DrawCounters counters_;
  FrameLoader loader_;
  WorkerPool pool_;  // last member: its threads use the others
};

void WallMovie::prepare(const Placement& placement, SizePx picture_px) {
  if (placement_ == placement && picture_px_ == picture_px) return;
  placement_ = placement;
  picture_px_ = picture_px;
  plan_ = plan_view(movie_, placement, picture_px);
  counters_.level = plan_.level;
  decoded_.resize(plan_.blocks.size());
  loader_.select({plan_.level, plan_.blocks});
  window_.reset();
  scaler_.reset();
  const ImageFit& fit = plan_.fit;
  if (fit.exact || fit.target_px.empty()) return;
  const RectPx& window = plan_.window_px;
  window_.emplace(SizePx{window.width, window.height}, movie_.chroma);
  // Blocks reach beyond the level; the filter must not.
  const SizePx level_px = level_size_px(movie_.size_px, plan_.level);
  const auto even = [](int side) { return (side + 1) / 2 * 2; };
  ScaleJob job;
  job.source_px = {std::min(window.width, even(level_px.width - window.x)),
                   std::min(window.height, even(level_px.height - window.y))};
  job.format = stored_format(movie_.chroma);
  job.shown_px = {fit.source_px.x - window.x, fit.source_px.y - window.y, fit.source_px.width,
                  fit.source_px.height};
  job.target_px = {fit.target_px.width, fit.target_px.height};
  scaler_.emplace(job, pool_.threads());
}

// Calls decode(i, worker) for each block of the plan; it returns whether the block came out whole.
template <typename Decode>
void WallMovie::decode_blocks(Decode&& decode) {
  const auto block_pixels = static_cast<std::uint64_t>(movie_.block_px.width) *
                            static_cast<std::uint64_t>(movie_.block_px.height);
  const TraceSpan span("decode");
  pool_.run(static_cast<int>(plan_.blocks.size()), [&](int i, int worker) {
    const std::uint64_t start_ns = thread_time_ns();
    const bool whole = decode(static_cast<std::size_t>(i), static_cast<std::size_t>(worker));
    decoded_[static_cast<std::size_t>(i)] = whole;
    if (whole) counters_.decoded_px += block_pixels;
    counters_.decode_ns += thread_time_ns() - start_ns;
  });
}

void WallMovie::decode_exact(const ImageView& picture) {
  const PointPx offset = plan_.fit.offset_px;
  const BlockGrid grid = block_grid(movie_, plan_.level);
  decode_blocks([&](std::size_t i, std::size_t worker) {
    const RectPx block = grid.rect_px(plan_.blocks[i]);
    const RectPx shown = block_in_picture(plan_.blocks[i]);
    const RectPx part{shown.x - offset.x - block.x, shown.y - offset.y - block.y, shown.width,
                      shown.height};
    return decoders_[worker].to_bgrx(frame_->blocks.bytes(i), part, part_of(picture, shown));
  });
}

// False when the scaler failed.
bool WallMovie::decode_scaled(const ImageView& picture) {
  if (!scaler_->ok()) return false;
  const BlockGrid grid = block_grid(movie_, plan_.level);
  decode_blocks([&](std::size_t i, std::size_t worker) {
    const RectPx block = grid.rect_px(plan_.blocks[i]);
    return decoders_[worker].to_planes(frame_->blocks.bytes(i), *window_,
                                       {block.x - plan_.window_px.x, block.y - plan_.window_px.y});
  });
  const ImageView target = part_of(picture, plan_.fit.target_px);
  std::atomic<bool> scaled{true};
  const TraceSpan span("scale");
  pool_.run(scaler_->bands(), [&](int band, int worker) {
    const std::uint64_t start_ns = thread_time_ns();
    if (!scaler_->run(band, worker, *window_, target)) scaled = false;
    counters_.decode_ns += thread_time_ns() - start_ns;
  });
  return scaled;
}

// The pixels of the picture that a block of the plan has a part in.
RectPx WallMovie::block_in_picture(int block) const {
  const RectPx rect = block_grid(movie_, plan_.level).rect_px(block);
  const ImageFit& fit = plan_.fit;
  if (fit.exact)
    return intersection(
        RectPx{rect.x + fit.offset_px.x, rect.y + fit.offset_px.y, rect.width, rect.height},
        fit.target_px);
  const double scale_x = fit.source_px.width / fit.target_px.width;
  const double scale_y = fit.source_px.height / fit.target_px.height;
  // Clamped, for a picture that shows a speck of the block.
  const auto edge = [](int level, int reach, double source_at, double scale, int target_at) {
    const double target = std::floor((level + reach - source_at) / scale);
    return static_cast<int>(std::clamp(target, -1e8, 1e8)) + target_at;
  };
  const int reach_x = filter_reach_px(scale_x);
  const int reach_y = filter_reach_px(scale_y);
  const int left = edge(rect.x, -reach_x, fit.source_px.x, scale_x, fit.target_px.x);
  const int top = edge(rect.y, -reach_y, fit.source_px.y, scale_y, fit.target_px.y);
  const int right = edge(rect.right(), reach_x, fit.source_px.x, scale_x, fit.target_px.x) + 1;
  const int bottom = edge(rect.bottom(), reach_y, fit.source_px.y, scale_y, fit.target_px.y) + 1;
  return intersection(RectPx{left, top, right - left, bottom - top}, fit.target_px);
}

void WallMovie::mend(const ImageView& picture, const ImageView* last_good) {
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    if (decoded_[i] != 0) continue;
    copy_or_blacken(last_good, picture, block_in_picture(plan_.blocks[i]));
    ++counters_.damaged_blocks;
  }
}

DrawStatus WallMovie::draw(std::int64_t frame, const Placement& placement, const ImageView& picture,
                           const ImageView* last_good) {
  prepare(placement, picture.size_px);
  fill_black_around(picture, plan_.fit.target_px);
  if (plan_.fit.target_px.empty()) return DrawStatus::whole;
  std::fill(decoded_.begin(), decoded_.end(), std::uint8_t{0});
  frame_ = &loader_.take(frame);
  counters_.read_bytes += frame_->read_bytes;
  if (next_frame_) loader_.read_ahead(*next_frame_);
  next_frame_.reset();
  if (frame_->has_index) {
    if (plan_.fit.exact)
      decode_exact(picture);
    else if (!decode_scaled(picture))
      std::fill(decoded_.begin(), decoded_.end(), std::uint8_t{0});
  }
  if (std::find(decoded_.begin(), decoded_.end(), 0) == decoded_.end()) return DrawStatus::whole;
  mend(picture, last_good);
  ++counters_.damaged_frames;
  return DrawStatus::damaged;
}

}  // namespace

std::unique_ptr<PictureSource> open_wall_movie(const std::filesystem::path& folder, int threads) {
  return std::make_unique<WallMovie>(folder, threads);
}

}  // namespace tilewall
