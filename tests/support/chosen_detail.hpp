// What a store of timesteps chooses once it knows what it asks for first.
#pragma once

#include <optional>

#include "player/volume/caster/timestep_store.hpp"
#include "tests/support/eventually.hpp"

namespace tilewall::test {

/// Empty too where it never knows.
inline std::optional<DetailChoice> chosen_detail(TimestepStore& store, std::int64_t timestep,
                                                 const SeenPart& seen, const ShownLook& look) {
  TimestepStore::Choice choice;
  const bool known = eventually([&] {
    choice = store.choose(timestep, seen, look);
    if (choice.lacks) store.want_cells(timestep, *choice.lacks);
    return !choice.lacks;
  });
  return known ? choice.detail : std::nullopt;
}

}  // namespace tilewall::test
