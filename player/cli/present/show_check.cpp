#include "player/cli/present/show_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "player/cli/present/open_cues.hpp"
#include "player/cues/cue.hpp"
#include "player/director/changes/cue_regions.hpp"
#include "player/director/status.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kind_names[] = {"wall_movie", "images",   "movie", "remote_movie",
                                           "pattern",    "playlist", "volume"};
constexpr std::int64_t looked_at_frames = 16;  // of a wall movie, to estimate its bytes
constexpr double most_covered = 0.999;         // of a region that others hide

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

std::string transition_text(const cues::Transition& transition) {
  switch (transition.kind) {
    case cues::Transition::Kind::cut:
      return "cut";
    case cues::Transition::Kind::fade:
      return fmt::format("fade {:g}", transition.seconds);
    case cues::Transition::Kind::through_black:
      return fmt::format("through_black {:g}", transition.seconds);
  }
  return "";
}

std::string follow_text(const std::optional<cues::Follow>& follow) {
  if (!follow) return "";
  const int seconds = static_cast<int>(follow->seconds);
  switch (follow->kind) {
    case cues::Follow::Kind::after:
      return fmt::format("after {:g} s", follow->seconds);
    case cues::Follow::Kind::at_end:
      return "at end";
    case cues::Follow::Kind::at_clock:
      return fmt::format("at {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
  return "";
}

/// Mean bytes of a frame; empty where they are not known without reading the movie.
std::optional<double> frame_bytes(const scene::SourceSpec& source) {
  std::error_code error;
  if (source.kind == scene::SourceKind::movie) {
    const auto bytes = fs::file_size(source.path, error);
    if (error) return std::nullopt;
    return static_cast<double>(bytes) / static_cast<double>(source.frames);
  }
  std::vector<fs::path> files;
  const std::int64_t step = std::max<std::int64_t>(1, source.frames / looked_at_frames);
  for (std::int64_t frame = 0; frame < source.frames; frame += step) {
    if (source.kind == scene::SourceKind::wall_movie)
      files.push_back(fs::path(source.path) / movie::frame_file_name(frame));
    else if (source.kind == scene::SourceKind::images &&
             frame < static_cast<std::int64_t>(source.files.size()))
      files.push_back(fs::path(source.path) / source.files[static_cast<std::size_t>(frame)]);
  }
  double sum = 0;
  double count = 0;
  for (const fs::path& file : files) {
    const auto bytes = fs::file_size(file, error);
    if (error) continue;
    sum += static_cast<double>(bytes);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// What a region needs of a host that drives the whole wall.
struct Needs {
  double decode_mpixel_s = 0;
  double read_bytes_s = 0;
  double memory_bytes = 0;
  bool reads_are_known = true;
  bool memory_is_known = true;
};

void add_needs(const cues::RegionState& region, SizePx canvas_px, Needs& needs) {
  const scene::SourceSpec& source = *region.source;
  const double canvas_px_count = region.canvas_px.empty()
                                     ? static_cast<double>(canvas_px.width) * canvas_px.height
                                     : region.canvas_px.width * region.canvas_px.height;
  const double source_px = static_cast<double>(source.size_px.width) * source.size_px.height;
  // Panels decode the pyramid level that fits, so no more than the region has.
  const double decoded_px = source_px > 0 ? std::min(source_px, canvas_px_count) : 0;
  needs.memory_bytes += 4 * canvas_px_count;
  if (source.kind == scene::SourceKind::volume) {
    std::error_code error;
    const auto bytes = fs::file_size(director::shown_path(source), error);
    if (error)
      needs.memory_is_known = false;
    else
      needs.memory_bytes += static_cast<double>(bytes) / static_cast<double>(source.frames);
  }
  const bool plays = !region.play.hold && region.play.end - region.play.first > 1;
  if (!plays) return;
  const double fps = region.play.fps.value() * region.play.speed.value();
  needs.decode_mpixel_s += decoded_px * fps / 1e6;
  if (source.kind == scene::SourceKind::pattern) return;
  const auto bytes = frame_bytes(source);
  if (!bytes)
    needs.reads_are_known = false;
  else
    needs.read_bytes_s += *bytes * fps * (source_px > 0 ? decoded_px / source_px : 1);
}

Json region_json(const cues::RegionState& region, bool is_open) {
  const scene::SourceSpec& source = *region.source;
  Json json = {
      {"region", region.name},
      {"input", director::shown_path(source)},
      {"canvas_px", region.canvas_px.empty() ? Json(nullptr) : rect_json(region.canvas_px)},
      {"view_px", region.view_px ? rect_json(*region.view_px) : Json(nullptr)},
      {"opacity", region.opacity},
      {"first", region.play.first},
      {"last", is_open ? Json(region.play.end - 1) : Json(nullptr)},
      {"start", region.play.start},
      {"speed", region.play.speed.value() * (region.play.backwards ? -1 : 1)},
      {"loop", scene::to_string(region.play.loop)},
      {"hold", region.play.hold}};
  if (!is_open) return json;
  const bool endless = source.kind == scene::SourceKind::pattern || source.live;
  json["kind"] = kind_names[static_cast<std::size_t>(source.kind)];
  json["width_px"] = source.size_px.width;
  json["height_px"] = source.size_px.height;
  json["frames"] = endless ? Json(nullptr) : Json(source.frames);
  json["fps"] = source.fps.value();
  json["duration_s"] =
      endless ? Json(nullptr) : Json(static_cast<double>(source.frames) / source.fps.value());
  json["sound"] = scene::has_sound(source);
  if (!region.slate.empty()) json["missing"] = true;
  return json;
}

class ShowCheck {
 public:
  ShowCheck(const cues::ShowFile& file, const wall::Wall& wall, const CheckQuestion& question,
            const std::stop_token& stop)
      : file_(file), wall_(wall), question_(question), stop_(stop) {}

  Json run() {
    for (const cues::Finding& finding : cues::findings_of(file_))
      add(finding.is_error ? "red" : "amber", finding.line, finding.cue, finding.text);
    CueWays ways;
    ways.refuses = false;
    ways.opens = question_.opens;
    Json json = {{"show", file_.name.empty() ? file_.file.stem().string() : file_.name},
                 {"file", file_.file.string()},
                 {"wall", wall_.name},
                 {"ok", true},
                 {"cues", Json::array()}};
    try {
      const director::CueShow show = open_cues(file_, wall_, ways, stop_);
      for (const director::MissingCueInput& one : show.missing)
        add("red", line_of(one.cue), one.cue, fmt::format("{}: {}", one.region, one.why));
      add_cues(show, json["cues"]);
    } catch (const InputError& error) {
      add("red", 0, "", error.what());
    }
    json["ok"] = is_ok_;
    json["findings"] = std::move(findings_);
    return json;
  }

 private:
  void add(const char* light, int line, const std::string& cue, const std::string& text) {
    if (light == std::string_view("red")) is_ok_ = false;
    findings_.push_back(
        {{"light", light}, {"line", line}, {"cue", text_or_null(cue)}, {"text", text}});
  }

  [[nodiscard]] int line_of(const std::string& cue) const {
    const auto found = std::ranges::find(file_.cues, cue, &cues::CueEntry::name);
    return found == file_.cues.end() ? 0 : found->line;
  }

  void add_cues(const director::CueShow& show, Json& cues_json) {
    std::optional<std::size_t> asked;
    if (!question_.cue.empty()) asked = show.list.index_of(question_.cue);
    cues::CueState state = show.before;
    for (std::size_t i = 0; i < show.list.cues.size(); ++i) {
      const cues::Cue& cue = show.list.cues[i];
      cues::apply_cue(show.list, i, state);
      const SizePx canvas_px = canvas_size(state.bezels, state.content);
      note_hidden(state, cue, canvas_px);
      Json json = {{"index", i},
                   {"name", cue.name},
                   {"number", text_or_null(cue.number)},
                   {"section", text_or_null(cue.section)},
                   {"transition", transition_text(cue.transition)},
                   {"follow", text_or_null(follow_text(cue.follow))},
                   {"black", state.black}};
      const auto next = cues::next_of(show.list, i, 0);
      json["next"] = next ? Json(show.list.cues[next->index].name) : Json(nullptr);
      if (asked && *asked != i) continue;
      Json regions = Json::array();
      Needs needs;
      for (const cues::RegionState& region : state.regions) {
        regions.push_back(region_json(region, question_.opens));
        if (question_.opens) add_needs(region, canvas_px, needs);
      }
      json["regions"] = std::move(regions);
      if (question_.opens)
        json["needs"] = {
            {"decode_mpixel_s", needs.decode_mpixel_s},
            {"read_bytes_s", needs.reads_are_known ? Json(needs.read_bytes_s) : Json(nullptr)},
            {"memory_bytes", needs.memory_is_known ? Json(needs.memory_bytes) : Json(nullptr)}};
      cues_json.push_back(std::move(json));
    }
  }

  [[nodiscard]] SizePx canvas_size(wall::BezelMode bezels, wall::ContentMode content) {
    if (!canvas_ || canvas_->mode() != bezels || canvas_->content() != content)
      canvas_.emplace(wall_, bezels, content);
    return canvas_->size_px();
  }

  /// Whether the cue sets anything of one of the regions. An overlap is told where it begins.
  [[nodiscard]] static bool is_named(const cues::Cue& cue, const cues::RegionState& one,
                                     const cues::RegionState& other) {
    return std::ranges::any_of(cue.regions, [&](const cues::RegionSetting& setting) {
      return setting.name == one.name || setting.name == other.name;
    });
  }

  /// Notes regions that another one hides, or overlaps.
  void note_hidden(const cues::CueState& state, const cues::Cue& cue, SizePx canvas_px) {
    if (state.black || state.compare) return;
    const auto rect_of = [&](const cues::RegionState& region) {
      return region.canvas_px.empty() ? RectF{0, 0, static_cast<double>(canvas_px.width),
                                              static_cast<double>(canvas_px.height)}
                                      : region.canvas_px;
    };
    for (std::size_t below = 0; below < state.regions.size(); ++below)
      for (std::size_t above = below + 1; above < state.regions.size(); ++above) {
        const cues::RegionState& hider = state.regions[above];
        if (hider.opacity < 1 || hider.blend != scene::BlendMode::over) continue;
        const RectF px = rect_of(state.regions[below]);
        const RectF common = intersection(px, rect_of(hider));
        if (common.empty() || !is_named(cue, hider, state.regions[below])) continue;
        const double share = common.width * common.height / (px.width * px.height);
        const bool is_hidden = share > most_covered;
        add("amber", line_of(cue.name), cue.name,
            fmt::format("region \"{}\" {} region \"{}\"", hider.name,
                        is_hidden ? "hides all of" : "overlaps", state.regions[below].name));
      }
  }

  const cues::ShowFile& file_;
  const wall::Wall& wall_;
  const CheckQuestion& question_;
  const std::stop_token& stop_;
  std::optional<wall::Canvas> canvas_;
  Json findings_ = Json::array();
  bool is_ok_ = true;
};

std::string needs_text(const Json& cue) {
  if (!cue.contains("needs")) return "";
  const Json& needs = cue.at("needs");
  std::string text = fmt::format("{:.0f} Mpixel/s", needs.at("decode_mpixel_s").get<double>());
  if (needs.at("read_bytes_s").is_number())
    text += fmt::format(", {:.1f} MB/s", needs.at("read_bytes_s").get<double>() / 1e6);
  if (needs.at("memory_bytes").is_number())
    text += fmt::format(", {:.0f} MB", needs.at("memory_bytes").get<double>() / 1e6);
  return text;
}

}  // namespace

Json checked_show(const cues::ShowFile& file, const wall::Wall& wall, const CheckQuestion& question,
                  const std::stop_token& stop) {
  return ShowCheck(file, wall, question, stop).run();
}

std::string check_text(const Json& check) {
  std::string text = fmt::format("{}: {} cues on {}\n", check.at("show").get<std::string>(),
                                 check.at("cues").size(), check.at("wall").get<std::string>());
  for (const Json& cue : check.at("cues")) {
    text += fmt::format(
        "{:>6}  {}  {}{}{}",
        cue.at("number").is_string() ? printable_text(cue.at("number").get<std::string>()) : "",
        printable_text(cue.at("name").get<std::string>()), cue.at("transition").get<std::string>(),
        cue.at("black").get<bool>() ? ", black" : "",
        cue.at("follow").is_string() ? ", follows " + cue.at("follow").get<std::string>() : "");
    if (const std::string needs = needs_text(cue); !needs.empty()) text += "  (" + needs + ")";
    text += "\n";
    if (!cue.contains("regions")) continue;
    for (const Json& region : cue.at("regions"))
      text +=
          fmt::format("        {}: {}\n", printable_text(region.at("region").get<std::string>()),
                      printable_text(region.at("input").get<std::string>()));
  }
  for (const Json& finding : check.at("findings")) {
    const std::string place = finding.at("line").get<int>() > 0
                                  ? fmt::format("{}:{}: ", check.at("file").get<std::string>(),
                                                finding.at("line").get<int>())
                                  : std::string();
    const std::string cue = finding.at("cue").is_string()
                                ? fmt::format("cue \"{}\": ", finding.at("cue").get<std::string>())
                                : std::string();
    text += fmt::format("{}: {}{}{}\n", finding.at("light").get<std::string>(), place, cue,
                        finding.at("text").get<std::string>());
  }
  if (check.at("findings").empty()) text += "nothing to find fault with\n";
  return text;
}

}  // namespace tilewall::cli
