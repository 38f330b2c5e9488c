#include "player/movie/shared/picture_pin.hpp"

#include <algorithm>
#include <iterator>

#include "sync/global_time.hpp"

namespace tilewall::movie {
namespace {

bool holds(const MovieSlot& slot, std::int64_t frame) noexcept {
  const std::int64_t first = slot.first.load();
  return first >= 0 && frame >= first && frame < slot.end.load();
}

}  // namespace

void set_request(const MovieMemory& memory, MovieSeat& seat, std::int64_t frame, int direction,
                 RequestKind kind) noexcept {
  seat.direction.store(direction, std::memory_order_relaxed);
  seat.wanted.store(frame);
  const bool waiting = kind != RequestKind::next;
  if (waiting) seat.catches_up.store(kind == RequestKind::newest ? 1 : 0);
  seat.waiting_since_ns.store(waiting ? local_now().since_epoch.count() : 0);
  if (waiting) wake_decoder(memory.page());
}

void end_wait(MovieSeat& seat) noexcept { seat.waiting_since_ns.store(0); }

void withdraw_request(MovieSeat& seat) noexcept {
  seat.wanted.store(no_frame);
  end_wait(seat);
}

std::optional<PicturePin> try_pin(const MovieMemory& memory, MovieSeat& seat,
                                  std::int64_t frame) noexcept {
  const MoviePage& page = memory.page();
  for (int i = 0; i < max_movie_slots; ++i) {
    const MovieSlot& slot = page.slots[i];
    if (!holds(slot, frame)) continue;
    seat.reading.store(i);
    // Either the writer sees the mark above and leaves the slot alone, or this second look sees
    // that the writer was faster and has emptied the slot.
    if (holds(slot, frame)) {
      // A broken decoder could change the numbers after a check in place, hence the copy.
      const SharedPicture copy = slot.picture;
      auto picture = checked_picture(copy, memory.slot(i, page.slot_bytes.load()));
      // In its first frame even such a picture is the right one.
      if (picture) picture->repeats_lost = picture->repeats_lost && frame > slot.first.load();
      if (picture) return std::optional<PicturePin>(std::in_place, seat, *picture);
    }
    seat.reading.store(-1);
  }
  return std::nullopt;
}

std::vector<picture::ReadyPicture> ready_pictures(const MoviePage& page) {
  std::vector<picture::ReadyPicture> ready;
  const std::int64_t now_ns = local_now().since_epoch.count();
  for (const MovieSlot& slot : page.slots) {
    const std::int64_t first = slot.first.load();
    // A broken decoder may have written any instant.
    const picture::ReadyPicture picture = {
        first, slot.end.load(), {Nanos(std::clamp<std::int64_t>(slot.since_ns.load(), 0, now_ns))}};
    if (first >= 0 && slot.first.load() == first) ready.push_back(picture);
  }
  return ready;
}

bool is_out_of_reach(const MoviePage& page, std::int64_t frame) noexcept {
  const MoviePhase phase = page.phase.load();
  const std::int64_t end = page.end_frame.load();
  return phase == MoviePhase::lost || phase == MoviePhase::refused || (end > 0 && frame >= end) ||
         page.failed.contains(frame) || page.crash_zone.contains(frame);
}

bool anyone_waits(const MoviePage& page) noexcept {
  return std::any_of(std::begin(page.seats), std::end(page.seats), [&](const MovieSeat& seat) {
    const std::int64_t frame = seat.wanted.load();
    if (seat.waiting_since_ns.load() == 0 || frame < 0 || is_out_of_reach(page, frame))
      return false;
    return std::none_of(std::begin(page.slots), std::end(page.slots),
                        [&](const MovieSlot& slot) { return holds(slot, frame); });
  });
}

}  // namespace tilewall::movie
