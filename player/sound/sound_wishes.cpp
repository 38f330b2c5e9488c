#include "player/sound/sound_wishes.hpp"

#include <algorithm>

#include "sync/saturating.hpp"

namespace tilewall {
namespace {

using namespace std::chrono_literals;

constexpr int most_pieces = 64;
constexpr Nanos beginning_length = 1s;
constexpr double margin_s = 0.1;  // filters, fades and device buffers reach beyond a piece

void add(std::vector<SoundWish>& wishes, const SoundPiece& piece, GlobalInstant from,
         GlobalInstant until) {
  if (!piece.audible()) return;
  wishes.push_back({piece.file, piece.due_s(from) - margin_s * piece.speed,
                    piece.due_s(until) + margin_s * piece.speed});
}

}  // namespace

std::vector<SoundWish> sound_wishes(const SoundPlan& plan, GlobalInstant now, Nanos ahead) {
  std::vector<SoundWish> wishes;
  const GlobalInstant horizon = now + ahead;
  GlobalInstant at = now;
  for (int i = 0; i < most_pieces && at < horizon; ++i) {
    const SoundPiece piece = plan.piece_at(at);
    add(wishes, piece, at, std::min(piece.until, horizon));
    at = piece.until;
  }
  for (const GlobalInstant start : plan.starts_after(horizon)) {
    const SoundPiece piece = plan.piece_at(start);
    const GlobalInstant end{saturating_add(start.since_epoch, beginning_length)};
    add(wishes, piece, start, std::min(piece.until, end));
  }
  return wishes;
}

}  // namespace tilewall
