// A list of pictures as a supply: workers decode them, each its own.

#include <fmt/format.h>

#include "player/movie/transfer/frame_supply.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

class ListedSupply final : public FrameSupply {
 public:
  explicit ListedSupply(std::unique_ptr<const PictureList> list) : list_(std::move(list)) {
    first_ = find_first_readable();
    info_ = list_->info(*first_frame_, first_);
  }

  [[nodiscard]] const MovieInfo& info() const noexcept override { return info_; }

  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    const std::size_t count = list_->size();
    if (next_ == count) return std::nullopt;
    const std::size_t at = next_++;
    while (next_ < count && !list_->has(next_)) ++next_;  // a gap: it stays on show
    gap_frames_ += static_cast<std::int64_t>(next_ - at) - 1;
    ++loaded_;
    return SuppliedPicture{
        {static_cast<std::int64_t>(at), static_cast<std::int64_t>(next_ - at)}, nullptr, at};
  }

  [[nodiscard]] SharedFrame load(const SuppliedPicture& picture) override {
    if (picture.frame) return picture.frame;
    for (std::size_t at = picture.list_index + 1; at-- > first_;) {
      if (!list_->has(at)) continue;
      if (SharedFrame frame = try_load(at)) return frame;
      if (at == picture.list_index) ++damaged_;
    }
    if (picture.list_index < first_) ++damaged_;
    return first_frame_;
  }

  [[nodiscard]] std::vector<SharedFrame> samples() override {
    std::vector<SharedFrame> frames{first_frame_};
    for (const std::size_t at : {list_->size() / 2, list_->size() - 1})
      if (at > first_ && list_->has(at))
        if (SharedFrame frame = try_load(at)) frames.push_back(std::move(frame));
    return frames;
  }

  [[nodiscard]] std::string note() const override { return list_->note(); }

  [[nodiscard]] SupplyCounters counters() const override {
    return {loaded_, gap_frames_, 0, damaged_.load()};
  }

 private:
  std::size_t find_first_readable() {
    std::string problem;
    for (std::size_t at = 0; at < list_->size(); ++at) {
      if (!list_->has(at)) continue;
      try {
        first_frame_ = list_->decode(at);
        return at;
      } catch (const InputError& error) {
        if (problem.empty()) problem = error.what();
      }
    }
    throw InputError(problem);
  }

  // Null when the picture is damaged.
  SharedFrame try_load(std::size_t at) {
    if (at == first_) return first_frame_;
    SharedFrame frame;
    try {
      frame = list_->decode(at);
    } catch (const InputError&) {
      return nullptr;
    }
    if (SizePx{frame->width, frame->height} != info_.stored_px)
      throw InputError({list_->name_of(at)}, "size",
                       fmt::format("{}x{} as in {}", info_.stored_px.width, info_.stored_px.height,
                                   list_->name_of(first_)),
                       fmt::format("{}x{}", frame->width, frame->height));
    return frame;
  }

  const std::unique_ptr<const PictureList> list_;
  MovieInfo info_;
  std::size_t first_ = 0;    // index of the first picture that decodes
  SharedFrame first_frame_;  // kept: samples and replacements start from it
  std::size_t next_ = 0;
  std::int64_t loaded_ = 0;
  std::int64_t gap_frames_ = 0;
  std::atomic<std::int64_t> damaged_{0};  // counted by workers
};

}  // namespace

std::unique_ptr<FrameSupply> open_listed_supply(std::unique_ptr<const PictureList> list) {
  return std::make_unique<ListedSupply>(std::move(list));
}

}  // namespace tilewall
