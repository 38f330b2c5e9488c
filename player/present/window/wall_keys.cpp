#include "player/present/window/wall_keys.hpp"

#include <algorithm>
#include <iterator>

namespace tilewall {
namespace {

struct Key {
  SDL_Keycode code;
  OperatorKey meaning;
};

constexpr Key plain_keys[] = {{SDLK_SPACE, OperatorKey::toggle_pause},
                              {SDLK_LEFT, OperatorKey::back},
                              {SDLK_RIGHT, OperatorKey::forward},
                              {SDLK_PAGEUP, OperatorKey::back_far},
                              {SDLK_PAGEDOWN, OperatorKey::forward_far},
                              {SDLK_HOME, OperatorKey::home},
                              {SDLK_END, OperatorKey::end},
                              {SDLK_COMMA, OperatorKey::step_back},
                              {SDLK_PERIOD, OperatorKey::step_forward},
                              {SDLK_LEFTBRACKET, OperatorKey::slower},
                              {SDLK_RIGHTBRACKET, OperatorKey::faster},
                              {SDLK_BACKSPACE, OperatorKey::normal_speed},
                              {SDLK_r, OperatorKey::reverse},
                              {SDLK_l, OperatorKey::toggle_loop},
                              {SDLK_g, OperatorKey::ping_pong},
                              {SDLK_i, OperatorKey::set_in},
                              {SDLK_c, OperatorKey::clear_range},
                              {SDLK_n, OperatorKey::next_item},
                              {SDLK_p, OperatorKey::previous_item},
                              {SDLK_PLUS, OperatorKey::zoom_in},
                              {SDLK_EQUALS, OperatorKey::zoom_in},  // plus without its shift
                              {SDLK_KP_PLUS, OperatorKey::zoom_in},
                              {SDLK_MINUS, OperatorKey::zoom_out},
                              {SDLK_KP_MINUS, OperatorKey::zoom_out},
                              {SDLK_a, OperatorKey::pan_left},
                              {SDLK_d, OperatorKey::pan_right},
                              {SDLK_w, OperatorKey::pan_up},
                              {SDLK_s, OperatorKey::pan_down},
                              {SDLK_z, OperatorKey::view_whole},
                              {SDLK_x, OperatorKey::view_one_to_one},
                              {SDLK_b, OperatorKey::toggle_blank},
                              {SDLK_m, OperatorKey::toggle_mute},
                              {SDLK_9, OperatorKey::volume_down},
                              {SDLK_0, OperatorKey::volume_up},
                              {SDLK_o, OperatorKey::toggle_overlay},
                              {SDLK_q, OperatorKey::quit},
                              {SDLK_ESCAPE, OperatorKey::quit}};

constexpr Key shift_keys[] = {{SDLK_LEFT, OperatorKey::back_far},
                              {SDLK_RIGHT, OperatorKey::forward_far},
                              {SDLK_i, OperatorKey::set_out}};

constexpr Key ctrl_keys[] = {{SDLK_LEFT, OperatorKey::back_far},
                             {SDLK_RIGHT, OperatorKey::forward_far},
                             {SDLK_i, OperatorKey::clear_range}};

constexpr OperatorKey repeating[] = {
    OperatorKey::back,      OperatorKey::forward,   OperatorKey::step_back,
    OperatorKey::zoom_in,   OperatorKey::zoom_out,  OperatorKey::step_forward,
    OperatorKey::pan_left,  OperatorKey::pan_right, OperatorKey::pan_up,
    OperatorKey::volume_up, OperatorKey::pan_down,  OperatorKey::volume_down};

template <std::size_t count>
std::optional<OperatorKey> meaning_in(const Key (&keys)[count], SDL_Keycode code) noexcept {
  const auto* const found = std::find_if(std::begin(keys), std::end(keys),
                                         [&](const Key& key) { return key.code == code; });
  return found == std::end(keys) ? std::nullopt : std::optional(found->meaning);
}

}  // namespace

std::optional<OperatorKey> wall_key(SDL_Keycode key, Uint16 modifiers) noexcept {
  if ((modifiers & (KMOD_ALT | KMOD_GUI)) != 0) return std::nullopt;  // the window manager's
  std::optional<OperatorKey> meaning;
  if ((modifiers & KMOD_CTRL) != 0)
    meaning = meaning_in(ctrl_keys, key);
  else if ((modifiers & KMOD_SHIFT) != 0)
    meaning = meaning_in(shift_keys, key);
  return meaning ? meaning : meaning_in(plain_keys, key);
}

bool repeats(OperatorKey key) noexcept {
  return std::find(std::begin(repeating), std::end(repeating), key) != std::end(repeating);
}

}  // namespace tilewall
