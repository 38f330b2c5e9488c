// A presentation on a real wall: cues by the control port, the first picture of each at its instant
// on all panels, panic, and the director's death.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "player/cues/cue.hpp"
#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int cue_frames = 96;

const char* const three_cues = R"([show]
name = "Three"

[[cue]]
name = "one"
number = 1
input = "a"
start = 10
loop = "forever"

[[cue]]
name = "two"
number = 2
input = "b"
start = 40
loop = "forever"

[[cue]]
name = "three"
number = 3
input = "c"
start = 70
loop = "forever"
)";

/// A presentation of three movies that runs headless, with hashes.
class Presentation {
 public:
  explicit Presentation(const std::string& show = three_cues, const Words& more = {})
      : program_(words(show, more)) {}

  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }

  [[nodiscard]] Json presentation() const {
    WallClient client(run_dir());
    return client.ask({{"type", "status"}}).at("presentation");
  }
  [[nodiscard]] bool is_armed_for(const std::string& cue) const {
    return eventually([&] {
      const Json armed = presentation().at("armed");
      return armed.at("cue") == cue && armed.at("state") == "armed";
    });
  }
  Json ask(const Json& request) const {
    WallClient client(run_dir());
    return client.ask(request);
  }

  [[nodiscard]] fs::path file() const { return folder_ / "show.toml"; }
  void write(const std::string& cues) const { std::ofstream(file()) << cues; }
  [[nodiscard]] std::string text() const { return read_text_file(file(), 1 << 20); }

  Json finish() {
    ask({{"type", "quit"}});
    static_cast<void>(program_.wait(std::chrono::seconds(20)));
    return read_report(folder_ / "report");
  }

 private:
  Words words(const std::string& show, const Words& more) {
    for (const char* const movie : {"a", "b", "c"})
      write_numbered_movie(folder_ / movie, pair_canvas_px, cue_frames);
    write(show);
    Words all = {tilewall_program,
                 "present",
                 file().string(),
                 "--wall",
                 test_wall("two-by-one.toml"),
                 "--headless",
                 "--hashes",
                 "--run-dir",
                 run_dir().string(),
                 "--report",
                 (folder_ / "report").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TemporaryFolder folder_;
  RunningProgram program_;
};

/// A show of one cue, a test pattern.
cues::CueList one_cue(const std::string& name) {
  scene::SourceSpec pattern;
  pattern.path = "grid";
  cues::RegionSetting region;
  region.name = "main";
  region.source = std::make_shared<const scene::SourceSpec>(pattern);
  region.play = cues::PlayState{};
  cues::CueList list;
  list.cues.emplace_back();
  list.cues.back().name = name;
  list.cues.back().regions = {region};
  return list;
}

/// The part of a status that a cue decides.
Json wall_in(const Json& status) {
  Json wall = {{"black", status.at("scene").at("blank")},
               {"cue", status.at("presentation").at("name")}};
  for (const Json& region : status.at("scene").at("regions")) {
    Json part;
    for (const char* const field :
         {"name", "source", "canvas_px", "view_px", "opacity", "fit", "group", "loop", "range"})
      if (region.contains(field)) part[field] = region.at(field);
    wall["regions"].push_back(part);
  }
  return wall;
}

/// While it lives, programs that are started cannot read this movie's frames on this panel as long
/// as a file exists.
class HungDisk {
 public:
  HungDisk(const fs::path& while_there, const std::string& part, int panel) {
    std::ofstream(while_there) << "hangs";
    set("LD_PRELOAD", preload_path(TILEWALL_SLOW_DISK));
    set("TILEWALL_TEST_READ_HANG", while_there.string());
    set("TILEWALL_TEST_READ_PART", part);
    set("TILEWALL_TEST_READ_PANEL", std::to_string(panel));
  }
  ~HungDisk() {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  HungDisk(const HungDisk&) = delete;
  HungDisk& operator=(const HungDisk&) = delete;

 private:
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  std::vector<std::string> names_;
};

/// Whether the first picture that each panel showed from the answer's instant on is that frame.
void check_first_picture(const Json& report, const Json& answer, std::int64_t number) {
  for (const std::string& panel : pair_panels) {
    CAPTURE(panel, number);
    CHECK(hash_shown_from(report, panel, answer.at("at_ns").get<std::int64_t>()) ==
          numbered_hash(number, panel));
  }
}

}  // namespace

TEST_CASE("the first picture of an armed cue is on all panels at its instant", "[present]") {
  Presentation show;
  CHECK(show.presentation().at("name") == "one");
  REQUIRE(show.is_armed_for("two"));
  const Json two = show.ask({{"type", "next"}});
  REQUIRE(two.at("type") == "done");
  CHECK(two.at("cue") == "two");
  REQUIRE(show.is_armed_for("three"));
  const Json three = show.ask({{"type", "goto"}, {"name", "three"}});
  CHECK(three.at("cue") == "three");
  const Json back = show.ask({{"type", "previous"}});
  CHECK(back.at("cue") == "two");
  CHECK(show.ask({{"type", "goto"}, {"name", "four"}}).at("type") == "refused");
  const Json one = show.ask({{"type", "goto"}, {"item", 1}});
  CHECK(one.at("cue") == "one");
  // Its first picture has come once a second one is on the wall.
  REQUIRE(eventually([&] { return show.presentation().at("for_s") > 0.3; }));
  const Json report = show.finish();
  check_first_picture(report, two, 40);
  check_first_picture(report, three, 70);
  check_first_picture(report, back, 40);
  check_first_picture(report, one, 10);
}

TEST_CASE("panic makes all panels black, and resume goes on in step", "[present]") {
  Presentation show;
  REQUIRE(show.is_armed_for("two"));
  const Json panic = show.ask({{"type", "panic"}});
  REQUIRE(panic.at("type") == "done");
  CHECK(panic.at("at_ns").get<std::int64_t>() - panic.at("now_ns").get<std::int64_t>() <=
        100'000'000);
  const Json resume = show.ask({{"type", "resume"}});
  REQUIRE(resume.at("type") == "done");
  REQUIRE(eventually([&] {
    return !show.ask({{"type", "status"}}).at("scene").at("panic").get<bool>() &&
           show.presentation().at("for_s") > 1;
  }));
  const Json report = show.finish();
  const TestPicture black =
      cropped(numbered_picture(pair_canvas_px, 0), {pair_canvas_px.width, 0}, pair_canvas_px);
  const auto frame = resume.at("frame").get<std::int64_t>();
  for (const std::string& panel : pair_panels) {
    CHECK(hash_shown_from(report, panel, panic.at("at_ns").get<std::int64_t>()) ==
          hash_on_panel(black, panel));
    CHECK(hash_shown_from(report, panel, resume.at("at_ns").get<std::int64_t>()) ==
          numbered_hash(frame, panel));
  }
}

TEST_CASE("a director that dies leaves the presentation in its cue, with its countdown",
          "[present]") {
  std::string cues = three_cues;
  cues.replace(cues.find("name = \"two\""), 12, "name = \"two\"\nfollow = \"after 4\"");
  Presentation show(cues);
  REQUIRE(show.is_armed_for("two"));
  const Json two = show.ask({{"type", "next"}, {"once", "go"}});
  REQUIRE(two.at("type") == "done");
  const fs::path file = show.run_dir() / "pids/director";
  const pid_t old = pid_in(file);
  ::kill(old, SIGKILL);
  REQUIRE(eventually([&] {
    const pid_t now = pid_in(file);
    return now > 0 && now != old && is_alive(now);
  }));
  CHECK(show.presentation().at("name") == "two");
  CHECK(show.presentation().at("follows_in_s") > 0.0);
  CHECK(show.ask({{"type", "next"}, {"once", "go"}}).at("cue") == "two");  // executed once
  REQUIRE(show.is_armed_for("three"));
  WallClient follower(show.run_dir());
  follower.ask({{"type", "subscribe"}});
  REQUIRE(eventually([&] {
    return follower.ask({{"type", "status"}}).at("presentation").at("name") == "three";
  }));
  CHECK(std::ranges::any_of(follower.events(), [](const Json& event) {
    return event.at("event") == "follow" && event.at("cue") == "three";
  }));
  const Json report = show.finish();
  check_first_picture(report, two, 40);
}

TEST_CASE("a plan tells what getting ready for a cue needs", "[present]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "show.toml") << "[[cue]]\nname = \"one\"\ninput = \"pattern:grid\"\n";
  const ProgramResult result =
      run_program({tilewall_program, "present", "--plan", "--headless", "--json", "--wall",
                   test_wall("two-by-one.toml"), (folder / "show.toml").string()});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const Json bytes = Json::parse(result.out).at("arming").at("pictures_bytes");
  REQUIRE(bytes.size() == 1);
  const int canvas = pair_canvas_px.width * pair_canvas_px.height;
  CHECK(bytes.begin().value() == 2 * 4 * canvas);  // two pictures of both panels
}

TEST_CASE("a show file is loaded into the running show, and survives the director", "[present]") {
  Presentation show;
  const auto reload = [&](const std::string& cues) {
    show.write(cues);
    return run_program(
        {tilewall_program, "ctl", "show", "reload", "--run-dir", show.run_dir().string()});
  };
  REQUIRE(show.is_armed_for("two"));
  std::string cues = three_cues;
  cues.replace(cues.find("start = 40"), 10, "start = 50");
  CHECK(reload(cues).exit_code == 0);
  const ProgramResult refused = reload("[[cue]]\nname = \"other\"\ninput = \"a\"\n");
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("one") != std::string::npos);
  CHECK(reload("[[cue]]\nname = \"one\"\nimput = \"a\"\n").exit_code == 2);
  const fs::path file = show.run_dir() / "pids/director";
  const pid_t old = pid_in(file);
  ::kill(old, SIGKILL);
  REQUIRE(eventually([&] {
    const pid_t now = pid_in(file);
    return now > 0 && now != old && is_alive(now);
  }));
  REQUIRE(show.is_armed_for("two"));
  const Json two = show.ask({{"type", "next"}});
  CHECK(two.at("cue") == "two");
  REQUIRE(eventually([&] { return show.presentation().at("for_s") > 0.3; }));
  check_first_picture(show.finish(), two, 50);
}

TEST_CASE("a show that is loaded again keeps the modes and the kiosk that it began with",
          "[present]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "show.toml";
  std::ofstream(folder / "wall.toml")
      << "columns = 2\nrows = 1\n[panels]\nsize_px = [320, 256]\nsize_mm = [320, 256]\n"
         "bezel_mm = 16\n";
  std::ofstream(file) << "[[cue]]\nname = \"a\"\npattern = \"grid\"\n[[cue.region]]\n"
                         "name = \"r\"\ninput = \"pattern:card\"\nplace = [0.5, 0, 0.5, 1]\n";
  const std::string run_dir = (folder / "run").string();
  RunningProgram program({tilewall_program, "present", file.string(), "--wall",
                          (folder / "wall.toml").string(), "--headless", "--run-dir", run_dir,
                          "--bezels", "show", "--kiosk"});
  const auto ctl = [&](Words words) {
    words.insert(words.begin(), {tilewall_program, "ctl"});
    words.insert(words.end(), {"--run-dir", run_dir});
    return run_program(words);
  };
  Json status;
  const auto is_on_wall = [&] {
    const ProgramResult result = ctl({"status", "--json"});
    status = result.exit_code == 0 ? Json::parse(result.out) : Json();
    return status.is_object() && status.at("presentation").at("follows_in_s").is_number();
  };
  REQUIRE(eventually(is_on_wall));
  const Json before = status.at("scene").at("regions");
  CHECK(status.at("presentation").at("kiosk") == "");
  CHECK(status.at("presentation").at("bezels") == "show");
  const ProgramResult reloaded = ctl({"show", "reload"});
  CAPTURE(reloaded.err);
  REQUIRE(reloaded.exit_code == 0);
  REQUIRE(ctl({"goto", "a"}).exit_code == 0);
  REQUIRE(is_on_wall());
  CHECK(status.at("presentation").at("next").is_object());
  CHECK(status.at("scene").at("bezels") == "show");
  for (const std::size_t region : {0U, 1U})
    CHECK(status.at("scene").at("regions").at(region).at("canvas_px") ==
          before.at(region).at("canvas_px"));
  CHECK(ctl({"quit"}).exit_code == 0);
}

TEST_CASE("a cue is armed once the slowest panel has drawn its picture", "[present]") {
  const TemporaryFolder folder;
  const fs::path hangs = folder / "hangs";
  std::optional<HungDisk> disk(std::in_place, hangs, "/b/", 1);
  Presentation show;
  const auto armed = [&] { return show.presentation().at("armed"); };
  REQUIRE(eventually([&] { return armed().at("state") == "arming"; }));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < until) {
    CHECK(armed().at("state") == "arming");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  fs::remove(hangs);
  REQUIRE(show.is_armed_for("two"));
  const Json two = show.ask({{"type", "next"}});
  REQUIRE(eventually([&] { return show.presentation().at("for_s") > 0.3; }));
  check_first_picture(show.finish(), two, 40);
}

TEST_CASE("a cue looks the same whichever way the wall came there", "[present]") {
  const std::string cues = R"([[cue]]
name = "1"
input = "pattern:grid"
hold = true

[[cue]]
name = "2"
place = [0.1, 0.2, 0.5, 0.5]

[[cue]]
name = "3"
[[cue.region]]
name = "side"
input = "pattern:card"
place = [0.5, 0, 0.5, 1]
opacity = 0.5

[[cue]]
name = "4"
black = true
[[cue.region]]
name = "main"
fit = "stretch"
group = "pair"

[[cue]]
name = "5"
black = false
[[cue.region]]
name = "side"
remove = true
)";
  const Presentation show(cues);
  const auto wall = [&] {
    WallClient client(show.run_dir());
    return wall_in(client.ask({{"type", "status"}}));
  };
  std::vector<Json> stepped = {wall()};
  for (int cue = 2; cue <= 5; ++cue) {
    REQUIRE(show.ask({{"type", "next"}, {"cue", std::to_string(cue)}}).at("type") == "done");
    stepped.push_back(wall());
  }
  CHECK(std::set<Json>(stepped.begin(), stepped.end()).size() == stepped.size());
  // Every way from one cue to another, once.
  int before = 5;
  for (const int cue : {1, 2, 1, 3, 1, 4, 1, 5, 2, 3, 2, 4, 2, 5, 3, 4, 3, 5, 4, 5}) {
    const std::string name = std::to_string(cue);
    Json request = {{"type", "goto"}, {"name", name}};
    if (cue == before - 1) request = {{"type", "previous"}};
    if (cue == before + 1) request = {{"type", "next"}, {"cue", name}};
    CAPTURE(before, request.dump());
    // Panels get ready for it also where a part of them shows a still picture.
    REQUIRE(show.ask({{"type", "cue"}, {"verb", "arm"}, {"cue", name}}).at("type") == "done");
    REQUIRE(show.is_armed_for(name));
    REQUIRE(show.ask(request).at("type") == "done");
    CHECK(wall() == stepped[static_cast<std::size_t>(cue - 1)]);
    before = cue;
  }
}

TEST_CASE("what is changed on the wall is saved in the show file", "[present]") {
  const Presentation show;
  const auto ctl = [&](Words words) {
    Words all = {tilewall_program, "ctl"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--run-dir", show.run_dir().string()});
    return run_program(all);
  };
  REQUIRE(show.is_armed_for("two"));
  CHECK(ctl({"cue", "note", "three", "Lights", "off"}).exit_code == 0);
  CHECK(ctl({"cue", "note", "four", "?"}).exit_code == 2);
  CHECK(ctl({"range", "20-60"}).exit_code == 0);
  CHECK(ctl({"cue", "update"}).exit_code == 0);
  CHECK(show.presentation().at("unsaved") == 2);
  CHECK(ctl({"show", "save"}).exit_code == 0);
  CHECK(show.presentation().at("unsaved") == 0);
  const std::string saved = show.text();
  CHECK(saved.find("note = \"Lights off\"") != std::string::npos);
  CHECK(saved.find("in = 20\nout = 60") != std::string::npos);
  CHECK(saved.find("name = \"two\"\nnumber = 2\ninput = \"b\"") != std::string::npos);
  // Another show: its first cue is gone to, and the one on the wall need not be in it.
  show.write("[[cue]]\nname = \"other\"\ninput = \"c\"\nhold = true\n");
  const ProgramResult reload = ctl({"show", "reload"});
  CHECK(reload.exit_code == 2);
  CHECK(ctl({"show", "load", show.file().string()}).exit_code == 0);
  CHECK(show.presentation().at("name") == "other");
  CHECK(show.presentation().at("next").is_null());
  // A load that comes twice, as after the director's death, is executed once.
  const Json load = {{"type", "show"},
                     {"verb", "load"},
                     {"once", "load"},
                     {"list", cues::to_json(one_cue("last"))}};
  const Json first = show.ask(load);
  CHECK(first.at("type") == "done");
  const Json again = show.ask(load);
  CHECK(again.at("version") == first.at("version"));
  CHECK(show.presentation().at("name") == "last");
}

TEST_CASE("a rehearsal shows all cues by itself, and tells what was missing", "[present]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "a", pair_canvas_px, cue_frames);
  std::ofstream(folder / "show.toml") << R"([[cue]]
name = "movie"
input = "a"
goto = "still"

[[cue]]
name = "gone"
input = "gone.mp4"

[[cue]]
name = "still"
input = "pattern:card"
)";
  const std::string report_file = (folder / "report").string();
  const ProgramResult result = run_program(
      {tilewall_program, "present", "rehearse", (folder / "show.toml").string(), "--each", "1.3",
       "--wall", test_wall("two-by-one.toml"), "--headless", "--report", report_file});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 1);  // an input is missing
  CHECK(result.out.find("missing: main: ") != std::string::npos);
  const Json report = read_report(folder / "report");
  CHECK(report.at("cues_left_out") == 0);
  const Json& cues = report.at("cues");
  REQUIRE(cues.size() == 3);
  const char* const names[] = {"movie", "gone", "still"};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(cues[i].dump());
    CHECK(cues[i].at("cue") == names[i]);
    CHECK(cues[i].at("index") == i);
    CHECK(cues[i].at("for_s") >= 0.9);
    CHECK(cues[i].at("armed").at("state") == (i == 0 ? "start" : "armed"));
    CHECK(cues[i].at("armed").at("missing").empty());
    CHECK(cues[i].at("armed").at("after_s").is_number() == (i > 0));
    CHECK(cues[i].at("go_to_swap_ms").is_number());
    CHECK(cues[i].at("memory_bytes") > 1'000'000);
    CHECK(cues[i].at("inputs_missing").size() == (i == 1 ? 1 : 0));
  }
  CHECK(cues[0].at("frames_scheduled") > 10);
  CHECK(cues[0].at("skew_us").is_object());
  CHECK(cues[1].at("inputs_missing")[0].at("region") == "main");

  const ProgramResult same =
      run_program({tilewall_program, "present", "compare", report_file, report_file, "--json"});
  CHECK(same.exit_code == 0);
  CHECK(Json::parse(same.out).at("cues").size() == 3);
}

TEST_CASE("a presentation whose supervisor died is resumed in its cue", "[present]") {
  const TemporaryFolder folder;
  for (const char* const movie : {"a", "b"})
    write_numbered_movie(folder / movie, pair_canvas_px, cue_frames);
  std::ofstream(folder / "show.toml") << R"([[cue]]
name = "one"
input = "a"

[[cue]]
name = "two"
input = "b"
loop = "forever"
follow = "after 100"

[[cue]]
name = "three"
black = true
)";
  const std::string run = (folder / "run").string();
  Words words = {tilewall_program, "present", "--headless", "--run-dir", run};
  words.insert(words.end(),
               {(folder / "show.toml").string(), "--wall", test_wall("two-by-one.toml")});
  const auto presentation = [&] {
    WallClient client(run);
    return client.ask({{"type", "status"}}).at("presentation");
  };
  auto program = std::make_unique<RunningProgram>(words);
  REQUIRE(WallClient(run).ask({{"type", "goto"}, {"name", "two"}}).at("type") == "done");
  const Json note = {{"type", "cue"}, {"verb", "note"}, {"cue", "one"}, {"note", "Lights."}};
  REQUIRE(WallClient(run).ask(note).at("unsaved") == 1);
  REQUIRE(eventually([&] { return presentation().at("for_s") > 1; }));
  for (int death = 1; death <= 2; ++death) {
    CAPTURE(death);
    // It goes on as the file was when it was opened.
    if (death == 1) std::ofstream(folder / "show.toml") << "[[cue]]\nname = \"other\"\n";
    if (death == 2) fs::remove(folder / "show.toml");
    ::kill(pid_in(folder / "run/pids/supervisor"), SIGKILL);
    static_cast<void>(program->wait(std::chrono::seconds(10)));
    program = std::make_unique<RunningProgram>(
        Words{tilewall_program, "present", "--resume", run, "--headless"});
    const bool has_begun = eventually([&] {
      try {
        return presentation().at("follows_in_s").is_number();
      } catch (const std::exception&) {  // it has not begun
        return false;
      }
    });
    CAPTURE(has_begun ? "" : program->wait(std::chrono::seconds(1)).err);
    REQUIRE(has_begun);
    CHECK(presentation().at("name") == "two");
    CHECK(presentation().at("follows_in_s") < 99.5);  // the time before its death counts
    CHECK(presentation().at("follows_in_s") > 60.0);
    CHECK(presentation().at("unsaved") == 1);
  }
  REQUIRE(WallClient(run).ask({{"type", "next"}}).at("cue") == "three");
  WallClient(run).ask({{"type", "quit"}});
  CHECK(program->wait(std::chrono::seconds(20)).exit_code == 0);
}
