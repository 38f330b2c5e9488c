#include "player/verbs/verb_list.hpp"

#include <algorithm>
#include <iterator>

#include "sync/base/check.hpp"

namespace tilewall::verbs {
namespace {

using enum FieldType;
using enum Role;

constexpr std::string_view glide_help = "seconds of a change that takes effect gradually, 0 to 60";
constexpr std::string_view on_help = "without it the state is toggled";

constexpr Field status_fields[] = {{"per_panel", flag, "false leaves the panels out"},
                                   {"lists", flag, "false leaves the items of playlists out"},
                                   {"transfers", flag, "true adds points of transfer functions"}};
constexpr Field logs_fields[] = {{"role", text, "one role (panel-3) or kind (panel); all of them"}};
constexpr Field watch_fields[] = {
    {"pictures", flag, "whether this connection gets the pictures that panels have swapped"},
    {"bytes_per_s", whole, "budget of the whole wall, 10,000 to 100,000,000"}};
constexpr Field seek_fields[] = {{"frame", whole, "from 0"},
                                 {"by", whole, "frames from here"},
                                 {"seconds", number, "from frame 0"},
                                 {"by_seconds", number, "seconds from here"}};
constexpr Field step_fields[] = {{"by", whole, "frames, 1 without it; negative: back"}};
constexpr Field speed_fields[] = {
    {"speed", any, "1/8 to 16, negative for backwards, as a number or a text such as 1/2"}};
constexpr Field loop_fields[] = {{"mode", text, "once, loop, ping_pong"}};
constexpr Field range_fields[] = {{"first", whole, "frame, inclusive"},
                                  {"last", whole, "frame, inclusive"}};
constexpr Field next_fields[] = {{"cue", text, "the name or number of the cue to go to"}};
constexpr Field goto_fields[] = {
    {"item", whole, "of a playlist, from 0"},
    {"name", text, "a title, a file's name, or a part of one that only one item has; a cue"}};
constexpr Field view_fields[] = {{"view_px", list, "[x, y, width, height], pixels of the movie"},
                                 {"whole", flag, "true: the whole movie"},
                                 {"glide_s", number, glide_help}};
constexpr Field zoom_fields[] = {{"factor", number, "over 0"},
                                 {"x", number, "the canvas point that stays"},
                                 {"y", number, "the canvas point that stays"},
                                 {"glide_s", number, glide_help}};
constexpr Field one_to_one_fields[] = {{"x", number, "the canvas point that stays"},
                                       {"y", number, "the canvas point that stays"},
                                       {"glide_s", number, glide_help}};
constexpr Field pan_fields[] = {{"dx", number, "canvas pixels to the right"},
                                {"dy", number, "canvas pixels down"},
                                {"glide_s", number, glide_help}};
constexpr Field camera_fields[] = {
    {"camera", object, "eye, look_at, up, fov_deg, lens, view_height: those that change"},
    {"orbit_deg", list, "[right, down, roll]"},
    {"glide_s", number, glide_help}};
constexpr Field style_fields[] = {{"change", object, "the parts of the style that change"},
                                  {"glide_s", number, "seconds, 0.2 without it"}};
constexpr Field adjust_fields[] = {{"what", text, "transfer, mode, opacity, window, level, ..."},
                                   {"by", number, "steps, a factor or a share, by what"},
                                   {"glide_s", number, "seconds, 0.2 without it"}};
constexpr Field fit_fields[] = {{"mode", text, "contain, cover, stretch"}};
constexpr Field open_fields[] = {{"source", object, "as in CONTROL_PORT.md"}};
constexpr Field compare_fields[] = {{"mode", text, "side_by_side, swipe, difference, off"},
                                    {"source", object, "as in CONTROL_PORT.md"},
                                    {"line", number, "of swipe, 0 to 1"},
                                    {"gain", number, "of difference, 1 to 255"}};
constexpr Field region_fields[] = {{"canvas_px", list, "[x, y, width, height]"},
                                   {"clip_px", list, "[x, y, width, height]"},
                                   {"unclip", flag, "true ends a clip"},
                                   {"opacity", number, "0 to 1"},
                                   {"blend", text, "over, difference"},
                                   {"gain", number, "of a difference, 1 to 255"},
                                   {"owner", text, "who may change the region"},
                                   {"group", text, "regions that are sought and paused together"},
                                   {"place", whole, "in the stack; 0 = lowest"}};
constexpr Field add_region_fields[] = {{"source", object, "as in CONTROL_PORT.md"},
                                       {"canvas_px", list, "[x, y, width, height]"},
                                       {"clip_px", list, "[x, y, width, height]"},
                                       {"opacity", number, "0 to 1"},
                                       {"blend", text, "over, difference"},
                                       {"gain", number, "of a difference, 1 to 255"},
                                       {"owner", text, "who may change the region"},
                                       {"group", text, "regions that are sought together"}};
constexpr Field on_fields[] = {{"on", flag, on_help}};
constexpr Field cue_fields[] = {{"verb", text, "arm, note, update"},
                                {"cue", text, "of arm and note: the cue's name or number"},
                                {"note", text, "of note"}};
constexpr Field cues_fields[] = {{"first", whole, "from 0"}, {"most", whole, "up to 1000"}};
constexpr Field show_fields[] = {{"verb", text, "reload, load, unsaved, saved"},
                                 {"list", object, "of reload and load: the cues"},
                                 {"cue", text, "of load: the cue to begin with"},
                                 {"changes", text, "of saved"}};
constexpr Field volume_fields[] = {{"volume", number, "audio gain, 0 to 2"}};
constexpr Field key_fields[] = {{"key", text, "toggle_pause, faster, ..."}};
constexpr Field bezels_fields[] = {{"mode", text, "hide, show"}};
constexpr Field content_fields[] = {{"mode", text, "arc_length, eye, flat"}};
constexpr Field live_fields[] = {{"verb", text, "edge, hold, back, forward"},
                                 {"by", whole, "timesteps, of back and forward"}};
constexpr Field restart_fields[] = {
    {"role", text, "panel, caster, decoder, launcher"},
    {"panel", text, "of the role panel: its name"},
    {"host", text, "of the other roles; without it the wall's only host"}};
constexpr Field snapshot_fields[] = {
    {"file", text,
     "an absolute path on the director's machine, to a .png below the show's --snapshot-folder"}};

constexpr VerbInfo all[] = {
    {"status", viewer,
     "tells green, yellow or red with the reasons, what is shown, and what was late",
     status_fields},
    {"logs", viewer, "tells the logs of all hosts in one order of time", logs_fields},
    {"wall", viewer, "tells where the panels of the wall are"},
    {"watch", viewer, "sends the pictures that panels have swapped", watch_fields},
    {"play", presenter, "plays; from the beginning if the show has ended"},
    {"pause", presenter, "pauses on the frame that is due"},
    {"toggle_pause", presenter, "pauses or goes on"},
    {"seek", presenter, "goes to a frame, or by a number of frames or seconds", seek_fields},
    {"step", presenter, "pauses N frames ahead (default: 1), or back (-1)", step_fields},
    {"speed", presenter, "plays at 1/8 to 16 times the movie's rate; negative: backwards",
     speed_fields},
    {"reverse", presenter, "reverses the direction"},
    {"loop", presenter, "sets what follows the end", loop_fields},
    {"range", presenter, "plays only these frames", range_fields},
    {"next", presenter, "goes to the next item of a playlist, or the next cue", next_fields},
    {"previous", presenter,
     "goes to the beginning of the item, or to the one before; to the cue before"},
    {"goto", presenter,
     "goes to an item of a playlist by its number from 0, its title or its file name; to a cue by "
     "its name or number",
     goto_fields},
    {"view", presenter, "shows this part of the movie", view_fields},
    {"zoom", presenter, "enlarges; under 1 shrinks", zoom_fields},
    {"one_to_one", presenter, "a pixel of the movie is a pixel of the wall", one_to_one_fields},
    {"pan", presenter, "moves the picture", pan_fields},
    {"camera", presenter, "moves the camera of a volume; the whole view, zoom and pan move it too",
     camera_fields},
    {"style", presenter,
     "changes how a volume is drawn: transfer function, range, mode, clipping, ...; numbers glide",
     style_fields},
    {"adjust", presenter, "changes a volume's style by a step, like a key; glides like style",
     adjust_fields},
    {"fit", presenter, "sets how a picture of another shape fills a region", fit_fields},
    {"open", operator_, "shows another movie, from its first frame", open_fields},
    {"compare", operator_, "a second movie in step with the first", compare_fields},
    {"region", operator_,
     "movies beside and above the first: changes their place, look, owner or group", region_fields},
    {"add_region", operator_, "shows another movie beside or above the first", add_region_fields},
    {"remove_region", operator_, "removes a region"},
    {"panic", presenter, "makes the wall black and silent at once, until resume"},
    {"resume", presenter, "ends panic and freeze: the wall goes on in step with its time"},
    {"freeze", presenter,
     "keeps the picture while time goes on; switches on or off; without a word it toggles",
     on_fields},
    {"show", operator_,
     "a presentation: takes its cues again, and the wall stays as it is; goes over to another "
     "show; tells and forgets the cues that the file lacks",
     show_fields},
    {"cue", presenter,
     "a presentation: gets panels ready for another cue than the next one; sets the note of a "
     "cue; copies what the wall shows into its cue",
     cue_fields},
    {"cues", viewer, "a presentation: lists the cues", cues_fields},
    {"blank", presenter, "makes the wall black; switches on or off; without a word it toggles",
     on_fields},
    {"overlay", presenter,
     "shows the panels' figures; switches on or off; without a word it toggles", on_fields},
    {"hints", presenter,
     "panels show for a moment what a key has done; switches on or off; without a word it toggles",
     on_fields},
    {"volume", presenter, "sets the audio gain, 0 to 2", volume_fields},
    {"mute", presenter, "mutes the sound; switches on or off; without a word it toggles",
     on_fields},
    {"key", presenter, "acts like a key at a window: toggle_pause, faster, ...", key_fields},
    {"bezels", operator_, "continues the picture behind bezels, or lets panels abut",
     bezels_fields},
    {"content", operator_, "sets how the picture lies on an arc", content_fields},
    {"live", presenter,
     "follows a live source's newest timestep, stays, or goes through those in memory",
     live_fields},
    {"snapshot", operator_,
     "saves the wall as it is shown; waits for glides and details, 8 s at most", snapshot_fields},
    {"restart", operator_,
     "starts a panel, the casters or decoders of a host, or a host's launcher again; the wall goes "
     "on",
     restart_fields},
    {"subscribe", viewer, "tells events from now on"},
    {"quit", operator_, "ends the show"}};

}  // namespace

std::optional<Role> role_of(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(role_names, name);
  if (found == std::end(role_names)) return std::nullopt;
  return static_cast<Role>(found - std::begin(role_names));
}

std::span<const VerbInfo> verb_list() noexcept { return all; }

const VerbInfo* find_verb(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(all, name, &VerbInfo::name);
  return found == std::end(all) ? nullptr : found;
}

Role least_role(const VerbInfo& verb, std::string_view choice) noexcept {
  struct Choice {
    std::string_view verb;
    std::string_view choice;
  };
  constexpr Choice of_operators[] = {{"cue", "note"},
                                     {"cue", "update"},
                                     {"key", "quit"},
                                     {"key", "add_keyframe"},
                                     {"key", "remove_keyframe"}};
  const bool is_operators = std::ranges::any_of(of_operators, [&](const Choice& one) {
    return one.verb == verb.name && one.choice == choice;
  });
  return is_operators ? Role::operator_ : verb.role;
}

Scope scope_of(const VerbInfo& verb) noexcept {
  constexpr std::string_view of_nothing[] = {"status", "logs",     "wall", "watch",    "cue",
                                             "cues",   "snapshot", "quit", "subscribe"};
  constexpr std::string_view of_wall[] = {"panic", "resume", "freeze",  "show",   "blank",
                                          "hints", "volume", "overlay", "bezels", "content",
                                          "mute",  "live",   "restart"};
  const auto is_among = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, verb.name) != names.end();
  };
  return is_among(of_nothing) ? Scope::nothing : is_among(of_wall) ? Scope::wall : Scope::region;
}

std::string_view help_of(std::string_view name) {
  const VerbInfo* const verb = find_verb(name);
  TW_CHECK(verb != nullptr, "{}", name);
  return verb->help;
}

}  // namespace tilewall::verbs
