// What browsers learn of a show's flight path, from the files that the supervisor and people write.

#include "player/console/path_watch.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr const char* one_key =
    "[[key]]\nname = \"start\"\neye = [3, 0, 0]\nlook_at = [0, 0, 0]\nup = [0, 0, 1]\ntime_s = 0\n";
constexpr const char* another_key = "[[key]]\neye = [0, 3, 0]\nlook_at = [0, 0, 0]\ntime_s = 4\n";

/// A run directory and a path, with what the watch has told.
struct Watched {
  explicit Watched(bool keeps_path = true, std::uint64_t answers_before = 0) {
    if (keeps_path) tell({path(), false, answers_before, "", false});
    watch.emplace(io, folder.path(),
                  PathWatch::Callbacks{
                      [this] { ++changes; },
                      [this](const scene::KeptPath& path) { answers.push_back(path.answer); }});
  }
  [[nodiscard]] std::string path() const { return (folder / "flight.toml").string(); }
  void tell(const scene::KeptPath& state) const {
    write_file_atomically(folder / scene::kept_path_file, scene::to_json(state).dump());
  }
  void write(const std::string& text) const { write_file_atomically(path(), text); }

  TemporaryFolder folder;
  boost::asio::io_context io;
  std::optional<PathWatch> watch;
  int changes = 0;
  std::vector<std::string> answers;
};

}  // namespace

TEST_CASE("browsers learn the keys of a flight path as its file changes", "[console]") {
  Watched show;
  const Json& path = show.watch->json();
  CHECK(path.at("file") == show.path());
  CHECK(path.at("count") == 0);
  CHECK(path.at("keys") == Json::array());
  CHECK(path.at("fault") == "");
  show.watch->look();
  CHECK(show.changes == 1);  // nothing is new

  show.write(one_key);
  show.watch->look();
  CHECK(path.at("count") == 1);
  CHECK(path.at("keys") == Json{{{"number", 1}, {"name", "start"}, {"time_s", 0.0}}});
  show.write(std::string(one_key) + another_key);
  show.watch->look();
  CHECK(path.at("keys").at(1) == Json{{"number", 2}, {"name", ""}, {"time_s", 4.0}});
  CHECK(show.changes == 3);

  show.write("[[key]]\neye = 5\n");
  show.watch->look();
  CHECK(path.at("count") == 0);
  CHECK(path.at("fault").get<std::string>().starts_with(show.path() + ":2: key"));

  std::string many;
  for (int i = 0; i < 300; ++i) many += "[[key]]\neye = [3, 0, 0]\nlook_at = [0, 0, 0]\n";
  show.write(many);
  show.watch->look();
  CHECK(path.at("count") == 300);
  CHECK(path.at("keys").size() == 200);
  CHECK(path.at("keys").back().at("number") == 300);
  CHECK(show.answers.empty());
}

TEST_CASE("browsers learn what became of orders about a flight path", "[console]") {
  Watched show;
  show.tell({show.path(), true, 0, "", false});
  show.watch->look();
  CHECK(show.watch->json().at("is_previewed") == true);
  CHECK(show.answers.empty());
  show.tell({show.path(), false, 1, "preview: no\x1b[31m", true});
  show.watch->look();
  CHECK(show.watch->json().at("is_previewed") == false);
  CHECK(show.watch->json().at("has_failed") == true);
  CHECK(show.watch->json().at("answer").get<std::string>().find('\x1b') == std::string::npos);
  CHECK(show.answers.size() == 1);
  // A file that is no JSON, or gone, changes nothing.
  write_file_atomically(show.folder / scene::kept_path_file, "{");
  show.watch->look();
  std::filesystem::remove(show.folder / scene::kept_path_file);
  show.watch->look();
  CHECK(show.watch->json().at("has_failed") == true);
}

TEST_CASE("a console that is started again takes no old answer for a new one", "[console]") {
  Watched show(true, 5);
  CHECK(show.answers.empty());
  show.tell({show.path(), false, 6, "key 1 is removed", false});
  show.watch->look();
  CHECK(show.answers == std::vector<std::string>{"key 1 is removed"});
}

TEST_CASE("a show without a flight path tells nothing of one", "[console]") {
  const Watched show(false);
  CHECK(show.watch->json().is_null());
  CHECK(show.changes == 0);
}
