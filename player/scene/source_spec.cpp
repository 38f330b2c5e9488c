#include "player/scene/source_spec.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;
using Wide = __int128;

/// A box as its middle and half sides.
Json to_json(const render::WorldBox& box) {
  Json numbers = Json::array();
  for (const Vec3d& v : {box.centre, box.half[0], box.half[1], box.half[2]})
    for (const double number : {v.x, v.y, v.z}) numbers.push_back(number);
  return numbers;
}

constexpr std::string_view source_kinds[] = {"wall_movie", "images",   "movie", "remote_movie",
                                             "pattern",    "playlist", "volume"};
// Limit of a source's frames, which last for centuries.
constexpr std::int64_t max_frames = std::int64_t{1} << 48;
constexpr std::int64_t max_rounds = 1'000'000;
constexpr std::int64_t max_rate_part = 1'000'000'000;

bool faster(Rational a, Rational b) { return Wide{a.num} * b.den > Wide{b.num} * a.den; }

/// Number of frames at `fps` that so many frames of the item's movie fill, rounded up. @pre frames
/// <= max_frames
Wide length_at(std::int64_t frames, Rational own_fps, Rational fps) {
  const Wide over = Wide{own_fps.num} * fps.den;
  return (Wide{frames} * fps.num * own_fps.den + over - 1) / over;
}

/// The frame of the item that is due after so many frames at `fps`.
std::int64_t frame_after(std::int64_t frames, Rational own_fps, Rational fps) {
  return static_cast<std::int64_t>(Wide{frames} * own_fps.num * fps.den /
                                   (Wide{fps.num} * own_fps.den));
}

std::int64_t frames_of(const PlaylistItem& item) { return item.end_frame - item.first_frame; }

// Ten thousand items are usually made of few movies. So each movie is sent once, and shared by its
// items on the other side too, which keeps it open from one item to the next.
Json playlist_json(const SourceSpec& playlist) {
  Json sources = Json::array();
  Json items = Json::array();
  std::unordered_map<const SourceSpec*, std::size_t> numbers;
  for (const PlaylistItem& item : playlist.items) {
    const auto [number, is_new] = numbers.try_emplace(item.source.get(), numbers.size());
    if (is_new) sources.push_back(to_json(*item.source));
    items.push_back({number->second, item.first_frame, item.end_frame, item.rounds});
    if (!item.title.empty()) items.back().push_back(item.title);
  }
  return {{"sources", std::move(sources)}, {"items", std::move(items)}};
}

PlaylistItem item_from_json(const Json& json, const std::vector<SourcePtr>& sources) {
  const bool titled = json.is_array() && json.size() == 5 && json[4].is_string();
  expect_field(json.is_array() && (json.size() == 4 || titled) &&
                   std::all_of(json.begin(), json.begin() + 4,
                               [](const Json& number) { return number.is_number_integer(); }),
               "items", "[source, first_frame, end_frame, rounds], and perhaps a title");
  const auto source = json[0].get<std::int64_t>();
  expect_field(source >= 0 && source < static_cast<std::int64_t>(sources.size()), "items",
               "a source of the playlist");
  PlaylistItem item{sources[static_cast<std::size_t>(source)], json[1].get<std::int64_t>(),
                    json[2].get<std::int64_t>(), json[3].get<std::int64_t>()};
  if (titled) item.title = json[4].get<std::string>();
  expect_field(item.first_frame >= 0 && item.first_frame < item.end_frame &&
                   item.end_frame <= item.source->frames,
               "items", "a range of the movie's frames");
  expect_field(item.rounds >= 1 && item.rounds <= max_rounds, "items", "1 to 1000000 rounds");
  return item;
}

SourceSpec playlist_from_json(const Json& json) {
  std::vector<SourcePtr> sources;
  for (const Json& source : json_field<std::vector<Json>>(json, "sources")) {
    sources.push_back(std::make_shared<const SourceSpec>(source_from_json(source)));
    expect_field(sources.back()->kind != SourceKind::playlist, "sources",
                 "no playlist in a playlist");
  }
  std::vector<PlaylistItem> items;
  for (const Json& item : json_field<std::vector<Json>>(json, "items"))
    items.push_back(item_from_json(item, sources));
  expect_field(!items.empty(), "items", "at least one");
  return make_playlist(std::move(items));
}

}  // namespace

bool SourceSpec::operator==(const SourceSpec& other) const {
  return kind == other.kind && path == other.path && files == other.files &&
         size_px == other.size_px && frames == other.frames && fps == other.fps &&
         audio == other.audio && box == other.box && is_field == other.is_field &&
         is_anatomical == other.is_anatomical && up == other.up && growing == other.growing &&
         live == other.live && items == other.items;
}

bool PlaylistItem::operator==(const PlaylistItem& other) const {
  return *source == *other.source && first_frame == other.first_frame &&
         end_frame == other.end_frame && rounds == other.rounds && start == other.start &&
         title == other.title;
}

SourceSpec make_playlist(std::vector<PlaylistItem> items) {
  SourceSpec list;
  list.kind = SourceKind::playlist;
  list.size_px = items.front().source->size_px;
  list.fps = items.front().source->fps;
  for (const PlaylistItem& item : items)
    if (faster(item.source->fps, list.fps)) list.fps = item.source->fps;
  list.frames = 0;
  for (PlaylistItem& item : items) {
    expect_field(item.rounds <= max_frames / frames_of(item), "rounds", "2^48 frames at most");
    item.start = list.frames;
    const Wide end =
        list.frames + length_at(frames_of(item) * item.rounds, item.source->fps, list.fps);
    expect_field(end <= max_frames, "items", "2^48 frames at most, at the fastest item's rate");
    list.frames = static_cast<std::int64_t>(end);
  }
  list.items = std::move(items);
  return list;
}

std::size_t item_at(const SourceSpec& playlist, std::int64_t frame) noexcept {
  const auto after = std::upper_bound(
      playlist.items.begin(), playlist.items.end(), frame,
      [](std::int64_t wanted, const PlaylistItem& item) { return wanted < item.start; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - playlist.items.begin(), 1) - 1);
}

namespace {

std::string file_name_of(const PlaylistItem& item) {
  const std::string& path =
      item.source->files.size() == 1 ? item.source->files.front() : item.source->path;
  const std::size_t end = path.find_last_not_of('/');
  const std::size_t slash = path.find_last_of('/', end);
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return end == std::string::npos ? path : path.substr(begin, end + 1 - begin);
}

/// The text with ASCII letters in lower case; other characters are compared unchanged.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Names at most five items: "2 Intro, 5 Intro again, ...".
std::string list_of(const SourceSpec& playlist, const std::vector<std::size_t>& items) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < most; ++i)
    text +=
        (i == 0 ? "" : ", ") + std::to_string(items[i]) + ' ' + name_of(playlist.items[items[i]]);
  return text + (items.size() > most ? ", ..." : "");
}

}  // namespace

std::string name_of(const PlaylistItem& item) {
  return item.title.empty() ? file_name_of(item) : item.title;
}

std::size_t item_named(const SourceSpec& playlist, std::string_view name) {
  const std::string wanted = lower_case(name);
  std::vector<std::size_t> partly;
  for (std::size_t i = 0; i < playlist.items.size(); ++i) {
    const PlaylistItem& item = playlist.items[i];
    const std::string title = lower_case(item.title);
    const std::string file = lower_case(file_name_of(item));
    if (title == wanted || file == wanted || item.source->path == name) return i;
    if (title.find(wanted) != std::string::npos || file.find(wanted) != std::string::npos)
      partly.push_back(i);
  }
  if (partly.size() == 1) return partly.front();
  throw InputError({"goto"}, "name", "the title or file name of one item of the list",
                   '"' + std::string(name) + '"' +
                       (partly.empty() ? "" : ", which fits " + list_of(playlist, partly)));
}

bool has_sound(const SourceSpec& source) noexcept {
  return !source.audio.empty() ||
         std::any_of(source.items.begin(), source.items.end(),
                     [](const PlaylistItem& item) { return !item.source->audio.empty(); });
}

bool holds_volume(const SourceSpec& source) noexcept {
  return source.kind == SourceKind::volume ||
         std::any_of(source.items.begin(), source.items.end(),
                     [](const PlaylistItem& item) { return holds_volume(*item.source); });
}

SourceFrame resolve_frame(const SourcePtr& source, std::int64_t frame) noexcept {
  if (source->kind != SourceKind::playlist) return {source, frame};
  const PlaylistItem& item = source->items[item_at(*source, frame)];
  const std::int64_t passed = frame_after(frame - item.start, item.source->fps, source->fps);
  return {item.source, item.first_frame + passed % frames_of(item)};
}

Json to_json(const SourceSpec& source) {
  Json json = {{"kind", std::string(source_kinds[static_cast<std::size_t>(source.kind)])}};
  if (!source.named.inputs.empty())
    json["named"] = {{"inputs", source.named.inputs}, {"options", source.named.options}};
  if (source.kind == SourceKind::playlist) {
    json.update(playlist_json(source));
    return json;
  }
  json.update({{"path", source.path},
               {"files", source.files},
               {"size_px", {source.size_px.width, source.size_px.height}},
               {"frames", source.frames},
               {"rate_fps", {source.fps.num, source.fps.den}},
               {"audio", source.audio}});
  if (source.growing) json["growing"] = true;
  if (source.live) json["live"] = true;
  if (source.kind == SourceKind::volume) json["box"] = to_json(source.box);
  if (source.is_field) json["is_field"] = true;
  if (source.is_anatomical) json["is_anatomical"] = true;
  if (!(source.up == Vec3d{0, 0, 1})) json["up"] = {source.up.x, source.up.y, source.up.z};
  return json;
}

namespace {

SourceName name_from_json(const Json& json) {
  if (!json.contains("named")) return {};
  constexpr std::size_t most_inputs = 1000;
  constexpr std::size_t most_options = 16;
  constexpr std::size_t longest_text = 4096;
  const Json named = json_field<Json>(json, "named");
  SourceName name{json_field<std::vector<std::string>>(named, "inputs"),
                  json_field<std::map<std::string, std::string>>(named, "options")};
  const auto is_short = [](const std::string& text) { return text.size() <= longest_text; };
  expect_field(name.inputs.size() <= most_inputs && name.options.size() <= most_options &&
                   std::ranges::all_of(name.inputs, is_short) &&
                   std::ranges::all_of(name.options,
                                       [&](const auto& option) {
                                         return is_short(option.first) && is_short(option.second);
                                       }),
               "named", "at most 1000 inputs and 16 options of 4096 bytes");
  return name;
}

render::WorldBox box_from_json(const Json& json) {
  const auto numbers = json_field<std::vector<double>>(json, "box");
  const bool finite =
      std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
  render::WorldBox box;
  if (numbers.size() == 12 && finite) {
    const auto vector = [&](std::size_t i) {
      return Vec3d{numbers[i], numbers[i + 1], numbers[i + 2]};
    };
    box = {vector(0), {vector(3), vector(6), vector(9)}};
  }
  expect_field(numbers.size() == 12 && finite && box.radius() > 0, "box",
               "twelve numbers: middle and three half sides");
  return box;
}

}  // namespace

SourceSpec source_from_json(const Json& json) {
  const auto kind = json_enum<SourceKind>(json, "kind", source_kinds);
  if (kind == SourceKind::playlist) {
    SourceSpec list = playlist_from_json(json);
    list.named = name_from_json(json);
    return list;
  }
  const auto size = json_field<std::vector<int>>(json, "size_px");
  expect_field(size.size() == 2 && size[0] >= 0 && size[1] >= 0, "size_px", "[width, height]");
  const auto rate = json_field<std::vector<std::int64_t>>(json, "rate_fps");
  expect_field(rate.size() == 2 && rate[0] > 0 && rate[0] <= max_rate_part && rate[1] > 0 &&
                   rate[1] <= max_rate_part,
               "rate_fps", "[num, den]");
  SourceSpec source;
  source.kind = kind;
  source.named = name_from_json(json);
  source.path = json_field<std::string>(json, "path");
  source.files = json_field<std::vector<std::string>>(json, "files");
  source.size_px = {size[0], size[1]};
  source.frames = json_field<std::int64_t>(json, "frames");
  source.fps = reduced(rate[0], rate[1]);
  source.audio = json_field<std::string>(json, "audio");
  if (json.contains("growing")) source.growing = json_field<bool>(json, "growing");
  if (json.contains("live")) source.live = json_field<bool>(json, "live");
  expect_field(source.frames >= 1 && source.frames <= max_frames, "frames", "1 or more");
  if (kind == SourceKind::volume) source.box = box_from_json(json);
  source.is_field = kind == SourceKind::volume && json.value("is_field", false);
  source.is_anatomical = kind == SourceKind::volume && json.value("is_anatomical", false);
  if (json.contains("up")) {
    const auto up = json_field<std::array<double, 3>>(json, "up");
    source.up = {up[0], up[1], up[2]};
    expect_field(std::isfinite(length(source.up)) && length(source.up) > 0, "up", "a direction");
  }
  expect_field(kind == SourceKind::pattern || kind == SourceKind::volume ||
                   (source.size_px.width > 0 && source.size_px.height > 0),
               "size_px", "a size over 0");
  return source;
}

bool is_wall_movie(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / manifest_name, error);
}

}  // namespace tilewall::scene
