// The meaning of the keyboard's keys on a wall.
#pragma once

#include <SDL.h>

#include <optional>

#include "player/present/operator_input.hpp"

namespace tilewall::present {

/// The operator key for a key of the keyboard; empty where it has no meaning. `modifiers` are SDL's
/// KMOD_ bits.
[[nodiscard]] std::optional<OperatorKey> wall_key(SDL_Keycode key, Uint16 modifiers) noexcept;

/// Whether a key that is held down repeats.
[[nodiscard]] bool repeats(OperatorKey key) noexcept;

/// The operator key of an event SDL_KEYDOWN; empty for one without a meaning, and for a repetition
/// of a key that does not repeat.
[[nodiscard]] std::optional<OperatorKey> pressed_key(const SDL_KeyboardEvent& event) noexcept;

}  // namespace tilewall::present
