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
#include "player/movie/frames/movie_view.hpp"
#include "player/movie/frames/planes_to_bgrx.hpp"
#include "player/movie/frames/scaler.hpp"
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
        kept_(std::move(memory), {movie_.block_px, movie_.chroma}),
        view_(movie_),
        scaler_(threads),
        prefetcher_(std::move(prefetcher)),
        pool_(threads) {
    for (int worker = 0; worker < threads; ++worker) decoders_.emplace_back(movie_);
  }
  [[nodiscard]] SizePx size_px() const noexcept override { return movie_.size_px; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }

  picture::DrawStatus draw(std::int64_t frame, const picture::Placement& placement,
                           const ImageView& picture, const ImageView* last_good) override;
  void set_parameters(const picture::DrawParameters& parameters) override;
  [[nodiscard]] bool reads_ahead() const noexcept override { return true; }
  [[nodiscard]] bool is_busy() const override { return prefetcher_->is_busy(); }
  [[nodiscard]] bool is_late() override { return prefetcher_->is_late(parameters_.keep); }
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
  /// done: the blocks that are there are drawn. failed: the scaler failed. abandoned: the
  /// prefetcher gave the frame up.
  enum class Drawing { done, failed, abandoned };
  [[nodiscard]] Drawing draw_fresh(const ImageView& picture);
  [[nodiscard]] Drawing draw_kept(const ImageView& picture);
  [[nodiscard]] bool load();
  [[nodiscard]] bool fetch();
  void decode_to_pixels(const ImageView& picture);
  void decode_to_window();
  void decode_to_cache();
  void assemble_window();
  [[nodiscard]] bool scale(const ImageView& picture);
  void conceal(const ImageView& picture, const ImageView* last_good);
  [[nodiscard]] scene::FrameDamage damage() const;
  [[nodiscard]] bool any_missing() const;
  [[nodiscard]] BlockKey key_of(std::size_t i) const;
  template <typename Decode>
  void decode_blocks(Decode&& decode);

  const MovieManifest movie_;
  OwnBlocks kept_;
  MovieView view_;
  picture::DrawParameters parameters_;
  Scaler scaler_;  // prepared for view_

  // The picture that is being drawn. Vectors have one entry for each block of the view's plan.
  std::int64_t number_ = 0;             // the frame's number
  const LoadedFrame* frame_ = nullptr;  // owned by prefetcher_
  std::vector<std::size_t> wanted_;     // indexes of the plan's blocks to read and decode
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
  view_.set_coarser_by(parameters.coarser_by);
  if (!parameters.keep) kept_.forget_all();
  parameters_ = parameters;
}

void WallMovie::prepare(const picture::Placement& placement, SizePx picture_px) {
  if (!view_.plan(placement, picture_px)) return;
  const ViewPlan& plan = view_.now();
  counters_.level = plan.level;
  there_.resize(plan.blocks.size());
  planes_.resize(plan.blocks.size());
  if (!plan.fit.exact && !view_.shows_nothing()) scaler_.prepare(view_.scale_job());
}

BlockKey WallMovie::key_of(std::size_t i) const {
  return {0, number_, view_.now().level, view_.now().blocks[i]};
}

void WallMovie::aim(const picture::Placement& placement, SizePx picture_px) {
  prepare(placement, picture_px);
  if (!view_.shows_nothing()) prefetcher_->select(view_.now().level, view_.now().blocks);
}

// Gets the wanted blocks of the frame, prefetched or read now. False if the prefetcher has given
// the frame up.
bool WallMovie::load() {
  wanted_numbers_.clear();
  for (const std::size_t i : wanted_) wanted_numbers_.push_back(view_.now().blocks[i]);
  prefetcher_->select(view_.now().level, wanted_numbers_);
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
    const RectPx shown = view_.shown_px(i);
    return decoder.to_bgrx(bytes, view_.part_in_block(i, shown), picture::part_of(picture, shown));
  });
}

void WallMovie::decode_to_window() {
  kept_.open_window({view_.now().window_px.width, view_.now().window_px.height});
  decode_blocks([&](std::size_t i, Bytes bytes, BlockDecoder& decoder) {
    return decoder.to_planes(bytes, kept_.window(), view_.block_in_window(i));
  });
}

void WallMovie::decode_to_cache() {
  for (const std::size_t i : wanted_) planes_[i] = &kept_.add(key_of(i));
  decode_blocks([&](std::size_t i, Bytes bytes, BlockDecoder& decoder) {
    return decoder.to_planes(bytes, *planes_[i], {0, 0});
  });
  for (const std::size_t i : wanted_)
    if (there_[i] == 0) kept_.forget(key_of(i));
}

// Scales the window into the picture; false if zimg failed.
bool WallMovie::scale(const ImageView& picture) {
  const ImageView target = picture::part_of(picture, view_.now().fit.target_px);
  std::atomic<bool> scaled{true};
  const sync::TraceSpan span("scale");
  run_timed(pool_, counters_, scaler_.bands(), [&](int band, int worker) {
    if (!scaler_.run(band, worker, kept_.window(), target)) scaled = false;
  });
  return scaled;
}

WallMovie::Drawing WallMovie::draw_fresh(const ImageView& picture) {
  wanted_.resize(view_.now().blocks.size());
  std::iota(wanted_.begin(), wanted_.end(), std::size_t{0});
  if (!load()) return Drawing::abandoned;
  prefetcher_->expect(expected_);
  if (!frame_->has_index) return Drawing::done;
  if (!view_.now().fit.exact) {
    decode_to_window();
    return scale(picture) ? Drawing::done : Drawing::failed;
  }
  decode_to_pixels(picture);
  return Drawing::done;
}

WallMovie::Drawing WallMovie::draw_kept(const ImageView& picture) {
  if (!fetch()) return Drawing::abandoned;
  if (!view_.now().fit.exact) {
    assemble_window();
    return scale(picture) ? Drawing::done : Drawing::failed;
  }
  const sync::TraceSpan span("copy blocks");
  run_timed(pool_, counters_, static_cast<int>(planes_.size()), [&](int number, int) {
    const auto i = static_cast<std::size_t>(number);
    const RectPx shown = view_.shown_px(i);
    if (there_[i] != 0)
      planes_to_bgrx(*planes_[i], view_.part_in_block(i, shown), picture::part_of(picture, shown));
  });
  return Drawing::done;
}

// Brings all blocks of the plan into the cache. False if the prefetcher has given the frame up.
bool WallMovie::fetch() {
  wanted_.clear();
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    planes_[i] = kept_.find(key_of(i));
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
  const ViewPlan& plan = view_.now();
  if (kept_.window_holds(number_, plan.level, plan.window_px)) return;
  kept_.open_window({plan.window_px.width, plan.window_px.height});
  const sync::TraceSpan span("copy blocks");
  run_timed(pool_, counters_, static_cast<int>(planes_.size()), [&](int number, int) {
    const auto i = static_cast<std::size_t>(number);
    if (there_[i] != 0) copy_planes(*planes_[i], kept_.window(), view_.block_in_window(i));
  });
  if (!any_missing()) kept_.note_window(number_, plan.level, plan.window_px);
}

bool WallMovie::any_missing() const {
  return std::find(there_.begin(), there_.end(), 0) != there_.end();
}

void WallMovie::conceal(const ImageView& picture, const ImageView* last_good) {
  for (std::size_t i = 0; i < there_.size(); ++i) {
    if (there_[i] != 0) continue;
    picture::copy_or_blacken(last_good, picture, view_.shown_px(i));
    ++counters_.damaged_blocks;
  }
}

// The kind of damage of a picture with missing blocks.
scene::FrameDamage WallMovie::damage() const {
  if (frame_ != nullptr && !frame_->has_index && frame_->is_missing)
    return scene::FrameDamage::missing;
  const bool is_nothing_there = std::ranges::none_of(there_, [](auto there) { return there != 0; });
  return is_nothing_there ? scene::FrameDamage::repeated : scene::FrameDamage::blocks;
}

picture::DrawStatus WallMovie::draw(std::int64_t frame, const picture::Placement& placement,
                                    const ImageView& picture, const ImageView* last_good) {
  prepare(placement, picture.size_px);
  counters_.damage = scene::FrameDamage::none;
  picture::fill_black_around(picture, view_.now().fit.target_px);
  if (view_.shows_nothing()) return picture::DrawStatus::whole;
  std::fill(there_.begin(), there_.end(), std::uint8_t{0});
  number_ = frame;
  const bool keeps = parameters_.keep && kept_.fit(there_.size());
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
                                                        int threads, DrawMemoryPtr memory,
                                                        std::function<bool()> abandon) {
  const MovieManifest movie = load_manifest(folder);
  return open_block_movie(movie, std::make_unique<FrameLoader>(folder, movie, std::move(abandon)),
                          threads, std::move(memory));
}

}  // namespace tilewall::movie
