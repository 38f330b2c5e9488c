#include "player/panel/source_cache.hpp"

#include <algorithm>

namespace tilewall::panel {
namespace {

// Enough for a scene's regions and the next items of their playlists. Each holds files and memory.
constexpr std::size_t max_open = 16;
constexpr std::size_t max_closed_deaths = 128;
constexpr std::size_t max_closed_movies = 128;

void add(DecodeTotals& totals, const picture::DrawCounters& counters) {
  totals.read_bytes += counters.read_bytes;
  totals.decoded_px += counters.decoded_px;
  totals.decode_ns += counters.decode_ns;
  totals.damaged_blocks += counters.damaged_blocks;
  totals.damaged_frames += counters.damaged_frames;
  totals.received_bytes += counters.received_bytes;
  totals.lost_packets += counters.lost_packets;
  totals.repaired_packets += counters.repaired_packets;
  totals.samples += counters.samples;
}

/// Adds a death that is not known yet. A source that was closed and opened again reports the same
/// deaths again, perhaps now with the instant at which the decoder was back.
void add(std::vector<scene::DecoderDeath>& deaths, const scene::DecoderDeath& death) {
  const auto known = std::ranges::find(deaths, death.died_ns, &scene::DecoderDeath::died_ns);
  if (known == deaths.end())
    deaths.push_back(death);
  else if (known->back_ns == 0)
    known->back_ns = death.back_ns;
}

/// Merges the status of an older source into that of the newer ones.
void add(std::optional<scene::DecoderStatus>& all, scene::DecoderStatus status) {
  if (!all) {
    all = std::move(status);
    return;
  }
  for (const scene::DecodedMovie& movie : status.movies) scene::add_newest(all->movies, movie);
  if (all->device_note.empty()) all->device_note = std::move(status.device_note);
  for (const scene::DecoderDeath& death : status.deaths) add(all->deaths, death);
}

/// Whether an open source can serve `wanted`. A growing movie may have become longer; any other
/// change of length or rate means that the file was replaced.
bool opens_same(const scene::SourceSpec& open, const scene::SourceSpec& wanted) {
  const bool is_as_long = open.frames == wanted.frames && open.fps == wanted.fps;
  return open.kind == wanted.kind && open.path == wanted.path && open.files == wanted.files &&
         open.size_px == wanted.size_px && (open.growing || is_as_long);
}

bool names(const scene::SourceSpec& source, const scene::SourceSpec& wanted) {
  return opens_same(source, wanted) ||
         std::ranges::any_of(source.items, [&](const scene::PlaylistItem& item) {
           return opens_same(*item.source, wanted);
         });
}

}  // namespace

SourceCache::Slot& SourceCache::slot_of(const scene::SourcePtr& spec) {
  const auto find = [&](auto&& same) {
    return std::find_if(slots_.begin(), slots_.end(),
                        [&](const Slot& slot) { return same(*slot.spec, *spec); });
  };
  auto found =
      find([](const scene::SourceSpec& a, const scene::SourceSpec& b) { return &a == &b; });
  if (found == slots_.end()) found = find(opens_same);
  const std::scoped_lock lock(mutex_);
  if (found != slots_.end()) {
    found->spec = spec;
    slots_.splice(slots_.begin(), slots_, found);
  } else {
    slots_.push_front({spec, {}, nullptr});
    close_oldest();
  }
  return slots_.front();
}

void SourceCache::want(const scene::SourcePtr& spec) {
  Slot& slot = slot_of(spec);
  if (slot.source || slot.opening.valid()) return;
  slot.opening = std::async(std::launch::async, [open = open_, spec] {
                   return std::shared_ptr<picture::PictureSource>(open(*spec));
                 }).share();
}

picture::PictureSource& SourceCache::get(const scene::SourcePtr& spec) {
  Slot& slot = slot_of(spec);
  if (slot.source) return *slot.source;
  std::shared_ptr<picture::PictureSource> source =
      slot.opening.valid() ? slot.opening.get()
                           : std::shared_ptr<picture::PictureSource>(open_(*spec));
  const std::scoped_lock lock(mutex_);
  slot.source = std::move(source);
  return *slot.source;
}

void SourceCache::close(Slot& slot) {
  if (!slot.source) return;
  add(closed_, slot.source->counters());
  const std::optional<scene::DecoderStatus> decoder = slot.source->decoder_status();
  if (!decoder) return;
  for (const scene::DecoderDeath& death : decoder->deaths) add(closed_deaths_, death);
  if (closed_deaths_.size() > max_closed_deaths)
    closed_deaths_.erase(closed_deaths_.begin(),
                         closed_deaths_.end() - std::ptrdiff_t{max_closed_deaths});
  for (const scene::DecodedMovie& movie : decoder->movies) scene::add_newest(closed_movies_, movie);
  if (closed_movies_.size() > max_closed_movies)
    closed_movies_.erase(closed_movies_.begin(),
                         closed_movies_.end() - std::ptrdiff_t{max_closed_movies});
}

/// @pre mutex_ is held
std::optional<scene::DecoderStatus> SourceCache::decoder_status() const {
  std::optional<scene::DecoderStatus> all;
  for (const Slot& slot : slots_)
    if (slot.source)
      if (auto decoder = slot.source->decoder_status()) add(all, std::move(*decoder));
  if (!all) return all;
  for (const scene::DecoderDeath& death : closed_deaths_) add(all->deaths, death);
  for (const scene::DecodedMovie& movie : closed_movies_) scene::add_newest(all->movies, movie);
  return all;
}

void SourceCache::close_oldest() {
  if (slots_.size() <= max_open) return;
  close(slots_.back());
  slots_.pop_back();
}

void SourceCache::close_volumes_but(const std::vector<scene::SourcePtr>& named) {
  std::list<Slot> closed;  // destroyed after the lock is released, since closing may be slow
  const std::scoped_lock lock(mutex_);
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto here = slot++;
    const bool opens = !here->source && here->opening.valid() &&
                       here->opening.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    if (here->spec->kind != scene::SourceKind::volume || opens ||
        std::ranges::any_of(
            named, [&](const scene::SourcePtr& source) { return names(*source, *here->spec); }))
      continue;
    close(*here);
    closed.splice(closed.end(), slots_, here);
  }
}

void SourceCache::clear() {
  std::list<Slot> closed;
  {
    const std::scoped_lock lock(mutex_);
    for (Slot& slot : slots_) close(slot);
    closed.swap(slots_);
  }
}

DecodeTotals SourceCache::totals() const {
  const std::scoped_lock lock(mutex_);
  DecodeTotals totals = closed_;
  for (const Slot& slot : slots_) {
    if (!slot.source) continue;
    add(totals, slot.source->counters());
    totals.window_bytes += slot.source->counters().window_bytes;
    totals.staged_bytes += slot.source->counters().staged_bytes;
    totals.stage_budget_bytes = std::max<std::uint64_t>(totals.stage_budget_bytes,
                                                        slot.source->counters().stage_budget_bytes);
    if (!totals.volume) totals.volume = slot.source->volume_status();
  }
  totals.decoder = decoder_status();
  const auto newest = std::find_if(slots_.begin(), slots_.end(),
                                   [](const Slot& slot) { return slot.source != nullptr; });
  if (newest != slots_.end()) totals.level = newest->source->counters().level;
  return totals;
}

}  // namespace tilewall::panel
