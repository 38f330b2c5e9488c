// The first line of a show's log, and the options of a show that is run again by it.

#include "player/cli/present/show_recording.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using HeadJson = nlohmann::json;

namespace {

director::Recording recording_with(HeadJson head) {
  director::Recording recording;
  recording.file = "show.log.jsonl";
  recording.head = std::move(head);
  return recording;
}

/// The options of `present` with these words.
struct TypedOptions {
  explicit TypedOptions(std::vector<std::string> words) {
    add_present_options(app, arguments);
    std::reverse(words.begin(), words.end());
    app.parse(words);
  }
  CLI::App app;
  PresentArguments arguments;
};

std::string log_refusal(const PresentArguments& arguments) {
  try {
    static_cast<void>(log_file(arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a log says first how its show was started", "[present]") {
  TypedOptions typed({"tour.toml", "--start", "two", "--kiosk", "--late", "slow", "--bezels",
                      "show", "--local", "--volume", "80"});
  wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  const HeadJson head = HeadJson::parse(log_head(typed.arguments, wall));
  CHECK(head.at("show") == std::filesystem::absolute("tour.toml").string());
  CHECK(head.at("wall").is_null());  // it is of no file
  CHECK(head.at("start") == "two");
  CHECK(head.at("section").is_null());
  CHECK(head.at("kiosk") == true);
  CHECK(head.at("late") == "slow");
  CHECK(head.at("bezels") == "show");
  CHECK(head.at("content").is_null());
  CHECK(head.at("local") == true);
  CHECK(head.at("volume_percent") == 80.0);
  CHECK_FALSE(head.contains("resumed"));
  const std::string utc = head.at("utc");
  CHECK(utc.size() == 20);
  CHECK(utc[10] == 'T');
  CHECK(utc.back() == 'Z');

  TypedOptions plain({"tour.toml"});
  wall.file = "w.toml";
  plain.arguments.resumes = true;
  const HeadJson second = HeadJson::parse(log_head(plain.arguments, wall));
  CHECK(second.at("wall") == std::filesystem::absolute("w.toml").string());
  CHECK(second.at("late").is_null());  // The show file has none.
  CHECK(second.at("kiosk") == false);
  CHECK(second.at("resumed") == true);
  plain.arguments.late_is_recorded = true;
  CHECK(HeadJson::parse(log_head(plain.arguments, wall)).at("late") == "drop");
}

TEST_CASE("a show is run again with the options of its log, unless others are typed", "[present]") {
  const HeadJson head = {
      {"show", "/shows/tour.toml"}, {"wall", "/walls/w.toml"}, {"start", nullptr},
      {"section", "talk"},          {"kiosk", true},           {"late", "lower"},
      {"bezels", "show"},           {"content", "flat"},       {"local", true},
      {"volume_percent", 80.0}};
  const PresentArguments again =
      recorded_arguments(TypedOptions({}).arguments, recording_with(head));
  CHECK(again.show == "/shows/tour.toml");
  CHECK(again.play.wall == "/walls/w.toml");
  CHECK(again.start.empty());
  CHECK(again.section == "talk");
  CHECK(again.kiosk);
  CHECK(again.play.late == "lower");
  CHECK(again.late_is_recorded);
  CHECK(again.play.bezels == "show");
  CHECK(again.play.content == "flat");
  CHECK(again.play.local);
  CHECK(again.play.sound.volume_percent == 80);

  TypedOptions typed({"other.toml", "--wall", "x.toml", "--start", "two", "--late", "slow",
                      "--bezels", "hide", "--content", "eye", "--volume", "50"});
  const PresentArguments changed = recorded_arguments(typed.arguments, recording_with(head));
  CHECK(changed.show == "other.toml");
  CHECK(changed.play.wall == "x.toml");
  CHECK(changed.start == "two");
  CHECK(changed.section.empty());
  CHECK(changed.play.late == "slow");
  CHECK_FALSE(changed.late_is_recorded);
  CHECK(changed.play.bezels == "hide");
  CHECK(changed.play.content == "eye");
  CHECK(changed.play.sound.volume_percent == 50);
  TypedOptions section({"--section", "end"});
  CHECK(recorded_arguments(section.arguments, recording_with(head)).section == "end");

  // A log that says nothing leaves what is usual.
  const PresentArguments usual =
      recorded_arguments(TypedOptions({}).arguments, recording_with({{"show", "/a.toml"}}));
  CHECK(usual.play.wall.empty());
  CHECK_FALSE(usual.kiosk);
  CHECK_FALSE(usual.play.local);
  CHECK(usual.play.late == "drop");
  CHECK_FALSE(usual.late_is_recorded);
  CHECK(usual.play.sound.volume_percent == 100);
}

TEST_CASE("a log whose first line is wrong is refused by its field", "[present]") {
  const auto refusal_of = [](const HeadJson& head) -> std::string {
    try {
      static_cast<void>(recorded_arguments(PresentArguments{}, recording_with(head)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal_of(HeadJson::object()) ==
        "show.log.jsonl:1: show: expected the path of a show file, found none");
  CHECK(refusal_of({{"show", 5}}) == "show.log.jsonl:1: show: expected a text or null, found 5");
  CHECK(refusal_of({{"show", "a"}, {"kiosk", 1}}) ==
        "show.log.jsonl:1: kiosk: expected true or false, found 1");
  CHECK(refusal_of({{"show", "a"}, {"volume_percent", true}}) ==
        "show.log.jsonl:1: volume_percent: expected a number, found true");
}

TEST_CASE("a log is the file that is typed, or lies beside the report", "[present]") {
  const test::TemporaryFolder folder;
  PresentArguments arguments;
  CHECK(log_file(arguments).empty());
  arguments.play.report = (folder / "rep.json").string();
  CHECK(log_file(arguments) == folder / "rep.log.jsonl");
  arguments.log = (folder / "own.jsonl").string();
  CHECK(log_file(arguments) == folder / "own.jsonl");
  CHECK_FALSE(std::filesystem::exists(folder / "own.jsonl"));
  std::ofstream(folder / "own.jsonl") << "old";
  CHECK(log_file(arguments) == folder / "own.jsonl");
  CHECK(std::filesystem::file_size(folder / "own.jsonl") == 3);
  arguments.replay = arguments.log;
  CHECK(log_refusal(arguments) ==
        "--log: expected a file other than the log that is replayed, found " + arguments.log);
  arguments.replay = (folder / "another.jsonl").string();
  CHECK(log_refusal(arguments).empty());
  arguments.log = folder.path().string();
  CHECK(log_refusal(arguments) ==
        "--log: expected a file, found " + arguments.log + ", which is something else");
  arguments.log = (folder / "no" / "own.jsonl").string();
  CHECK(log_refusal(arguments) == "--log: expected a file that can be written, found " +
                                      arguments.log + ": No such file or directory");
  for (const char* const report : {"rep.json", "./rep.json"}) {
    arguments.log = folder.path().string() + "/" + report;
    CHECK(log_refusal(arguments) ==
          "--log: expected a file other than the report, found " + arguments.log);
  }
  std::filesystem::create_symlink("later.jsonl", folder / "link.jsonl");
  arguments.log = (folder / "link.jsonl").string();
  CHECK(log_refusal(arguments).empty());
  CHECK(std::filesystem::is_symlink(folder / "link.jsonl"));
  arguments.log.clear();
  arguments.play.report = (folder / "no" / "rep.json").string();
  CHECK(log_refusal(arguments) == "--report: expected a file that can be written, found " +
                                      (folder / "no" / "rep.log.jsonl").string() +
                                      ": No such file or directory");
  // A report that is no file has no place beside it.
  arguments.play.report = "/dev/null";
  CHECK(log_file(arguments).empty());
}
