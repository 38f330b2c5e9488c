#include "player/present/keys/wall_keys.hpp"

#include <algorithm>
#include <iterator>

namespace tilewall::present {
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
                              {SDLK_EQUALS, OperatorKey::zoom_in},  // plus typed without shift
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
                              {SDLK_y, OperatorKey::toggle_hints},
                              {SDLK_f, OperatorKey::toggle_freeze},
                              {SDLK_RETURN, OperatorKey::enter},
                              {SDLK_KP_ENTER, OperatorKey::enter},
                              {SDLK_t, OperatorKey::next_transfer},
                              {SDLK_v, OperatorKey::next_mode},
                              {SDLK_h, OperatorKey::toggle_lit},
                              {SDLK_k, OperatorKey::toggle_annotations},
                              {SDLK_1, OperatorKey::less_contrast},  // keys 1 to 4 as in mpv
                              {SDLK_2, OperatorKey::more_contrast},
                              {SDLK_3, OperatorKey::darker},
                              {SDLK_4, OperatorKey::brighter},
                              {SDLK_5, OperatorKey::fainter},
                              {SDLK_6, OperatorKey::denser},
                              {SDLK_7, OperatorKey::lower_iso},
                              {SDLK_8, OperatorKey::higher_iso},
                              {SDLK_F1, OperatorKey::cut_x_min},
                              {SDLK_F2, OperatorKey::cut_x_max},
                              {SDLK_F3, OperatorKey::cut_y_min},
                              {SDLK_F4, OperatorKey::cut_y_max},
                              {SDLK_F5, OperatorKey::cut_z_min},
                              {SDLK_F6, OperatorKey::cut_z_max},
                              {SDLK_F7, OperatorKey::uncut_all},
                              {SDLK_F8, OperatorKey::reset_style},
                              {SDLK_e, OperatorKey::add_keyframe},
                              {SDLK_q, OperatorKey::quit},
                              {SDLK_ESCAPE, OperatorKey::quit}};

constexpr Key shift_keys[] = {
    {SDLK_LEFT, OperatorKey::back_far},   {SDLK_RIGHT, OperatorKey::forward_far},
    {SDLK_i, OperatorKey::set_out},       {SDLK_a, OperatorKey::slide_left},
    {SDLK_d, OperatorKey::slide_right},   {SDLK_w, OperatorKey::slide_up},
    {SDLK_s, OperatorKey::slide_down},    {SDLK_t, OperatorKey::previous_transfer},
    {SDLK_v, OperatorKey::previous_mode}, {SDLK_F1, OperatorKey::uncut_x_min},
    {SDLK_F2, OperatorKey::uncut_x_max},  {SDLK_F3, OperatorKey::uncut_y_min},
    {SDLK_F4, OperatorKey::uncut_y_max},  {SDLK_F5, OperatorKey::uncut_z_min},
    {SDLK_F6, OperatorKey::uncut_z_max},  {SDLK_e, OperatorKey::remove_keyframe}};

constexpr Key ctrl_keys[] = {{SDLK_LEFT, OperatorKey::back_far},
                             {SDLK_RIGHT, OperatorKey::forward_far},
                             {SDLK_i, OperatorKey::clear_range}};

constexpr OperatorKey repeating[] = {
    OperatorKey::back,        OperatorKey::forward,       OperatorKey::step_back,
    OperatorKey::zoom_in,     OperatorKey::zoom_out,      OperatorKey::step_forward,
    OperatorKey::pan_left,    OperatorKey::pan_right,     OperatorKey::pan_up,
    OperatorKey::volume_up,   OperatorKey::pan_down,      OperatorKey::volume_down,
    OperatorKey::slide_left,  OperatorKey::slide_right,   OperatorKey::slide_up,
    OperatorKey::slide_down,  OperatorKey::less_contrast, OperatorKey::more_contrast,
    OperatorKey::darker,      OperatorKey::brighter,      OperatorKey::fainter,
    OperatorKey::denser,      OperatorKey::lower_iso,     OperatorKey::higher_iso,
    OperatorKey::cut_x_min,   OperatorKey::cut_x_max,     OperatorKey::cut_y_min,
    OperatorKey::cut_y_max,   OperatorKey::cut_z_min,     OperatorKey::cut_z_max,
    OperatorKey::uncut_x_min, OperatorKey::uncut_x_max,   OperatorKey::uncut_y_min,
    OperatorKey::uncut_y_max, OperatorKey::uncut_z_min,   OperatorKey::uncut_z_max};

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

std::optional<OperatorKey> pressed_key(const SDL_KeyboardEvent& event) noexcept {
  const auto key = wall_key(event.keysym.sym, event.keysym.mod);
  return key && (event.repeat == 0 || repeats(*key)) ? key : std::nullopt;
}

}  // namespace tilewall::present
