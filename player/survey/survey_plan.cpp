#include "player/survey/survey_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/picture/placement.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"

namespace tilewall::survey {
namespace {

namespace fs = std::filesystem;

// Memory of a decoder for the pictures of one ordinary movie, at most.
constexpr std::uint64_t decoder_bytes = std::uint64_t{768} << 20;

// The limit of a survey: for all checks but measurements and hashes, and for each medium.
constexpr std::chrono::milliseconds base_limit{20'000};
constexpr std::chrono::milliseconds media_margin{2'000};
constexpr double slow_disk_bytes_per_s = 50e6;

/// Frames that are measured; the time ends the measurement sooner.
constexpr std::int64_t measured_frames = 10'000;

MediaSubject media_of(MediaKind kind, const scene::SourceSpec& source, const std::string& label) {
  MediaSubject media;
  media.kind = kind;
  media.path = source.path;
  media.label = label;
  media.end_frame = std::clamp<std::int64_t>(source.frames, 1, measured_frames);
  media.fps = source.frames > 1 ? source.fps : Rational{0, 1};
  return media;
}

std::uint64_t bytes_per_frame(const FileFacts& facts, std::int64_t frames) {
  return facts.size_bytes / static_cast<std::uint64_t>(std::max<std::int64_t>(1, frames));
}

}  // namespace

SurveyPlan::SurveyPlan(const wall::Wall& wall, PlanOptions options)
    : wall_(wall), options_(std::move(options)), canvas_(wall, wall.default_bezel_mode()) {
  common_.version = program_version();
  common_.logs = {fs::absolute(options_.logs).string(), logs_bytes};
  if (options_.headless) omit(CheckKind::display, "", "", "the show has no windows");
}

void SurveyPlan::omit(CheckKind kind, const std::string& subject, const std::string& label,
                      const std::string& reason) {
  common_.omitted.push_back({kind, subject, label, Light::not_measured, "", "", reason});
}

void SurveyPlan::add_region(const scene::Region& region, const std::string& label) {
  if (region.source->kind != scene::SourceKind::playlist) {
    add_source(region, *region.source, label);
    return;
  }
  for (const scene::PlaylistItem& item : region.source->items)
    add_source(region, *item.source, label);
}

void SurveyPlan::add_source(const scene::Region& region, const scene::SourceSpec& source,
                            const std::string& label) {
  if (!seen_.insert(label + '\n' + to_json(source).dump()).second) return;
  switch (source.kind) {
    case scene::SourceKind::wall_movie:
      add_files(source.path, {}, label, true);
      add_media(region, source, media_of(MediaKind::wall_movie, source, label));
      break;
    case scene::SourceKind::images: {
      add_files(source.path, source.files, label, true);
      MediaSubject media = media_of(MediaKind::images, source, label);
      media.names.assign(source.files.begin(),
                         source.files.begin() + static_cast<std::ptrdiff_t>(media.end_frame));
      add_media(region, source, std::move(media));
      break;
    }
    case scene::SourceKind::movie: {
      add_files(source.path, {}, label, true);
      MediaSubject media = media_of(MediaKind::movie, source, label);
      media.frame_bytes = bytes_per_frame(common_.files.back().facts, source.frames);
      add_media(region, source, std::move(media));
      shared_bytes_ += decoder_bytes;
      break;
    }
    case scene::SourceKind::remote_movie:
      add_server(source.path, label);
      omit(CheckKind::read, source.path, label, "it comes from a server");
      omit(CheckKind::decode, source.path, label, "it comes from a server");
      break;
    case scene::SourceKind::volume:
      add_volume(region, source, label);
      break;
    case scene::SourceKind::pattern:
    case scene::SourceKind::playlist:
      break;
  }
}

void SurveyPlan::add_volume(const scene::Region& region, const scene::SourceSpec& source,
                            const std::string& label) {
  const volume::VolumeJob job = volume::volume_job_of(source.path);
  shared_bytes_ += job.memory_bytes;
  if (job.live) {
    omit(CheckKind::server, job.path, label, "a simulation connects once the show runs");
    return;
  }
  if (net::is_remote(job.path)) {
    add_server(job.path, label);
    return;
  }
  std::vector<std::string> paths = {job.path};
  paths.insert(paths.end(), job.options.more.begin(), job.options.more.end());
  for (const std::string& path : paths) {
    // A host without the file reads it from the show's own server.
    add_files(path, {}, label, false);
    if (fs::is_directory(path)) continue;
    MediaSubject media = media_of(MediaKind::file, source, label);
    media.path = path;
    const auto frames =
        std::max<std::int64_t>(1, source.frames / static_cast<std::int64_t>(paths.size()));
    media.frame_bytes = bytes_per_frame(common_.files.back().facts, frames);
    add_media(region, source, std::move(media));
  }
}

void SurveyPlan::add_files(const std::string& path, const std::vector<std::string>& names,
                           const std::string& label, bool required) {
  FileSubject file{path, label, names, facts_of(path, names, options_.hashing), required};
  common_.files.push_back(std::move(file));
}

void SurveyPlan::add_server(const std::string& url, const std::string& label) {
  if (seen_.insert(label + '\n' + url).second) common_.servers.push_back({url, label});
}

void SurveyPlan::add_media(const scene::Region& region, const scene::SourceSpec& source,
                           MediaSubject media) {
  WallMedia on_wall{std::move(media), {}};
  on_wall.media.time = options_.time;
  for (std::size_t i = 0; i < wall_.panels.size(); ++i) {
    const SizePx size_px = wall_.panels[i].viewed_size_px();
    const picture::PanelPlacement placed = picture::place_on_panel(
        region, source.size_px, GlobalInstant{}, {canvas_.panel_rect_px(i), size_px});
    on_wall.views.push_back(placed.drawn_px.empty()
                                ? std::nullopt
                                : std::optional(PanelView{placed.placement, size_px}));
  }
  media_.push_back(std::move(on_wall));
}

std::chrono::milliseconds SurveyPlan::usual_limit() const {
  double hashed_bytes = 0;
  for (const FileSubject& file : common_.files)
    if (file.facts.hash) hashed_bytes += static_cast<double>(file.facts.size_bytes);
  const std::chrono::milliseconds hashing(
      static_cast<std::int64_t>(hashed_bytes / slow_disk_bytes_per_s * 1000));
  const auto media = static_cast<std::int64_t>(media_.size());
  return std::min(base_limit + media * (2 * options_.time + media_margin) + hashing,
                  longest_survey);
}

SurveyRequest SurveyPlan::request_for(const std::vector<int>& panels,
                                      const std::string& clock) const {
  SurveyRequest request = common_;
  request.limit = options_.limit.value_or(usual_limit());
  request.memory_bytes = panels.size() * panel_bytes + shared_bytes_;
  if (!clock.empty()) request.clock = {clock, most_bound_us};
  std::set<std::string> displays;
  for (const int panel : panels)
    displays.insert(wall_.panels.at(static_cast<std::size_t>(panel)).display);
  if (!options_.headless)
    for (const std::string& display : displays) request.displays.push_back({display, ""});
  for (const WallMedia& on_wall : media_) {
    MediaSubject media = on_wall.media;
    for (const int panel : panels)
      if (const auto& view = on_wall.views.at(static_cast<std::size_t>(panel)))
        media.views.push_back(*view);
    request.media.push_back(std::move(media));
  }
  return request;
}

}  // namespace tilewall::survey
