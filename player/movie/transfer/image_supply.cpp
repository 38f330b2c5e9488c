// An image sequence as a supply: workers decode the files, each its own.

#include <fmt/format.h>

#include "player/movie/source/image_file.hpp"
#include "player/movie/transfer/frame_supply.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

class ImageSupply final : public FrameSupply {
 public:
  ImageSupply(ImageSequence sequence, Rational fps) : sequence_(std::move(sequence)) {
    first_ = find_first_readable();
    info_ = image_info(*first_frame_, sequence_.files[first_]);
    info_.fps = fps;
    info_.frames = static_cast<std::int64_t>(sequence_.files.size());
    info_.duration_s = static_cast<double>(info_.frames) / fps.value();
  }

  [[nodiscard]] const MovieInfo& info() const noexcept override { return info_; }

  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    const std::size_t count = sequence_.files.size();
    if (next_ == count) return std::nullopt;
    const std::size_t at = next_++;
    while (next_ < count && sequence_.files[next_].empty()) ++next_;  // a gap: it stays on show
    ++loaded_;
    return SuppliedPicture{
        {static_cast<std::int64_t>(at), static_cast<std::int64_t>(next_ - at)}, nullptr, at};
  }

  [[nodiscard]] SharedFrame load(const SuppliedPicture& picture) override {
    if (picture.frame) return picture.frame;
    for (std::size_t at = picture.file_index + 1; at-- > first_;) {
      if (sequence_.files[at].empty()) continue;
      if (SharedFrame frame = try_load(at)) return frame;
      if (at == picture.file_index) ++damaged_;
    }
    if (picture.file_index < first_) ++damaged_;
    return first_frame_;
  }

  [[nodiscard]] std::vector<SharedFrame> samples() override {
    std::vector<SharedFrame> frames{first_frame_};
    for (const std::size_t at : {sequence_.files.size() / 2, sequence_.files.size() - 1})
      if (at > first_ && !sequence_.files[at].empty())
        if (SharedFrame frame = try_load(at)) frames.push_back(std::move(frame));
    return frames;
  }

  [[nodiscard]] std::string gap_note() const override {
    if (sequence_.missing.empty()) return "";
    return fmt::format("{}: {} missing; {}", sequence_.name, sequence_.missing,
                       sequence_.gap_frames > 0 ? "the picture before each gap stays on show"
                                                : "the images that are there follow each other");
  }

  [[nodiscard]] SupplyCounters counters() const override {
    return {loaded_, sequence_.gap_frames, 0, damaged_.load()};
  }

 private:
  std::size_t find_first_readable() {
    std::string problem;
    for (std::size_t at = 0; at < sequence_.files.size(); ++at) {
      if (sequence_.files[at].empty()) continue;
      try {
        first_frame_ = decode_image_file(sequence_.files[at]);
        return at;
      } catch (const InputError& error) {
        if (problem.empty()) problem = error.what();
      }
    }
    throw InputError(problem);
  }

  // Null when the file is damaged.
  SharedFrame try_load(std::size_t at) {
    if (at == first_) return first_frame_;
    SharedFrame frame;
    try {
      frame = decode_image_file(sequence_.files[at]);
    } catch (const InputError&) {
      return nullptr;
    }
    if (SizePx{frame->width, frame->height} != info_.stored_px)
      throw InputError({sequence_.files[at].string()}, "size",
                       fmt::format("{}x{} as in {}", info_.stored_px.width, info_.stored_px.height,
                                   sequence_.files[first_].string()),
                       fmt::format("{}x{}", frame->width, frame->height));
    return frame;
  }

  ImageSequence sequence_;
  MovieInfo info_;
  std::size_t first_ = 0;    // index of the first file that decodes
  SharedFrame first_frame_;  // kept: samples and replacements start from it
  std::size_t next_ = 0;
  std::int64_t loaded_ = 0;
  std::atomic<std::int64_t> damaged_{0};  // counted by workers
};

}  // namespace

std::unique_ptr<FrameSupply> open_image_supply(ImageSequence sequence, Rational fps) {
  return std::make_unique<ImageSupply>(std::move(sequence), fps);
}

}  // namespace tilewall
