// Files that people and programs write: wall files, show files, the index of a wall movie's frame.
// (movie.toml is in movie_decoders.cpp.) And the logs of hosts, and the journals of shows.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "player/cues/show_file.hpp"
#include "player/director/log/journal.hpp"
#include "player/director/log/recording.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/trace/host_log.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/role_log.hpp"
#include "tests/fuzz/decoder.hpp"
#include "wallconfigs/picture_plane.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::fuzz {

using namespace movie;
namespace {

/// A file in memory that has the input as its contents.
class InputFile {
 public:
  explicit InputFile(std::span<const std::byte> input)
      : fd_(check_sys(::memfd_create("fuzz", MFD_CLOEXEC), "memfd_create")) {
    write_all(fd_.get(), text_of(input), "memfd");
  }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  const UniqueFd fd_;
};

constexpr std::string_view flat_wall = R"(name = "mixed: \"two\" sizes"
columns = 3
rows = 2
control_address = "0.0.0.0:7450"
clock_address = ["wall-head:7400", "10.0.0.2:7401"]
[panels]
size_px = [2560, 1600]
size_mm = [641.2, 400.8]
bezel_mm = { left = 23.0, right = 23.0, top = 21.5, bottom = 24.5 }
[[panel]]
column = 0
size_px = [1600, 1200]
size_mm = [408.0, 306.0]
rotation_deg = 90
color = { gain = [1.0, 0.97, 0.93], gamma = 1.04 }
[[panel]]
name = "lectern"
column = 1
row = 1
window_px = [0, 0]
[[hole]]
name = "door"
column = 2
row = 1
[[host]]
name = "left"
address = "10.0.0.11"
columns = [0]
display = ":0"
[[host]]
name = "right"
address = "::1"
panels = ["lectern"]
columns = [2]
)";

constexpr std::string_view overlapping_wall = R"(columns = 2
rows = 2
[panels]
size_px = [480, 300]
size_mm = [960.0, 600.0]
[overlap]
horizontal_px = 96
vertical_px = 60
gamma = 2.2
blend = true
)";

constexpr std::string_view arc_wall = R"(columns = 4
rows = 1
[panels]
size_px = [640, 400]
diagonal_inches = 30.0
[arc]
radius_mm = 2500.0
increment_deg = 20.0
content = "eye"
)";

constexpr double most_canvas_px = 1'000'000;

void check_canvas(const wall::Wall& wall, const wall::Canvas& canvas) {
  TW_CHECK(canvas.panel_count() == wall.panels.size());
  TW_CHECK(canvas.size_px().width >= 1 && canvas.size_px().height >= 1);
  TW_CHECK(canvas.size_px().width <= most_canvas_px && canvas.size_px().height <= most_canvas_px);
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    TW_CHECK(std::isfinite(rect.x) && std::isfinite(rect.y));
    TW_CHECK(std::isfinite(rect.width) && std::isfinite(rect.height));
  }
}

void decode_wall(std::span<const std::byte> input) {
  using wall::BezelMode, wall::ContentMode;
  const InputFile file(input);
  refusing([&] {
    const wall::Wall wall = wall::load_wall(file.path());
    TW_CHECK(!wall.panels.empty());
    for (const BezelMode mode : {BezelMode::hide, BezelMode::show})
      for (const ContentMode content :
           {ContentMode::arc_length, ContentMode::eye, ContentMode::flat})
        if (!wall::content_obstacle(wall, content))
          check_canvas(wall, wall::Canvas(wall, mode, content));
  });
}

constexpr std::string_view talk_show = R"([show]
name = "Talk"
fade = 1.5
missing = "skip"
[[section]]
name = "doors"
loop = true
rounds = 3
[[cue]]
name = "Logo" # first
number = 1
section = "doors"
input = ["logo.png", "pattern:grid"]
loop = "ping_pong"
rounds = 2
speed = "-1/3"
follow = "at 20:15"
[[cue]]
name = "Jet"
number = "2.5"
note = """
Two
lines"""
compare = { mode = "swipe", input = "b.tw", line = 0.25 }
transition = "through_black 2"
goto = "1"
  [[cue.region]]
  name = "v"
  input = "jet.nc"
  place = [0.5, 0, 0.5, 1]
  fov = 40
  plane = ["1,0,0,5", "0,1,0,2"]
  [[cue.region]]
  remove = true
)";

void decode_show(std::span<const std::byte> input) {
  refusing([&] {
    const cues::ShowFile show = cues::show_from_text("show", text_of(input));
    static_cast<void>(cues::findings_of(show));
    TW_CHECK(cues::show_from_text("canonical", cues::to_text(show)) == show);
    cues::ShowFile changed = show;
    changed.cues.back().note = "changed";
    const std::string merged = cues::merged_text(text_of(input), changed);
    TW_CHECK(cues::show_from_text("merged", merged).cues == changed.cues);
  });
}

const MovieManifest& indexed_movie() {
  static const MovieManifest movie = [] {
    MovieManifest made;
    made.size_px = {900, 300};
    made.block_px = {256, 256};
    made.frames = 1;
    made.levels = 3;
    return made;
  }();
  return movie;
}

/// A frame whose blocks lie one behind the other and have `block_bytes` each.
Bytes indexed_frame(std::uint32_t block_bytes) {
  const FrameLayout layout(indexed_movie());
  std::vector<std::uint8_t> bytes = empty_frame_index(indexed_movie(), layout);
  std::uint64_t at = bytes.size();
  for (const FrameLayout::Level& level : layout.levels)
    for (std::int64_t block = 0; block < level.blocks; ++block) {
      const auto index = static_cast<std::uint64_t>(block);
      std::memcpy(bytes.data() + level.offsets + 8 * index, &at, sizeof at);
      std::memcpy(bytes.data() + level.sizes + 4 * index, &block_bytes, sizeof block_bytes);
      at += block_bytes;
    }
  bytes.resize(at);
  const auto all = std::as_bytes(std::span(bytes));
  return {all.begin(), all.end()};
}

void decode_index(std::span<const std::byte> input) {
  const InputFile file(input);
  FrameIndex index;
  for (int level = 0; level < indexed_movie().levels; ++level) {
    if (!index.load(file.fd(), indexed_movie(), level)) {
      TW_CHECK(!index.problem().empty());
      continue;
    }
    const auto blocks = index.blocks();
    TW_CHECK(static_cast<std::int64_t>(blocks.size()) ==
             block_grid(indexed_movie(), level).count());
    for (const BlockPlace& place : blocks)
      TW_CHECK(place.size_bytes == 0 || (place.offset_bytes <= input.size() &&
                                         place.size_bytes <= input.size() - place.offset_bytes));
  }
}

void decode_log(std::span<const std::byte> input) {
  for (const bool is_cut : {false, true}) {
    const trace::HostLog log =
        trace::lines_of_log(text_of(input), {{}, "host", "role", ""}, is_cut, {}, {});
    // What was read can be sent, and arrives as it was.
    const trace::LogAnswer answer{1, trace::merged({log}, input.size() + 64 * log.lines.size())};
    const trace::LogAnswer came =
        trace::log_answer_from_json(nlohmann::json::parse(trace::to_json(answer).dump()));
    TW_CHECK(came.log.lines.size() == log.lines.size());
    for (std::size_t i = 0; i < came.log.lines.size(); ++i)
      TW_CHECK(came.log.lines[i].text == answer.log.lines[i].text);
  }
  TW_CHECK(without_stamps(text_of(input)).size() <= input.size());
  refusing([&] { static_cast<void>(trace::log_answer_from_json(json_of(input))); });
}

void decode_journal(std::span<const std::byte> input) {
  const std::string_view text = text_of(input);
  const director::JournalText read = director::read_journal(text);
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  TW_CHECK(read.entries.size() + read.damaged_lines == ends);
  // Made-up lines have a wrong sum, so the input is a line's body too. What was read is written,
  // and read again as it was.
  const auto entry = director::entry_from_line(director::line_of_body(text));
  if (!entry) return;
  std::string line = director::to_line(*entry);
  TW_CHECK(line.find('\n') == line.size() - 1);
  line.pop_back();
  const auto again = director::entry_from_line(line);
  TW_CHECK(again && again->at == entry->at && again->kind == entry->kind);
  TW_CHECK(again->data == entry->data);
}

/// A journal, and the body of one of its lines.
std::vector<Bytes> journals() {
  const std::string show = director::to_line({{}, "show", {{"version", 1}, {"wall", "w"}}});
  const std::string time = director::to_line(
      {GlobalInstant{Nanos(1'700'000'000'000'000'000)}, "time", {{"delay_ns", 7}}});
  return {bytes_of(show + time), bytes_of(show + "noise\n" + time),
          bytes_of(
              time.substr(time.find(",\"at_ns") + 1, time.find('\n') - time.find(",\"at_ns") - 1))};
}

void decode_show_log(std::span<const std::byte> input) {
  refusing([&] {
    const director::Recording recording = director::recording_from_text(text_of(input), "log");
    for (const director::RecordedChange& change : recording.changes) {
      TW_CHECK(change.effect >= Nanos(0) && change.effect.count() <= std::int64_t{1} << 61);
      TW_CHECK(!change.commands.empty());
      for (const director::RecordedCommand& command : change.commands)
        TW_CHECK(command.request.at("type").is_string());
    }
  });
}

std::vector<Bytes> show_logs() {
  const std::string head = "{\"log\":1,\"show\":\"/tour.toml\"}\n";
  const std::string begun = "{\"at_ns\":1000,\"event\":\"start\"}\n";
  const std::string go =
      "{\"at_ns\":1500,\"event\":\"command\",\"outcome\":\"done\",\"version\":3,"
      "\"effect_ns\":2000,\"cue\":\"two\",\"begins_again\":true,\"request\":{\"type\":\"next\"}}\n";
  const std::string list =
      "{\"at_ns\":1600,\"event\":\"command\",\"outcome\":\"done\","
      "\"request\":{\"type\":\"show\",\"verb\":\"reload\",\"list\":{}}}\n";
  return {bytes_of(head + begun + go + list + "{\"at_ns\":9000,\"event\":\"end\"}\n"),
          bytes_of(head + begun + go + "{\"at")};
}

}  // namespace

std::vector<Decoder> file_decoders() {
  return {
      {"wall", {bytes_of(flat_wall), bytes_of(overlapping_wall), bytes_of(arc_wall)}, decode_wall},
      {"journal", journals(), decode_journal},
      {"show", {bytes_of(talk_show)}, decode_show},
      {"show_log", show_logs(), decode_show_log},
      {"index", {indexed_frame(1000), indexed_frame(0)}, decode_index},
      {"log",
       {bytes_of(R"({"type":"logs","number":7,"is_cut":false,"lines":[[1,"h","panel-0","x"]]})")},
       decode_log,
       false,
       {bytes_of("library\n[1.500000 local] tilewall: a\nb\n[99999999.000000] "
                 "c\n\xff\xfe\xe0\x8b\x96\n")}}};
}

}  // namespace tilewall::fuzz
