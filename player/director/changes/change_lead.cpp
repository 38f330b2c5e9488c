#include "player/director/changes/change_lead.hpp"

#include <algorithm>

namespace tilewall::director {
namespace {

// For a panel that has not been measured yet. Its first pictures may share the CPUs with those of
// all other panels.
constexpr Nanos usual_drawing = std::chrono::milliseconds(30);
constexpr Nanos usual_delivery = std::chrono::milliseconds(5);
constexpr int pictures_of_a_change = 2;  // the first picture, and one that was begun before it
constexpr int shrink_divisor = 8;
// Late policy slow: from the last panel's picture until the release is sent.
constexpr Nanos release_time = std::chrono::milliseconds(2);
// Late policy slow: the time to send, receive and present a release, without the network.
constexpr Nanos release_margin = std::chrono::milliseconds(3);

/// The next estimate: it grows to `measured` at once, and shrinks towards it by an eighth.
Nanos followed(std::optional<Nanos> estimate, Nanos measured) {
  if (!estimate || measured >= *estimate) return measured;
  return *estimate - (*estimate - measured) / shrink_divisor;
}

}  // namespace

void ChangeLead::join(std::size_t panel) {
  panels_.at(panel) = {};
  panels_.at(panel).is_there = true;
}

void ChangeLead::set_round_trip(std::size_t panel, Nanos round_trip) {
  panels_.at(panel).round_trip = round_trip;
}

void ChangeLead::set_picture_time(std::size_t panel, Nanos mean) {
  panels_.at(panel).picture_time = mean;
}

void ChangeLead::sent(std::uint64_t epoch, GlobalInstant made,
                      const std::vector<std::size_t>& panels) {
  epoch_ = epoch;
  made_ = made;
  for (PanelNeed& panel : panels_) panel.is_asked = false;
  for (const std::size_t panel : panels) panels_.at(panel).is_asked = true;
}

void ChangeLead::take(std::size_t index, const scene::ChangeDrawn& drawn) {
  PanelNeed& panel = panels_.at(index);
  if (drawn.epoch != epoch_ || !panel.is_asked) return;
  panel.is_asked = false;
  const Nanos received{drawn.received_ns};
  const auto between = [](Nanos from, Nanos to, Nanos most) {
    return std::clamp(to - from, Nanos(0), most);
  };
  panel.delivery = followed(panel.delivery, between(made_.since_epoch, received, longest_delivery));
  panel.drawing =
      followed(panel.drawing, between(received, Nanos(drawn.ready_ns), longest_drawing));
}

void ChangeLead::leave(std::size_t panel) { panels_.at(panel) = {}; }

Nanos ChangeLead::need_of(const PanelNeed& panel, bool released) {
  const Nanos delivery = std::max(panel.delivery.value_or(usual_delivery + panel.round_trip / 2),
                                  panel.round_trip / 2);
  const Nanos drawing = panel.drawing.value_or(
      std::clamp(panel.picture_time * pictures_of_a_change, usual_drawing, longest_drawing));
  return delivery + drawing + (released ? panel.round_trip / 2 + release_time : Nanos(0));
}

Nanos ChangeLead::lead(Use use) const {
  Nanos need{0};
  for (const PanelNeed& panel : panels_)
    if (panel.is_there) need = std::max(need, need_of(panel, use.released));
  if (use.released) need += release_lead();
  return std::max(need + margin, use.has_sound ? shortest_lead_with_sound : shortest_lead);
}

// A release takes half of the round trip. The other half covers a slower delivery.
Nanos ChangeLead::release_lead() const {
  Nanos longest{0};
  for (const PanelNeed& panel : panels_)
    if (panel.is_there) longest = std::max(longest, panel.round_trip);
  return release_margin + std::min(longest, longest_delivery);
}

}  // namespace tilewall::director
