// The picture source of wall movies. It plans the view, reads the blocks, decodes them in parallel,
// and replaces damaged ones from the last good picture.
#include "player/movie/frames/wall_movie.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <optional>

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/block_prefetcher.hpp"
#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/frames/frame_loader.hpp"
#include "player/movie/frames/planes_to_bgrx.hpp"
#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/worker_pool.hpp"
#include "player/picture/bgrx.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

class WallMovie final : public picture::PictureSource {
 public:
  WallMovie(const MovieManifest& movie, std::unique_ptr<BlockPrefetcher> prefetcher, int threads,
            DrawMemoryPtr memory)
      : movie_(movie),
        shape_{movie_.block_px, movie_.chroma},
        memory_(std::move(memory)),
        owner_(memory_->kept.new_owner()),
        scaler_(threads),
        prefetcher_(std::move(prefetcher)),
        pool_(threads) {
    for (int worker = 0; worker < threads; ++worker) decoders_.emplace_back(movie_);
  }
  ~WallMovie() override { memory_->kept.forget_all_of(owner_); }
  WallMovie(const WallMovie&) = delete;
  WallMovie& operator=(const WallMovie&) = delete;

  [[nodiscard]] SizePx size_px() const noexcept override { return movie_.size_px; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }

  picture::DrawStatus draw(std::int64_t frame, const picture::Placement& placement,
                           const ImageView& picture, const ImageView* last_good) override;
  void set_parameters(const picture::DrawParameters& parameters) override;
  [[nodiscard]] bool reads_ahead() const noexcept override { return true; }
  void expect(std::span<const std::int64_t> frames) override {
    expected_.assign(frames.begin(), frames.end());
  }
  void aim(const picture::Placement& placement, SizePx picture_px) override;
  [[nodiscard]] std::optional<picture::ReadyPictures> ready(std::int64_t frame) override {
    return prefetcher_->ready(frame);
  }
  void await(std::int64_t frame, LocalInstant until) override {
    prefetcher_->expect(expected_);
    prefetcher_->count(counters_);
    prefetcher_->await(frame, until);
  }

 private:
  void prepare(const picture::Placement& placement, SizePx picture_px);
  void prepare_scaler();
  /// done: the blocks that are there are drawn. failed: the scaler failed. abandoned: the
  /// prefetcher gave the frame up.
  enum class Drawing { done, failed, abandoned };
  [[nodiscard]] Drawing draw_fresh(const ImageView& picture);
  [[nodiscard]] Drawing draw_kept(const ImageView& picture);
  [[nodiscard]] bool load();
  [[nodiscard]] bool fetch();
  void decode_to_pixels(const ImageView& picture);
  void open_window();
  void decode_to_window();
  void decode_to_cache();
  void assemble_window();
  [[nodiscard]] bool scale(const ImageView& picture);
  void conceal(const ImageView& picture, const ImageView* last_good);
  [[nodiscard]] scene::FrameDamage damage() const;
  [[nodiscard]] bool any_missing() const;
  [[nodiscard]] BlockKey key_of(std::size_t i) const;
  [[nodiscard]] RectPx block_px(std::size_t i) const;
  [[nodiscard]] PointPx block_in_window(std::size_t i) const;
  [[nodiscard]] RectPx part_in_block(std::size_t i, const RectPx& shown) const;
  template <typename Decode>
  void decode_blocks(Decode&& decode);

  const MovieManifest movie_;
  const BlockShape shape_;
  const DrawMemoryPtr memory_;
  const std::uint64_t owner_;  // BlockKey::owner of its blocks in memory_

  // Parameters and placement of the last picture, and what prepare() derived from them.
  picture::DrawParameters parameters_;
  std::optional<picture::Placement> placement_;
  SizePx picture_px_;
  ViewPlan plan_;
  Scaler scaler_;

  // The picture that is being drawn. Vectors have one entry for each block of plan_.
  std::int64_t number_ = 0;             // the frame's number
  const LoadedFrame* frame_ = nullptr;  // owned by prefetcher_
  std::vector<std::size_t> wanted_;     // indexes into plan_.blocks of those to read and decode
  std::vector<int> wanted_numbers_;     // block numbers of wanted_
  std::vector<std::uint8_t> there_;     // 1: the block is decoded without damage
  std::vector<PlanarPicture*> planes_;  // the block's planes in the cache; null: it keeps none

  std::vector<std::int64_t> expected_;  // announced frames after this one
  std::vector<BlockDecoder> decoders_;  // one per worker
  picture::DrawCounters counters_;
  const std::unique_ptr<BlockPrefetcher> prefetcher_;
  WorkerPool pool_;  // last member: its threads use the others
};

void WallMovie::set_parameters(const picture::DrawParameters& parameters) {
  if (parameters_.coarser_by != parameters.coarser_by) placement_.reset();
  if (!parameters.keep) memory_->kept.forget_all_of(owner_);
  parameters_ = parameters;
}

void WallMovie::prepare(const picture::Placement& placement, SizePx picture_px) {
  if (placement_ == placement && picture_px_ == picture_px) return;
  placement_ = placement;
  picture_px_ = picture_px;
  plan_ = plan_view(movie_, placement, picture_px, parameters_.coarser_by);
  counters_.level = plan_.level;
  there_.resize(plan_.blocks.size());
  planes_.resize(plan_.blocks.size());
  const bool scaled = !plan_.fit.exact && !plan_.fit.target_px.empty();
  if (scaled) prepare_scaler();
}

void WallMovie::prepare_scaler() {
  const RectPx& window = plan_.window_px;
  const ImageFit& fit = plan_.fit;
  // Blocks on the edge reach beyond the level. The filter must not read there: it would mix padding
  // into the last pixels.
  const SizePx level_px = level_size_px(movie_.size_px, plan_.level);
  const auto even = [](int side) { return (side + 1) / 2 * 2; };
  ScaleJob job;
  job.source_px = {std::min(window.width, even(level_px.width - window.x)),
                   std::min(window.height, even(level_px.height - window.y))};
  job.format = stored_format(movie_.chroma);
  job.shown_px = {fit.source_px.x - window.x, fit.source_px.y - window.y, fit.source_px.width,
                  fit.source_px.height};
  job.target_px = {fit.target_px.width, fit.target_px.height};
  scaler_.prepare(job);
}

BlockKey WallMovie::key_of(std::size_t i) const {
  return {owner_, number_, plan_.level, plan_.blocks[i]};
}

RectPx WallMovie::block_px(std::size_t i) const {
  return block_grid(movie_, plan_.level).rect_px(plan_.blocks[i]);
}

PointPx WallMovie::block_in_window(std::size_t i) const {
  const RectPx block = block_px(i);
  return {block.x - plan_.window_px.x, block.y - plan_.window_px.y};
}

// The pixels of the block that an exact fit shows as `shown` in the picture.
RectPx WallMovie::part_in_block(std::size_t i, const RectPx& shown) const {
  const RectPx block = block_px(i);
  const PointPx offset = plan_.fit.offset_px;
  return {shown.x - offset.x - block.x, shown.y - offset.y - block.y, shown.width, shown.height};
}

void WallMovie::aim(const picture::Placement& placement, SizePx picture_px) {
  prepare(placement, picture_px);
  if (!plan_.fit.target_px.empty()) prefetcher_->select(plan_.level, plan_.blocks);
}

// Gets the wanted blocks of the frame, prefetched or read now. False if the prefetcher has given
// the frame up.
bool WallMovie::load() {
  wanted_numbers_.clear();
  for (const std::size_t i : wanted_) wanted_numbers_.push_back(plan_.blocks[i]);
  prefetcher_->select(plan_.level, wanted_numbers_);
  frame_ = prefetcher_->take(number_);
  if (frame_ == nullptr) return false;
  counters_.read_bytes += frame_->read_bytes;
  prefetcher_->count(counters_);
  return true;
}

// Calls decode(i, bytes, decoder) for each wanted block, in parallel. It returns whether the block
// was decoded without damage.
template <typename Decode>
void WallMovie::decode_blocks(Decode&& decode) {
  const auto block_pixels = static_cast<std::uint64_t>(movie_.block_px.width) *
                            static_cast<std::uint64_t>(movie_.block_px.height);
  const sync::TraceSpan span("decode");
  run_timed(pool_, counters_, static_cast<int>(wanted_.size()), [&](int number, int worker) {
    const std::size_t i = wanted_[static_cast<std::size_t>(number)];
    const bool whole = decode(i, frame_->blocks[static_cast<std::size_t>(number)],
                              decoders_[static_cast<std::size_t>(worker)]);
    there_[i] = whole;
    if (whole) counters_.decoded_px += block_pixels;
  });
}

using Bytes = std::span<const std::uint8_t>;

void WallMovie::decode_to_pixels(const ImageView& picture) {
  decode_blocks([&](std::size_t i, Bytes bytes, BlockDecoder& decoder) {
    const RectPx shown = block_in_picture(plan_.fit, block_px(i));
    return decoder.to_bgrx(bytes, part_in_block(i, shown), picture::part_of(picture, shown));
  });
}

void WallMovie::open_window() {
  memory_->window_holds.reset();
  memory_->window.reshape({plan_.window_px.width, plan_.window_px.height}, movie_.chroma);
}

void WallMovie::decode_to_window() {
  open_window();
  decode_blocks([&](std::size_t i, Bytes bytes, BlockDecoder& decoder) {
    return decoder.to_planes(bytes, memory_->window, block_in_window(i));
  });
}

void WallMovie::decode_to_cache() {
  for (const std::size_t i : wanted_) planes_[i] = &memory_->kept.add(key_of(i), shape_);
  decode_blocks([&](std::size_t i, Bytes bytes, BlockDecoder& decoder) {
    return decoder.to_planes(bytes, *planes_[i], {0, 0});
  });
  for (const std::size_t i : wanted_)
    if (there_[i] == 0) memory_->kept.forget(key_of(i));
}

// Scales the window into the picture; false if zimg failed.
bool WallMovie::scale(const ImageView& picture) {
  const ImageView target = picture::part_of(picture, plan_.fit.target_px);
  std::atomic<bool> scaled{true};
  const sync::TraceSpan span("scale");
  run_timed(pool_, counters_, scaler_.bands(), [&](int band, int worker) {
    if (!scaler_.run(band, worker, memory_->window, target)) scaled = false;
  });
  return scaled;
}

WallMovie::Drawing WallMovie::draw_fresh(const ImageView& picture) {
  wanted_.resize(plan_.blocks.size());
  std::iota(wanted_.begin(), wanted_.end(), std::size_t{0});
  if (!load()) return Drawing::abandoned;
  prefetcher_->expect(expected_);
  if (!frame_->has_index) return Drawing::done;
  if (!plan_.fit.exact) {
    decode_to_window();
    return scale(picture) ? Drawing::done : Drawing::failed;
  }
  decode_to_pixels(picture);
  return Drawing::done;
}

WallMovie::Drawing WallMovie::draw_kept(const ImageView& picture) {
  if (!fetch()) return Drawing::abandoned;
  if (!plan_.fit.exact) {
    assemble_window();
    return scale(picture) ? Drawing::done : Drawing::failed;
  }
  const sync::TraceSpan span("copy blocks");
  run_timed(pool_, counters_, static_cast<int>(planes_.size()), [&](int number, int) {
    const auto i = static_cast<std::size_t>(number);
    const RectPx shown = block_in_picture(plan_.fit, block_px(i));
    if (there_[i] != 0)
      planes_to_bgrx(*planes_[i], part_in_block(i, shown), picture::part_of(picture, shown));
  });
  return Drawing::done;
}

// Brings all blocks of the plan into the cache. False if the prefetcher has given the frame up.
bool WallMovie::fetch() {
  wanted_.clear();
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    planes_[i] = memory_->kept.find(key_of(i));
    there_[i] = planes_[i] != nullptr;
    if (planes_[i] == nullptr) wanted_.push_back(i);
  }
  if (wanted_.empty()) return true;
  if (!load()) return false;
  if (frame_->has_index) decode_to_cache();
  return true;
}

// Fills the window from the cache, unless it holds the same blocks from the last picture.
void WallMovie::assemble_window() {
  const DrawMemory::Contents wanted{owner_, number_, plan_.level, plan_.window_px};
  if (memory_->window_holds == wanted) return;
  open_window();
  const sync::TraceSpan span("copy blocks");
  run_timed(pool_, counters_, static_cast<int>(planes_.size()), [&](int number, int) {
    const auto i = static_cast<std::size_t>(number);
    if (there_[i] != 0) copy_planes(*planes_[i], memory_->window, block_in_window(i));
  });
  if (!any_missing()) memory_->window_holds = wanted;
}

bool WallMovie::any_missing() const {
  return std::find(there_.begin(), there_.end(), 0) != there_.end();
}

void WallMovie::conceal(const ImageView& picture, const ImageView* last_good) {
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    if (there_[i] != 0) continue;
    picture::copy_or_blacken(last_good, picture, block_in_picture(plan_.fit, block_px(i)));
    ++counters_.damaged_blocks;
  }
}

// The kind of damage of a picture with missing blocks.
scene::FrameDamage WallMovie::damage() const {
  const bool is_missing = frame_ != nullptr && !frame_->has_index && frame_->is_missing;
  return is_missing ? scene::FrameDamage::missing : scene::FrameDamage::blocks;
}

picture::DrawStatus WallMovie::draw(std::int64_t frame, const picture::Placement& placement,
                                    const ImageView& picture, const ImageView* last_good) {
  prepare(placement, picture.size_px);
  counters_.damage = scene::FrameDamage::none;
  picture::fill_black_around(picture, plan_.fit.target_px);
  if (plan_.fit.target_px.empty()) return picture::DrawStatus::whole;
  std::fill(there_.begin(), there_.end(), std::uint8_t{0});
  number_ = frame;
  const bool keeps = parameters_.keep && memory_->kept.fits(plan_.blocks.size(), shape_);
  const Drawing drawing = keeps ? draw_kept(picture) : draw_fresh(picture);
  if (drawing == Drawing::abandoned) return picture::DrawStatus::abandoned;
  if (drawing == Drawing::failed) std::fill(there_.begin(), there_.end(), std::uint8_t{0});
  if (!any_missing()) return picture::DrawStatus::whole;
  conceal(picture, last_good);
  counters_.damage = damage();
  ++counters_.damaged_frames;
  return picture::DrawStatus::damaged;
}

}  // namespace

std::unique_ptr<picture::PictureSource> open_block_movie(
    const MovieManifest& movie, std::unique_ptr<BlockPrefetcher> prefetcher, int threads,
    DrawMemoryPtr memory) {
  if (!memory) memory = std::make_shared<DrawMemory>();
  return std::make_unique<WallMovie>(movie, std::move(prefetcher), threads, std::move(memory));
}

std::unique_ptr<picture::PictureSource> open_wall_movie(const std::filesystem::path& folder,
                                                        int threads, DrawMemoryPtr memory) {
  const MovieManifest movie = load_manifest(folder);
  return open_block_movie(movie, std::make_unique<FrameLoader>(folder, movie), threads,
                          std::move(memory));
}

}  // namespace tilewall::movie
