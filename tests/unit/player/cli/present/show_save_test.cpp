// What people change on the wall gets into its cue, and into the show file as the same cue.
#include "player/cli/present/show_save.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "player/cli/present/open_cues.hpp"
#include "player/cues/revision.hpp"
#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace std::chrono_literals;
using director::SceneChange;

namespace {

constexpr GlobalInstant begin{1000s};

const char* const commented_show = R"(# Kept by hand.
[show]
name = "Evening"

[[cue]]
name = "one"   # the beginning
input = "movie"
in = 4
view_px = [10, 10, 100, 50]

[[cue]]
name = "two"
note = "Wait."
  [[cue.region]]
  name = "side"
  input = "movie"
  place = [0.5, 0, 0.5, 1]
  opacity = 0.5   # half

[[cue]]
name = "three"
black = true
# The end.
)";

/// A show whose first cue is on the wall, and whose cues can be changed there.
class EditedShow {
 public:
  EditedShow() {
    std::ofstream(file()) << commented_show;
    desk.emplace(wall, open());
    scene = desk->first_scene({}, 0);
    scene.since = scene.cue->since = now;
    for (scene::Region& region : scene.regions) region.timeline.start = now;
  }

  [[nodiscard]] static std::filesystem::path file() { return in_folder("show.toml"); }
  /// A folder with two movies.
  [[nodiscard]] static std::filesystem::path in_folder(const char* name) {
    static const test::TemporaryFolder folder;
    static const bool has_movies = [] {
      test::write_numbered_movie(folder / "movie", {320, 96}, 48);
      test::write_numbered_movie(folder / "other", {320, 96}, 48);
      return true;
    }();
    static_cast<void>(has_movies);
    return folder / name;
  }
  [[nodiscard]] director::CueShow open() const {
    return open_cues(cues::read_show_file(file()), wall, {}, {});
  }
  [[nodiscard]] scene::SourcePtr source(const char* name) const {
    scene::SourceSpec source = *desk->list().cues.front().regions.front().source;
    source.path = in_folder(name).string();
    source.named.inputs = {source.path};
    return std::make_shared<const scene::SourceSpec>(source);
  }

  void change(const std::function<void(SceneChange&)>& command) {
    now = now + 1s;
    SceneChange change(scene, now, Nanos(0));
    command(change);
    scene = change.finish();
  }
  void go_to(const std::string& cue) {
    change([&](SceneChange& change) {
      change.go_to(desk->change_to(desk->list().index_of(cue), change.draft()));
    });
  }
  bool update() { return desk->update(scene, now + 100ms); }

  /// The cues of the list without what has to be saved.
  [[nodiscard]] static nlohmann::json cues_of(cues::CueList list) {
    list.unsaved.clear();
    return cues::to_json(list);
  }

  wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  std::optional<director::CueDesk> desk;
  scene::Scene scene;
  GlobalInstant now = begin;
};

/// A random change of the wall, which may be refused.
void change_at_random(EditedShow& show, std::mt19937& random) {
  const auto below = [&](std::size_t count) { return random() % count; };
  const std::string name = show.scene.regions[below(show.scene.regions.size())].name;
  const double x = static_cast<double>(below(60));
  const std::function<void(SceneChange&)> changes[] = {
      [&](SceneChange& c) {
        c.place(name, {x, x / 3, 100 + x, 70});
      },
      [&](SceneChange& c) {
        c.set_view(name, {x, 1, 50 + x, 40}, Nanos(0));
      },
      [&](SceneChange& c) {
        c.set_view(name, {x, 1, 50 + x, 40}, 200ms);
      },
      [&](SceneChange& c) { c.view_whole(name, Nanos(0)); },
      [&](SceneChange& c) { c.set_opacity(name, x / 60); },
      [&](SceneChange& c) { c.set_fit(name, scene::FitMode::stretch); },
      [&](SceneChange& c) { c.set_blend(name, scene::BlendMode::difference); },
      [&](SceneChange& c) { c.join_group(name, below(2) == 0 ? "pair" : ""); },
      [&](SceneChange& c) {
        c.set_speed(name, {x < 30 ? -1 : 3, 2});
      },
      [&](SceneChange& c) { c.set_loop(name, sync::LoopMode::loop); },
      [&](SceneChange& c) { c.set_range(name, 5, 30); },
      [&](SceneChange& c) { c.pause(name); },
      [&](SceneChange& c) { c.play(name); },
      [&](SceneChange& c) { c.set_source(name, show.source("other")); },
      [&](SceneChange& c) { c.set_blank(below(2) == 0); },
      [&](SceneChange& c) { c.set_audio_gain(x / 60); },
      [&](SceneChange& c) { c.set_muted(below(2) == 0); },
      [&](SceneChange& c) {
        c.compare(scene::CompareMode::swipe, show.source("other"), {1280, 480}, 0.25);
      },
      [&](SceneChange& c) {
        c.end_compare({1280, 480});
      },
      [&](SceneChange& c) { c.remove_region(name); },
      [&](SceneChange& c) {
        scene::Region added = c.draft().regions.front();
        added.name = "added" + std::to_string(below(3));
        added.source = show.source("movie");
        c.add_region(added);
      }};
  try {
    show.change(changes[below(std::size(changes))]);
  } catch (const InputError&) {  // such as a second region of one name
  }
}

}  // namespace

TEST_CASE("a cue that is on the wall as it is has nothing to update", "[present]") {
  EditedShow show;
  for (const char* const cue : {"one", "two", "three", "one"}) {
    CAPTURE(cue);
    show.go_to(cue);
    CHECK_FALSE(show.update());
  }
  CHECK(show.desk->list().unsaved.empty());
}

TEST_CASE("changes of the wall are in its cue, and in the file that is read again", "[present]") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    EditedShow show;
    std::mt19937 random(seed);
    for (const char* const cue : {"one", "two", "one", "three"}) {
      show.go_to(cue);
      for (int i = 0; i < 5; ++i) change_at_random(show, random);
      INFO("cue " << cue << ", changes " << cues::changes_text(show.desk->list().unsaved));
      const nlohmann::json before = cues::to_json(show.desk->list());
      try {
        show.update();
      } catch (const InputError&) {  // a later cue needs a region that was removed
        CHECK(cues::to_json(show.desk->list()) == before);
        continue;
      }
      CHECK_FALSE(show.update());
    }
    const cues::CueList& list = show.desk->list();
    CAPTURE(cues::changes_text(list.unsaved));
    CHECK(save_show(show.file(), show.file(), list.unsaved).empty());
    CHECK(EditedShow::cues_of(show.open().list) == EditedShow::cues_of(list));
    CHECK(cues::cue_list_from_json(cues::to_json(list)).unsaved == list.unsaved);
  }
}

TEST_CASE("an input in place of a cue's pattern stays the lowest region", "[present]") {
  cues::ShowFile show = cues::show_from_text("show.toml", R"([[cue]]
name = "one"
pattern = "grid"
[[cue.region]]
name = "side"
input = "movie"
)");
  const auto changes = cues::changes_from_text(R"([[cue]]
name = "one"
[[cue.region]]
name = "main"
input = "other"
)");
  CHECK(cues::revise(show, changes).empty());
  REQUIRE(show.cues[0].regions.size() == 2);
  CHECK(show.cues[0].regions[0].name == "main");
  CHECK(show.cues[0].regions[1].name == "side");
  CHECK_FALSE(show.cues[0].pattern);
}

TEST_CASE("a saved show keeps what people wrote in the cues that did not change", "[present]") {
  EditedShow show;
  show.change([](SceneChange& change) { change.set_opacity("main", 0.25); });
  REQUIRE(show.update());
  show.desk->set_note(2, "Lights.");
  const std::vector<cues::CueEntry> changes = show.desk->list().unsaved;
  CHECK(save_show(show.file(), show.file(), changes).empty());
  const std::string text = read_text_file(show.file(), 1 << 20);
  CHECK_THAT(text, Catch::StartsWith("# Kept by hand.\n[show]\nname = \"Evening\"\n"));
  CHECK_THAT(text, Catch::Contains("  opacity = 0.5   # half\n"));
  CHECK_THAT(text, Catch::Contains("opacity = 0.25\n") && Catch::Contains("note = \"Lights.\""));
  CHECK_THAT(text, Catch::Contains("input = \"movie\""));
  show.desk->note_saved(changes);
  CHECK(show.desk->list().unsaved.empty());
}

TEST_CASE("changes are merged with those that somebody made to the file meanwhile", "[present]") {
  EditedShow show;
  show.desk->set_note(0, "From the wall.");
  std::string text = commented_show;
  text.replace(text.find("in = 4"), 6, "in = 7");
  std::ofstream(show.file()) << text;
  CHECK(save_show(show.file(), show.in_folder("copy.toml"), show.desk->list().unsaved).empty());
  const cues::ShowFile saved = cues::read_show_file(show.in_folder("copy.toml"));
  CHECK(saved.cues[0].note == "From the wall.");
  CHECK(saved.cues[0].regions[0].in == 7);
  CHECK(read_text_file(show.file(), 1 << 20) == text);
}

TEST_CASE("a show file behind a link is saved there, with its mode", "[present]") {
  EditedShow show;
  show.desk->set_note(0, "Behind a link.");
  const std::filesystem::path link = show.in_folder("link.toml");
  std::filesystem::create_symlink(show.file(), link);
  const auto mode = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(show.file(), mode);
  CHECK(save_show(link, link, show.desk->list().unsaved).empty());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(cues::read_show_file(show.file()).cues[0].note == "Behind a link.");
  CHECK(std::filesystem::status(show.file()).permissions() == mode);
}

TEST_CASE("a show that cannot be saved stays as it is", "[present]") {
  EditedShow show;
  show.desk->set_note(1, "Lost?");
  const auto save = [&] { return save_show(show.file(), show.file(), show.desk->list().unsaved); };
  const std::string without = "[[cue]]\nname = \"one\"\ninput = \"movie\"\n";
  std::ofstream(show.file()) << without;
  CHECK(save() == std::vector<std::string>{"two"});  // the other changes are saved
  CHECK(read_text_file(show.file(), 1 << 20) == without);
  std::ofstream(show.file()) << "[[cue]]\nname = 5\n";
  CHECK_THROWS_WITH(save(), Catch::Contains("show.toml:2"));
  CHECK_THROWS_WITH(save_show(show.file(), "/tmp/elsewhere.toml", {}),
                    Catch::Contains("another folder"));
}

TEST_CASE("a new input has the mixing that it has on the wall", "[present]") {
  EditedShow show;
  show.go_to("two");
  show.change([&](SceneChange& change) {
    change.set_source("side", show.source("other"));
    change.set_opacity("side", 1);  // the cue has 0.5, and an input alone keeps it
  });
  REQUIRE(show.update());
  CHECK(save_show(show.file(), show.file(), show.desk->list().unsaved).empty());
  const cues::CueList saved = show.open().list;
  CHECK(saved.cues[1].regions[0].opacity == 1.0);
  CHECK(EditedShow::cues_of(saved) == EditedShow::cues_of(show.desk->list()));
}

TEST_CASE("a movie that has grown is the same movie", "[present]") {
  EditedShow show;
  scene::SourceSpec grown = *show.scene.regions.front().source;
  grown.frames += 24;
  grown.growing = true;
  show.change([&](SceneChange& change) {
    change.grow(change.draft().regions.front().source,
                std::make_shared<const scene::SourceSpec>(grown));
  });
  CHECK_FALSE(show.update());
}

TEST_CASE("a cue is not updated to what no show file can hold", "[present]") {
  EditedShow show;
  show.change([](SceneChange& change) { change.join_group("main", "a\nb"); });
  CHECK_THROWS_WITH(show.update(), Catch::Contains("cue update"));
  CHECK(show.desk->list().unsaved.empty());
}

TEST_CASE("what no show file can name is not copied into a cue", "[present]") {
  EditedShow show;
  scene::SourceSpec unnamed = *show.source("other");
  unnamed.named = {};
  show.change([&](SceneChange& change) {
    change.set_source("main", std::make_shared<const scene::SourceSpec>(unnamed));
  });
  CHECK_THROWS_WITH(show.update(), Catch::Contains("main"));
  CHECK(show.desk->list().unsaved.empty());
}
