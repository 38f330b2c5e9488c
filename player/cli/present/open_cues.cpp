#include "player/cli/present/open_cues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "player/cli/options/live_options.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/cli/source/demo_input.hpp"
#include "player/cli/source/input_name.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/progress.hpp"
#include "player/scene/compare.hpp"
#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/printed_line.hpp"
#include "wallconfigs/content_mode.hpp"
#include "wallconfigs/eye_view.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t many_cues = 20;  // with fewer, opening them needs no progress bar

RectF all_of(SizePx canvas_px) {
  return {0, 0, static_cast<double>(canvas_px.width), static_cast<double>(canvas_px.height)};
}

bool is_live_input(const std::string& input) { return input.starts_with(live_scheme); }

bool flag_value(const std::map<std::string, std::string>& options, const std::string& name) {
  const auto found = options.find(name);
  return found != options.end() && found->second == "true";
}

std::vector<std::string> listed_values(const std::string& text) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
}

std::optional<int> whole_option(const std::map<std::string, std::string>& options,
                                const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return std::nullopt;
  int value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [stop, error] = std::from_chars(found->second.data(), end, value);
  if (error != std::errc{} || stop != end)
    throw InputError({name}, "", "a whole number", '"' + found->second + '"');
  return value;
}

/// The options of a region as those of `view`. Files among them are relative to the show file.
VolumeArguments volume_arguments(const std::map<std::string, std::string>& options,
                                 const fs::path& folder) {
  const auto text = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  const auto file = [&](const char* name) {
    const std::string value = text(name);
    const std::string there = value.empty() ? value : located_input(value, folder);
    std::error_code ignored;
    return fs::exists(there, ignored) ? there : value;  // it may be the name of a built-in one
  };
  VolumeArguments arguments;
  arguments.transfer = file("tf");
  arguments.camera = file("camera");
  arguments.direction = text("from");
  arguments.lens = text("lens");
  arguments.fov = text("fov");
  arguments.step = text("step");
  arguments.mode = text("mode");
  arguments.lit = flag_value(options, "lit");
  arguments.axes = flag_value(options, "axes");
  arguments.bar = flag_value(options, "bar");
  arguments.label = flag_value(options, "label");
  arguments.annotate = text("annotate");
  arguments.box = flag_value(options, "box");
  arguments.ruler = flag_value(options, "ruler");
  arguments.title = text("title");
  arguments.date = text("date");
  arguments.letters = text("letters");
  arguments.iso = text("iso");
  arguments.range = text("range");
  arguments.scale = text("scale");
  arguments.low = text("low");
  arguments.opacity = text("opacity");
  arguments.clip = text("clip");
  arguments.planes = listed_values(text("plane"));
  arguments.background = text("background");
  arguments.dataset = text("dataset");
  arguments.component = whole_option(options, "component");
  arguments.level = whole_option(options, "level");
  arguments.stretch = text("stretch");
  arguments.up = text("up");
  arguments.levels = text("levels");
  arguments.fixed = listed_values(text("axis"));
  arguments.time = text("time");
  arguments.look = text("look");
  return arguments;
}

/// A region of the show so far, as the cues before have left it.
struct TrackedRegion {
  cues::RegionEntry entry;
  scene::SourcePtr source;
};

class CueOpener {
 public:
  CueOpener(const cues::ShowFile& file, const wall::Wall& wall, const CueWays& ways,
            const std::stop_token& stop)
      : file_(file),
        wall_(wall),
        ways_(ways),
        stop_(stop),
        folder_(file.file.parent_path()),
        before_(state_before(file, wall, ways)) {}

  director::CueShow open() {
    director::CueShow show;
    show.before = before_;
    show.list.name = file_.name.empty() ? file_.file.stem().string() : file_.name;
    show.list.file = file_.file.empty() ? std::string() : fs::absolute(file_.file).string();
    show.list.bounce_s = file_.bounce_s;
    show.list.sections = file_.sections;
    std::optional<command::ProgressLine> progress;
    if (file_.cues.size() >= many_cues && ways_.opens) progress.emplace("open");
    std::string section;
    for (const cues::CueEntry& entry : file_.cues) {
      if (progress)
        progress->update({static_cast<std::int64_t>(show.list.cues.size()),
                          static_cast<std::int64_t>(file_.cues.size()), 0, "cues"});
      if (!entry.section.empty()) section = entry.section;
      show.list.cues.push_back(cue_of(entry));
      show.list.cues.back().section = section;
    }
    if (std::ranges::all_of(show.list.cues, &std::string::empty, &cues::Cue::number))
      for (std::size_t i = 0; i < show.list.cues.size(); ++i)
        show.list.cues[i].number = std::to_string(i + 1);
    show.missing = std::move(missing_);
    return show;
  }

 private:
  cues::Cue cue_of(const cues::CueEntry& entry) {
    cue_ = &entry;
    if (entry.bezels) before_.bezels = bezels_of(*entry.bezels);
    if (entry.content) before_.content = content_of(*entry.content);
    cues::Cue cue;
    cue.name = entry.name;
    cue.number = entry.number;
    cue.note = entry.note;
    cue.colour = entry.colour;
    cue.black = entry.black;
    if (entry.bezels) cue.bezels = before_.bezels;
    if (entry.content) cue.content = before_.content;
    cue.volume = entry.volume;
    cue.mute = entry.mute;
    cue.transition = entry.transition.value_or(usual_transition());
    cue.follow = entry.follow;
    cue.next = entry.goto_cue;
    for (const cues::RegionEntry& region : cues::regions_of(entry)) {
      if (auto setting = setting_of(region)) cue.regions.push_back(std::move(*setting));
    }
    if (cue.bezels || cue.content) keep_places(cue);
    if (entry.compare) cue.compare = comparison_of(*entry.compare);
    return cue;
  }

  /// Places the regions that the cue does not name anew, because it changes the canvas.
  void keep_places(cues::Cue& cue) {
    for (const auto& [name, region] : regions_) {
      if (!region.entry.place) continue;
      const auto named = std::ranges::find(cue.regions, name, &cues::RegionSetting::name);
      if (named != cue.regions.end() && (named->canvas_px || named->removed)) continue;
      cues::RegionSetting& setting =
          named != cue.regions.end() ? *named : cue.regions.emplace_back();
      setting.name = name;
      setting.canvas_px = rect_of(*region.entry.place, region.entry);
    }
  }

  [[nodiscard]] cues::Transition usual_transition() const {
    if (file_.fade_s <= 0) return {};
    return {cues::Transition::Kind::fade, file_.fade_s};
  }

  [[nodiscard]] static wall::BezelMode bezels_of(const std::string& word) {
    return word == "hide" ? wall::BezelMode::hide : wall::BezelMode::show;
  }

  [[nodiscard]] wall::ContentMode content_of(const std::string& word) const {
    const auto mode = wall::parse_content_mode(word);
    if (!mode) refuse("content", "arc_length, eye or flat", word);
    if (const auto obstacle = wall::content_obstacle(wall_, *mode))
      refuse("content", obstacle->expected, obstacle->found);
    return *mode;
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& expected,
                           const std::string& found) const {
    throw InputError({file_.file.string(), cue_ == nullptr ? 0 : cue_->line},
                     fmt::format("cue \"{}\"{}{}", cue_ == nullptr ? "" : cue_->name,
                                 what.empty() ? "" : ".", what),
                     expected, found);
  }

  /// Empty where the input of a new region is missing and the cue does without it.
  std::optional<cues::RegionSetting> setting_of(const cues::RegionEntry& entry) {
    cues::RegionSetting setting;
    setting.name = entry.name;
    if (entry.remove) {
      if (regions_.erase(entry.name) == 0 && !skipped_.contains(entry.name))
        refuse("region " + entry.name, "a region of a cue before", "none of this name");
      if (skipped_.erase(entry.name) > 0) return std::nullopt;
      setting.removed = true;
      return setting;
    }
    const auto before = regions_.find(entry.name);
    const bool is_new = before == regions_.end();
    if (is_new && entry.inputs.empty()) {
      if (skipped_.contains(entry.name)) return std::nullopt;
      refuse("region " + entry.name, "an input, because no cue before has this region", "none");
    }
    TrackedRegion region = is_new ? TrackedRegion{entry, nullptr} : before->second;
    if (!is_new) region.entry = cues::tracked(region.entry, entry);
    try {
      if (!set(region, entry, setting)) {
        skipped_.insert(entry.name);
        regions_.erase(entry.name);
        if (is_new) return std::nullopt;
        cues::RegionSetting gone;
        gone.name = entry.name;
        gone.removed = true;
        return gone;
      }
    } catch (const InputError& error) {
      throw located(error, entry);
    } catch (const JobError& error) {
      throw InputError({file_.file.string(), line_of(entry)}, fmt::format("cue \"{}\"", cue_->name),
                       "an input that can be opened", error.what());
    }
    skipped_.erase(entry.name);
    regions_.insert_or_assign(entry.name, std::move(region));
    return setting;
  }

  [[nodiscard]] int line_of(const cues::RegionEntry& entry) const {
    return entry.line > 0 ? entry.line : cue_->line;
  }

  /// The error with the show file's place in front of it.
  [[nodiscard]] InputError located(const InputError& error, const cues::RegionEntry& entry) const {
    const std::string text = error.what();
    if (text.starts_with(file_.file.string() + ":")) return error;
    return InputError(fmt::format("{}:{}: cue \"{}\": {}", file_.file.string(), line_of(entry),
                                  cue_->name, text));
  }

  /// Fills in the setting. False: the region is left out, because its input is missing.
  bool set(TrackedRegion& region, const cues::RegionEntry& entry, cues::RegionSetting& setting) {
    if (!entry.inputs.empty()) {
      region.source = source_of(region.entry, setting);
      if (region.source == nullptr) return false;
      setting.source = region.source;
    }
    if (entry.place) setting.canvas_px = rect_of(*entry.place, entry);
    setting.view_px = entry.view_px;
    setting.opacity = entry.opacity;
    setting.difference_gain = entry.difference_gain;
    setting.group = entry.group;
    setting.glide_s = entry.glide_s;
    if (entry.fit) setting.fit = scene::parse_fit_mode(*entry.fit);
    if (entry.blend) setting.blend = scene::parse_blend_mode(*entry.blend);
    if (!entry.inputs.empty() || sets_time(entry)) setting.play = play_of(region);
    if (!entry.volume.empty() && region.source->kind != scene::SourceKind::volume && ways_.opens &&
        setting.slate.empty())
      throw InputError({"region " + entry.name}, entry.volume.begin()->first,
                       "a volume, to which this option belongs", region.entry.inputs.front());
    if (region.source->kind == scene::SourceKind::volume &&
        (!entry.volume.empty() || !entry.inputs.empty()))
      setting.look = look_of(region);
    return true;
  }

  static bool sets_time(const cues::RegionEntry& entry) {
    return entry.start || entry.in || entry.out || entry.loop || entry.rounds || entry.fps ||
           entry.speed || entry.hold;
  }

  [[nodiscard]] cues::PlayState play_of(const TrackedRegion& region) const {
    const cues::RegionEntry& entry = region.entry;
    const std::int64_t frames = region.source->frames;
    const auto check = [&](const char* key, const std::optional<std::int64_t>& frame,
                           std::int64_t first, std::int64_t last) {
      if (frame && (*frame < first || *frame > last) && ways_.opens)
        throw InputError({"region " + entry.name}, key,
                         fmt::format("a frame in [{}, {}]", first, last), std::to_string(*frame));
    };
    check("in", entry.in, 0, frames - 1);
    check("out", entry.out, entry.in.value_or(0), frames - 1);
    cues::PlayState play;
    play.end = frames;
    if (const auto time = entry.volume.find("time"); time != entry.volume.end() && ways_.opens) {
      const auto range = range_option("time", time->second, "timesteps", frames);
      play.first = range.first;
      play.end = range.last + 1;
    }
    play.first = entry.in.value_or(play.first);
    play.end = entry.out ? *entry.out + 1 : std::max(play.end, play.first + 1);
    play.backwards = entry.speed && entry.speed->num < 0;
    check("start", entry.start, play.first, play.end - 1);
    play.start = entry.start.value_or(play.backwards ? play.end - 1 : play.first);
    play.fps = entry.fps.value_or(region.source->fps);
    if (entry.speed) play.speed = {std::abs(entry.speed->num), entry.speed->den};
    play.loop = loop_of(entry);
    play.rounds = entry.rounds.value_or(0);
    play.hold = entry.hold.value_or(false);
    return play;
  }

  [[nodiscard]] static sync::LoopMode loop_of(const cues::RegionEntry& entry) {
    switch (entry.loop.value_or(cues::Looping::once)) {
      case cues::Looping::once:
        return sync::LoopMode::once;
      case cues::Looping::loop:
        return sync::LoopMode::loop;
      case cues::Looping::ping_pong:
        return sync::LoopMode::ping_pong;
    }
    return sync::LoopMode::once;
  }

  [[nodiscard]] const wall::Canvas& canvas() {
    if (!canvas_ || canvas_->mode() != before_.bezels || canvas_->content() != before_.content)
      canvas_.emplace(wall_, before_.bezels, before_.content);
    return *canvas_;
  }

  [[nodiscard]] RectF rect_of(const cues::Place& place, const cues::RegionEntry& entry) {
    const SizePx size_px = canvas().size_px();
    RectF rect = place.rect;
    switch (place.unit) {
      case cues::Place::Unit::canvas_px:
        break;
      case cues::Place::Unit::mm: {
        const double scale = canvas().px_per_mm();
        rect = {rect.x * scale, rect.y * scale, rect.width * scale, rect.height * scale};
        break;
      }
      case cues::Place::Unit::share:
        rect = {rect.x * size_px.width, rect.y * size_px.height, rect.width * size_px.width,
                rect.height * size_px.height};
        break;
      case cues::Place::Unit::panels:
        rect = rect_around(place.panels);
        break;
    }
    if (intersection(rect, all_of(size_px)).empty())
      throw InputError({"region " + entry.name}, "place",
                       fmt::format("a rectangle on the wall's {}x{} canvas pixels", size_px.width,
                                   size_px.height),
                       fmt::format("{:g},{:g},{:g},{:g}", rect.x, rect.y, rect.width, rect.height));
    return rect;
  }

  [[nodiscard]] RectF rect_around(const std::vector<std::string>& panels) {
    std::optional<RectF> around;
    for (const std::string& name : panels) {
      const auto found = std::ranges::find(wall_.panels, name, &wall::Panel::name);
      if (found == wall_.panels.end()) {
        std::vector<std::string_view> names;
        for (const wall::Panel& panel : wall_.panels) names.push_back(panel.name);
        throw InputError(
            {"panels"}, "",
            fmt::format("a panel of the wall (nearest: {})", nearest_word(name, names)),
            '"' + name + '"');
      }
      const RectF& px =
          canvas().panel_rect_px(static_cast<std::size_t>(found - wall_.panels.begin()));
      if (!around) {
        around = px;
        continue;
      }
      const double right = std::max(around->right(), px.right());
      const double bottom = std::max(around->bottom(), px.bottom());
      around->x = std::min(around->x, px.x);
      around->y = std::min(around->y, px.y);
      around->width = right - around->x;
      around->height = bottom - around->y;
    }
    return around.value_or(all_of(canvas().size_px()));
  }

  [[nodiscard]] scene::VolumeLook look_of(const TrackedRegion& region) {
    const RectF px = region.entry.place ? rect_of(*region.entry.place, region.entry)
                                        : all_of(canvas().size_px());
    std::optional<double> fov;
    if (before_.content == wall::ContentMode::arc_length)
      if (const auto screens = wall::screens_from_eye(wall_, before_.bezels); !screens.empty())
        fov = wall::true_fov_rad(wall::region_plane(screens, px), px);
    return look_option(volume_arguments(region.entry.volume, folder_), *region.source, {px, fov});
  }

  /// The source of a region's inputs; null where they are missing and left out.
  scene::SourcePtr source_of(const cues::RegionEntry& entry, cues::RegionSetting& setting) {
    const VolumeArguments volume = volume_arguments(entry.volume, folder_);
    std::vector<std::string> inputs;
    for (const std::string& input : entry.inputs) inputs.push_back(located_input(input, folder_));
    const LiveArguments live = live_arguments(entry.volume);
    std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", fmt::join(inputs, "\n"),
                                  volume.dataset, volume.component.value_or(-1),
                                  volume.level.value_or(-1), fmt::join(volume.fixed, ","),
                                  volume.levels, volume.stretch, volume.up, volume.time);
    for (const auto& [name, value] : to_named(live)) key += fmt::format("\n{}={}", name, value);
    if (const auto known = sources_.find(key); known != sources_.end()) return known->second;
    scene::SourcePtr source;
    try {
      scene::SourceSpec made = ways_.opens ? opened(inputs, entry, volume) : unknown_source();
      made.named.inputs = absolute_inputs(inputs);
      for (const auto& [name, value] : to_named(live)) made.named.options.emplace(name, value);
      source = std::make_shared<const scene::SourceSpec>(std::move(made));
    } catch (const std::exception& error) {
      return stand_in(entry, error, setting);
    }
    sources_.emplace(std::move(key), source);
    return source;
  }

  /// Stands for an input that is not opened: its number of frames is not known.
  [[nodiscard]] static scene::SourceSpec unknown_source() {
    scene::SourceSpec source;
    source.frames = std::int64_t{1} << 40;
    return source;
  }

  [[nodiscard]] scene::SourceSpec opened(const std::vector<std::string>& inputs,
                                         const cues::RegionEntry& entry,
                                         const VolumeArguments& volume) const {
    const LiveArguments live = live_arguments(entry.volume);
    if (inputs.size() == 1 && is_live_input(inputs.front()))
      if (const auto shape = find_live(inputs.front()))
        return open_live(inputs.front(), *shape, live, volume, {});
    if (live.any()) refuse_live_options(inputs.front());
    if (entry.volume.empty()) {
      ShowWays ways;
      ways.uses = ways_.uses;
      return open_show_source(inputs, wall_, ways, stop_);
    }
    movie::CacheUses for_now;
    std::vector<std::string> files;
    files.reserve(inputs.size());
    for (const std::string& input : inputs)
      files.push_back(demo_input(input, ways_.uses != nullptr ? *ways_.uses : for_now, stop_));
    return open_volume(files, volume, {});
  }

  scene::SourcePtr stand_in(const cues::RegionEntry& entry, const std::exception& error,
                            cues::RegionSetting& setting) {
    cues::MissingInput treatment = entry.missing.value_or(file_.missing);
    missing_.push_back({cue_->name, entry.name, error.what()});
    if (!ways_.refuses) {
      if (treatment == cues::MissingInput::refuse) treatment = cues::MissingInput::placeholder;
    } else if (treatment != cues::MissingInput::refuse) {
      print_line(stderr, "tilewall: {}:{}: cue \"{}\": {}: {}", file_.file.string(), line_of(entry),
                 cue_->name,
                 treatment == cues::MissingInput::skip ? "left out" : "a placeholder is shown",
                 error.what());
    }
    if (treatment == cues::MissingInput::refuse) throw;
    const bool is_skipped = treatment == cues::MissingInput::skip;
    // A wall has at least one region, so that the only one stays, and is black.
    const bool is_only_one = regions_.size() == 1 && regions_.contains(entry.name);
    if (is_skipped && !is_only_one) return nullptr;
    if (!is_skipped)
      setting.slate =
          fmt::format("{}\nis missing", fs::path(entry.inputs.front()).filename().string());
    scene::SourceSpec black;
    black.path = "black";
    return std::make_shared<const scene::SourceSpec>(black);
  }

  cues::CompareSetting comparison_of(const cues::CompareEntry& entry) {
    cues::CompareSetting setting;
    const bool was_skipped = std::exchange(is_comparison_skipped_, false);
    if (entry.mode == "off") return setting;
    if (entry.input.empty() && was_skipped) {
      is_comparison_skipped_ = true;
      return setting;
    }
    setting.mode = scene::parse_compare_mode(entry.mode);
    setting.line = entry.line.value_or(0.5);
    setting.gain = entry.gain.value_or(1);
    if (entry.input.empty()) return setting;
    cues::RegionEntry second;
    second.name = "compare";
    second.line = cue_->line;
    second.inputs = {entry.input};
    cues::RegionSetting ignored;
    try {
      setting.source = source_of(second, ignored);
    } catch (const InputError& error) {
      throw located(error, second);
    }
    is_comparison_skipped_ = setting.source == nullptr;
    if (is_comparison_skipped_) setting.mode.reset();
    return setting;
  }

  const cues::ShowFile& file_;
  const wall::Wall& wall_;
  const CueWays& ways_;
  const std::stop_token& stop_;
  const fs::path folder_;
  cues::CueState before_;  // its modes are those of the cue that is opened
  const cues::CueEntry* cue_ = nullptr;
  std::optional<wall::Canvas> canvas_;
  std::map<std::string, scene::SourcePtr> sources_;  // by inputs and options
  std::map<std::string, TrackedRegion> regions_;     // by name
  std::set<std::string> skipped_;                    // regions whose inputs are missing
  bool is_comparison_skipped_ = false;               // as its input is missing
  std::vector<director::MissingCueInput> missing_;
};

}  // namespace

cues::CueState state_before(const cues::ShowFile& file, const wall::Wall& wall,
                            const CueWays& ways) {
  cues::CueState state;
  state.bezels = wall.default_bezel_mode();
  if (file.bezels)
    state.bezels = *file.bezels == "hide" ? wall::BezelMode::hide : wall::BezelMode::show;
  state.bezels = ways.bezels.value_or(state.bezels);
  state.content = wall.content;
  if (file.content) {
    const auto mode = wall::parse_content_mode(*file.content);
    if (!mode || wall::content_obstacle(wall, *mode))
      throw InputError({file.file.string()}, "show.content", "a content mode that this wall has",
                       '"' + *file.content + '"');
    state.content = *mode;
  }
  state.content = ways.content.value_or(state.content);
  state.volume = ways.volume;
  return state;
}

director::CueShow open_cues(const cues::ShowFile& file, const wall::Wall& wall, const CueWays& ways,
                            const std::stop_token& stop) {
  director::CueShow show = CueOpener(file, wall, ways, stop).open();
  // Every cue has to give a scene. One pass tells, before anything is played.
  cues::CueState state = show.before;
  for (std::size_t i = 0; i < show.list.cues.size(); ++i) cues::apply_cue(show.list, i, state);
  return show;
}

}  // namespace tilewall::cli
