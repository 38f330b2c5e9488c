#include "player/survey/survey_request.hpp"

#include <cmath>

#include "sync/base/json_fields.hpp"

namespace tilewall::survey {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_path = 4096;
constexpr std::int64_t most_frames = std::int64_t{1} << 48;
constexpr std::int64_t most_rate_part = 1'000'000'000;
constexpr int most_side_px = 1 << 20;
constexpr double most_coordinate = 1e12;
constexpr std::size_t hash_digits = 16;
constexpr std::size_t most_views = 4096;  // of one medium on one host

/// A text of at most `most` bytes without a NUL.
std::string text_field(const Json& json, const char* field, std::size_t most = longest_path) {
  auto text = json_field<std::string>(json, field);
  expect_field(text.size() <= most && text.find('\0') == std::string::npos, field,
               "a text of at most 4096 bytes");
  return text;
}

std::string text_or_none(const Json& json, const char* field) {
  return json.contains(field) ? text_field(json, field) : "";
}

std::string absolute_path(const Json& json, const char* field) {
  auto path = text_field(json, field);
  expect_field(path.starts_with('/'), field, "an absolute path");
  return path;
}

/// The list of that name; an empty one where there is none.
Json list_field(const Json& json, const char* field, std::size_t most = most_subjects) {
  if (!json.contains(field)) return Json::array();
  auto list = json_field<Json>(json, field);
  expect_field(list.is_array() && list.size() <= most, field, "a list within its limit");
  return list;
}

std::vector<std::string> names_field(const Json& json) {
  std::vector<std::string> names;
  for (const Json& name : list_field(json, "names")) {
    expect_field(name.is_string() && name.get_ref<const std::string&>().size() <= longest_path,
                 "names", "texts of at most 4096 bytes");
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::chrono::milliseconds time_field(const Json& json, const char* field,
                                     std::chrono::milliseconds most) {
  return std::chrono::milliseconds(json_number<std::int64_t>(json, field, 1, most.count()));
}

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

RectF rect_field(const Json& json, const char* field) {
  const auto parts = json_field<std::vector<double>>(json, field);
  expect_field(parts.size() == 4, field, "four numbers");
  for (const double part : parts)
    expect_field(std::abs(part) <= most_coordinate, field, "coordinates in pixels");
  return {parts[0], parts[1], parts[2], parts[3]};
}

Json view_json(const PanelView& view) {
  return {{"movie_px", rect_json(view.placement.movie_px)},
          {"picture_px", rect_json(view.placement.picture_px)},
          {"size_px", {view.picture_px.width, view.picture_px.height}}};
}

PanelView view_of(const Json& json) {
  PanelView view{{rect_field(json, "movie_px"), rect_field(json, "picture_px")}, {}};
  expect_field(!view.placement.movie_px.empty() && !view.placement.picture_px.empty(), "movie_px",
               "a view of some pixels");
  const auto size = json_field<std::vector<int>>(json, "size_px");
  expect_field(size.size() == 2 && size[0] > 0 && size[1] > 0 && size[0] <= most_side_px &&
                   size[1] <= most_side_px,
               "size_px", "width and height of a panel");
  view.picture_px = {size[0], size[1]};
  return view;
}

Json file_json(const FileSubject& file) {
  Json json = {{"path", file.path},
               {"label", file.label},
               {"names", file.names},
               {"files", file.facts.files},
               {"size_bytes", file.facts.size_bytes},
               {"modified_ns", file.facts.modified_ns},
               {"required", file.required}};
  if (file.facts.hash) json["hash"] = *file.facts.hash;
  return json;
}

FileSubject file_of(const Json& json) {
  FileSubject file;
  file.path = absolute_path(json, "path");
  file.label = text_or_none(json, "label");
  file.names = names_field(json);
  file.facts.files = json_number<std::int64_t>(json, "files", 0, most_frames);
  file.facts.size_bytes = json_field<std::uint64_t>(json, "size_bytes");
  file.facts.modified_ns = json_field<std::int64_t>(json, "modified_ns");
  file.required = json_field<bool>(json, "required");
  if (json.contains("hash")) {
    file.facts.hash = json_field<std::string>(json, "hash");
    expect_field(file.facts.hash->size() == hash_digits &&
                     file.facts.hash->find_first_not_of("0123456789abcdef") == std::string::npos,
                 "hash", "16 hexadecimal digits");
  }
  return file;
}

Json media_json(const MediaSubject& media) {
  Json views = Json::array();
  for (const PanelView& view : media.views) views.push_back(view_json(view));
  return {{"kind", media_kind_names[static_cast<std::size_t>(media.kind)]},
          {"path", media.path},
          {"label", media.label},
          {"names", media.names},
          {"first_frame", media.first_frame},
          {"end_frame", media.end_frame},
          {"fps", {media.fps.num, media.fps.den}},
          {"frame_bytes", media.frame_bytes},
          {"views", std::move(views)},
          {"time_ms", media.time.count()}};
}

MediaSubject media_of(const Json& json) {
  MediaSubject media;
  media.kind = json_enum<MediaKind>(json, "kind", media_kind_names);
  media.path = absolute_path(json, "path");
  media.label = text_or_none(json, "label");
  media.names = names_field(json);
  media.first_frame = json_number<std::int64_t>(json, "first_frame", 0, most_frames);
  media.end_frame =
      json_number<std::int64_t>(json, "end_frame", media.first_frame + 1, most_frames + 1);
  const auto fps = json_field<std::vector<std::int64_t>>(json, "fps");
  expect_field(fps.size() == 2 && fps[0] >= 0 && fps[0] <= most_rate_part && fps[1] > 0 &&
                   fps[1] <= most_rate_part,
               "fps", "a rate as two numbers");
  media.fps = {fps[0], fps[1]};
  media.frame_bytes = json_field<std::uint64_t>(json, "frame_bytes");
  for (const Json& view : list_field(json, "views", most_views))
    media.views.push_back(view_of(view));
  media.time = time_field(json, "time_ms", longest_measuring);
  expect_field(media.kind != MediaKind::images ||
                   static_cast<std::int64_t>(media.names.size()) >= media.end_frame,
               "names", "a file for each frame");
  return media;
}

}  // namespace

Json to_json(const SurveyRequest& request) {
  Json json = {{"survey", survey_format},
               {"version", request.version},
               {"limit_ms", request.limit.count()},
               {"check_limit_ms", request.check_limit.count()}};
  for (const FileSubject& file : request.files) json["files"].push_back(file_json(file));
  for (const DisplaySubject& display : request.displays)
    json["displays"].push_back({{"display", display.display}, {"label", display.label}});
  for (const ServerSubject& server : request.servers)
    json["servers"].push_back({{"url", server.url}, {"label", server.label}});
  if (request.memory_bytes) json["memory_bytes"] = *request.memory_bytes;
  if (request.clock)
    json["clock"] = {{"daemons", request.clock->daemons},
                     {"most_bound_us", request.clock->most_bound_us}};
  if (request.logs)
    json["logs"] = {{"folder", request.logs->folder}, {"needed_bytes", request.logs->needed_bytes}};
  for (const MediaSubject& media : request.media) json["media"].push_back(media_json(media));
  for (const SurveyCheck& check : request.omitted) json["omitted"].push_back(Json(to_json(check)));
  return json;
}

SurveyRequest request_from_json(const Json& json) {
  static_cast<void>(json_number<int>(json, "survey", survey_format, survey_format));
  SurveyRequest request;
  request.version = text_field(json, "version");
  request.limit = time_field(json, "limit_ms", longest_survey);
  request.check_limit = time_field(json, "check_limit_ms", longest_survey);
  for (const Json& file : list_field(json, "files")) request.files.push_back(file_of(file));
  for (const Json& display : list_field(json, "displays"))
    request.displays.push_back({text_field(display, "display"), text_or_none(display, "label")});
  for (const Json& server : list_field(json, "servers"))
    request.servers.push_back({text_field(server, "url"), text_or_none(server, "label")});
  if (json.contains("memory_bytes"))
    request.memory_bytes = json_field<std::uint64_t>(json, "memory_bytes");
  if (json.contains("clock")) {
    const auto clock = json_field<Json>(json, "clock");
    request.clock = {text_field(clock, "daemons"), json_field<double>(clock, "most_bound_us")};
  }
  if (json.contains("logs")) {
    const auto logs = json_field<Json>(json, "logs");
    request.logs = {absolute_path(logs, "folder"), json_field<std::uint64_t>(logs, "needed_bytes")};
  }
  for (const Json& media : list_field(json, "media")) request.media.push_back(media_of(media));
  for (const Json& check : list_field(json, "omitted"))
    request.omitted.push_back(check_from_json(check));
  return request;
}

}  // namespace tilewall::survey
