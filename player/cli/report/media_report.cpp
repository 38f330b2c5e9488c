#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "net/live/live_messages.hpp"
#include "net/slab/remote_url.hpp"
#include "player/cli/options/live_options.hpp"
#include "player/cli/report/reports.hpp"
#include "player/cli/source/import_cache.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/progress.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/transfer_status.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "player/movie/source/movie_file.hpp"
#include "player/movie/source/sm_movie.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/confined_call.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::chrono::milliseconds frame_count_limit{2000};

OrderedJson begin_report(const std::string& kind, const std::string& file, SizePx size) {
  return {{"kind", kind}, {"file", file}, {"width_px", size.width}, {"height_px", size.height}};
}

/// Adds the number of missing frames, and the bytes of all files, to a report.
void count_files(const fs::path& folder, const movie::MovieManifest& movie, OrderedJson& report) {
  std::int64_t missing = 0;
  std::uintmax_t bytes = 0;
  for (std::int64_t frame = 0; frame < movie.frames; ++frame) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / movie::frame_file_name(frame), error);
    if (error)
      ++missing;
    else
      bytes += size;
  }
  report["missing_frames"] = missing;
  report["bytes"] = bytes;
}

void add_rate(const movie::MovieManifest& movie, OrderedJson& report) {
  report["fps"] = movie.fps.value();
  report["fps_exact"] = to_string(movie.fps);
  report["frames"] = movie.frames;
  report["duration_s"] = static_cast<double>(movie.frames) / movie.fps.value();
  report["complete"] = movie.complete;
}

void add_blocks(const movie::MovieManifest& movie, OrderedJson& report) {
  report["levels"] = movie.levels;
  report["block_width_px"] = movie.block_px.width;
  report["block_height_px"] = movie.block_px.height;
  report["block_order"] = movie.order == movie::BlockOrder::rows ? "rows" : "panels";
  report["chroma"] = movie::to_string(movie.chroma);
  report["compression"] = movie::to_string(movie.compression);
  if (movie.compression == movie::BlockCompression::jpeg) report["quality"] = movie.quality;
  report["audio_file"] = movie.audio_file;
  report["source"] = movie.source;
  report["repeated_frames"] = movie.repeated_frames;
  report["dropped_frames"] = movie.dropped_frames;
}

OrderedJson wall_movie_report(const fs::path& folder) {
  const movie::MovieManifest movie = movie::load_manifest(folder);
  OrderedJson report = begin_report("wall movie", folder.string(), movie.size_px);
  add_rate(movie, report);
  count_files(folder, movie, report);
  if (const auto status = movie::running_status(folder)) report.update(status_report(*status));
  add_blocks(movie, report);
  return report;
}

void add_transport(const net::RemoteUrl& url, const net::SlabClientStatus& status,
                   OrderedJson& report) {
  const bool udp = url.transport == net::SlabTransport::udp;
  report["transport"] = udp ? "udp" : "tcp";
  if (udp) return;
  report["streams"] = url.streams;
  if (!url.interfaces.empty()) report["interfaces"] = net::to_string(url.interfaces);
  report["round_trip_ms"] = as_double(status.tuning.round_trip) * 1e-6;
  report["window_bytes"] = status.tuning.window_bytes;
  report["wanted_window_bytes"] = status.tuning.wanted_window_bytes;
  report["congestion_control"] = status.tuning.congestion_control;
}

/// The report of a rank of a live source; empty where the server is none.
std::optional<OrderedJson> live_report(const std::string& input, net::SlabClient& client) {
  nlohmann::json answer;
  try {
    answer = client.call({{"type", "describe"}}, std::chrono::seconds(5));
  } catch (const InputError&) {  // a server of files refuses the question
    return std::nullopt;
  }
  const net::LiveDescription source = net::live_description_from_json(answer);
  OrderedJson report = {{"kind", "live source"},        {"file", input},
                        {"name", source.name},          {"size_voxels", source.grid},
                        {"spacing", source.spacing},    {"origin", source.origin},
                        {"length_unit", source.units},  {"rank", source.rank},
                        {"ranks", source.ranks},        {"fields", OrderedJson::array()},
                        {"timestep", nullptr},          {"time", source.time},
                        {"timesteps_s", source.steps_s}};
  for (const net::LiveField& field : source.fields)
    report["fields"].push_back(
        {{"name", field.name},
         {"type", net::live_type_names[static_cast<std::size_t>(field.type)]},
         {"value_unit", field.units}});
  if (source.reached) report["timestep"] = *source.reached;
  return report;
}

OrderedJson remote_report(const std::string& input, const render::VolumeOptions& part) {
  const net::RemoteUrl url = net::parse_remote_url(input);
  const auto client = net::connect_remote(url);
  if (auto live = live_report(input, *client)) {
    expect_live_name(input, url.name, live->at("name").get<std::string>());
    return *std::move(live);
  }
  if (url.name.empty()) {
    const auto list = client->call({{"type", "list"}}, std::chrono::seconds(10));
    OrderedJson report = {{"kind", "server"}, {"file", input}};
    add_transport(url, client->status(), report);
    const auto parsed = movie::parse_list_answer(list, input);
    for (const char* kind : {"movies", "volumes"})
      report[kind] = OrderedJson::parse(parsed.at(kind).dump());
    report["left_out"] = parsed.at("left_out").get<std::uint64_t>();
    return report;
  }
  const auto answer = client->call(
      {{"type", "open"}, {"name", url.name}, {"options", render::to_json(reported_part(part))}},
      std::chrono::seconds(20));
  if (movie::holds_volume(answer)) return volume_report(input, part);
  const movie::MovieManifest movie =
      movie::parse_manifest(movie::parse_open_answer(answer, url.name).manifest, url.name);
  OrderedJson report = begin_report("movie on a server", input, movie.size_px);
  add_rate(movie, report);
  add_blocks(movie, report);
  add_transport(url, client->status(), report);
  return report;
}

void add_picture(const movie::MovieInfo& info, OrderedJson& report) {
  report["codec"] = info.codec;
  report["pixel_format"] = info.pixel_format;
  report["matrix"] = info.matrix;
  report["range"] = info.range;
  report["primaries"] = info.primaries;
  report["transfer"] = info.transfer;
  report["turn_deg"] = info.orientation.turn_deg();
  report["mirrored"] = info.orientation.mirrored();
}

/// The report that `read` makes of foreign files, in a process that may read their folders alone.
OrderedJson confined_report(const std::vector<std::string>& inputs,
                            const std::function<OrderedJson()>& read) {
  return OrderedJson::parse(confined_call(
      movie::sandbox_to_read(inputs), [&](const std::stop_token&) { return json_text(read()); }));
}

OrderedJson movie_report(const std::string& file) {
  movie::MovieFile movie(file, 1);
  const movie::MovieInfo& info = movie.info();
  const movie::FrameCount count =
      movie::MovieFile(file, 1).count_frames(frame_count_limit);  // reads it through
  OrderedJson report = begin_report("movie", file, info.size_px);
  report["stored_width_px"] = info.stored_px.width;
  report["stored_height_px"] = info.stored_px.height;
  report["pixel_aspect"] = to_string(info.pixel_aspect);
  report["fps"] = info.fps.value();
  report["fps_exact"] = to_string(info.fps);
  report["frames"] = count.frames;
  report["frames_estimated"] = count.estimated;
  report["duration_s"] = info.duration_s;
  report["container"] = info.container;
  add_picture(info, report);
  const auto first = movie.next();  // import and play need one that decodes
  if (!first)
    throw InputError({file}, "", "a video with at least one picture that decodes",
                     "none (" + movie::last_ffmpeg_message() + ")");
  if (const auto light = movie::hdr_light_of(*first->frame))
    add_hdr(*light, movie::HdrMode::map, report);
  report["interlaced"] = info.interlaced;
  report["audio_codec"] = info.audio_codec;
  report["bytes"] = fs::file_size(file);
  return report;
}

OrderedJson sm_movie_report(const std::string& file) {
  const movie::SmMovie movie(file);
  const movie::MovieInfo info = movie.info();
  OrderedJson report = begin_report("SM movie", file, info.size_px);
  report["fps"] = info.fps.value();
  report["fps_exact"] = to_string(info.fps);
  report["frames"] = info.frames;
  report["duration_s"] = info.duration_s;
  report["stereo"] = movie.header().stereo;
  report["codec"] = info.codec;
  report["version"] = movie.header().version;
  report["levels"] = movie.header().levels;
  report["tile_width_px"] = movie.tile_px().width;
  report["tile_height_px"] = movie.tile_px().height;
  report["tile_word"] =
      movie.tile_order() == movie::SmTileOrder::height_width ? "height, width" : "width, height";
  report["bytes"] = fs::file_size(file);
  return report;
}

OrderedJson images_report(const movie::ImageSequence& images,
                          const std::vector<std::string>& inputs) {
  const bool one = images.files.size() == 1;
  const movie::ImagesLook look = movie::look_at_images(inputs);
  const movie::MovieInfo& info = look.info;
  OrderedJson report = begin_report(one ? "image" : "image sequence", images.name, info.size_px);
  report["frames"] = images.files.size();
  if (!one) {
    report["first_file"] = images.files.front().string();
    report["last_file"] = images.files.back().string();
    report["gap_frames"] = images.gap_frames;
    report["left_out"] = images.missing;
    report["judged_images"] = look.judged_images;
  }
  report["problems"] = look.problems;
  add_picture(info, report);
  return report;
}

OrderedJson wall_report(const std::string& file) {
  const wall::Wall wall = wall::load_wall(file);
  const SizePx canvas = wall::Canvas(wall, wall.default_bezel_mode()).size_px();
  OrderedJson report = begin_report("wall", file, canvas);
  report["name"] = wall.name;
  report["columns"] = wall.columns;
  report["rows"] = wall.rows;
  report["panels"] = wall.panels.size();
  report["has_bezels"] = wall.has_bezels;
  return report;
}

OrderedJson item_report(const movie::PlaylistEntry& entry, const scene::PlaylistItem& item) {
  const std::int64_t frames = item.end_frame - item.first_frame;
  const double fps = item.source->fps.value();
  return {{"path", entry.path},
          {"width_px", item.source->size_px.width},
          {"height_px", item.source->size_px.height},
          {"first_frame", item.first_frame},
          {"last_frame", item.end_frame - 1},
          {"fps", fps},
          {"rounds", item.rounds},
          {"start_frame", item.start},
          {"duration_s", static_cast<double>(frames * item.rounds) / fps}};
}

/// The report of a playlist; "items" has an object for each entry. Frames are counted over the
/// whole list, at its own rate, which is the highest one of its items. Opens every path once, and
/// imports nothing. Throws InputError naming list and line.
OrderedJson playlist_report(const std::vector<std::string>& inputs) {
  movie::Playlist list = movie::read_playlist(inputs);
  // "repeats_last" has this; the duration must not have a million rounds of the last item.
  const bool repeats = std::exchange(list.repeat_last, false);
  command::ProgressLine progress("look at");
  const scene::SourceSpec source = playlist_source(
      list, [](const std::string& path) { return describe_input(path); }, progress);
  OrderedJson report = {{"kind", "playlist"},
                        {"file", inputs.front()},
                        {"entries", list.entries.size()},
                        {"fps", source.fps.value()},
                        {"fps_exact", to_string(source.fps)},
                        {"frames", source.frames},
                        {"duration_s", static_cast<double>(source.frames) / source.fps.value()},
                        {"repeats_last", repeats},
                        {"notes", list.notes},
                        {"items", OrderedJson::array()}};
  for (std::size_t i = 0; i < source.items.size(); ++i)
    report["items"].push_back(item_report(list.entries[i], source.items[i]));
  return report;
}

std::string plain_text(const OrderedJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.7g}", value.get<double>());
  return value.is_null() ? "none" : value.dump();
}

/// Numbers as "0.5 0.5 2"; lists of numbers as "64 64 64, 32 32 32".
std::string numbers_text(const OrderedJson& numbers) {
  std::string text;
  for (const auto& number : numbers) {
    if (!text.empty()) text += number.is_array() ? ", " : " ";
    text += number.is_array() ? numbers_text(number) : plain_text(number);
  }
  return text;
}

/// "201", or "about 201 (estimated from the duration)".
std::string frames_text(const OrderedJson& report) {
  const std::string frames = plain_text(report.at("frames"));
  return report.value("frames_estimated", false)
             ? fmt::format("about {} (estimated from the duration)", frames)
             : frames;
}

/// "only the first of 6; --verify judges all".
std::string judged_text(const OrderedJson& report) {
  const auto judged = report.at("judged_images").get<std::int64_t>();
  const auto images =
      report.at("frames").get<std::int64_t>() - report.at("gap_frames").get<std::int64_t>();
  if (judged == images) return "all";
  return judged == 1 ? fmt::format("only the first of {}; --verify judges all", images)
                     : fmt::format("only the first {} of {}; --verify judges all", judged, images);
}

std::string running_text(const OrderedJson& running) {
  std::string text =
      fmt::format("{} of {} {}, {:.1f} a second", running.at("done").get<std::int64_t>(),
                  running.at("total").get<std::int64_t>(), running.at("unit").get<std::string>(),
                  running.at("per_s").get<double>());
  if (running.contains("left_s"))
    text += fmt::format(", about {:.0f} s left", running.at("left_s").get<double>());
  return text;
}

std::string worker_text(const OrderedJson& worker) {
  std::string text =
      worker.at("worker").get<std::string>() + " " + worker.at("state").get<std::string>();
  if (worker.contains("frame"))
    text += fmt::format(" frame {}", worker.at("frame").get<std::int64_t>());
  return text + fmt::format(", {} stored", worker.at("stored").get<std::int64_t>());
}

/// An item of a playlist, a movie or volume of a server, or a process of a running job.
std::string item_text(const OrderedJson& item) {
  if (item.contains("worker")) return worker_text(item);
  if (item.contains("size_voxels")) {  // a volume of a server
    const auto& size = item.at("size_voxels");
    return fmt::format("{}: {} x {} x {} {}, {} timestep{}, {}", item.at("name").get<std::string>(),
                       size[0].get<std::int64_t>(), size[1].get<std::int64_t>(),
                       size[2].get<std::int64_t>(), item.at("type").get<std::string>(),
                       item.at("timesteps").get<std::int64_t>(),
                       item.at("timesteps") == 1 ? "" : "s", item.at("format").get<std::string>());
  }
  if (item.contains("value_unit"))  // a field of a live source
    return fmt::format(
        "{}: {}{}{}", item.at("name").get<std::string>(), item.at("type").get<std::string>(),
        item.at("value_unit") == "" ? "" : ", in ", item.at("value_unit").get<std::string>());
  if (item.contains("name") && item.size() == 1) return item.at("name").get<std::string>();
  if (item.contains("name"))
    return fmt::format("{}: {}x{}, {} frames at {} fps{}", item.at("name").get<std::string>(),
                       item.at("width_px").get<int>(), item.at("height_px").get<int>(),
                       item.at("frames").get<std::int64_t>(), item.at("fps").get<std::string>(),
                       item.at("complete").get<bool>() ? "" : ", still growing");
  const double seconds = item.at("duration_s");
  return fmt::format("{}: frames {} to {}, {:.1f} s", item.at("path").get<std::string>(),
                     item.at("first_frame").get<std::int64_t>(),
                     item.at("last_frame").get<std::int64_t>(), seconds);
}

bool are_volumes(const std::vector<std::string>& inputs) {
  return std::ranges::all_of(inputs, [](const std::string& input) {
    return !net::is_remote(input) && render::volume_kind_of(input) != render::VolumeKind::none;
  });
}

/// The report of several volumes: one series, as for `view`, else a playlist, as for `play`.
OrderedJson volumes_report(const std::vector<std::string>& inputs,
                           const render::VolumeOptions& part) {
  try {
    return series_report(inputs, part);
  } catch (const InputError& no_series) {
    OrderedJson report = playlist_report(inputs);
    report["notes"].push_back(fmt::format("no series of timesteps: {}", no_series.what()));
    return report;
  }
}

}  // namespace

nlohmann::ordered_json status_report(const movie::TransferStatus& status) {
  OrderedJson running = {{"done", status.progress.done},
                         {"total", status.progress.total},
                         {"unit", status.progress.unit},
                         {"per_s", status.per_s}};
  if (status.left_s) running["left_s"] = *status.left_s;
  OrderedJson report = {{"running", std::move(running)}};
  if (status.workers.empty()) return report;
  OrderedJson workers = OrderedJson::array();
  for (const movie::WorkerStatus& worker : status.workers) {
    OrderedJson entry = {{"worker", worker.name}, {"state", worker.state}};
    if (worker.frame) entry["frame"] = *worker.frame;
    entry["stored"] = worker.stored;
    workers.push_back(std::move(entry));
  }
  report["workers"] = std::move(workers);
  return report;
}

void add_hdr(const movie::HdrLight& light, movie::HdrMode mode, nlohmann::ordered_json& report) {
  const auto tagged = [](double nits) { return nits > 0 ? OrderedJson(nits) : OrderedJson(); };
  report["hdr"] = movie::to_string(light);
  report["hdr_transfer"] = light.transfer == movie::HdrTransfer::pq ? "pq" : "hlg";
  report["hdr_peak_nits"] = light.peak_nits;
  report["hdr_mastering_nits"] = tagged(light.mastering_peak_nits);
  report["hdr_max_cll_nits"] = tagged(light.max_cll_nits);
  report["hdr_unused"] = movie::ignored_metadata(light);
  report["hdr_treatment"] = movie::treatment_of(mode);
}

nlohmann::ordered_json media_report(const std::vector<std::string>& inputs,
                                    const render::VolumeOptions& part) {
  const fs::path input = inputs.front();
  if (inputs.size() == 1 && net::is_remote(inputs.front()))
    return remote_report(inputs.front(), part);
  if (inputs.size() == 1 && render::volume_kind_of(inputs.front()) != render::VolumeKind::none)
    return volume_report(inputs.front(), part);
  if (inputs.size() > 1 && are_volumes(inputs)) return volumes_report(inputs, part);
  if (movie::is_playlist(inputs)) return playlist_report(inputs);
  if (inputs.size() == 1) {
    if (scene::is_wall_movie(input)) return wall_movie_report(input);
    if (input.extension() == ".toml") return wall_report(inputs.front());
  }
  if (const auto images = movie::resolve_images(inputs)) {
    OrderedJson report = confined_report(inputs, [&] { return images_report(*images, inputs); });
    report["played_from_cache"] = images_need_cache(*images);
    return report;
  }
  return confined_report(inputs, [&] {
    const std::string& file = inputs.front();
    return movie::is_sm_movie(file) ? sm_movie_report(file) : movie_report(file);
  });
}

std::string report_text(const nlohmann::ordered_json& report) {
  constexpr int key_columns = 21;  // the longest key's, and a space
  std::string text;
  for (const auto& [key, value] : report.items()) {
    if (value == "" || (value.is_array() && value.empty()) || key == "frames_estimated" ||
        (key == "more_problems" && value == 0))
      continue;
    const bool lists = value.is_array() && (value.front().is_object() || value.front().is_string());
    if (!lists) {
      text += fmt::format("{:<{}}{}\n", key, key_columns,
                          printable_text(key == "frames"          ? frames_text(report)
                                         : key == "judged_images" ? judged_text(report)
                                         : key == "running"       ? running_text(value)
                                         : value.is_array()       ? numbers_text(value)
                                                                  : plain_text(value)));
      continue;
    }
    std::string heading = key;  // printed beside the first line only
    for (const auto& line : value)
      text += fmt::format("{:<{}}{}\n", std::exchange(heading, ""), key_columns,
                          printable_text(line.is_object() ? item_text(line) : plain_text(line)));
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace tilewall::cli
