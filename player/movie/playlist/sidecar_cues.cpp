#include "player/movie/playlist/sidecar_cues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "player/movie/playlist/list_formats.hpp"

namespace tilewall::movie {
namespace {

constexpr std::string_view begin_word = "BEGINCUE";
constexpr std::string_view end_word = "ENDCUE";
constexpr double min_rate_fps = 0.2;  // Sidecar's own limit
constexpr double max_rate_fps = 1000;

// Keys whose value is text and may hold blanks.
constexpr std::string_view text_keys[] = {"CueName", "LoadMovie"};

struct NumberKey {
  std::string_view name;
  bool followed;  // the key has an effect here
  double plain;   // the default value of an ignored key, which needs no note
};
constexpr NumberKey number_keys[] = {
    {"Play", true, 0},         {"Loop", true, 0},          {"CurrentFrame", true, 0},
    {"StartFrame", true, 0},   {"EndFrame", true, 0},      {"Rate", true, 0},
    {"Backward", false, 0},    {"PingPong", false, 0},     {"Controls", false, 0},
    {"WindowWidth", false, 0}, {"WindowHeight", false, 0}, {"WindowX", false, 0},
    {"WindowY", false, 0},     {"FrameWidth", false, 0},   {"FrameHeight", false, 0},
    {"FrameX", false, 0},      {"FrameY", false, 0},       {"FullScreen", false, 1},
    {"ZoomOne", false, 0},     {"ImageX", false, 0},       {"ImageY", false, 0},
    {"LOD", false, 0},         {"Zoom", false, 1}};

bool is_text_key(std::string_view key) noexcept {
  return std::find(std::begin(text_keys), std::end(text_keys), key) != std::end(text_keys);
}

const NumberKey* number_key(std::string_view key) noexcept {
  const auto* const found = std::find_if(std::begin(number_keys), std::end(number_keys),
                                         [&](const NumberKey& known) { return known.name == key; });
  return found == std::end(number_keys) ? nullptr : found;
}

/// The words of a line, as views of it.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

class SidecarReader {
 public:
  explicit SidecarReader(const std::filesystem::path& file) : file_(file) {}

  std::vector<SidecarCue> read() {
    for (const ListLine& line : read_list_lines(file_, ListText::any_bytes)) {
      at_ = {file_.string(), line.number};
      read_line(line.text);
    }
    if (in_cue_) throw InputError(cue_.place, "", "ENDCUE at the cue's end", "the end of the file");
    return std::move(cues_);
  }

 private:
  void read_line(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!in_cue_) {
        begin(words[i]);
      } else if (words[i] == end_word) {
        cues_.push_back(std::exchange(cue_, {}));
        in_cue_ = false;
      } else {
        i = read_property(words, i);
      }
    }
  }

  void begin(std::string_view word) {
    if (word != begin_word) refuse("BEGINCUE", word);
    in_cue_ = true;
    cue_.place = at_;
  }

  // Reads KEY=VALUE from word `at` on. Returns the last word that belongs to it.
  std::size_t read_property(const std::vector<std::string_view>& words, std::size_t at) {
    const std::string_view key = key_of(words[at]);
    if (is_text_key(key)) {
      const std::size_t last = end_of_text(words, at);
      const char* const start = words[at].data() + key.size() + 1;
      const char* const end = words[last].data() + words[last].size();
      const std::string_view text(start, static_cast<std::size_t>(end - start));
      if (key == "LoadMovie") cue_.movie = unquoted(text);
      if (key == "CueName") cue_.name = title_text(unquoted(text));
      return last;
    }
    const NumberKey* const known = number_key(key);
    if (known == nullptr) refuse("a key of a cue, such as StartFrame=0", words[at]);
    cue_.numbers[known->name] = number_in(words[at].substr(key.size() + 1), key);
    return at;
  }

  /// The last word of a text value. Sidecar writes names without quotes, so the value ends before
  /// the next known KEY= or the cue's end.
  static std::size_t end_of_text(const std::vector<std::string_view>& words, std::size_t at) {
    while (at + 1 < words.size() && words[at + 1] != end_word) {
      const std::string_view key = key_of(words[at + 1]);
      if (is_text_key(key) || number_key(key) != nullptr) break;
      ++at;
    }
    return at;
  }

  static std::string_view key_of(std::string_view word) noexcept {
    const std::size_t equals = word.find('=');
    return equals == std::string_view::npos ? std::string_view{} : word.substr(0, equals);
  }

  [[nodiscard]] double number_in(std::string_view text, std::string_view key) const {
    constexpr double limit = 1e9;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(value >= -limit && value <= limit))
      throw InputError(at_, key, "a number", "\"" + std::string(text) + "\"");
    return value;
  }

  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const {
    throw InputError(at_, "", expected, "\"" + std::string(found.substr(0, 60)) + "\"");
  }

  const std::filesystem::path& file_;
  InputPlace at_;
  SidecarCue cue_;
  bool in_cue_ = false;
  std::vector<SidecarCue> cues_;
};

// Sidecar writes rates with at most four digits behind the point, such as "30.0742".
std::optional<Rational> rate_of(const SidecarCue& cue) {
  if (!cue.numbers.contains("Rate")) return std::nullopt;
  const double rate = cue.number("Rate", 0);
  if (rate > max_rate_fps)
    throw InputError(cue.place, "Rate", fmt::format("at most {}", max_rate_fps),
                     fmt::format("{}", rate));
  constexpr std::int64_t parts = 10'000;
  return reduced(std::llround(std::max(rate, min_rate_fps) * parts), parts);
}

// Blockbuster's count: Loop 0 plays once, and Loop 1 once more.
int times_of(const SidecarCue& cue) {
  const std::int64_t loop = cue.whole("Loop", 0);
  if (loop > static_cast<std::int64_t>(max_playlist_entries))
    throw InputError(cue.place, "Loop", fmt::format("at most {}", max_playlist_entries),
                     std::to_string(loop));
  return loop <= 0 ? 1 : static_cast<int>(std::max<std::int64_t>(2, loop));
}

}  // namespace

std::vector<SidecarCue> read_sidecar_cues(const std::filesystem::path& file) {
  return SidecarReader(file).read();
}

SidecarPlay play_of(const SidecarCue& cue) {
  SidecarPlay play;
  play.first_frame = std::max<std::int64_t>(0, cue.whole("StartFrame", 0));
  if (const std::int64_t end = cue.whole("EndFrame", -1); end > 0) play.end_frame = end + 1;
  if (play.end_frame && *play.end_frame <= play.first_frame)
    throw InputError(cue.place, "EndFrame", "StartFrame or a later one",
                     fmt::format("{} after {}", *play.end_frame - 1, play.first_frame));
  play.fps = rate_of(cue);
  const std::int64_t end = play.end_frame.value_or(std::numeric_limits<std::int64_t>::max());
  play.current_frame =
      std::clamp(cue.whole("CurrentFrame", play.first_frame), play.first_frame, end - 1);
  play.held = cue.number("Play", 1) == 0;
  if (play.held) return play;
  play.for_ever = cue.whole("Loop", 0) < 0;
  play.times = times_of(cue);
  return play;
}

std::vector<std::string_view> ignored_keys(const SidecarCue& cue) {
  std::vector<std::string_view> keys;
  for (const auto& [name, value] : cue.numbers)
    if (const NumberKey* const key = number_key(name); !key->followed && value != key->plain)
      keys.push_back(name);
  return keys;
}

}  // namespace tilewall::movie
