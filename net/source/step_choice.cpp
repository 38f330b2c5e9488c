#include "net/source/step_choice.hpp"

#include <algorithm>

namespace tilewall::net {

std::vector<WantedField> StepChoice::fields_of(std::uint64_t timestep) const {
  std::vector<WantedField> fields;
  for (const auto& [session, one] : wants_) {
    const LiveWant& want = one.want;
    if (want.timestep != timestep) continue;
    const auto known = std::ranges::find(fields, want.field, &WantedField::name);
    if (known == fields.end())
      fields.push_back({want.field, want.quantise});
    else if (known->quantise != want.quantise)
      known->quantise.reset();
  }
  return fields;
}

std::vector<StepChoice::Taker> StepChoice::takers_of(std::uint64_t timestep) const {
  std::vector<Taker> takers;
  for (const auto& [session, one] : wants_)
    if (one.want.timestep == timestep) takers.push_back({session, one.want.field});
  return takers;
}

bool StepChoice::is_behind(const Want& want, std::uint64_t timestep) noexcept {
  if (want.ran_out || want.want.policy == LivePolicy::newest || timestep <= want.want.timestep)
    return false;
  return (timestep - want.want.timestep) % want.want.stride == 0;
}

double StepChoice::wait_s(std::uint64_t timestep) const {
  double longest = 0;
  for (const auto& [session, want] : wants_)
    if (is_behind(want, timestep)) longest = std::max(longest, want.want.wait_s);
  return longest;
}

double StepChoice::patience_s(std::uint64_t timestep) const {
  double longest = 0;
  for (const auto& [session, one] : wants_)
    if (one.want.timestep == timestep && one.want.policy != LivePolicy::newest)
      longest = std::max(longest, one.want.wait_s);
  return longest;
}

void StepChoice::stop_waiting(std::uint64_t timestep) {
  for (auto& [session, want] : wants_)
    if (is_behind(want, timestep)) want.ran_out = true;
}

}  // namespace tilewall::net
