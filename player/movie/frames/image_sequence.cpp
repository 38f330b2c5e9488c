// The picture source of image sequences. It lets a process of its own decode whole images, and
// waits for it on a thread of its own, because a disk may not answer. It draws them pixel for pixel
// or scaled.
#include "player/movie/frames/image_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/frames/image_reader.hpp"
#include "player/movie/frames/io_thread.hpp"
#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/worker_pool.hpp"
#include "player/picture/bgrx.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

constexpr int jpeg_levels = 4;  // TurboJPEG halves up to three times while it decodes

class ImageSequence final : public picture::PictureSource {
 public:
  ImageSequence(std::vector<std::filesystem::path> files, int threads, DrawMemoryPtr memory,
                std::function<bool()> abandon)
      : files_(std::move(files)),
        memory_(std::move(memory)),
        abandon_(std::move(abandon)),
        scaler_(threads),
        pool_(threads),
        io_([this] { run_order(); }) {
    read_first();
  }

  [[nodiscard]] SizePx size_px() const noexcept override { return info_.size_px; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }

  picture::DrawStatus draw(std::int64_t frame, const picture::Placement& placement,
                           const ImageView& picture, const ImageView* last_good) override;
  void set_parameters(const picture::DrawParameters& parameters) override;
  [[nodiscard]] bool is_busy() const override { return io_.is_busy(); }

 private:
  /// lost: the image is damaged, or there is none. abandoned: abandon_ ended the wait.
  enum class Decoding { done, lost, abandoned };
  /// The image that is being decoded, or was decoded last.
  struct Order {
    std::int64_t frame = 0;
    int level = 0;
    bool is_whole = false;     // the result
    bool is_missing = false;   // the result: the file does not exist
    bool opens = false;        // only the header is read, into info_
    std::exception_ptr error;  // the result where `opens`
  };
  void read_first();
  void prepare(const picture::Placement& placement, SizePx picture_px);
  void prepare_scaler();
  [[nodiscard]] Decoding decode(std::int64_t frame);
  void run_order() noexcept;
  void draw_exact(const ImageView& picture);
  bool draw_scaled(const ImageView& picture);
  const std::vector<std::filesystem::path> files_;
  ImageInfo info_;  // kind and size, which all images share
  const DrawMemoryPtr memory_;
  const std::function<bool()> abandon_;

  // Parameters and placement of the last picture, and what prepare() derived from them.
  int coarser_by_ = 0;
  std::optional<picture::Placement> placement_;
  SizePx picture_px_;
  int level_ = 0;
  ImageFit fit_;
  RectPx window_px_;  // the part of the image's level that the scaler reads
  Scaler scaler_;

  // The reading thread's while it is busy.
  Order order_;  // reader_ holds its image where it is whole
  ImageReader reader_;

  picture::DrawCounters counters_;
  WorkerPool pool_;  // its threads use the others
  IoThread io_;      // last member, for the same reason
};

/// Reads the first image's header on the reading thread, with which the reader would end.
void ImageSequence::read_first() {
  const auto first =
      std::find_if(files_.begin(), files_.end(), [](const auto& file) { return !file.empty(); });
  if (first == files_.end()) throw InputError("an image sequence: expected images, found none");
  order_.frame = first - files_.begin();
  order_.opens = true;
  io_.start();
  static_cast<void>(io_.wait({}));
  if (order_.error) std::rethrow_exception(std::exchange(order_.error, nullptr));
}

// The decoded image is kept for the next picture with any parameters, so `keep` is not needed.
void ImageSequence::set_parameters(const picture::DrawParameters& parameters) {
  if (coarser_by_ != parameters.coarser_by) placement_.reset();
  coarser_by_ = parameters.coarser_by;
}

void ImageSequence::prepare(const picture::Placement& placement, SizePx picture_px) {
  if (placement_ == placement && picture_px_ == picture_px) return;
  placement_ = placement;
  picture_px_ = picture_px;
  level_ = info_.kind == ImageKind::jpeg
               ? coarser_level(choose_level(placement, jpeg_levels), coarser_by_, jpeg_levels)
               : 0;
  fit_ = fit_image(info_.size_px, level_, placement, picture_px);
  if (!fit_.exact && !fit_.target_px.empty()) prepare_scaler();
}

void ImageSequence::prepare_scaler() {
  const SizePx level_px = level_size_px(info_.size_px, level_);
  window_px_ = source_window(fit_, {level_px, {1, 1}});
  ScaleJob job;
  job.source_px = {window_px_.width, window_px_.height};
  job.format = stored_format(Chroma::rgb);
  job.shown_px = {fit_.source_px.x - window_px_.x, fit_.source_px.y - window_px_.y,
                  fit_.source_px.width, fit_.source_px.height};
  job.target_px = {fit_.target_px.width, fit_.target_px.height};
  scaler_.prepare(job);
}

ImageSequence::Decoding ImageSequence::decode(std::int64_t frame) {
  if (!io_.wait(abandon_)) return Decoding::abandoned;  // an image that is not needed any more
  const auto is_there = [&] {
    return order_.is_whole && order_.frame == frame && order_.level == level_;
  };
  if (is_there()) return Decoding::done;
  order_ = {};
  order_.frame = frame;
  order_.level = level_;
  order_.is_missing = true;
  if (frame < 0 || static_cast<std::size_t>(frame) >= files_.size()) return Decoding::lost;
  if (files_[static_cast<std::size_t>(frame)].empty()) return Decoding::lost;
  io_.start();
  if (!io_.wait(abandon_)) return Decoding::abandoned;
  if (!is_there()) return Decoding::lost;
  counters_.level = level_;
  return Decoding::done;
}

void ImageSequence::run_order() noexcept try {
  const std::filesystem::path& file = files_[static_cast<std::size_t>(order_.frame)];
  if (order_.opens) {
    info_ = reader_.read_info(file);
    return;
  }
  const sync::TraceSpan span("read and decode", {order_.frame, sync::TraceLabels::none});
  const std::uint64_t start_ns = reader_.cpu_ns();
  const std::uint64_t start_bytes = reader_.read_bytes();
  order_.is_whole = reader_.decode(file, info_, order_.level);
  counters_.decode_ns += reader_.cpu_ns() - start_ns;
  counters_.read_bytes += reader_.read_bytes() - start_bytes;
  if (order_.is_whole) {
    const SizePx size = reader_.pixels().size_px;
    counters_.decoded_px +=
        static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  } else {
    std::error_code error;
    order_.is_missing = !std::filesystem::exists(file, error);
  }
} catch (const std::exception&) {  // out of memory counts as a damaged image
  if (order_.opens) order_.error = std::current_exception();
  order_.is_whole = false;
  order_.is_missing = false;
}

void ImageSequence::draw_exact(const ImageView& picture) {
  const RectPx& target = fit_.target_px;
  const ImageView from = picture::part_of(
      reader_.pixels(),
      {target.x - fit_.offset_px.x, target.y - fit_.offset_px.y, target.width, target.height});
  const ImageView to = picture::part_of(picture, target);
  for (int y = 0; y < target.height; ++y)
    std::memcpy(to.row(y), from.row(y), static_cast<std::size_t>(target.width) * 4);
}

bool ImageSequence::draw_scaled(const ImageView& picture) {
  const sync::TraceSpan span("scale");
  const ImageView from = picture::part_of(reader_.pixels(), window_px_);
  PlanarPicture& window = memory_->window;
  memory_->window_holds.reset();
  window.reshape(from.size_px, Chroma::rgb);
  const int parts = pool_.threads();
  run_timed(pool_, counters_, parts, [&](int part, int) {
    const int end = from.size_px.height * (part + 1) / parts;
    for (int y = from.size_px.height * part / parts; y < end; ++y)
      picture::unpack_bgrx_row(from.row(y), window.planes[0].row(y), window.planes[1].row(y),
                               window.planes[2].row(y), from.size_px.width);
  });
  const ImageView target = picture::part_of(picture, fit_.target_px);
  std::atomic<bool> scaled{true};
  run_timed(pool_, counters_, scaler_.bands(), [&](int band, int worker) {
    if (!scaler_.run(band, worker, window, target)) scaled = false;
  });
  return scaled;
}

picture::DrawStatus ImageSequence::draw(std::int64_t frame, const picture::Placement& placement,
                                        const ImageView& picture, const ImageView* last_good) {
  prepare(placement, picture.size_px);
  counters_.damage = scene::FrameDamage::none;
  picture::fill_black_around(picture, fit_.target_px);
  if (fit_.target_px.empty()) return picture::DrawStatus::whole;
  const Decoding decoding = decode(frame);
  if (decoding == Decoding::abandoned) return picture::DrawStatus::abandoned;
  bool drawn = decoding == Decoding::done;
  if (drawn && fit_.exact) draw_exact(picture);
  if (drawn && !fit_.exact) drawn = draw_scaled(picture);
  if (drawn) return picture::DrawStatus::whole;
  picture::copy_or_blacken(last_good, picture, fit_.target_px);
  const bool is_missing = decoding == Decoding::lost && order_.is_missing;
  counters_.damage = is_missing ? scene::FrameDamage::missing : scene::FrameDamage::repeated;
  ++counters_.damaged_blocks;
  ++counters_.damaged_frames;
  return picture::DrawStatus::damaged;
}

}  // namespace

std::unique_ptr<picture::PictureSource> open_image_sequence(
    std::vector<std::filesystem::path> files, int threads, DrawMemoryPtr memory,
    std::function<bool()> abandon) {
  if (!memory) memory = std::make_shared<DrawMemory>();
  return std::make_unique<ImageSequence>(std::move(files), threads, std::move(memory),
                                         std::move(abandon));
}

}  // namespace tilewall::movie
