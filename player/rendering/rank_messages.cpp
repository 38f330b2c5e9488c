#include "player/rendering/rank_messages.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sync/base/arguments.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::rendering {
namespace {

using Json = nlohmann::json;

constexpr std::string_view answer_mark = R"({"answer":)";
constexpr std::size_t most_samples = 16;
constexpr std::size_t most_screens = 100'000;
constexpr int most_threads = 4096;
constexpr movie::Chroma chromas[] = {movie::Chroma::gray, movie::Chroma::yuv420,
                                     movie::Chroma::yuv444, movie::Chroma::rgb};

std::string one_line(const Json& json) {
  // A file's name need not be UTF-8.
  return json_text(json) + "\n";
}

Json size_json(SizePx size) { return {size.width, size.height}; }

SizePx size_field(const Json& json, const char* field, int most) {
  const auto sides = json_field<std::vector<int>>(json, field);
  expect_field(sides.size() == 2 &&
                   std::ranges::all_of(sides, [&](int side) { return side >= 0 && side <= most; }),
               field, "two sides");
  return {sides[0], sides[1]};
}

Json rect_json(const RectPx& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// A part of a picture of this size; all 0 for none.
RectPx rect_field(const Json& json, const char* field, SizePx picture) {
  const auto sides = json_field<std::vector<int>>(json, field);
  expect_field(sides.size() == 4, field, "four numbers");
  const RectPx rect{sides[0], sides[1], sides[2], sides[3]};
  const RectPx whole{0, 0, picture.width, picture.height};
  expect_field(rect == RectPx{} ||
                   (rect.width > 0 && rect.height > 0 && rect.x >= 0 && rect.y >= 0 &&
                    rect.width <= whole.width && rect.height <= whole.height &&
                    rect.x <= whole.width - rect.width && rect.y <= whole.height - rect.height),
               field, "a part of the picture");
  return rect;
}

Json screen_json(const ScreenPart& screen) {
  Json json = {{"part_px", rect_json(screen.part_px)},
               {"onto_plane", screen.tilt.onto_plane.matrix()}};
  if (const auto& seen = screen.tilt.seen_px)
    json["seen_px"] = {seen->x, seen->y, seen->width, seen->height};
  return json;
}

ScreenPart screen_from_json(const Json& json, SizePx picture_px) {
  ScreenPart screen;
  screen.part_px = rect_field(json, "part_px", picture_px);
  expect_field(screen.part_px.width > 0, "part_px", "a part of the picture");
  screen.tilt.onto_plane = wall::PanelMap(json_field<wall::PanelMap::Matrix>(json, "onto_plane"));
  if (json.contains("seen_px")) {
    const auto seen = json_field<std::array<double, 4>>(json, "seen_px");
    screen.tilt.seen_px = RectF{seen[0], seen[1], seen[2], seen[3]};
  }
  return screen;
}

Json order_json(const OpenOrder& order) {
  Json screens = Json::array();
  for (const ScreenPart& screen : order.pictures.screens) screens.push_back(screen_json(screen));
  return {{"order", "open"},
          {"version", order.version},
          {"volume", volume::to_text(order.pictures.volume)},
          {"size_px", size_json(order.pictures.size_px)},
          {"rays_across", order.pictures.rays_across},
          {"screens", std::move(screens)},
          {"canvas_px", size_json(order.pictures.canvas_px)},
          {"logo", order.pictures.logo.file},
          {"logo_px", rect_json(order.pictures.logo.place_px)},
          {"is_float", order.pictures.is_float},
          {"is_whole", order.pictures.is_whole},
          {"share", order.share}};
}

Json order_json(const SampleOrder& order) {
  Json frames = Json::array();
  for (const FlightFrame& frame : order.frames) frames.push_back(to_json(frame));
  return {{"order", "sample"},
          {"frames", std::move(frames)},
          {"quality", order.quality},
          {"name", order.name}};
}

Json order_json(const StoreOrder& order) {
  return {{"order", "store"},
          {"folder", order.folder},
          {"manifest", movie::manifest_text(order.manifest)},
          {"files", movie::frame_files_names[static_cast<std::size_t>(order.files)]},
          {"panel_share_px", size_json(order.panel_share_px)},
          {"drawn_by", order.drawn_by},
          {"token", order.token},
          {"measures", order.measures}};
}

Json order_json(const FlightFrame& frame) {
  return {{"order", "frame"}, {"frame", to_json(frame)}};
}

OpenOrder open_order_of(const Json& json) {
  OpenOrder order;
  order.version = json_field<std::string>(json, "version");
  if (order.version != program_version()) return order;  // other fields may have other meanings
  order.pictures.volume = volume::volume_job_of(json_field<std::string>(json, "volume"));
  order.pictures.size_px = size_field(json, "size_px", most_rays_a_side);
  order.pictures.rays_across = json_number<int>(json, "rays_across", 1, most_rays_across);
  order.pictures.logo = {json_field<std::string>(json, "logo"),
                         rect_field(json, "logo_px", order.pictures.size_px)};
  order.pictures.is_float = json_field<bool>(json, "is_float");
  order.pictures.is_whole = json_field<bool>(json, "is_whole");
  const double rays = static_cast<double>(order.pictures.size_px.width) *
                      order.pictures.size_px.height * order.pictures.rays_across *
                      order.pictures.rays_across;
  expect_field(rays >= 1 && rays <= most_rays, "size_px", "a picture within the limit of rays");
  const auto screens = json_field<Json>(json, "screens");
  expect_field(screens.is_array() && screens.size() <= most_screens, "screens", "a list");
  for (const Json& screen : screens)
    order.pictures.screens.push_back(screen_from_json(screen, order.pictures.size_px));
  order.pictures.canvas_px = size_field(json, "canvas_px", movie::max_movie_side_px);
  order.share = json_number<int>(json, "share", 1, most_ranks_a_host);
  return order;
}

SampleOrder sample_order_of(const Json& json) {
  SampleOrder order;
  const auto frames = json_field<Json>(json, "frames");
  expect_field(frames.is_array() && !frames.empty() && frames.size() <= most_samples, "frames",
               "a list of 1 to 16 frames");
  for (const Json& frame : frames) order.frames.push_back(flight_frame_from_json(frame));
  order.quality = json_number<int>(json, "quality", 1, 100);
  order.name = json_field<std::string>(json, "name");
  return order;
}

StoreOrder store_order_of(const Json& json) {
  StoreOrder order;
  order.folder = json_field<std::string>(json, "folder");
  order.manifest = movie::parse_manifest(json_field<std::string>(json, "manifest"), "message");
  order.files = json_enum<movie::FrameFiles>(json, "files", movie::frame_files_names);
  order.panel_share_px = size_field(json, "panel_share_px", movie::max_movie_side_px);
  order.drawn_by = json_field<std::string>(json, "drawn_by");
  order.token = json_field<std::string>(json, "token");
  order.measures = json_field<bool>(json, "measures");
  return order;
}

Json answer_json(const Opened& opened) {
  return {{"answer", "opened"}, {"timesteps", opened.timesteps}, {"threads", opened.threads}};
}

Json answer_json(const Sampled& sampled) {
  return {{"answer", "sampled"},
          {"chroma", movie::to_string(sampled.chroma)},
          {"drawn_by", sampled.drawn_by}};
}

Json answer_json(const StoreReady& ready) {
  return {{"answer", "ready"}, {"frame_bytes", ready.frame_bytes}};
}

Json answer_json(const FrameStored& stored) {
  return {{"answer", "stored"}, {"number", stored.number}, {"bytes", stored.bytes}};
}

Json answer_json(const RankNote& note) { return {{"answer", "note"}, {"line", note.line}}; }

Json answer_json(const RankFault& fault) {
  return {{"answer", "fault"},
          {"line", fault.line},
          {"is_input", fault.is_input},
          {"is_own", fault.is_own}};
}

Opened opened_of(const Json& json) {
  return {json_number<std::int64_t>(json, "timesteps", 1, std::int64_t{1} << 40),
          json_number<int>(json, "threads", 1, most_threads)};
}

Sampled sampled_of(const Json& json) {
  const auto name = json_field<std::string>(json, "chroma");
  const auto* const chroma = std::ranges::find_if(
      chromas, [&](movie::Chroma one) { return movie::to_string(one) == name; });
  expect_field(chroma != std::end(chromas), "chroma", "a chroma of movie.toml");
  return {*chroma, json_field<std::string>(json, "drawn_by")};
}

FrameStored stored_of(const Json& json) {
  return {json_number<std::int64_t>(json, "number", 0, movie::max_frames - 1),
          json_number<std::uint64_t>(json, "bytes", 0, std::uint64_t{1} << 50)};
}

}  // namespace

std::string line_of(const RankOrder& order) {
  return one_line(std::visit([](const auto& one) { return order_json(one); }, order));
}

std::string line_of(const RankAnswer& answer) {
  return one_line(std::visit([](const auto& one) { return answer_json(one); }, answer));
}

RankOrder rank_order_of(std::string_view line) {
  const Json json = parse_json(line);
  const auto order = json_field<std::string>(json, "order");
  if (order == "open") return open_order_of(json);
  if (order == "sample") return sample_order_of(json);
  if (order == "store") return store_order_of(json);
  if (order == "frame") return flight_frame_from_json(json_field<Json>(json, "frame"));
  throw InputError({"message"}, "order", "open, sample, store or frame", shown_json(order));
}

RankAnswer rank_answer_of(std::string_view line) {
  const Json json = parse_json(line);
  const auto answer = json_field<std::string>(json, "answer");
  if (answer == "opened") return opened_of(json);
  if (answer == "sampled") return sampled_of(json);
  if (answer == "ready") return StoreReady{json_field<double>(json, "frame_bytes")};
  if (answer == "stored") return stored_of(json);
  if (answer == "note") return RankNote{json_field<std::string>(json, "line")};
  if (answer == "fault")
    return RankFault{json_field<std::string>(json, "line"), json_field<bool>(json, "is_input"),
                     json_field<bool>(json, "is_own")};
  throw InputError({"message"}, "answer", "opened, sampled, ready, stored, note or fault",
                   shown_json(answer));
}

bool is_rank_answer(std::string_view line) { return line.starts_with(answer_mark); }

}  // namespace tilewall::rendering
