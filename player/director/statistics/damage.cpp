#include "player/director/statistics/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace tilewall::director {
namespace {

/// One kind of damage: its key in reports, and its words for people.
struct DamageKind {
  std::int64_t DamageSummary::*count;
  const char* key;
  const char* one;
  const char* several;
};

constexpr std::array<DamageKind, 7> damage_kinds = {{
    {&DamageSummary::frames_missing, "frames_missing", "frame missing", "frames missing"},
    {&DamageSummary::frames_damaged, "frames_damaged", "frame damaged", "frames damaged"},
    {&DamageSummary::frames_repeated, "frames_repeated", "frame repeated", "frames repeated"},
    {&DamageSummary::frames_black, "frames_black", "frame black", "frames black"},
    {&DamageSummary::damaged_blocks, "damaged_blocks", "damaged block", "damaged blocks"},
    {&DamageSummary::decoder_deaths, "decoder_deaths", "decoder death", "decoder deaths"},
    {&DamageSummary::panels_black, "panels_black", "panel stayed black", "panels stayed black"},
}};

}  // namespace

bool DamageSummary::any() const noexcept {
  return std::ranges::any_of(damage_kinds,
                             [this](const DamageKind& kind) { return this->*kind.count > 0; });
}

DamageSummary damage_of(const ShowLedger& ledger, const std::vector<PanelState>& panels,
                        const std::vector<Restart>& restarts, bool all_reported) {
  const auto frames = [&](scene::FrameDamage kind) {
    return ledger.damaged_frames()[static_cast<std::size_t>(kind)];
  };
  DamageSummary damage;
  damage.frames_missing = frames(scene::FrameDamage::missing);
  damage.frames_damaged = frames(scene::FrameDamage::blocks);
  damage.frames_repeated = frames(scene::FrameDamage::repeated);
  damage.frames_black = frames(scene::FrameDamage::black);
  for (const PanelState& panel : panels)
    damage.damaged_blocks +=
        static_cast<std::int64_t>(panel.damaged_blocks_before + panel.totals.damaged_blocks);
  damage.decoder_deaths = std::ranges::count(restarts, "decoder", &Restart::role);
  damage.panels_black = ledger.panels_black(all_reported);
  return damage;
}

nlohmann::json to_json(const DamageSummary& damage) {
  nlohmann::json json = nlohmann::json::object();
  for (const DamageKind& kind : damage_kinds) json[kind.key] = damage.*kind.count;
  return json;
}

DamageSummary damage_from_json(const nlohmann::json& json) {
  DamageSummary damage;
  if (!json.is_object()) return damage;
  for (const DamageKind& kind : damage_kinds) {
    const auto found = json.find(kind.key);
    if (found != json.end() && found->is_number_integer())
      damage.*kind.count = found->get<std::int64_t>();
  }
  return damage;
}

std::string to_string(const DamageSummary& damage) {
  std::string text;
  for (const DamageKind& kind : damage_kinds) {
    const std::int64_t count = damage.*kind.count;
    // The blocks of missing or repeated frames are counted as frames already.
    const bool says_more =
        kind.count != &DamageSummary::damaged_blocks || damage.frames_damaged > 0;
    if (count <= 0 || !says_more) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                        count == 1 ? kind.one : kind.several);
  }
  return text;
}

}  // namespace tilewall::director
