// What `tilewall ctl VERB` sends for the words that are typed after it, and what it refuses.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <future>

#include "net/control/control_place.hpp"
#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

/// A wall whose director the test plays.
class PlayedWall {
 public:
  PlayedWall() {
    write_private_file(folder_ / net::control_secret_file, "a secret of sixteen bytes or more");
    director_.emplace(net::ControlPlace(folder_.path()).key());
    write_file_atomically(folder_ / net::control_address_file, director_->address() + "\n");
    connection_.emplace(command::WallAddress{folder_.path(), {}});
  }
  command::WallConnection& connection() { return *connection_; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

  /// Answers the next requests of these types, each with the value beside it.
  std::future<void> answers(std::vector<std::pair<std::string, Json>> all) {
    return std::async(std::launch::async, [this, all] {
      director_->accept();
      for (const auto& [type, answer] : all) {
        const Json request = director_->next(type);
        Json sent = answer;
        sent["id"] = request.at("id");
        director_->send(sent);
      }
    });
  }

 private:
  const TemporaryFolder folder_;
  std::optional<ListeningDirector> director_;
  std::optional<command::WallConnection> connection_;
};

const CtlVerb& verb_of(const std::string& name) {
  static const std::vector<CtlVerb> all = [] {
    std::vector<CtlVerb> verbs;
    for (const auto& group : {ctl_transport_verbs(), ctl_view_verbs(), ctl_region_verbs(),
                              ctl_cue_verbs(), ctl_wall_verbs()})
      verbs.insert(verbs.end(), group.begin(), group.end());
    return verbs;
  }();
  const auto found = std::ranges::find(all, name, &CtlVerb::name);
  REQUIRE(found != all.end());
  return *found;
}

/// The request of a verb that asks the wall nothing.
Json request(const std::string& verb, CtlArguments arguments) {
  static PlayedWall wall;
  return verb_of(verb).request(arguments, wall.connection());
}
Json request(const std::string& verb, std::vector<std::string> words) {
  CtlArguments arguments;
  arguments.words = std::move(words);
  return request(verb, arguments);
}

/// The line that refuses these words.
std::string refusal(const std::string& verb, std::vector<std::string> words) {
  try {
    static_cast<void>(request(verb, std::move(words)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

CtlArguments arguments_with(std::vector<std::string> words, std::string CtlArguments::*option,
                            const std::string& value) {
  CtlArguments arguments;
  arguments.words = std::move(words);
  arguments.*option = value;
  return arguments;
}

}  // namespace

TEST_CASE("the verbs for playing send frames, seconds, ranges and speeds", "[ctl]") {
  for (const char* const verb : {"play", "pause", "toggle_pause", "reverse", "next", "previous",
                                 "panic", "resume", "quit"}) {
    CHECK(request(verb, std::vector<std::string>{}) == Json{{"type", verb}});
    CHECK(refusal(verb, {"now", "please"}) ==
          "ctl " + std::string(verb) + ": expected nothing after it, found \"now please\"");
  }
  CHECK(request("seek", {"100"}) == Json{{"type", "seek"}, {"frame", 100}});
  CHECK(request("seek", {"+10"}) == Json{{"type", "seek"}, {"by", 10}});
  CHECK(request("seek", {"-10"}) == Json{{"type", "seek"}, {"by", -10}});
  CHECK(request("seek", {"90s"}) == Json{{"type", "seek"}, {"seconds", 90.0}});
  CHECK(request("seek", {"-5.5s"}) == Json{{"type", "seek"}, {"by_seconds", -5.5}});
  CHECK(request("seek", {"+5s"}) == Json{{"type", "seek"}, {"by_seconds", 5.0}});
  CHECK(refusal("seek", {}) ==
        "ctl seek: expected a frame, +FRAMES, -FRAMES, or seconds as in -5s, found nothing");
  CHECK(refusal("seek", {"1", "2"}).ends_with("found \"1 2\""));
  CHECK(refusal("seek", {"12x"}) == "ctl seek: expected a whole number, found \"12x\"");
  CHECK(refusal("seek", {"+"}) == "ctl seek: expected a whole number, found \"+\"");
  CHECK(refusal("seek", {"s"}) == "ctl seek: expected a number from -1e6 to 1e6, found nothing");
  CHECK(refusal("seek", {"1000001s"}).ends_with("found \"1000001\""));

  CHECK(request("step", std::vector<std::string>{}) == Json{{"type", "step"}});
  CHECK(request("step", {"-3"}) == Json{{"type", "step"}, {"by", -3}});
  CHECK(refusal("step", {"1", "2"}).starts_with("ctl step: expected a number of frames"));
  CHECK(request("speed", {"1/2"}) == Json{{"type", "speed"}, {"speed", "1/2"}});

  CHECK(request("loop", {"on"}) == Json{{"type", "loop"}, {"mode", "loop"}});
  CHECK(request("loop", {"off"}) == Json{{"type", "loop"}, {"mode", "once"}});
  CHECK(request("loop", {"ping_pong"}) == Json{{"type", "loop"}, {"mode", "ping_pong"}});
  CHECK(refusal("loop", {"once"}) == "ctl loop: expected on, off or ping_pong, found \"once\"");

  CHECK(request("range", {"off"}) == Json{{"type", "range"}});
  CHECK(request("range", {"10", "20"}) == Json{{"type", "range"}, {"first", 10}, {"last", 20}});
  CHECK(request("range", {"10-20"}) == Json{{"type", "range"}, {"first", 10}, {"last", 20}});
  CHECK(request("range", {"10-"}) == Json{{"type", "range"}, {"first", 10}});
  CHECK(request("range", {"-20"}) == Json{{"type", "range"}, {"last", 20}});
  CHECK(request("range", {"7"}) == Json{{"type", "range"}, {"first", 7}, {"last", 7}});
  CHECK(refusal("range", {"x"}).ends_with("or off, found \"x\""));
  CHECK(refusal("range", {"off", "20"}).ends_with("found \"off\""));
  CHECK(refusal("range", {"1", "2", "3"}).ends_with("found \"1 2 3\""));

  CHECK(request("goto", {"3"}) == Json{{"type", "goto"}, {"item", 3}});
  CHECK(request("goto", {"Big", "Buck"}) == Json{{"type", "goto"}, {"name", "Big Buck"}});
  CHECK(request("goto", {"3a"}) == Json{{"type", "goto"}, {"name", "3a"}});
  CHECK(refusal("goto", {}) ==
        "ctl goto: expected an item's number from 0, title or file name, found nothing");
}

TEST_CASE("each request names the region and the owner that were typed", "[ctl]") {
  CtlArguments arguments = arguments_with({}, &CtlArguments::region, "left");
  CHECK(request("pause", arguments) == Json{{"type", "pause"}, {"region", "left"}});
  arguments.as = "Ann";
  CHECK(request("pause", arguments) == Json{{"type", "pause"}, {"region", "left"}, {"as", "Ann"}});
}

TEST_CASE("the verbs for views send pixels, factors and glides", "[ctl]") {
  CHECK(request("view", arguments_with({"10,20,640,400"}, &CtlArguments::glide, "2")) ==
        Json{{"type", "view"}, {"view_px", {10.0, 20.0, 640.0, 400.0}}, {"glide_s", 2.0}});
  CHECK(request("view", {"whole"}) == Json{{"type", "view"}, {"whole", true}});
  CHECK(refusal("view", {"1,2,3"}) ==
        "ctl view: expected X,Y,W,H in pixels of the movie, or whole, found \"1,2,3\"");
  CHECK(request("zoom", arguments_with({"1.5"}, &CtlArguments::at, "100,50")) ==
        Json{{"type", "zoom"}, {"factor", 1.5}, {"x", 100.0}, {"y", 50.0}});
  CHECK(request("zoom", arguments_with({"2"}, &CtlArguments::glide, "0.5")) ==
        Json{{"type", "zoom"}, {"factor", 2.0}, {"glide_s", 0.5}});
  CHECK(request("one_to_one", arguments_with({}, &CtlArguments::at, "3,4")) ==
        Json{{"type", "one_to_one"}, {"x", 3.0}, {"y", 4.0}});
  CHECK(request("one_to_one", arguments_with({}, &CtlArguments::glide, "1")) ==
        Json{{"type", "one_to_one"}, {"glide_s", 1.0}});
  CHECK(refusal("one_to_one", {"x"}) == "ctl one_to_one: expected nothing after it, found \"x\"");
  CHECK(request("pan", arguments_with({"-5,7"}, &CtlArguments::glide, "1")) ==
        Json{{"type", "pan"}, {"dx", -5.0}, {"dy", 7.0}, {"glide_s", 1.0}});
  CHECK(refusal("pan", {"1,2,3"}) == "ctl pan: expected DX,DY in canvas pixels, found \"1,2,3\"");
  CHECK(request("fit", {"cover"}) == Json{{"type", "fit"}, {"mode", "cover"}});

  CHECK(request("camera", arguments_with({"orbit", "30,10,0"}, &CtlArguments::glide, "2")) ==
        Json{{"type", "camera"}, {"orbit_deg", {30.0, 10.0, 0.0}}, {"glide_s", 2.0}});
  const std::string camera_words =
      "ctl camera: expected a camera's TOML file, orbit RIGHT,DOWN,ROLL in degrees, or save "
      "FILE.toml, found ";
  CHECK(refusal("camera", {}) == camera_words + "nothing");
  CHECK(refusal("camera", {"orbit"}) == camera_words + "\"orbit\"");
  CHECK(refusal("camera", {"a.toml", "b.toml"}) == camera_words + "\"a.toml b.toml\"");
  CHECK(refusal("camera", {"save"}).starts_with("save: "));  // a file of that name
  CHECK(refusal("camera", {"orbit", "30"}).starts_with("ctl camera orbit: expected"));
  CHECK(refusal("camera", {"save", "a.toml", "b.toml"}) ==
        "ctl camera: expected save FILE.toml, found \"save a.toml b.toml\"");
  const TemporaryFolder folder;
  const std::string file = (folder / "top.toml").string();
  write_file_atomically(file, "eye = [0, 0, 400]\n");
  CHECK(request("camera", {file}).at("camera") == Json{{"eye", {0.0, 0.0, 400.0}}});
}

TEST_CASE("the verbs for a volume's look send the fields that change", "[ctl]") {
  const Json style =
      request("style", arguments_with({"opacity=2", "lit=off"}, &CtlArguments::glide, "1"));
  CHECK(style.at("glide_s") == 1.0);
  CHECK(style.at("change") == Json{{"opacity", 2.0}, {"lit", false}});
  // An isosurface's value is for nothing unless the isosurface is drawn.
  CHECK(request("style", {"iso=90"}).at("change").at("mode") == "isosurface");
  CHECK(request("style", {"iso=90", "mode=maximum"}).at("change").at("mode") == "maximum");
  CHECK_FALSE(request("style", {"opacity=2"}).at("change").contains("mode"));
  CHECK(refusal("style", {}) ==
        "ctl style: expected FIELD=VALUE, or save FILE.toml, found nothing");
  CHECK(refusal("style", {"opacity"}) == "ctl style: expected FIELD=VALUE, found \"opacity\"");
  CHECK(refusal("style", {"save"}) == "ctl style: expected save FILE.toml, found \"save\"");

  CHECK(request("adjust", arguments_with({"opacity", "1.5"}, &CtlArguments::glide, "1")) ==
        Json{{"type", "adjust"}, {"what", "opacity"}, {"by", 1.5}, {"glide_s", 1.0}});
  CHECK(request("adjust", {"clip_box"}) == Json{{"type", "adjust"}, {"what", "clip_box"}});
  CHECK(refusal("adjust", {}) == "ctl adjust: expected what to adjust, found nothing");
  CHECK(refusal("adjust", {"opacity"}) == "ctl adjust: expected WHAT BY, found \"opacity\"");
  CHECK(refusal("adjust", {"clip_box", "1"}) ==
        "ctl adjust: expected nothing after what it adjusts, found \"1\"");
}

TEST_CASE("the verbs for regions send places and looks", "[ctl]") {
  CHECK(request("region", {"move", "left", "1,2,30,40"}) ==
        Json{{"type", "region"}, {"region", "left"}, {"canvas_px", {1.0, 2.0, 30.0, 40.0}}});
  CHECK(request("region", {"owner", "left", "Ann"}) ==
        Json{{"type", "region"}, {"region", "left"}, {"owner", "Ann"}});
  CHECK(request("region", {"remove", "left"}) ==
        Json{{"type", "remove_region"}, {"region", "left"}});
  CHECK(request("region", {"look", "left", "opacity=0.5", "gain=8", "place=1", "blend=difference",
                           "group=g", "clip=1,2,3,4"}) == Json{{"type", "region"},
                                                               {"region", "left"},
                                                               {"opacity", 0.5},
                                                               {"gain", 8.0},
                                                               {"place", 1},
                                                               {"blend", "difference"},
                                                               {"group", "g"},
                                                               {"clip_px", {1.0, 2.0, 3.0, 4.0}}});
  const std::string region_words =
      "ctl region: expected add, move, look, owner or remove, and a region's name, found ";
  CHECK(refusal("region", {}) == region_words + "nothing");
  CHECK(refusal("region", {"move"}) == region_words + "\"move\"");
  CHECK(refusal("region", {"turn", "left"}) == region_words + "\"turn\"");
  CHECK(refusal("region", {"move", "left"}) ==
        "ctl region move: expected NAME X,Y,W,H, found \"other words\"");
  CHECK(refusal("region", {"move", "left", "1,2,30,40", "50"}) ==
        "ctl region move: expected NAME X,Y,W,H, found \"other words\"");
  CHECK(refusal("region", {"move", "left", "1,2,30"}).starts_with("ctl region move: expected X,Y"));
  CHECK(refusal("region", {"owner", "left", "Ann", "Bob"}) ==
        "ctl region owner: expected NAME OWNER, found \"other words\"");
  CHECK(refusal("region", {"owner", "left"}) ==
        "ctl region owner: expected NAME OWNER, found \"other words\"");
  CHECK(refusal("region", {"remove", "left", "right"}) ==
        "ctl region remove: expected NAME, found \"other words\"");
  CHECK(refusal("region", {"add", "left"}) ==
        "ctl region add: expected NAME INPUT, found \"left\"");
  CHECK(refusal("region", {"look", "left", "opacity"}).starts_with("ctl region look: expected a"));
  CHECK(refusal("region", {"look", "left", "hue=3"}) ==
        "ctl region look: expected opacity=, blend=, gain=, place=, group= or clip=, found "
        "\"hue=3\"");
  CHECK(refusal("open", {}) == "ctl open: expected an INPUT, found nothing");
  CHECK(refusal("compare", {}) ==
        "ctl compare: expected side_by_side, swipe, difference or off, found nothing");
  CtlArguments swipe = arguments_with({"swipe"}, &CtlArguments::line, "0.3");
  CHECK(request("compare", swipe) == Json{{"type", "compare"}, {"mode", "swipe"}, {"line", 0.3}});
  CHECK(request("compare", arguments_with({"difference"}, &CtlArguments::gain, "8")) ==
        Json{{"type", "compare"}, {"mode", "difference"}, {"gain", 8.0}});
}

TEST_CASE("the verbs for presentations send cues by name, and their notes", "[ctl]") {
  CHECK(request("freeze", std::vector<std::string>{}) == Json{{"type", "freeze"}});
  CHECK(request("freeze", {"on"}) == Json{{"type", "freeze"}, {"on", true}});
  CHECK(request("freeze", {"off"}) == Json{{"type", "freeze"}, {"on", false}});
  CHECK(refusal("freeze", {"maybe"}) == "ctl freeze: expected on or off, found \"maybe\"");
  CHECK(request("cue", {"list"}) == Json{{"type", "cues"}});
  CHECK(request("cue", {"update"}) == Json{{"type", "cue"}, {"verb", "update"}});
  CHECK(request("cue", {"arm", "Big", "jet"}) ==
        Json{{"type", "cue"}, {"verb", "arm"}, {"cue", "Big jet"}});
  CHECK(request("cue", {"note", "2", "Wait", "here"}) ==
        Json{{"type", "cue"}, {"verb", "note"}, {"cue", "2"}, {"note", "Wait here"}});
  const std::string cue_words =
      "ctl cue: expected list, arm CUE, note CUE [TEXT], or update, found ";
  CHECK(refusal("cue", {}) == cue_words + "nothing");
  for (const char* const word : {"list", "update"})
    CHECK(refusal("cue", {word, "2"}) == cue_words + "\"" + word + " 2\"");
  CHECK(refusal("cue", {"arm"}) == cue_words + "\"arm\"");
  CHECK(request("cue", {"note", "2"}) ==
        Json{{"type", "cue"}, {"verb", "note"}, {"cue", "2"}, {"note", ""}});
  CHECK(refusal("cue", {"note"}) == cue_words + "\"note\"");
  const std::string show_words =
      "ctl show: expected reload [SHOW.toml], load SHOW.toml [CUE], or save [SHOW.toml], found ";
  CHECK(refusal("show", {}) == show_words + "nothing");
  CHECK(refusal("show", {"load"}) == show_words + "\"load\"");
  CHECK(refusal("show", {"reload", "a", "b"}) == show_words + "\"reload a b\"");
  CHECK(refusal("show", {"save", "a", "b"}) == show_words + "\"save a b\"");
}

TEST_CASE("the verbs for the whole wall send switches, roles and timesteps", "[ctl]") {
  for (const char* const verb : {"blank", "overlay", "hints", "mute"}) {
    CHECK(request(verb, std::vector<std::string>{}) == Json{{"type", verb}});
    CHECK(request(verb, {"on"}) == Json{{"type", verb}, {"on", true}});
    CHECK(request(verb, {"off"}) == Json{{"type", verb}, {"on", false}});
  }
  CHECK(request("volume", {"0.5"}) == Json{{"type", "volume"}, {"volume", 0.5}});
  CHECK(request("key", {"faster"}) == Json{{"type", "key"}, {"key", "faster"}});
  CHECK(request("bezels", {"hide"}) == Json{{"type", "bezels"}, {"mode", "hide"}});
  CHECK(request("content", {"eye"}) == Json{{"type", "content"}, {"mode", "eye"}});

  CHECK(request("live", {"edge"}) == Json{{"type", "live"}, {"verb", "edge"}});
  CHECK(request("live", {"hold"}) == Json{{"type", "live"}, {"verb", "hold"}});
  CHECK(request("live", {"back"}) == Json{{"type", "live"}, {"verb", "back"}, {"by", 1}});
  CHECK(request("live", {"forward", "4"}) ==
        Json{{"type", "live"}, {"verb", "forward"}, {"by", 4}});
  const std::string live_words = "ctl live: expected edge, hold, back [N] or forward [N], found ";
  CHECK(refusal("live", {}) == live_words + "nothing");
  CHECK(refusal("live", {"hold", "1"}) == live_words + "\"hold 1\"");
  CHECK(refusal("live", {"back", "1", "2"}) == live_words + "\"back 1 2\"");
  CHECK(refusal("live", {"newest"}) == live_words + "\"newest\"");

  CHECK(request("restart", {"panel", "c0r1"}) ==
        Json{{"type", "restart"}, {"role", "panel"}, {"panel", "c0r1"}});
  for (const char* const role : {"caster", "decoder", "launcher"}) {
    CHECK(request("restart", {role}) == Json{{"type", "restart"}, {"role", role}});
    CHECK(request("restart", {role, "n1"}) ==
          Json{{"type", "restart"}, {"role", role}, {"host", "n1"}});
    CHECK_FALSE(refusal("restart", {role, "n1", "n2"}).empty());
  }
  const std::string restart_words =
      "ctl restart: expected panel NAME, caster [HOST], decoder [HOST] or launcher [HOST], found ";
  CHECK(refusal("restart", {}) == restart_words + "nothing");
  CHECK(refusal("restart", {"panel"}) == restart_words + "\"panel\"");
  CHECK(refusal("restart", {"wall"}) == restart_words + "\"wall\"");
}

TEST_CASE("a snapshot is taken into the run directory, and copied to the file", "[ctl]") {
  PlayedWall wall;
  const TemporaryFolder folder;
  const CtlVerb& verb = verb_of("snapshot");
  CtlArguments arguments;
  arguments.words = {(folder / "wall.png").string()};
  const Json sent = verb.request(arguments, wall.connection());
  const std::filesystem::path taken =
      wall.folder() / ("ctl-snapshot-" + std::to_string(::getpid()) + ".png");
  CHECK(sent == Json{{"type", "snapshot"}, {"file", taken.string()}});
  write_file_atomically(taken, "a picture");
  Json answer = {{"file", taken.string()}};
  verb.finish(arguments, sent, answer);
  CHECK(answer.at("file") == arguments.words[0]);
  CHECK(read_text_file(arguments.words[0], 100) == "a picture");
  CHECK_FALSE(std::filesystem::exists(taken));
  CHECK(refusal("snapshot", {"wall.jpg"}) ==
        "ctl snapshot: expected a file that ends in .png, found \"wall.jpg\"");
  CHECK(refusal("snapshot", {(folder / "no" / "wall.png").string()})
            .starts_with("ctl snapshot: expected a file in a folder that exists"));
}

TEST_CASE("the camera and the look of the shown volume are saved into files", "[ctl]") {
  const auto region = [](const char* name, double eye_x) {
    Json camera = {{"eye", {eye_x, 0.0, 0.0}}, {"look_at", {0.0, 0.0, 0.0}}, {"up", {0, 0, 1}},
                   {"fov_deg", 30.0},          {"lens", "perspective"},      {"view_height", 1.0}};
    return Json{{"region", name}, {"volume", {{"camera", std::move(camera)}}}};
  };
  const Json movie = {{"region", "movie"}};
  const Json status = {{"type", "status"},
                       {"scene", {{"regions", {movie, region("a", 3), region("b", 5)}}}}};
  const TemporaryFolder folder;
  CtlArguments arguments;
  arguments.words = {"save", (folder / "camera.toml").string()};
  const auto saved_eye = [&] {
    const std::string text = read_text_file(arguments.words[1], 10000);
    return text.find("eye = [3") != std::string::npos   ? 3
           : text.find("eye = [5") != std::string::npos ? 5
                                                        : 0;
  };
  PlayedWall wall;
  auto played = wall.answers({{"status", status}, {"status", status}, {"status", status}});
  CHECK(verb_of("camera").request(arguments, wall.connection()).is_null());
  CHECK(saved_eye() == 3);  // the lowest one with a volume
  arguments.region = "b";
  CHECK(verb_of("camera").request(arguments, wall.connection()).is_null());
  CHECK(saved_eye() == 5);
  arguments.region = "movie";
  CHECK_THROWS_WITH(verb_of("camera").request(arguments, wall.connection()),
                    "ctl camera: expected a region that shows a volume, found \"movie\"");
  played.get();
}

TEST_CASE("a wall that play made is known by its size", "[ctl]") {
  const wall::Wall wall = running_wall({{"wall", {{"file", ""}, {"abutting_px", {800, 600}}}}});
  CHECK(wall.panels.size() == 15);
  CHECK(wall.panels.front().size_px == SizePx{160, 100});
}

TEST_CASE("a table of help has its texts in one column, wrapped at the line's end", "[ctl]") {
  const std::string margin(34, ' ');
  CHECK(help_table("Fields:", {{"a=1", "short"}}) ==
        "Fields:\n  a=1" + std::string(29, ' ') + "short");
  const std::string long_word(31, 'x');  // it ends a blank before the column
  CHECK(help_table("", {{long_word, "help"}}) == "\n  " + long_word + " help");
  CHECK(help_table("", {{long_word + "x", "help"}}) ==
        "\n  " + long_word + "x\n" + margin + "help");
  const std::string first(30, 'a');
  CHECK(help_table("", {{"b", first + " " + std::string(35, 'b')}}) ==
        "\n  b" + std::string(31, ' ') + first + " " + std::string(35, 'b'));
  CHECK(help_table("", {{"b", first + " " + std::string(36, 'b')}}) ==
        "\n  b" + std::string(31, ' ') + first + "\n" + margin + std::string(36, 'b'));
  CHECK(help_table("H", {{"a", "1"}, {"b", "2"}}) ==
        "H\n  a" + std::string(31, ' ') + "1\n  b" + std::string(31, ' ') + "2");
}

TEST_CASE("what a verb has done is told in one line", "[ctl]") {
  CHECK(done_text("pause", Json::object()) == "pause: done");
  CHECK(done_text("seek", {{"frame", 100}, {"at_ns", 5'098'400'000}, {"now_ns", 5'000'000'000}}) ==
        "seek: frame 100 in 98 ms");
  CHECK(done_text("blank", {{"frame", 3},
                            {"at_ns", 2'000'000},
                            {"now_ns", 1'000'000},
                            {"not_shown", {"c0r0", "c1r0"}}}) ==
        "blank: frame 3 in 1 ms, not shown by c0r0, c1r0");
  CHECK(done_text("next", {{"cue", "Jet"}, {"at_ns", 2'000'000}, {"now_ns", 1'000'000}}) ==
        "next: cue \"Jet\" in 1 ms");
  CHECK(done_text("snapshot", {{"frame", 7}, {"file", "/a.png"}}) == "snapshot: frame 7 in /a.png");
  CHECK(done_text("snapshot", {{"frame", 7}, {"file", "/a.png"}, {"note", "a panel lacks"}}) ==
        "snapshot: frame 7 in /a.png, a panel lacks");
  CHECK(done_text("cue", {{"changed", true}}) ==
        "cue: done; ctl show save writes it into the show file");
  CHECK(done_text("cue", {{"changed", false}}) == "cue: the cue has all of it already");
  CHECK(done_text("show", {{"dropped", 2}}) ==
        "show: done; 2 changed cues were not saved, and are as in the file again");
  CHECK(done_text("show", {{"dropped", 0}}) == "show: done");
  CHECK(done_text("show", {{"unsaved", 3}}) ==
        "show: written; 3 changed cues are not in the show's own file");
}

TEST_CASE("an event is one line of names and values", "[ctl]") {
  CHECK(event_text({{"type", "event"}, {"event", "late"}, {"frames", 3}, {"panel", "c0r0"}}) ==
        "late: frames 3, panel c0r0");
  CHECK(event_text({{"type", "event"}, {"event", "end"}}) == "end");
  CHECK(event_text({{"type", "event"},
                    {"event", "scene"},
                    {"version", 4},
                    {"regions",
                     {{{"region", "main"}, {"frame", 10}, {"rate_fps", 24.0}},
                      {{"region", "b"}, {"frame", 2}, {"paused", true}},
                      {{"region", "c"}, {"frame", 3}, {"rate_fps", 12.5}, {"direction", -1}}}},
                    {"blank", true}}) ==
        "scene 4: main frame 10 24 fps b frame 2 paused c frame 3 12.5 fps backwards, blank");
  CHECK(event_text({{"event", "scene"}, {"version", 1}}) == "scene 1:");
}

TEST_CASE("a refusal of the wall names what was typed in place of the message", "[ctl]") {
  CtlArguments arguments;
  arguments.words = {"top.toml"};
  CHECK(refusal_text("seek", arguments, "message: frame: expected") == "ctl seek: frame: expected");
  CHECK(refusal_text("camera", arguments, "message: eye: expected") == "top.toml: eye: expected");
  arguments.words = {"orbit", "1,2,3"};
  CHECK(refusal_text("camera", arguments, "message: x") == "ctl camera: x");
  CHECK(refusal_text("seek", arguments, "no message: x") == "no message: x");
}

TEST_CASE("cues are listed with the one on the wall marked", "[ctl]") {
  const Json cues = {
      {{"index", 0},
       {"number", nullptr},
       {"name", "Logo"},
       {"section", nullptr},
       {"note", nullptr}},
      {{"index", 1}, {"number", "2.5"}, {"name", "Jet"}, {"section", "Talk"}, {"note", "Wait."}}};
  CHECK(cues_text({{"current", 1}, {"count", 2}, {"cues", cues}}) ==
        "          Logo\n>    2.5  Jet  [Talk]  Wait.\n");
  CHECK(cues_text({{"current", nullptr}, {"count", 7}, {"cues", cues}}) ==
        "          Logo\n     2.5  Jet  [Talk]  Wait.\nthe first 2 of 7 cues\n");
}
