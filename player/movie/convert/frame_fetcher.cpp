#include "player/movie/convert/frame_fetcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/sm_movie.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

std::unique_ptr<ImageRows> FrameFetcher::load_rows(const SuppliedPicture& picture) {
  throw InternalError(fmt::format("picture {} is not made of rows", picture.list_index));
}

std::unique_ptr<FrameFetcher> open_fetcher(const std::vector<std::string>& inputs,
                                           std::optional<Rational> fps, DamageSearch search) {
  if (auto images = resolve_images(inputs))
    return open_listed_fetcher(list_images(std::move(*images), fps.value_or(Rational{24, 1})),
                               search);
  if (scene::is_wall_movie(inputs.front()))
    throw InputError({inputs.front()}, "", "a movie or images to import", "a wall movie");
  if (is_sm_movie(inputs.front()))
    return open_listed_fetcher(list_sm_movie(inputs.front(), fps), search);
  return open_movie_fetcher(inputs.front(), fps);
}

// Fetches from a list of pictures. Workers decode them in parallel, by load().
namespace {

class ListedFetcher final : public FrameFetcher {
 public:
  ListedFetcher(std::unique_ptr<const PictureList> list, DamageSearch search)
      : list_(std::move(list)), search_(search) {
    first_ = find_first_readable();
    info_ = list_->info(*first_frame_, first_);
    look_for_hidden_damage(first_, *first_frame_);
  }

  [[nodiscard]] const MovieInfo& info() const noexcept override { return info_; }

  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    const std::size_t count = list_->size();
    if (next_ == count) return std::nullopt;
    const std::size_t at = next_++;
    while (next_ < count && !list_->has(next_)) ++next_;  // the picture is repeated over gaps
    gap_frames_ += static_cast<std::int64_t>(next_ - at) - 1;
    ++loaded_;
    return SuppliedPicture{
        {static_cast<std::int64_t>(at), static_cast<std::int64_t>(next_ - at)}, nullptr, at};
  }

  [[nodiscard]] SharedFrame load(const SuppliedPicture& picture) override {
    if (picture.frame) return picture.frame;
    for (std::size_t at = picture.list_index + 1; at-- > first_;) {
      if (!list_->has(at)) continue;
      const bool is_new = at == picture.list_index && at != first_;
      if (SharedFrame frame = try_load(at)) {
        if (is_new) look_for_hidden_damage(at, *frame);
        return frame;
      }
      if (is_new) add_damage(at, DamageKind::nothing_decodes);
    }
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

  [[nodiscard]] std::int64_t judged_pictures() const override { return judged_; }

  [[nodiscard]] FetcherCounters counters() const override {
    const std::scoped_lock lock(mutex_);
    return {loaded_, gap_frames_, 0, static_cast<std::int64_t>(damage_.size()), gap_frames_};
  }

  [[nodiscard]] DamageLines damage() const override {
    std::vector<Damage> sorted;
    {
      const std::scoped_lock lock(mutex_);
      sorted = damage_;
    }
    std::ranges::sort(sorted, {}, &Damage::at);
    DamageLines found;
    for (const Damage& one : sorted) {
      if (found.lines.size() == DamageLines::max_lines) break;
      found.lines.push_back(fmt::format("{}: damaged: {} of it cannot be decoded",
                                        list_->name_of(one.at),
                                        one.kind == DamageKind::a_part ? "a part" : "the whole"));
    }
    found.left_out = static_cast<std::int64_t>(sorted.size() - found.lines.size());
    return found;
  }

 private:
  enum class DamageKind { a_part, nothing_decodes };
  struct Damage {
    std::size_t at;
    DamageKind kind;
  };

  void add_damage(std::size_t at, DamageKind kind) {
    const std::scoped_lock lock(mutex_);
    damage_.push_back({at, kind});
  }

  void look_for_hidden_damage(std::size_t at, const AVFrame& frame) {
    const bool marked = frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (marked || !list_->is_whole(at, search_)) add_damage(at, DamageKind::a_part);
  }

  std::size_t find_first_readable() {
    std::string problem;
    for (std::size_t at = 0; at < list_->size(); ++at) {
      if (!list_->has(at)) continue;
      ++judged_;
      try {
        first_frame_ = list_->decode(at);
        return at;
      } catch (const InputError& error) {
        if (problem.empty()) problem = error.what();
        add_damage(at, DamageKind::nothing_decodes);
      }
    }
    throw InputError(problem);
  }

  // Decodes a picture; null if it is damaged.
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
  const DamageSearch search_;
  MovieInfo info_;
  std::size_t first_ = 0;    // index of the first picture that decodes
  std::int64_t judged_ = 0;  // pictures decoded up to that one
  SharedFrame first_frame_;  // kept for samples(), and to replace damaged pictures
  std::size_t next_ = 0;
  std::int64_t loaded_ = 0;
  std::int64_t gap_frames_ = 0;
  mutable std::mutex mutex_;
  std::vector<Damage> damage_;  // guarded by mutex_: workers add to it
};

}  // namespace

std::unique_ptr<FrameFetcher> open_listed_fetcher(std::unique_ptr<const PictureList> list,
                                                  DamageSearch search) {
  return std::make_unique<ListedFetcher>(std::move(list), search);
}

}  // namespace tilewall::movie
