#include "player/terminal/terminal_keys.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "player/present/keys/wall_keys.hpp"

namespace tilewall::terminal {
namespace {

constexpr char escape = '\033';
constexpr std::size_t longest_sequence = 16;

struct Typed {
  SDL_Keycode code = SDLK_UNKNOWN;
  unsigned modifiers = 0;
};

struct Final {
  char letter;
  SDL_Keycode code;
};
// ESC [ LETTER, ESC O LETTER, ESC [ 1 ; MODIFIERS LETTER
constexpr Final finals[] = {{'C', SDLK_RIGHT}, {'D', SDLK_LEFT}, {'H', SDLK_HOME}, {'F', SDLK_END},
                            {'P', SDLK_F1},    {'Q', SDLK_F2},   {'R', SDLK_F3},   {'S', SDLK_F4}};

struct Numbered {
  int number;
  SDL_Keycode code;
};
// ESC [ NUMBER ~, ESC [ NUMBER ; MODIFIERS ~
constexpr Numbered numbered[] = {
    {1, SDLK_HOME}, {4, SDLK_END}, {5, SDLK_PAGEUP}, {6, SDLK_PAGEDOWN}, {7, SDLK_HOME},
    {8, SDLK_END},  {11, SDLK_F1}, {12, SDLK_F2},    {13, SDLK_F3},      {14, SDLK_F4},
    {15, SDLK_F5},  {17, SDLK_F6}, {18, SDLK_F7},    {19, SDLK_F8}};

/// xterm's parameter: 1 plus 1 for shift, 2 for alt, 4 for control, 8 for meta.
unsigned modifiers_of(int parameter) {
  const unsigned bits = parameter > 1 ? static_cast<unsigned>(parameter - 1) : 0;
  int modifiers = KMOD_NONE;
  if ((bits & 1) != 0) modifiers |= KMOD_SHIFT;
  if ((bits & 2) != 0) modifiers |= KMOD_ALT;
  if ((bits & 4) != 0) modifiers |= KMOD_CTRL;
  if ((bits & 8) != 0) modifiers |= KMOD_GUI;
  return static_cast<unsigned>(modifiers);
}

/// Up to two numbers of a text such as "1;5"; a missing one is 1.
std::pair<int, int> parameters_of(std::string_view text) {
  int numbers[2] = {1, 1};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int& number : numbers) {
    at = std::from_chars(at, end, number).ptr;
    if (at == end || *at != ';') break;
    ++at;
  }
  return {numbers[0], numbers[1]};
}

/// The key of a whole sequence after its ESC, such as "[1;2C" or "OP". Empty where the wall has no
/// such key.
std::optional<Typed> key_of_sequence(std::string_view sequence) {
  const char last = sequence.back();
  const auto [number, modifiers] = parameters_of(sequence.substr(1, sequence.size() - 2));
  if (last == '~') {
    const auto* const found =
        std::find_if(std::begin(numbered), std::end(numbered),
                     [number = number](const Numbered& one) { return one.number == number; });
    if (found == std::end(numbered)) return std::nullopt;
    return Typed{found->code, modifiers_of(modifiers)};
  }
  const auto* const found = std::find_if(std::begin(finals), std::end(finals),
                                         [&](const Final& one) { return one.letter == last; });
  if (found == std::end(finals)) return std::nullopt;
  return Typed{found->code, modifiers_of(modifiers)};
}

/// Length of the sequence at the begin of `text`, which begins with ESC. 0: the sequence is not
/// complete yet. 1: ESC is not followed by a sequence.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == 'O') return text.size() < 3 ? 0 : 3;
  if (text[1] != '[') return 1;
  for (std::size_t at = 2; at < text.size(); ++at) {
    if (text[at] >= '@' && text[at] <= '~') return at + 1;
    if (at >= longest_sequence || text[at] < ' ') return 1;
  }
  return 0;
}

Typed key_of_byte(char c) {
  if (c >= 'A' && c <= 'Z') return {c - 'A' + 'a', KMOD_SHIFT};
  if (c == '\t') return {SDLK_i, KMOD_CTRL};  // terminals send the same byte for tab and ctrl+i
  if (c == 0x7f || c == '\b') return {SDLK_BACKSPACE, 0};
  return {static_cast<unsigned char>(c), 0};
}

}  // namespace

std::vector<present::OperatorKey> TerminalKeys::take(std::string_view bytes, Instant now) {
  if (waiting_.empty()) since_ = now;
  waiting_ += bytes;
  return parse();
}

std::vector<present::OperatorKey> TerminalKeys::settle(Instant now) {
  if (waiting_.empty() || now < since_ + escape_wait) return {};
  const bool lone = waiting_.size() == 1;
  waiting_.clear();  // drop a sequence whose rest did not come
  return lone ? std::vector{present::OperatorKey::quit} : std::vector<present::OperatorKey>{};
}

std::vector<present::OperatorKey> TerminalKeys::parse() {
  std::vector<present::OperatorKey> keys;
  const auto add = [&](const Typed& typed) {
    const auto key = present::wall_key(typed.code, static_cast<Uint16>(typed.modifiers));
    if (key) keys.push_back(*key);
  };
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    if (rest.front() != escape) {
      add(key_of_byte(rest.front()));
      rest.remove_prefix(1);
      continue;
    }
    if (rest.size() > 1 && rest[1] == escape) {
      keys.push_back(present::OperatorKey::quit);  // Escape twice
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t length = sequence_length(rest);
    if (length == 0) break;
    if (length > 1) {
      if (const auto typed = key_of_sequence(rest.substr(1, length - 1))) add(*typed);
      rest.remove_prefix(length);
    } else {
      // Alt with a key has no meaning here.
      rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
    }
  }
  waiting_.erase(0, waiting_.size() - rest.size());
  return keys;
}

}  // namespace tilewall::terminal
