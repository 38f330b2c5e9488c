#include "player/director/arming.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewall::director {
namespace {

bool are_equal_sources(const scene::SourcePtr& one, const scene::SourcePtr& other) {
  return one == other || *one == *other;
}

/// The scene's JSON without its sources, and what the show's course alone decides.
nlohmann::json text_of_armed(scene::Scene scene, const scene::SourcePtr& source) {
  scene.version = 0;
  scene.epoch = 0;
  scene.overlay = {};
  scene.hint.reset();
  scene.progress = {};
  for (scene::Region& region : scene.regions) {
    region.first_stage = scene::holds_volume(*region.source)
                             ? scene::stage_of(region, scene.volume_stage.number)
                             : 0;
    region.source = source;
  }
  scene.volume_stage = {};
  scene::SourceCatalogue sources;
  return to_json(scene, sources);
}

}  // namespace

std::string_view to_string(ArmingState state) noexcept {
  return arming_state_names[static_cast<std::size_t>(state)];
}

bool are_equal(const scene::Scene& one, const scene::Scene& other) {
  const bool are_sources_equal = std::ranges::equal(
      one.regions, other.regions, [](const scene::Region& a, const scene::Region& b) {
        return are_equal_sources(a.source, b.source);
      });
  if (!are_sources_equal) return false;
  if (one.regions.empty()) return true;
  const scene::SourcePtr& source = one.regions.front().source;
  return text_of_armed(one, source) == text_of_armed(other, source);
}

bool Arming::arm(scene::Scene next, GlobalInstant now) {
  if (next_ && are_equal(next_->scene, next)) return false;
  next_ = {++token_, std::move(next)};
  for (auto& [panel, report] : panels_) report.reset();
  since_ = now;
  state_ = state();
  return true;
}

bool Arming::disarm(GlobalInstant now) {
  if (!next_) return false;
  next_.reset();
  for (auto& [panel, report] : panels_) report.reset();
  note_state(now);
  return true;
}

void Arming::join(std::size_t panel, GlobalInstant now) {
  panels_[panel].reset();
  note_state(now);
}

void Arming::leave(std::size_t panel, GlobalInstant now) {
  panels_.erase(panel);
  note_state(now);
}

void Arming::take(std::size_t panel, scene::ArmedReport report, GlobalInstant now) {
  const auto known = panels_.find(panel);
  if (known == panels_.end() || !next_ || report.token != next_->token) return;
  known->second = std::move(report);
  note_state(now);
}

ArmingState Arming::state() const {
  if (!next_) return ArmingState::idle;
  const bool have_all_answered =
      !panels_.empty() &&
      std::ranges::all_of(panels_, [](const auto& panel) { return panel.second.has_value(); });
  if (!have_all_answered) return ArmingState::arming;
  const bool lacks_any = std::ranges::any_of(
      panels_, [](const auto& panel) { return !panel.second->missing.empty(); });
  return lacks_any ? ArmingState::amber : ArmingState::armed;
}

void Arming::note_state(GlobalInstant now) {
  const ArmingState state = this->state();
  if (std::exchange(state_, state) != state) since_ = now;
}

ArmingStatus Arming::status() const {
  ArmingStatus status{state_, next_ ? next_->token : 0, since_, {}};
  if (!next_) return status;
  for (const auto& [panel, report] : panels_)
    if (!report || !report->missing.empty())
      status.panels.push_back({panel, report ? report->missing : std::vector<std::string>()});
  return status;
}

ArmingDesk::ArmingDesk(const Roster& roster, ScenePublisher& publisher,
                       std::function<GlobalInstant()> now)
    : roster_(roster),
      publisher_(publisher),
      now_(std::move(now)),
      arming_(static_cast<std::uint64_t>(local_now().since_epoch.count())) {}

void ArmingDesk::arm(scene::Scene next) {
  if (!arming_.arm(std::move(next), now_())) return;
  publisher_.set_next(arming_.next());
  publisher_.send_next(roster_.connections());
}

void ArmingDesk::disarm() {
  if (!arming_.disarm(now_())) return;
  publisher_.set_next(std::nullopt);
  publisher_.send_next(roster_.connections());
}

void ArmingDesk::greet(ConnectionId connection, std::size_t panel) {
  arming_.join(panel, now_());
  publisher_.send_next({&connection, 1});
}

void ArmingDesk::take(std::size_t panel, const nlohmann::json& report) {
  arming_.take(panel, scene::armed_from_json(report), now_());
}

}  // namespace tilewall::director
