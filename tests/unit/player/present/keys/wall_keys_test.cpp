// What keys mean at the wall, as OPERATING.md lists them.

#include "player/present/keys/wall_keys.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tilewall::present;

namespace {

struct Meaning {
  SDL_Keycode code;
  OperatorKey key;
};

const std::vector<Meaning> meanings = {{SDLK_SPACE, OperatorKey::toggle_pause},
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
                                       {SDLK_r, OperatorKey::reverse},
                                       {SDLK_l, OperatorKey::toggle_loop},
                                       {SDLK_g, OperatorKey::ping_pong},
                                       {SDLK_n, OperatorKey::next_item},
                                       {SDLK_p, OperatorKey::previous_item},
                                       {SDLK_KP_PLUS, OperatorKey::zoom_in},
                                       {SDLK_KP_MINUS, OperatorKey::zoom_out},
                                       {SDLK_d, OperatorKey::pan_right},
                                       {SDLK_w, OperatorKey::pan_up},
                                       {SDLK_s, OperatorKey::pan_down},
                                       {SDLK_x, OperatorKey::view_one_to_one},
                                       {SDLK_b, OperatorKey::toggle_blank},
                                       {SDLK_m, OperatorKey::toggle_mute},
                                       {SDLK_9, OperatorKey::volume_down},
                                       {SDLK_0, OperatorKey::volume_up},
                                       {SDLK_o, OperatorKey::toggle_overlay},
                                       {SDLK_y, OperatorKey::toggle_hints},
                                       {SDLK_f, OperatorKey::toggle_freeze},
                                       {SDLK_KP_ENTER, OperatorKey::enter},
                                       {SDLK_h, OperatorKey::toggle_lit},
                                       {SDLK_k, OperatorKey::toggle_annotations},
                                       {SDLK_5, OperatorKey::fainter},
                                       {SDLK_6, OperatorKey::denser},
                                       {SDLK_7, OperatorKey::lower_iso},
                                       {SDLK_8, OperatorKey::higher_iso},
                                       {SDLK_e, OperatorKey::add_keyframe},
                                       {SDLK_ESCAPE, OperatorKey::quit}};

}  // namespace

TEST_CASE("a key without a modifier has the meaning of the list", "[present]") {
  for (const auto& [code, key] : meanings) {
    CAPTURE(code);
    CHECK(wall_key(code, KMOD_NONE) == key);
    CHECK(wall_key(code, KMOD_NUM) == key);  // the lock of the number block is none
    CHECK_FALSE(wall_key(code, KMOD_LALT));
    CHECK_FALSE(wall_key(code, KMOD_RGUI));
    CHECK_FALSE(wall_key(code, static_cast<Uint16>(KMOD_LALT | KMOD_LSHIFT)));
  }
  CHECK_FALSE(wall_key(SDLK_u, KMOD_NONE));
  CHECK_FALSE(wall_key(SDLK_UP, KMOD_NONE));
}

TEST_CASE("shift and control change the meaning of some keys", "[present]") {
  CHECK(wall_key(SDLK_LEFT, KMOD_RSHIFT) == OperatorKey::back_far);
  CHECK(wall_key(SDLK_i, KMOD_LSHIFT) == OperatorKey::set_out);
  CHECK(wall_key(SDLK_d, KMOD_LSHIFT) == OperatorKey::slide_right);
  CHECK(wall_key(SDLK_w, KMOD_LSHIFT) == OperatorKey::slide_up);
  CHECK(wall_key(SDLK_s, KMOD_LSHIFT) == OperatorKey::slide_down);
  CHECK(wall_key(SDLK_t, KMOD_LSHIFT) == OperatorKey::previous_transfer);
  CHECK(wall_key(SDLK_v, KMOD_LSHIFT) == OperatorKey::previous_mode);
  CHECK(wall_key(SDLK_F6, KMOD_LSHIFT) == OperatorKey::uncut_z_max);
  CHECK(wall_key(SDLK_e, KMOD_LSHIFT) == OperatorKey::remove_keyframe);
  CHECK(wall_key(SDLK_RIGHT, KMOD_LCTRL) == OperatorKey::forward_far);
  CHECK(wall_key(SDLK_i, KMOD_RCTRL) == OperatorKey::clear_range);
  // Control goes before shift, and keys that neither changes mean the same with them.
  CHECK(wall_key(SDLK_i, static_cast<Uint16>(KMOD_LCTRL | KMOD_LSHIFT)) ==
        OperatorKey::clear_range);
  CHECK(wall_key(SDLK_b, KMOD_LSHIFT) == OperatorKey::toggle_blank);
  CHECK(wall_key(SDLK_b, KMOD_LCTRL) == OperatorKey::toggle_blank);
}

TEST_CASE("keys that move and adjust repeat while they are held", "[present]") {
  for (const OperatorKey key :
       {OperatorKey::back, OperatorKey::forward, OperatorKey::step_back, OperatorKey::step_forward,
        OperatorKey::zoom_in, OperatorKey::zoom_out, OperatorKey::pan_left, OperatorKey::pan_down,
        OperatorKey::slide_up, OperatorKey::volume_up, OperatorKey::volume_down,
        OperatorKey::less_contrast, OperatorKey::brighter, OperatorKey::denser,
        OperatorKey::higher_iso, OperatorKey::cut_x_min, OperatorKey::uncut_z_max})
    CHECK(repeats(key));
  for (const OperatorKey key :
       {OperatorKey::toggle_pause, OperatorKey::quit, OperatorKey::next_item, OperatorKey::reverse,
        OperatorKey::toggle_blank, OperatorKey::enter, OperatorKey::add_keyframe,
        OperatorKey::back_far})
    CHECK_FALSE(repeats(key));
}

TEST_CASE("a key that is held is pressed again only where it repeats", "[present]") {
  const auto pressed = [](SDL_Keycode code, Uint16 modifiers, Uint8 repeat) {
    SDL_KeyboardEvent event = {};
    event.keysym.sym = code;
    event.keysym.mod = modifiers;
    event.repeat = repeat;
    return pressed_key(event);
  };
  CHECK(pressed(SDLK_LEFT, KMOD_NONE, 0) == OperatorKey::back);
  CHECK(pressed(SDLK_LEFT, KMOD_NONE, 1) == OperatorKey::back);
  CHECK(pressed(SDLK_LEFT, KMOD_LSHIFT, 0) == OperatorKey::back_far);
  CHECK_FALSE(pressed(SDLK_LEFT, KMOD_LSHIFT, 1));
  CHECK(pressed(SDLK_SPACE, KMOD_NONE, 0) == OperatorKey::toggle_pause);
  CHECK_FALSE(pressed(SDLK_SPACE, KMOD_NONE, 1));
  CHECK_FALSE(pressed(SDLK_UP, KMOD_NONE, 0));
}
