// What the keyboard's keys mean on a wall.
#pragma once

#include <SDL.h>

#include <optional>

#include "player/present/operator_input.hpp"

namespace tilewall::present {

/// Empty for keys that mean nothing. `modifiers` are SDL's KMOD_ bits.
[[nodiscard]] std::optional<OperatorKey> wall_key(SDL_Keycode key, Uint16 modifiers) noexcept;

/// Whether holding the key down is pressing it again and again.
[[nodiscard]] bool repeats(OperatorKey key) noexcept;

}  // namespace tilewall::present
