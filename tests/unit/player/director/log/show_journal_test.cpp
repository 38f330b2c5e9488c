// What of a show is in its journal, and the state that the next director reads.

#include "player/director/log/show_journal.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include "player/director/statistics/checkpoint.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/kept_journal.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using test::at_ms;
using test::KeptJournal;
using test::start;
using Json = nlohmann::json;

namespace {

Json show_start() { return {{"version", journal_version}, {"wall", "w"}}; }

Scene scene_of(SourcePtr source, std::uint64_t version, std::uint64_t epoch) {
  Scene scene = first_scene({movie_region("main", std::move(source))});
  scene.version = version;
  scene.epoch = epoch;
  scene.since = scene.tick_grid.start = start;
  return scene;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("the next director finds the newest scene, its sources, and the delay", "[journal]") {
  KeptJournal kept;
  const SourcePtr movie = movie_source(100, "/one");
  {
    ShowJournal journal(kept.memory.get(), kept.file);
    CHECK_FALSE(journal.found());
    journal.begin(show_start(), start);
    journal.write(scene_of(movie, 2, 1), {}, at_ms(10));
    journal.write(scene_of(movie, 2, 1), {}, at_ms(11));  // the same version: not again
    journal.write(scene_of(movie_source(50, "/two"), 3, 2), {1, Nanos(5)}, at_ms(20));
    journal.step(at_ms(30), Nanos(9));
    journal.step(at_ms(40), Nanos(11));  // within the second: not again
  }
  const ShowJournal next(kept.memory.get(), kept.file);
  REQUIRE(next.found());
  const JournalState& found = *next.found();
  CHECK(found.show == show_start());
  CHECK(found.troubles.empty());
  REQUIRE(found.scenes.size() == 2);
  CHECK(found.scenes[0].scene.version == 2);
  const JournalScene& newest = found.scenes[1];
  CHECK(newest.scene.version == 3);
  CHECK(newest.scene.epoch == 2);
  CHECK(newest.scene.regions[0].source->path == "/two");
  CHECK(newest.scene.regions[0].source->frames == 50);
  CHECK(newest.resting_level == 1);
  CHECK(newest.delay == Nanos(5));
  CHECK(found.delay == Nanos(9));
  CHECK(found.written == at_ms(30));
}

TEST_CASE("a source is written once while scenes name it, and again when one returns to it",
          "[journal]") {
  KeptJournal kept;
  const SourcePtr one = movie_source(100, "/one");
  const SourcePtr two = movie_source(100, "/two");
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  std::uint64_t version = 1;
  for (const SourcePtr& source : {one, one, two, one}) {
    ++version;
    journal.write(scene_of(source, version, version), {}, start);
  }
  std::size_t sources = 0;
  for (const JournalEntry& entry : read_journal(kept.text()).entries)
    sources += entry.kind == "source" ? 1U : 0U;
  CHECK(sources == 3);
  const JournalState state = journal_state(kept.text());
  REQUIRE(state.scenes.size() == 4);
  CHECK(state.scenes[2].scene.regions[0].source->path == "/two");
  CHECK(state.scenes[3].scene.regions[0].source->path == "/one");
}

TEST_CASE("a director that goes on writes its sources anew", "[journal]") {
  KeptJournal kept;
  const SourcePtr movie = movie_source(100, "/one");
  {
    ShowJournal journal(kept.memory.get(), kept.file);
    journal.begin(show_start(), start);
    journal.write(scene_of(movie, 2, 1), {}, start);
  }
  // The first director died in the middle of a source of two pieces.
  JournalMemory(kept.memory.get())
      .append(to_line(
          {start, "source", {{"type", "source"}, {"id", 9}, {"text", "{\"k"}, {"more", true}}}));
  {
    ShowJournal journal(kept.memory.get(), kept.file);
    journal.begin(show_start(), start);
    journal.write(scene_of(movie, 2, 1), {}, start);  // known: not written again
    journal.write(scene_of(movie, 3, 2), {}, start);
  }
  const JournalState state = journal_state(kept.text());
  CHECK(state.troubles.empty());
  REQUIRE(state.scenes.size() == 2);
  CHECK(state.scenes[1].scene.version == 3);
  CHECK(state.starts.empty());  // the newest scene is younger than the director
}

TEST_CASE("the newest step of each live source is known, of so many as a scene may have",
          "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  const auto write = [&](std::size_t source, std::uint64_t run) {
    JournalLive live;
    live.step.source = "live" + std::to_string(source);
    live.run = run;
    journal.write(live, start);
  };
  for (std::size_t i = 0; i < max_regions; ++i) write(i, 1);
  write(0, 2);
  auto live = journal_state(kept.text()).live;
  REQUIRE(live.size() == max_regions);
  CHECK(live.front().step.source == "live1");
  CHECK(live.back().step.source == "live0");
  CHECK(live.back().run == 2);
  write(max_regions, 1);
  live = journal_state(kept.text()).live;
  REQUIRE(live.size() == max_regions);
  CHECK(live.front().step.source == "live2");  // the oldest has left
}

TEST_CASE("a scene whose source is damaged is left out, the one before stays", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  journal.write(scene_of(movie_source(100, "/one"), 2, 1), {}, start);
  journal.write(scene_of(movie_source(100, "/two"), 3, 2), {}, start);
  const JournalState state = journal_state(replaced(kept.text(), "/two", "/tw?"));
  REQUIRE(state.scenes.size() == 1);
  CHECK(state.scenes[0].scene.version == 2);
  CHECK(state.troubles.size() == 2);  // the damaged line, and the scene without its source
}

TEST_CASE("a journal of another version has no state to go on from", "[journal]") {
  const std::string text = to_line({start, "show", {{"version", journal_version + 1}}});
  const JournalState state = journal_state(text);
  CHECK(state.show.is_null());
  REQUIRE(state.troubles.size() == 1);
  CHECK(state.troubles[0].find("version") != std::string::npos);
}

TEST_CASE("kinds that are not known here are kept when the journal is rewritten", "[journal]") {
  KeptJournal kept;
  {
    ShowJournal journal(kept.memory.get(), kept.file);
    journal.begin(show_start(), start);
  }
  const std::string cue = to_line({at_ms(3), "cue", {{"number", 7}}});
  JournalMemory(kept.memory.get()).append(cue);
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  journal.write(OnceRequest{"key", {{"type", "done"}}}, start);
  // Names of 1 MiB make the journal longer than 8 MiB.
  for (std::uint64_t version = 2; version < 14; ++version)
    journal.write(scene_of(movie_source(100, "/" + std::string(1 << 20, 'a')), version, version),
                  {}, start);
  journal.shorten(start);
  const std::string text = kept.text();
  CHECK(text.size() < std::size_t{9} << 20);
  CHECK(text.find(cue) != std::string::npos);
  const JournalState state = journal_state(text);
  CHECK(state.show == show_start());
  CHECK(state.troubles.empty());
  REQUIRE(state.scenes.size() >= 2);
  CHECK(state.scenes.back().scene.version == 13);
  REQUIRE(state.once.size() == 1);
  CHECK(state.once[0].answer.at("type") == "done");
}

TEST_CASE("a request's key is known after it was written, the newest 256 of them", "[journal]") {
  KeptJournal kept;
  {
    ShowJournal journal(kept.memory.get(), kept.file);
    journal.begin(show_start(), start);
    CHECK(journal.answer_of("0") == nullptr);
    for (int i = 0; i < 257; ++i)
      journal.write(OnceRequest{std::to_string(i), {{"version", i}}}, start);
    journal.write(scene_of(movie_source(100), 2, 1), {}, start);
    CHECK(journal.answer_of("0") == nullptr);
    REQUIRE(journal.answer_of("1") != nullptr);
  }
  const ShowJournal next(kept.memory.get(), kept.file);
  CHECK(next.answer_of("0") == nullptr);
  REQUIRE(next.answer_of("256") != nullptr);
  CHECK(next.answer_of("256")->at("version") == 256);
}

TEST_CASE("the next director knows when the show has ended", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  journal.write(scene_of(movie_source(100), 2, 1), {}, at_ms(10));
  CHECK_FALSE(journal_state(kept.text()).ended);
  journal.write_end(at_ms(50));
  CHECK(journal_state(kept.text()).ended == at_ms(50));
}

TEST_CASE("a request and its scene come into the journal together", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  journal.write(OnceRequest{"key", {{"type", "done"}}}, start);
  CHECK(journal.answer_of("key") != nullptr);
  CHECK(journal_state(kept.text()).once.empty());
  journal.write(scene_of(movie_source(100), 2, 1), {}, start);
  const JournalState state = journal_state(kept.text());
  CHECK(state.once.size() == 1);
  CHECK(state.scenes.size() == 1);
}

namespace {

/// A scene that was written at that second.
JournalScene scene_at(int second, std::uint64_t version, bool is_asked) {
  JournalScene one;
  one.scene.version = version;
  one.local = LocalInstant{std::chrono::seconds(second)};
  one.is_asked = is_asked;
  return one;
}

/// Version of the scene to go back to after a death at that second; 0: none.
std::uint64_t before_blamed(const JournalState& state, int second) {
  const JournalScene* const before =
      scene_before_blamed(state, LocalInstant{std::chrono::seconds(second)});
  return before != nullptr ? before->scene.version : 0;
}

}  // namespace

TEST_CASE("two deaths within 10 s of a change blame it, later ones do not", "[journal]") {
  JournalState state;
  state.scenes = {scene_at(-5, 1, true), scene_at(0, 2, true)};
  CHECK(before_blamed(state, 1) == 0);  // the first death
  state.starts = {LocalInstant{std::chrono::seconds(1)}};
  CHECK(before_blamed(state, 2) == 1);
  CHECK(before_blamed(state, 10) == 1);
  CHECK(before_blamed(state, 11) == 0);
  state.scenes.pop_front();
  CHECK(before_blamed(state, 2) == 0);  // no scene to go back to
}

TEST_CASE("the change is to blame, and no scene that the director made after it", "[journal]") {
  JournalState state;
  state.scenes = {scene_at(-9, 1, true), scene_at(-5, 2, false), scene_at(0, 3, true),
                  scene_at(1, 4, false), scene_at(9, 5, false)};
  state.starts = {LocalInstant{std::chrono::seconds(2)}};
  CHECK(before_blamed(state, 10) == 2);
  CHECK(before_blamed(state, 11) == 0);
}

TEST_CASE("a change that was taken back is not gone back to", "[journal]") {
  KeptJournal kept;
  const auto next_director = [&](const std::function<void(ShowJournal&)>& use) {
    ShowJournal journal(kept.memory.get(), kept.file);
    journal.begin(show_start(), start);
    use(journal);
  };
  const SourcePtr movie = movie_source(100);
  next_director([&](ShowJournal& journal) {
    for (const std::uint64_t version : {2U, 3U, 4U})
      journal.write(scene_of(movie, version, version), {}, start);
  });
  next_director([](ShowJournal&) {});
  next_director([&](ShowJournal& journal) {
    const JournalScene* const before = scene_before_blamed(*journal.found(), local_now());
    REQUIRE(before != nullptr);
    CHECK(before->scene.version == 3);
    journal.take_back_from(3);
    journal.write(scene_of(movie, 5, 5), {.is_asked = false}, start);
  });
  const JournalState state = journal_state(kept.text());
  REQUIRE(state.scenes.size() == 2);
  CHECK(state.scenes[0].scene.version == 2);
  CHECK(state.scenes[1].scene.version == 5);
  CHECK(scene_before_blamed(state, local_now()) == nullptr);  // a first death
  next_director([](ShowJournal&) {});
  next_director([](ShowJournal& journal) {
    const JournalScene* const before = scene_before_blamed(*journal.found(), local_now());
    REQUIRE(before != nullptr);
    CHECK(before->scene.version == 2);
  });
}

TEST_CASE("a resumed show begins with the frame that was due at the newest entry", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  Scene scene = scene_of(movie_source(100), 5, 3);
  scene.regions[0].timeline.start = start;
  scene.regions[0].timeline.loop = sync::LoopMode::loop;
  scene.blank = true;
  scene.coarser_by = 2;
  scene.hint = Hint{"paused", at_ms(0), at_ms(1500)};
  scene.decimation.ticks.change({0, 0, 4});
  journal.write(scene, {1, Nanos(0)}, at_ms(10));
  journal.step(at_ms(12'345), Nanos(0));
  const Scene resumed = resumed_scene(journal_state(kept.text()));
  const sync::Timeline& line = resumed.regions[0].timeline;
  CHECK(line.start_frame == 23);  // 123 ticks of 0.1 s, in a loop of 100 frames
  CHECK(line.start == never);
  CHECK(line.loop == sync::LoopMode::loop);
  CHECK(resumed.since == never);
  CHECK(resumed.tick_grid.start == never);
  CHECK(resumed.blank);
  CHECK(resumed.coarser_by == 1);  // at rest
  CHECK_FALSE(resumed.hint);
  CHECK(resumed.decimation.every() == 1);
}

TEST_CASE("under late policy slow a resumed show goes on from what was on the wall", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  Scene scene = scene_of(movie_source(100), 5, 3);
  scene.regions[0].timeline.start = start;
  journal.write(scene, {}, at_ms(10));
  journal.step(at_ms(5000), Nanos(1'000'000'000));
  CHECK(resumed_scene(journal_state(kept.text())).regions[0].timeline.start_frame == 40);
}

namespace {

/// The text of a journal with three scenes, whose sources have names of several bytes a letter.
std::string text_of_a_show() {
  const KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  const SourcePtr movie = movie_source(100,
                                       "/Gr\xc3\xb6\xc3\x9f"
                                       "e/\xe5\xa2\x99");
  journal.write(scene_of(movie, 2, 1), {}, at_ms(10));
  journal.write(OnceRequest{"key", {{"type", "done"}}}, at_ms(15));
  journal.write(scene_of(movie_source(100, "/two"), 3, 2), {}, at_ms(20));
  journal.step(at_ms(30), Nanos(0));
  journal.write(scene_of(movie, 4, 3), {}, at_ms(40));
  return kept.text();
}

// Under sanitizers a part of the bytes, in all columns, runs the same code.
const std::size_t byte_step = test::sanitized() ? 7 : 1;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("a journal that ends at any byte has the state of its whole lines", "[journal]") {
  const std::string text = text_of_a_show();
  for (std::size_t size = 0; size <= text.size(); size += byte_step) {
    CAPTURE(size);
    const std::string torn = text.substr(0, size);
    const std::string whole = torn.substr(0, torn.rfind('\n') + 1);
    const JournalState state = journal_state(torn);
    REQUIRE(state.troubles.empty());
    REQUIRE(state.show.is_null() == whole.empty());
    const std::size_t scenes = count_of(whole, R"("kind":"scene")");
    REQUIRE(state.scenes.size() == scenes);
    if (scenes > 0) REQUIRE(resumed_scene(state).version == 1 + scenes);
  }
}

TEST_CASE("a journal with any changed byte gives whole scenes alone, and says what is wrong",
          "[journal]") {
  const std::string text = text_of_a_show();
  for (std::size_t at = 0; at < text.size(); at += byte_step) {
    CAPTURE(at);
    std::string damaged = text;
    damaged[at] = '\xc3';  // the begin of a letter that does not go on
    const JournalState state = journal_state(damaged);
    REQUIRE_FALSE((state.troubles.empty() && at + 1 < text.size()));
    REQUIRE(state.scenes.size() <= 3);
    for (const JournalScene& one : state.scenes) REQUIRE(one.scene.regions.size() == 1);
  }
}

TEST_CASE("odd values in an entry leave it out or are read, and nothing else happens",
          "[journal]") {
  std::vector<Json> lines;
  const std::string text = text_of_a_show();
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(Json::parse(text.substr(at, end - at)));
  const std::vector<Json> odd = {nullptr, INT64_MAX, INT64_MIN, 1e300, "x"};
  const auto sealed = [](const Json& line) {
    return line_of_body(fmt::format("\"at_ns\":{},\"kind\":{},\"data\":{}}}",
                                    line.at("at_ns").dump(), line.at("kind").dump(),
                                    line.at("data").dump())) +
           "\n";
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string before;
    std::string after;
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (j != i) (j < i ? before : after) += sealed(lines[j]);
    const Json values = lines[i].flatten();
    for (const auto& [place, value] : values.items())
      for (const Json& other : odd) {
        if (place == "/sum") continue;
        CAPTURE(place, other);
        Json line = lines[i];
        line[Json::json_pointer(place)] = other;
        const JournalState state = journal_state(before + sealed(line) + after);
        REQUIRE(state.scenes.size() <= 3);
        if (!state.scenes.empty()) static_cast<void>(resumed_scene(state));
      }
  }
}

// ./test_director "[.figures]" prints what the director's thread pays.
TEST_CASE("the cost of a scene in the journal, and of a checkpoint", "[.figures]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  const SourcePtr movie = movie_source(100'000, "/home/user/movies/a movie of some length");
  constexpr int rounds = 1000;
  std::vector<std::int64_t> ns;
  for (std::uint64_t version = 2; version < 2 + rounds; ++version) {
    const Scene scene = scene_of(movie, version, version);
    const auto before = std::chrono::steady_clock::now();
    journal.write(scene, {}, start);
    ns.push_back(std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count());
  }
  const Percentiles scenes = percentiles(ns) / 1e3;
  WARN("a scene: p50 " << scenes.p50 << " us, p99 " << scenes.p99 << " us");
  ShowLedger ledger(15, false);
  ledger.open_epoch(1, sync::own_ticks(scene_of(movie, 1, 1).regions[0].timeline));
  for (std::int64_t tick = 0; tick < 10'000; ++tick)
    for (std::size_t panel = 0; panel < 15; ++panel)
      ledger.add(panel, 1,
                 {tick, tick, tick * 100'000'000 + static_cast<std::int64_t>(panel) * 1000, 0});
  const UniqueFd memory(CheckpointMemory::make());
  CheckpointMemory checkpoint(memory.get());
  ns.clear();
  for (int i = 0; i < 100; ++i) {
    const auto before = std::chrono::steady_clock::now();
    checkpoint.write({{"ledger", ledger.checkpoint()}});
    ns.push_back(std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count());
  }
  const Percentiles checkpoints = percentiles(ns) / 1e3;
  WARN("a checkpoint of 15 panels: p50 " << checkpoints.p50 << " us, p99 " << checkpoints.p99
                                         << " us");
}

TEST_CASE("a request that makes no scene comes into the journal at once", "[journal]") {
  KeptJournal kept;
  ShowJournal journal(kept.memory.get(), kept.file);
  journal.begin(show_start(), start);
  journal.write(OnceRequest{"change", {{"type", "done"}}}, start);
  journal.write_alone(OnceRequest{"restart", {{"type", "done"}}}, start);
  CHECK(journal.answer_of("restart") != nullptr);
  const JournalState state = journal_state(kept.text());
  REQUIRE(state.once.size() == 1);  // the other one waits for its scene
  CHECK(state.once[0].key == "restart");
}
