#include "player/movie/decoder/slot_writer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {
namespace {

// Pictures that a panel has drawn ahead: as many as its ring holds (PictureRing). So a panel that
// starts last also finds the first picture, while the others have filled their rings.
constexpr int most_drawn_ahead = 8;
constexpr std::chrono::seconds drawing_limit{1};  // panels hold a picture for far less

FrameReach reach_of(const MovieSlot& slot) noexcept {
  return {std::min(slot.first.load(), most_frames), bounded_frame(slot.end.load())};
}

struct Candidate {
  int slot = 0;
  FrameReach reach;
  std::int64_t distance = 0;
  std::pair<std::int64_t, std::int64_t> turn;  // the least is overwritten first
};

/// So many pictures behind each panel are kept.
int kept_behind(int slots) noexcept { return std::min(most_drawn_ahead, slots / 4); }

bool any_catches_up(std::span<const FrameRequest> requests) {
  return std::any_of(requests.begin(), requests.end(),
                     [](const FrameRequest& request) { return request.catches_up; });
}

}  // namespace

std::vector<FrameRequest> requests_on(const MoviePage& page, std::int64_t frames) {
  std::vector<FrameRequest> requests;
  const int slots = page.slot_count.load();
  const int kept = kept_behind(slots);
  for (const MovieSeat& seat : page.seats) {
    const std::int64_t wanted = std::min(seat.wanted.load(), most_frames);
    if (wanted < 0) continue;
    const bool beyond_end = frames > 0 && wanted >= frames;
    requests.push_back({beyond_end ? wanted % frames : wanted, seat.direction.load() < 0 ? -1 : 1,
                        seat.waiting_since_ns.load(), seat.catches_up.load() != 0, kept,
                        slots - kept});
  }
  return requests;
}

SlotWriter::SlotWriter(const MovieMemory& memory, std::size_t slot_bytes)
    : memory_(memory), page_(memory.page()), slot_bytes_(slot_bytes) {
  const std::size_t fitting = memory.slots_bytes() / slot_bytes;
  if (fitting < min_movie_slots)
    throw JobError(
        fmt::format("the movie's memory does not hold {} pictures of {} MB: import the movie",
                    min_movie_slots, slot_bytes / 1'000'000));
  slots_ = static_cast<int>(std::min<std::size_t>(fitting, most_slots));
  if (page_.slot_bytes.load() != slot_bytes) empty_all();
  page_.slot_bytes.store(slot_bytes);
  page_.slot_count.store(slots_);
}

void SlotWriter::empty_all() {
  for (MovieSlot& slot : page_.slots) slot.first.store(no_frame);
  const LocalInstant until = local_now() + drawing_limit;
  while (any_is_read()) {
    if (local_now() > until)
      throw JobError("slots cannot be emptied: a panel has read one for over a second");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<FrameReach> SlotWriter::held() const {
  std::vector<FrameReach> held;
  for (int i = 0; i < slots_; ++i)
    if (const FrameReach reach = reach_of(page_.slots[i]); reach.first >= 0) held.push_back(reach);
  return held;
}

bool SlotWriter::is_read(int slot) const noexcept {
  return std::any_of(std::begin(page_.seats), std::end(page_.seats),
                     [&](const MovieSeat& seat) { return seat.reading.load() == slot; });
}

bool SlotWriter::any_is_read() const noexcept {
  return std::any_of(std::begin(page_.seats), std::end(page_.seats),
                     [](const MovieSeat& seat) { return seat.reading.load() >= 0; });
}

bool SlotWriter::has_room(std::int64_t distance, std::span<const FrameRequest> requests,
                          std::int64_t frames) const {
  for (int i = 0; i < slots_; ++i) {
    const FrameReach reach = reach_of(page_.slots[i]);
    if ((reach.first < 0 || distance_of(reach, requests, frames) > distance) && !is_read(i))
      return true;
  }
  return false;
}

std::optional<int> SlotWriter::acquire(std::int64_t distance,
                                       std::span<const FrameRequest> requests,
                                       std::int64_t frames) {
  const bool shown_late = any_catches_up(requests);
  std::vector<Candidate> candidates;
  for (int i = 0; i < slots_; ++i) {
    const FrameReach reach = reach_of(page_.slots[i]);
    if (reach.first < 0) {
      if (!is_read(i)) return i;
      continue;
    }
    const std::int64_t held_distance = distance_of(reach, requests, frames);
    const std::int64_t since_ns = page_.slots[i].since_ns.load();
    // The picture that is wanted last is overwritten first. Of several such pictures it is the
    // newest: caches still hold its slot, and in a loop it is wanted last, which saved a loop of 75
    // pictures 12 % of its decodes. Panels that show late pictures need the newest of them, though.
    // There the pictures that nobody wants soon count alike, and the oldest goes first.
    const std::int64_t nearness = -std::min<std::int64_t>(held_distance, slots_ + 1);
    if (held_distance > distance)
      candidates.push_back(
          {i, reach, held_distance,
           shown_late ? std::pair(nearness, since_ns) : std::pair(-held_distance, -since_ns)});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.turn < b.turn; });
  for (const Candidate& candidate : candidates) {
    MovieSlot& slot = page_.slots[candidate.slot];
    slot.first.store(no_frame);
    // `requests` are older than the store above. A panel that has chosen this picture since then
    // (reserve(), then a look at the slots) finds the slot empty, or its request is seen here.
    // Without this second look, a joining panel made the decoder go back to the key picture.
    const int ahead = slots_ - kept_behind(slots_);  // nearer ones are drawn soon
    const bool is_wanted = candidate.distance >= ahead &&
                           distance_of(candidate.reach, requests_on(page_, frames), frames) < ahead;
    if (!is_wanted && !is_read(candidate.slot)) return candidate.slot;
    slot.first.store(candidate.reach.first);  // a panel was faster; the picture is still whole
  }
  return std::nullopt;
}

void SlotWriter::publish(int slot, const SharedPicture& picture,
                         const FrameReach& frames) noexcept {
  MovieSlot& to = page_.slots[slot];
  to.picture = picture;
  to.end.store(frames.end);
  to.since_ns.store(local_now().since_epoch.count());
  to.first.store(frames.first);  // last: readers look at it first
  wake_panels(page_);
}

}  // namespace tilewall::movie
