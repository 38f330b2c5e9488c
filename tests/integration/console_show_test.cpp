// The operator's console of a real show: programs and pages drive the wall through it, and it goes
// on over its own death and the director's.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>

#include "sync/base/file.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::test;
using namespace nlohmann::literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int console_frames = 96;

/// A presentation of three movies that loop, each a cue, with its console.
class ConsoleShow {
 public:
  ConsoleShow() : program_(words()) {}

  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] pid_t pid(const std::string& role) const {
    return pid_in(run_dir() / "pids" / role);
  }
  ProgramResult end() {
    WallClient(run_dir()).ask({{"type", "quit"}});
    return program_.wait(std::chrono::seconds(20));
  }

 private:
  Words words() {
    std::ofstream show(folder_ / "show.toml");
    show << "[show]\nname = \"Three\"\n";
    for (const char* const movie : {"a", "b", "c"}) {
      write_numbered_movie(folder_ / movie, pair_canvas_px, console_frames);
      show << "[[cue]]\nname = \"cue " << movie << "\"\nnumber = " << movie[0] - 'a' + 1
           << "\ninput = \"" << movie << "\"\nloop = \"forever\"\n";
    }
    return {tilewall_program,
            "present",
            (folder_ / "show.toml").string(),
            "--wall",
            test_wall("two-by-one.toml"),
            "--headless",
            "--late",
            "slow",
            "--run-dir",
            run_dir().string()};
  }

  TemporaryFolder folder_;
  RunningProgram program_;
};

/// The lines of a state's commands with that beginning.
std::vector<Json> told_commands(const Json& state, const std::string& what) {
  std::vector<Json> found;
  const Json commands = state.value("commands", Json::object());
  for (const auto& [number, line] : commands.items())
    if (line.at("what").get<std::string>().starts_with(what)) found.push_back(line);
  return found;
}

bool is_connected(const PageSocket& page) {
  return page.state().value("director", "") == "connected";
}

/// The value without members that are null, which mean the same as none. Arrays are whole.
Json without_null_members(const Json& value) {
  if (!value.is_object()) return value;
  Json result = Json::object();
  for (const auto& [name, member] : value.items())
    if (!member.is_null()) result[name] = without_null_members(member);
  return result;
}

/// The state without what another moment changes.
Json lasting(Json state) {
  for (const char* const changing : {"utc_ms", "received_ms", "status", "commands"})
    state.erase(changing);
  return without_null_members(state);
}

/// The console's descriptor that listens, from its command line.
std::string listening_fd(const ConsoleShow& show) {
  const std::string words =
      read_text_file("/proc/" + std::to_string(show.pid("console")) + "/cmdline", 1 << 16);
  const std::string option = "--listen-fd" + std::string(1, '\0');
  return words.substr(words.find(option) + option.size()).c_str();
}

std::uint64_t resident_kb(pid_t pid) {
  const std::string status = read_text_file("/proc/" + std::to_string(pid) + "/status", 1 << 16);
  const std::size_t at = status.find("VmRSS:");
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + 6));
}

}  // namespace

TEST_CASE("programs drive a wall through its console, each by its role", "[console]") {
  ConsoleShow show;
  const ConsoleClient console(show.run_dir());
  const ConsoleClient presenter(show.run_dir(), "presenter");
  const ConsoleClient viewer(show.run_dir(), "viewer");
  const fs::perms file_perms = fs::status(show.run_dir() / "console.json").permissions();
  CHECK((file_perms & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);

  // Whoever asks before the director is there waits for it.
  const WebAnswer status = viewer.get("/api/v1/status");
  REQUIRE(status.status == 200);
  CHECK(status.headers.at("content-type") == "application/json");
  CHECK(status.headers.at("cache-control") == "no-store");
  CHECK(status.json().at("type") == "status");
  CHECK(status.json().at("presentation").at("name") == "cue a");
  CHECK(viewer.post("cues").json().at("type") == "cues");
  CHECK(viewer.post("wall").json().at("panels").size() == 2);
  CHECK(viewer.get("/api/v1/session").json() ==
        Json{{"name", "a program (viewer)"}, {"role", "viewer"}});

  WebConnection events(console.port());
  events.send(
      request_text("GET", "/api/v1/events",
                   {{"Host", viewer.host()}, {"Authorization", "Bearer " + viewer.token()}}));
  const WebAnswer stream = events.answer();
  CHECK(stream.status == 200);
  CHECK(stream.headers.at("content-type") == "text/event-stream");

  CHECK(viewer.post("pause").status == 403);
  CHECK(viewer.post("pause").error() == "pause: expected the role presenter, found viewer");
  CHECK(presenter.post("pause").json().at("type") == "done");
  CHECK(presenter.post("quit").error() == "quit: expected the role operator, found presenter");
  CHECK(presenter.post("key", {{"key", "quit"}}).status == 403);
  CHECK(presenter.post("key", {{"key", "quit"}, {"verb", "arm"}}).status == 403);
  CHECK(presenter.post("key", {{"key", "add_keyframe"}}).status == 403);
  CHECK(presenter.post("key", {{"key", "preview_path"}}).status == 422);  // it keeps no path
  CHECK(presenter.post("cue", {{"verb", "note"}, {"cue", "1"}, {"note", "n"}}).status == 403);
  CHECK(presenter.post("cue", {{"verb", "arm"}, {"cue", "3"}}).status == 200);
  CHECK(console.post("cue", {{"verb", "note"}, {"cue", "1"}, {"note", "n"}}).status == 200);
  REQUIRE(eventually([&] {
    return events.received().find("event: command\ndata: {") != std::string::npos ||
           !events.read_more();
  }));
  CHECK(events.received().find("event: command\n") != std::string::npos);

  // What the wall refuses.
  const WebAnswer refused = console.post("seek", {{"frame", "ten"}});
  CHECK(refused.status == 422);
  CHECK(refused.json().at("type") == "refused");
  CHECK(refused.error().starts_with("seek: frame: "));
  for (const auto& [verb, fields, beginning] :
       std::vector<std::tuple<std::string, Json, std::string>>{
           {"cues", {{"first", "x"}}, "cues: first: "},
           {"cues", {{"most", "x"}}, "cues: most: "},
           {"next", {{"cue", 5}}, "next: cue: "},
           {"show", {{"verb", 5}}, "show: verb: "},
           {"show", {{"verb", "reload"}, {"list", 5}}, "show: list: "},
           {"show", {{"verb", "saved"}, {"changes", 5}}, "show: changes: "},
           {"cue", {{"verb", "arm"}, {"cue", 5}}, "cue: expected "},
           {"cue", {{"verb", "note"}, {"cue", "1"}, {"note", 5}}, "cue: note: "},
           {"freeze", {{"on", 5}}, "freeze: on: "},
           {"snapshot", {{"file", 5}}, "snapshot: file: "},
           {"logs", {{"role", 5}}, "logs: role: "}}) {
    CAPTURE(verb, fields);
    CHECK(console.post(verb, fields).error().starts_with(beginning));
  }
  CHECK(console.post("explode").status == 404);
  CHECK(console.post("subscribe").status == 405);
  CHECK(console.get("/api/v1/seek").status == 405);
  CHECK(console.ask("DELETE", "/api/v1/status", {{"Authorization", "Bearer " + console.token()}})
            .status == 405);
  // Of two requests with the same key, one is executed.
  const Json step = {{"by", 1}, {"once", "a key of mine"}};
  const WebAnswer stepped = console.post("step", step);
  CHECK(stepped.json().at("version") == console.post("step", step).json().at("version"));

  // A list of cues may be longer than other bodies, but only an operator's.
  const Json list = {{"verb", "reload"}, {"list", {{"padding", std::string(2'000'000, 'x')}}}};
  CHECK(console.post("show", list).status == 422);
  CHECK(presenter.post("show", list).status == 413);
  CHECK(console.post("seek", list).status == 413);

  const WebAnswer picture = viewer.get("/api/v1/snapshot");
  CHECK(picture.status == 200);
  CHECK(picture.headers.at("content-type") == "image/png");
  CHECK(picture.body.starts_with("\x89PNG"));
  CHECK_FALSE(fs::exists(show.run_dir() / "console-snapshot.png"));
  const Json history = viewer.get("/api/v1/history").json();
  CHECK(history.at("every_s") == 1.0);
  CHECK(viewer.get("/api/v1/openapi.json").json().at("paths").contains("/seek"));

  // The page, whole and for anybody; its data are for those who log in.
  const WebAnswer page = console.ask("GET", "/", {});
  CHECK(page.status == 200);
  CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(page.headers.at("content-security-policy").starts_with("default-src 'self'"));
  CHECK(page.headers.at("x-content-type-options") == "nosniff");
  CHECK(page.body.starts_with("<!doctype html>"));
  const WebAnswer head = console.ask("HEAD", "/", {});
  CHECK(head.status == 200);
  CHECK(head.headers.at("content-length") == std::to_string(page.body.size()));
  const ProgramResult result = show.end();
  CHECK(result.exit_code == 0);
  // The show has printed the address with the token, on one of its outputs.
  CHECK_THAT(result.out + result.err, Catch::Contains(console.token()));
}

TEST_CASE("pages have the wall's state, and see who did what", "[console]") {
  ConsoleShow show;
  const ConsoleClient console(show.run_dir());
  PageSocket ann(console, "Ann");
  PageSocket ben(ConsoleClient(show.run_dir(), "presenter"), "Ben");
  PageSocket eve(ConsoleClient(show.run_dir(), "viewer"), "Eve");
  const auto is_ready = [](const PageSocket& page) {
    return is_connected(page) && page.state().contains("wall") &&
           page.state().value("/status/per_panel"_json_pointer, Json()).contains("c0r0") &&
           page.state().at("people").size() == 3;
  };
  for (PageSocket* const page : {&ann, &ben, &eve})
    REQUIRE(page->until([&] { return is_ready(*page); }));
  CHECK(ann.hello().at("name") == "Ann");
  CHECK(ann.hello().at("role") == "operator");
  CHECK(ben.hello().at("role") == "presenter");
  CHECK(ann.hello().at("run") == ben.hello().at("run"));
  CHECK(ann.state().at("people").at(0) ==
        Json{{"name", "Ann"}, {"role", "operator"}, {"browsers", 1}});

  // A viewer looks, and nothing more.
  eve.request(1, "next");
  CHECK(eve.answer(1) ==
        Json{{"type", "refused"}, {"error", "next: expected the role presenter, found viewer"}});
  eve.request(2, "cues");
  CHECK(eve.answer(2).at("type") == "cues");

  // Two people go on at once: the wall goes on once, and both see who did it.
  REQUIRE(eventually([&] {
    const Json armed = console.get("/api/v1/status").json().at("presentation").at("armed");
    return armed.at("state") == "armed" && armed.at("cue") == "cue b";
  }));
  const Json fields = {{"cue", "cue b"}};
  ann.request(1, "next", fields);
  ben.request(1, "next", fields);
  CHECK(ann.answer(1).at("type") == "done");
  CHECK(ben.answer(1).at("type") == "done");
  CHECK(ann.received() == std::vector<Json>{1});
  for (PageSocket* const page : {&ann, &ben, &eve}) {
    REQUIRE(page->until([&] {
      return told_commands(page->state(), "next: cue cue b").size() == 2 &&
             page->state().value("/status/presentation/name"_json_pointer, Json()) == "cue b";
    }));
    std::set<std::string> people;
    for (const Json& line : told_commands(page->state(), "next: cue cue b"))
      people.insert(line.at("by"));
    CHECK(people == std::set<std::string>{"Ann", "Ben"});
  }

  // What patches have made of the first state is the whole state.
  CHECK(ann.whole_states() == 1);
  CHECK(ann.patches() > 0);
  CHECK_FALSE(ann.has_gap());
  const Json patched = lasting(ann.state());
  ann.send({{"type", "full"}});
  REQUIRE(ann.until([&] { return ann.whole_states() == 2; }));
  CHECK(lasting(ann.state()) == patched);
  const int patches = ann.patches();
  REQUIRE(ann.until([&] { return ann.patches() > patches; }));
  CHECK_FALSE(ann.has_gap());

  // A note of a cue gives the list of cues another number.
  const Json edition = ann.state().at("cues_edition");
  ann.request(3, "cue", {{"verb", "note"}, {"cue", "1"}, {"note", "slowly"}});
  CHECK(ann.answer(3).at("type") == "done");
  CHECK(ben.until([&] { return ben.state().at("cues_edition") != edition; }));

  // Who logs out is out, also in pages that are open; a stale cookie opens nothing.
  const std::string cookie = console.log_in("Dan");
  PageSocket dan(console, console.page_headers(cookie));
  WebConnection events(console.port());
  events.send(request_text("GET", "/api/v1/events", console.page_headers(cookie)));
  CHECK(events.answer().status == 200);
  CHECK(console.ask("POST", "/api/v1/logout", console.page_headers(cookie)).status == 200);
  CHECK(dan.is_closed());
  CHECK(events.is_closed());
  CHECK(console.ask("GET", "/api/v1/session", console.page_headers(cookie)).status == 401);
  CHECK_THROWS_WITH(PageSocket(console, console.page_headers(cookie)), Catch::StartsWith("401"));
  show.end();
}

TEST_CASE("pages go on over the death of the director and of the console", "[console]") {
  ConsoleShow show;
  const ConsoleClient console(show.run_dir());
  const std::string cookie = console.log_in("Ann");
  std::optional<PageSocket> page(std::in_place, console, console.page_headers(cookie));
  REQUIRE(page->until([&] { return is_connected(*page); }));
  page->request(1, "pause");
  REQUIRE(page->answer(1).at("type") == "done");
  page->request(2, "seek", {{"frame", 10}});
  REQUIRE(page->answer(2).at("frame") == 10);

  // A request that the director dies with is executed by the next one, once.
  const pid_t director = show.pid("director");
  ::kill(director, SIGSTOP);
  page->request(3, "seek", {{"by", 7}});
  REQUIRE(page->until([&] { return page->received().size() == 3; }));
  ::kill(director, SIGKILL);
  REQUIRE(page->until([&] { return !is_connected(*page); }));
  page->request(4, "seek", {{"by", 1}});
  CHECK(page->answer(3).at("type") == "done");
  CHECK(page->answer(4).at("type") == "done");
  CHECK(is_connected(*page));
  CHECK(console.get("/api/v1/status").json().at("frame") == 18);
  CHECK_FALSE(page->has_gap());

  // The console that is killed is back at its address, with its sessions.
  const Json run = page->hello().at("run");
  const pid_t killed = show.pid("console");
  REQUIRE(killed > 0);
  ::kill(killed, SIGKILL);
  CHECK(page->is_closed());
  page.emplace(console, console.page_headers(cookie));
  REQUIRE(page->until([&] { return is_connected(*page) && page->whole_states() == 1; }));
  CHECK(page->hello().at("name") == "Ann");
  CHECK(page->hello().at("run") != run);
  CHECK(show.pid("console") != killed);
  page->request(1, "seek", {{"by", 2}});
  CHECK(page->answer(1).at("frame") == 20);

  // A console that does not read is dropped by the director, and comes back.
  const pid_t stopped = show.pid("console");
  ::kill(stopped, SIGSTOP);
  {
    WallClient client(show.run_dir());
    const std::uint64_t before_kb = resident_kb(show.pid("director"));
    const std::string unknown(60, 'x');
    // A console that is stopped for 5 s is replaced, which a slow machine may not come to.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    for (int i = 0; i < 400 && std::chrono::steady_clock::now() < end; ++i) {
      for (int j = 0; j < 100; ++j)
        client.send_text(Json{{"type", "pause"}, {"id", j}, {unknown, unknown}}.dump());
      for (int j = 0; j < 100; ++j) REQUIRE(client.receive());
    }
    CHECK(client.ask({{"type", "seek"}, {"by", 1}}).at("type") == "done");
    CHECK(resident_kb(show.pid("director")) < before_kb + 80'000);
  }
  ::kill(stopped, SIGCONT);
  REQUIRE(
      page->until([&] { return page->state().value("/status/frame"_json_pointer, Json()) == 21; }));
  CHECK(show.pid("console") == stopped);
  page->request(5, "seek", {{"by", 1}});
  CHECK(page->answer(5).at("frame") == 22);
  CHECK(show.end().exit_code == 0);
}

TEST_CASE("operators rehearse from the page, beside the show", "[console]") {
  ConsoleShow show;
  const ConsoleClient console(show.run_dir());
  PageSocket page(console, "Ann");
  REQUIRE(page.until([&] { return is_connected(page); }));
  REQUIRE(page.until([&] {
    return page.state().value("/status/presentation/file"_json_pointer, "").ends_with(".toml");
  }));
  const ConsoleClient presenter(show.run_dir(), "presenter");
  CHECK(presenter.post("tools/rehearse").error() ==
        "rehearse: expected the role operator, found presenter");
  CHECK(console.post("tools/nothing").error() ==
        "tools: expected save, reload, check, rehearse or render, found nothing");
  CHECK(console.post("tools/render").error() ==
        "render: expected a show that keeps a flight path, found another one");
  CHECK(console.post("tools/rehearse", {{"stop", "yes"}}).error() ==
        "rehearse: stop: expected only \"stop\": true or false, found \"yes\"");
  CHECK(console.post("tools/rehearse", {{"stp", true}}).status == 400);
  CHECK(console.post("tools/rehearse", {{"stop", true}}).error() ==
        "rehearse: expected a run that can be stopped, found none");
  REQUIRE(console.post("tools/rehearse").status == 200);
  const auto state = [&] { return page.state().value("/tools/rehearse/state"_json_pointer, ""); };
  CHECK(page.until([&] { return state() == "running"; }));
  // It has a run directory within the show's, where `ctl` finds no wall, and no console of its own.
  const fs::path rehearsal = show.run_dir() / "rehearsal";
  REQUIRE(eventually([&] { return pid_in(rehearsal / "pids" / "panel-1") > 0; },
                     std::chrono::seconds(30)));
  CHECK_FALSE(fs::exists(rehearsal / "console.json"));
  // It has none of the console's limits and connections.
  const std::string supervisor = "/proc/" + std::to_string(pid_in(rehearsal / "pids/supervisor"));
  const std::string limits = read_text_file(supervisor + "/limits", 1 << 16);
  CHECK(limits.find("Max address space         unlimited") != std::string::npos);
  const std::string listening =
      fs::read_symlink("/proc/" + std::to_string(show.pid("console")) + "/fd/" + listening_fd(show))
          .string();
  for (const fs::directory_entry& fd : fs::directory_iterator(supervisor + "/fd"))
    CHECK(fs::read_symlink(fd.path()).string() != listening);
  CHECK(console.post("tools/rehearse", {{"stop", true}}).status == 200);
  CHECK(page.until([&] { return state() == "stopped"; }, std::chrono::seconds(30)));
  CHECK_FALSE(fs::exists(rehearsal));
  CHECK(told_commands(page.state(), "rehearse").size() == 3);  // a refusal, its begin and its end
  show.end();
  CHECK(page.until([&] { return page.state().value("director", "") == "ended"; }));
}

TEST_CASE("operators render the flight path of a show, and see its newest frame", "[console]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  std::ofstream(folder / "flight.toml")
      << "volume = \"ball.npy\"\nduration_s = 3600\n[[key]]\neye = [30, -60, 25]\n"
      << "look_at = [11.5, 9.5, 7.5]\n[[key]]\neye = [-40, -40, 30]\nlook_at = [11.5, 9.5, 7.5]\n";
  const fs::path run_dir = folder / "run";
  RunningProgram show({tilewall_program, "view", (folder / "ball.npy").string(), "--wall",
                       test_wall("two-by-one.toml"), "--headless", "--loop", "--run-dir",
                       run_dir.string(), "--keyframes", (folder / "flight.toml").string(),
                       "--console", "127.0.0.1:0"});
  REQUIRE(eventually([&] { return fs::exists(run_dir / "console.json"); }));
  const ConsoleClient console(run_dir);
  PageSocket page(console, "Ann");
  REQUIRE(page.until([&] { return page.state().contains("/status/scene/bezels"_json_pointer); }));
  CHECK(ConsoleClient(run_dir, "presenter").post("tools/render").error() ==
        "render: expected the role operator, found presenter");
  const auto state = [&] { return page.state().value("/tools/render/state"_json_pointer, ""); };
  const auto movie = [&](const char* field) {
    const Json value = page.state().value("/movies/0"_json_pointer / field, Json());
    return value.is_string() ? value.get<std::string>() : "";
  };
  const auto render = [&] {
    REQUIRE(console.post("tools/render").status == 200);
    REQUIRE(page.until([&] { return state() == "running"; }));
  };
  const auto stop = [&] {
    REQUIRE(console.post("tools/render", {{"stop", true}}).status == 200);
    REQUIRE(page.until([&] { return state() == "stopped" && movie("movie").empty(); },
                       std::chrono::seconds(30)));
  };
  render();
  REQUIRE(page.until([&] { return !movie("picture").empty(); }, std::chrono::seconds(60)));
  const fs::path written = movie("movie");
  CHECK(written.parent_path() == folder.path());
  CHECK(written.filename().string().starts_with("flight-"));
  const std::string picture = "/api/v1/movies/" + movie("picture");
  const auto shown = console.get(picture);
  CHECK(shown.status == 200);
  CHECK(shown.body.starts_with("\x89PNG"));
  CHECK(ConsoleClient(run_dir, "viewer").get(picture).status == 403);
  CHECK(console.get("/api/v1/movies/0123456789abcdef.png").status == 404);
  CHECK(console.post("tools/render").error() ==
        "render: expected one at a time, found the one of a program (operator)");
  stop();
  // The same path is gone on with; a changed one has another folder.
  render();
  REQUIRE(page.until([&] { return movie("movie") == written; }, std::chrono::seconds(60)));
  stop();
  std::ofstream(folder / "flight.toml", std::ios::app) << "fov_deg = 40\n";
  render();
  REQUIRE(page.until([&] { return !movie("movie").empty() && movie("movie") != written; },
                     std::chrono::seconds(60)));
  WallClient(run_dir).ask({{"type", "quit"}});
  CHECK(show.wait(std::chrono::seconds(30)).exit_code == 0);
}

TEST_CASE("a show that is resumed has the console that it had", "[console]") {
  const TemporaryFolder folder;
  const fs::path run_dir = folder / "run";
  write_numbered_movie(folder / "movie", pair_canvas_px, console_frames);
  std::ofstream(folder / "show.toml")
      << "[show]\nname = \"One\"\n[[cue]]\nname = \"a\"\ninput = \"movie\"\nloop = "
         "\"forever\"\n";
  RunningProgram first({tilewall_program, "present", (folder / "show.toml").string(), "--wall",
                        test_wall("two-by-one.toml"), "--headless", "--run-dir", run_dir.string()});
  const ConsoleClient console(run_dir);
  const std::string cookie = console.log_in("Ann");
  REQUIRE(eventually(
      [&] { return console.get("/api/v1/status").json().value("frames_shown", 0) > 0; }));
  ::kill(pid_in(run_dir / "pids" / "supervisor"), SIGKILL);
  static_cast<void>(first.wait(std::chrono::seconds(20)));
  RunningProgram second({tilewall_program, "present", "--resume", run_dir.string()});
  REQUIRE(eventually(
      [&] {
        try {
          return console.get("/api/v1/status").status == 200;
        } catch (const std::runtime_error&) {
          return false;  // nobody listens yet
        }
      },
      std::chrono::seconds(30)));
  const WebAnswer session = console.ask("GET", "/api/v1/session", {{"Cookie", cookie}});
  CHECK(session.json() == Json{{"name", "Ann"}, {"role", "operator"}});
  CHECK(console.post("quit").json().at("type") == "done");
  static_cast<void>(second.wait(std::chrono::seconds(20)));
}

TEST_CASE("a show's tokens and cookies are good for this show alone", "[console]") {
  std::string token;
  std::string cookie;
  {
    ConsoleShow first;
    const ConsoleClient console(first.run_dir());
    token = console.token();
    cookie = console.log_in("Ann");
    first.end();
  }
  ConsoleShow second;
  const ConsoleClient console(second.run_dir());
  CHECK(console.ask("GET", "/api/v1/status", {{"Authorization", "Bearer " + token}}).status == 401);
  const std::string value = cookie.substr(cookie.find('='));
  const std::string renamed = "tilewall_console_" + std::to_string(console.port()) + value;
  for (const std::string& stale : {cookie, renamed})
    CHECK(console.ask("GET", "/api/v1/session", console.page_headers(stale)).status == 401);
  const WebAnswer login =
      console.ask("POST", "/api/v1/login", {}, Json{{"token", token}, {"name", "Ann"}}.dump());
  CHECK(login.status == 401);
  CHECK(login.error() ==
        "the token is not of this wall's show: open the address that the show printed when it "
        "began");
  CHECK_THROWS_WITH(PageSocket(console, console.page_headers(renamed)), Catch::StartsWith("401"));
  second.end();
}
