#include "player/movie/source/frame_cursor.hpp"

#include <cmath>
#include <utility>

namespace tilewall::movie {
namespace {

constexpr std::int64_t always_through = 12;         // frames; decoding them costs less than a seek
constexpr std::int64_t through_without_index = 72;  // frames; where key pictures are not known
constexpr int most_begun_pictures = 40;  // FFmpeg has no more in its threads and in reordering
// Seconds before the wanted frame at which seeks are tried in turn. With B pictures or a coarse
// index, a seek may land behind the frame.
constexpr double steps_back_s[] = {0, 0.5, 4, 20};

}  // namespace

FrameCursor::FrameCursor(std::filesystem::path file, std::optional<Rational> fps, int threads,
                         ReadErrors read_errors, std::shared_ptr<HardwareDecoder> hardware)
    : file_(std::move(file)),
      threads_(threads),
      read_errors_(read_errors),
      hardware_(std::move(hardware)) {
  open();
  if (!fps) return;
  info_.frames = std::llround(static_cast<double>(info_.frames) * fps->value() / info_.fps.value());
  info_.fps = *fps;
  timing_.emplace(movie_->time_base(), info_.fps);
}

void FrameCursor::open() {
  movie_ = std::make_unique<MovieFile>(file_, threads_, read_errors_, hardware_);
  if (!timing_) info_ = movie_->info();
  timing_.emplace(movie_->time_base(), info_.fps);
  held_.reset();
  movie_->leave_out_unreferenced(in_a_hurry_);
  held_any_ = ended_ = false;
}

std::optional<TimedPicture> FrameCursor::next() {
  while (!ended_) {
    std::optional<MoviePicture> picture = movie_->next();
    std::optional<FrameSpan> span;
    const bool before_loss = picture && picture->after_loss;
    if (picture) {
      ++decoded_pictures_;
      stamped_ = stamped_ && picture->pts.has_value();
      span = timing_->add(picture->pts, picture->duration);
    } else {
      ended_ = true;
      span = timing_->finish();
    }
    held_any_ = held_any_ || picture;
    SharedFrame frame = std::exchange(held_, picture ? std::move(picture->frame) : nullptr);
    const bool may_lack = hurried();
    if (may_lack && !in_a_hurry_) --hurried_pictures_;
    if (span && span->count > 0)
      return TimedPicture{*span, std::move(frame), may_lack, before_loss};
  }
  return std::nullopt;
}

void FrameCursor::hurry(bool in_a_hurry) noexcept {
  const bool hurries = in_a_hurry && has_exact_stamps();
  if (hurries == in_a_hurry_) return;
  in_a_hurry_ = hurries;
  hurried_pictures_ = most_begun_pictures;
  movie_->leave_out_unreferenced(hurries);
}

std::int64_t FrameCursor::position() const noexcept { return timing_->open_frame(); }

bool FrameCursor::has_exact_stamps() const noexcept {
  return stamped_ && timing_->counters().repaired_stamps == 0;
}

bool FrameCursor::decodes_through_to(std::int64_t frame) const {
  const std::int64_t ahead = frame - position();
  if (ahead < 0 || ended_) return false;
  // Up to the last jump's target, a seek would land on the key picture that the jump found. Without
  // stamps, nobody could tell where a seek has landed.
  if (ahead <= always_through || frame <= jumped_for_ || !stamped_) return true;
  // A seek pays only if it skips pictures: if a key picture lies between here and the frame.
  return !movie_->key_between(timing_->latest_pts_of(position()), timing_->latest_pts_of(frame))
              .value_or(ahead > through_without_index);
}

bool FrameCursor::go_to(std::int64_t frame, Way way) {
  if (!held_any_) hold_first();
  if (way == Way::any && decodes_through_to(frame)) return false;
  jumped_for_ = frame;
  // A repaired stamp shifts all later ones, so after a repair the file's own stamps no longer lead
  // to the same frame numbers as decoding in order.
  if (has_exact_stamps())
    for (const double back_s : steps_back_s)
      if (jump(frame, back_s)) return true;
  // Every seek landed behind the frame, or nowhere. Decoding from the start always leads there; so
  // does decoding on while the frame is ahead.
  if (frame >= position() && !ended_) return false;
  open();
  return true;
}

// Frame numbers count from the first picture's stamp, so it is decoded before any seek.
void FrameCursor::hold_first() {
  if (ended_) return;
  auto picture = movie_->next();
  if (!picture) {
    ended_ = true;
    return;
  }
  ++decoded_pictures_;
  stamped_ = picture->pts.has_value();
  std::ignore = timing_->add(picture->pts, picture->duration);
  held_ = std::move(picture->frame);
  held_any_ = true;
}

// Seeks to the last key picture at least `back_s` before `frame`. False if that one lies behind the
// frame, or its position is unknown; the cursor may then stand anywhere.
bool FrameCursor::jump(std::int64_t frame, double back_s) {
  const double tick_s = movie_->time_base().value();
  // The latest stamp, not the due instant: a picture up to 0.4 of a period late shows the frame
  // too.
  const std::int64_t pts =
      timing_->latest_pts_of(frame) - static_cast<std::int64_t>(std::llround(back_s / tick_s));
  if (!movie_->seek_to(pts)) return false;
  ended_ = false;
  auto picture = movie_->next();
  if (!picture) {
    ended_ = true;
    return false;
  }
  ++decoded_pictures_;
  if (!picture->pts || !timing_->resume(*picture->pts, picture->duration)) {
    ended_ = true;  // the position is unknown, so next() must not go on from here
    return false;
  }
  held_ = std::move(picture->frame);
  return position() <= frame;
}

}  // namespace tilewall::movie
