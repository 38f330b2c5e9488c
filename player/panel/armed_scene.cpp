#include "player/panel/armed_scene.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/scene/tick_grid_plan.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

// People hear of a source that has not come by then.
constexpr std::chrono::seconds arming_patience{2};
constexpr std::chrono::milliseconds opening_interval{20};  // between looks at sources that open
constexpr std::chrono::milliseconds redraw_pause{100};     // after a picture that was not whole
constexpr std::chrono::milliseconds refused_interval{500};

std::string name_for_people(const scene::SourceSpec& source) {
  std::string path = source.path;
  if (source.kind == scene::SourceKind::volume) try {
      path = volume::volume_job_of(source.path).path;
    } catch (const InputError&) {  // the line about it names the text
    }
  if (source.kind == scene::SourceKind::pattern) return path;
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  const auto& named = normal.has_filename() ? normal : normal.parent_path();
  return named.filename().string();
}

bool begins_anew(const scene::Region& region) {
  return !region.source->live && (region.timeline.start >= scene::never || region.stands_still());
}

/// The part of the scene whose first frames are known.
std::shared_ptr<const scene::Scene> known_part(const PreparedPtr& order) {
  const scene::Scene& scene = order->scene;
  if (std::ranges::all_of(scene.regions, begins_anew)) return {order, &scene};
  auto part = std::make_shared<scene::Scene>(scene);
  std::erase_if(part->regions, [](const scene::Region& region) { return !begins_anew(region); });
  part->tick_grid = scene::plan_tick_grid(part->regions, scene::never);
  return part;
}

/// The sources that regions have at the frames.
void add_sources(const scene::Scene& scene, const RegionFrames& frames,
                 std::vector<scene::SourcePtr>& sources) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const scene::SourcePtr source = scene::resolve_frame(scene.regions[i].source, frames[i]).source;
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
}

TickDetail detail_for(const scene::Scene& scene) {
  // Where panels go over to details together, the first pictures are coarse, and the details are
  // read meanwhile. Elsewhere the draw waits for them.
  if (scene.detail_from)
    return {.awaits_best = false,
            .refines = true,
            .defers = true,
            .most_stage = scene.volume_stage.number};
  return {.awaits_best = true, .refines = true, .defers = false};
}

}  // namespace

ArmedScene::ArmedScene(const scene::PanelConfig& config, SourceCache::Open open,
                       DrawCancellation& cancellation, const SceneSlot& scenes, Tell tell)
    : config_(config),
      cancellation_(cancellation),
      scenes_(scenes),
      tell_(std::move(tell)),
      composer_(
          config, std::move(open), [this](const std::string& line) { refusals_[asked_] = line; },
          &cancellation) {}

void ArmedScene::update() {
  const PreparedPtr order = scenes_.prepared();
  if (order == order_) return;
  if (!order) return release();
  if (order_ && !is_shown_ && has_same_pictures(*order)) {
    const bool is_told = told_.has_value();
    order_ = order;
    if (is_told) report(std::exchange(told_, std::nullopt)->missing);
    return;
  }
  begin(order);
}

void ArmedScene::release() {
  order_ = nullptr;
  scene_ = nullptr;
  pictures_.clear();
  sources_.clear();
  composer_.end();
  again_ = nothing_to_do;
}

void ArmedScene::begin(const PreparedPtr& order) {
  scene_ = known_part(order);
  order_ = order;
  is_shown_ = false;
  told_.reset();
  refusals_.clear();
  composer_.begin(*scene_, false);
  composer_.close_unnamed();
  pictures_ = plan();
  sources_.clear();
  for (const Planned& planned : pictures_) add_sources(*scene_, planned.frames, sources_);
  begun_ = local_now();
  again_ = begun_;
}

bool ArmedScene::has_same_pictures(const scene::PreparedScene& order) const {
  const scene::Scene& before = order_->scene;
  const scene::Scene& now = order.scene;
  const bool is_one_wall = before.bezels == now.bezels && before.content == now.content &&
                           before.blank == now.blank && before.coarser_by == now.coarser_by &&
                           before.detail_from.has_value() == now.detail_from.has_value();
  if (!is_one_wall || before.regions.size() != now.regions.size()) return false;
  scene::SourceCatalogue sources;  // regions are compared as JSON, apart from their sources
  const auto text = [&](scene::Scene scene) {
    for (scene::Region& region : scene.regions) {
      region.first_stage = scene::holds_volume(*region.source)
                               ? scene::stage_of(region, scene.volume_stage.number)
                               : 0;
      region.source = before.regions.front().source;
    }
    return to_json(scene, sources).at("regions");
  };
  return std::ranges::equal(before.regions, now.regions,
                            [](const scene::Region& a, const scene::Region& b) {
                              return a.source == b.source || *a.source == *b.source;
                            }) &&
         text(before) == text(now);
}

std::vector<ArmedScene::Planned> ArmedScene::plan() const {
  std::vector<Planned> pictures;
  const sync::TickGrid& grid = scene_->tick_grid;
  const bool has_second = !grid.paused() && (!grid.count || *grid.count > 1);
  for (std::int64_t tick = 0; tick < (has_second ? 2 : 1); ++tick) {
    Planned planned;
    planned.due = grid.due(tick);
    planned.frames = frames_at(*scene_, planned.due);
    pictures.push_back(std::move(planned));
  }
  return pictures;
}

ImageView ArmedScene::buffer(std::size_t picture) {
  const SizePx size_px = config_.viewed_size_px();
  const std::size_t row_bytes = static_cast<std::size_t>(size_px.width) * 4;
  memory_.at(picture).resize(row_bytes * static_cast<std::size_t>(size_px.height));
  return {memory_.at(picture).data(), size_px, row_bytes};
}

/// Whether the running show plays the movie. A decoder process would have to jump between both.
bool ArmedScene::plays_elsewhere(const scene::SourceSpec& source) const {
  if (source.kind != scene::SourceKind::movie) return false;
  const ScenePtr running = scenes_.get();
  return std::ranges::any_of(running->regions, [&](const scene::Region& region) {
    const auto is_it = [&](const scene::SourceSpec& other) {
      return other.kind == source.kind && other.path == source.path;
    };
    return !region.stands_still() &&
           (is_it(*region.source) ||
            std::ranges::any_of(region.source->items, [&](const scene::PlaylistItem& item) {
              return is_it(*item.source);
            }));
  });
}

bool ArmedScene::is_late() const { return local_now() > begun_ + arming_patience; }

bool ArmedScene::open_sources(std::vector<std::string>& missing) {
  bool all = true;
  for (const scene::SourcePtr& source : sources_) {
    if (plays_elsewhere(*source)) {
      missing.push_back(
          fmt::format("{}: is playing now, and its first pictures are drawn when it "
                      "is shown",
                      name_for_people(*source)));
      all = false;
      continue;
    }
    asked_ = source.get();
    if (composer_.source_of({source, 0}) != nullptr) continue;
    if (composer_.is_refused(source)) {
      missing.push_back(refusals_[source.get()]);
    } else if (is_late()) {
      missing.push_back(fmt::format("{}: is still being opened", name_for_people(*source)));
    }
    all = all && composer_.is_refused(source);
  }
  return all;
}

void ArmedScene::step(LocalInstant until) {
  const sync::TraceSpan span("arm");
  cancellation_.set_due_never();
  cancellation_.clear_limit();
  cancellation_.set_yield(until);
  std::vector<std::string> missing;
  const bool is_open = open_sources(missing);
  const bool lacks_source = !missing.empty();
  const auto next = std::ranges::find(pictures_, false, &Planned::is_drawn);
  again_ = local_now() + (lacks_source ? refused_interval : opening_interval);
  if (is_open && !lacks_source && next != pictures_.end())
    draw(static_cast<std::size_t>(next - pictures_.begin()), missing);
  cancellation_.clear_yield();
  if (std::ranges::all_of(pictures_, &Planned::is_drawn)) again_ = nothing_to_do;
  if (!missing.empty() || again_ == nothing_to_do) report(std::move(missing));
  if (const LocalInstant now = local_now(); now - until > overrun()) {
    overrun_ = now - until;
    overran_at_ = now;
  }
}

Nanos ArmedScene::overrun() const noexcept {
  constexpr std::int64_t most_halvings = 62;
  const auto passed = std::chrono::floor<std::chrono::seconds>(local_now() - overran_at_);
  return overrun_ / (std::int64_t{1} << std::clamp<std::int64_t>(passed.count(), 0, most_halvings));
}

void ArmedScene::draw(std::size_t index, std::vector<std::string>& missing) {
  Planned& planned = pictures_[index];
  const ImageView pixels = buffer(index);
  Composition composition = composer_.plan(planned.due, planned.frames);
  const TickDetail detail = detail_for(*scene_);
  const picture::DrawStatus status = composer_.draw(composition, pixels, nullptr, detail);
  again_ = local_now() + redraw_pause;
  if (status == picture::DrawStatus::abandoned) return;
  const bool is_whole =
      composer_.damage() == scene::FrameDamage::none &&
      (status == picture::DrawStatus::whole || status == picture::DrawStatus::finer_available);
  if (is_whole) {
    const std::size_t bytes = pixels.stride_bytes * static_cast<std::size_t>(pixels.size_px.height);
    planned.picture = {std::move(composition),
                       detail,
                       status,
                       composer_.better_comes(),
                       config_.hashes ? XXH3_64bits(pixels.pixels, bytes) : 0,
                       pixels};
    planned.is_drawn = true;
    again_ = local_now();
    return;
  }
  if (!is_late()) return;
  const std::vector<scene::FrameDamage>& damages = composer_.part_damages();
  for (std::size_t i = 0; i < composition.size() && i < damages.size(); ++i) {
    const std::string name = name_for_people(*composition[i].shown.source);
    if (damages[i] == scene::FrameDamage::blocks)
      missing.push_back(fmt::format("{}: a part of its first pictures is damaged", name));
    else if (damages[i] != scene::FrameDamage::none)
      missing.push_back(fmt::format("{}: its first pictures have not come", name));
  }
  if (missing.empty()) missing.emplace_back("the details of its volumes are still being read");
}

void ArmedScene::report(std::vector<std::string> missing) {
  std::ranges::sort(missing);
  missing.resize(std::min(missing.size(), scene::most_missing));
  scene::ArmedReport report{order_->token, std::move(missing)};
  if (told_ == report) return;
  told_ = report;
  tell_(report);
}

const ArmedPicture* ArmedScene::find(const scene::Scene& scene, const Composition& composition,
                                     TickDetail detail) const {
  if (!scene_ || scene.bezels != scene_->bezels || scene.content != scene_->content ||
      scene.coarser_by != scene_->coarser_by)
    return nullptr;
  const auto found = std::ranges::find_if(pictures_, [&](const Planned& planned) {
    return planned.is_drawn && planned.picture.detail.defers == detail.defers &&
           have_same_pixels(planned.picture.composition, composition) &&
           have_same_stages(planned.picture.composition, planned.picture.detail.most_stage,
                            composition, detail.most_stage);
  });
  return found == pictures_.end() ? nullptr : &found->picture;
}

void ArmedScene::hand_over(Composer& composer, bool is_shown) {
  if (!scene_) return;
  const bool any = composer.take_sources_of(composer_, is_shown);
  if (is_shown) {
    is_shown_ = true;
    again_ = nothing_to_do;
  } else if (any) {
    begin(order_);
    again_ = local_now() + refused_interval;
  }
}

}  // namespace tilewall::panel
