#include "player/panel/tick_drawer.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

std::size_t bytes_of(const ImageView& picture) {
  return picture.stride_bytes * static_cast<std::size_t>(picture.size_px.height);
}

/// XXH3-64 of the picture as rows of BGRX. @pre rows follow each other without padding
std::uint64_t hash_of(const ImageView& picture) {
  const sync::TraceSpan span("hash");
  return XXH3_64bits(picture.pixels, bytes_of(picture));
}

}  // namespace

void TickDrawer::begin_epoch() noexcept {
  last_.frames.clear();
  last_.status = picture::DrawStatus::whole;
  last_.better_comes = false;
  last_.lacks_any = false;
}

picture::DrawStatus TickDrawer::draw(GlobalInstant due, const RegionFrames& frames,
                                     TickDetail detail, std::size_t buffer, LiveParts live_parts) {
  const LocalInstant started = local_now();
  Composition composition = composer_.plan(due, frames);
  composer_.leave_unseen(composition, frames);
  const bool is_copied = is_drawn(composition, detail);
  const picture::DrawStatus drawn = draw_or_copy(composition, detail, buffer);
  if (drawn == picture::DrawStatus::abandoned) return drawn;
  if (drawn == picture::DrawStatus::damaged) sync::trace_instant("damaged frame");
  if (live_parts == LiveParts::complete && !is_copied && lacks_timestep(composition))
    return picture::DrawStatus::abandoned;
  if (!is_copied && hashes_) last_.hash = hash_of(ring_.image(buffer));
  if (!is_copied) last_.damage = composer_.damage();
  if (!is_copied) stays_.note(due, composition, composer_.part_damages());
  last_.status = drawn;
  if (!is_copied) last_.better_comes = composer_.better_comes();
  if (!is_copied) last_.lacks_any = composer_.lacks_any();
  last_.started = started;
  last_.detail = detail;
  const bool stays_drawn =
      drawn == picture::DrawStatus::whole || drawn == picture::DrawStatus::finer_available;
  last_.composition = stays_drawn ? std::move(composition) : Composition{};
  last_.frames = frames;
  last_.buffer = buffer;
  return drawn;
}

void TickDrawer::copy(const ArmedPicture& armed, GlobalInstant due, const RegionFrames& frames,
                      TickDetail detail, std::size_t buffer) {
  last_.started = local_now();
  Composition composition = composer_.plan(due, frames);
  composer_.leave_unseen(composition, frames);
  const ImageView picture = ring_.image(buffer);
  std::memcpy(picture.pixels, armed.pixels.pixels, bytes_of(picture));
  composer_.note_copied(composition, armed.better_comes);
  stays_.note(due, composition, composer_.part_damages());
  last_.hash = armed.hash;
  last_.damage = scene::FrameDamage::none;
  last_.status = armed.status;
  last_.better_comes = armed.better_comes;
  last_.lacks_any = false;
  last_.detail = detail;
  last_.composition = std::move(composition);
  last_.frames = frames;
  last_.buffer = buffer;
}

bool TickDrawer::lacks_timestep(const Composition& composition) const {
  const std::vector<scene::FrameDamage>& damages = composer_.part_damages();
  for (std::size_t i = 0; i < composition.size() && i < damages.size(); ++i)
    if (composition[i].region->source->live && damages[i] >= scene::FrameDamage::repeated)
      return true;
  return false;
}

bool TickDrawer::is_drawn(const Composition& composition, TickDetail detail) const {
  return !last_.composition.empty() && composition == last_.composition &&
         detail.defers == last_.detail.defers &&
         have_same_stages(composition, detail.most_stage, last_.composition,
                          last_.detail.most_stage);
}

picture::DrawStatus TickDrawer::draw_or_copy(const Composition& composition, TickDetail detail,
                                             std::size_t buffer) {
  const ImageView picture = ring_.image(buffer);
  if (!last_.buffer) return composer_.draw(composition, picture, nullptr, detail);
  const bool is_other_buffer = *last_.buffer != buffer;
  const ImageView last = ring_.image(*last_.buffer);
  if (is_drawn(composition, detail)) {
    if (is_other_buffer) std::memcpy(picture.pixels, last.pixels, bytes_of(picture));
    return last_.status;
  }
  return composer_.draw(composition, picture, is_other_buffer ? &last : nullptr, detail);
}

bool TickDrawer::can_repair(const scene::Scene& scene, const RegionFrames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const scene::SourceFrame own = scene::resolve_frame(scene.regions[i].source, frames[i]);
    picture::PictureSource* const source = composer_.source_of(own);
    const auto ready = source == nullptr ? std::nullopt : source->ready(own.frame);
    if (!ready || ready->lost) continue;
    // A picture that was ready when the drawing began was used already.
    const bool is_old =
        std::ranges::any_of(ready->pictures, [&](const picture::ReadyPicture& picture) {
          return picture.first <= own.frame && own.frame < picture.end &&
                 picture.since <= last_.started;
        });
    if (!is_old) return true;
  }
  return false;
}

}  // namespace tilewall::panel
