#include "player/panel/composer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "player/panel/blend.hpp"
#include "player/picture/bgrx.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

bool is_whole(const RectPx& part, SizePx picture_px) {
  return part.width == picture_px.width && part.height == picture_px.height;
}

bool is_opaque(const RegionPart& part) {
  return part.region->blend == scene::BlendMode::over && part.opacity >= 1;
}

/// A live source's slate stands for the timesteps that are to come, and never covers one.
bool has_slate(const RegionPart& part) {
  const bool is_covered = part.region->source->live && part.shown.frame != scene::no_timestep;
  return !part.region->slate.empty() && !is_covered;
}

/// Tells regions of different scenes apart.
std::size_t key_of(const scene::Region& region) noexcept {
  return std::hash<std::string>{}(region.name);
}

void copy_part(const ImageView& from, const ImageView& to) {
  for (int y = 0; y < to.size_px.height; ++y)
    std::memcpy(to.row(y), from.row(y), static_cast<std::size_t>(to.size_px.width) * 4);
}

/// The camera and look of the region's volume on this panel at `due`; null for other sources.
std::shared_ptr<const scene::VolumeShot> shot_of(const scene::Region& region,
                                                 const scene::SourceSpec& source, GlobalInstant due,
                                                 const scene::CanvasPlace& place) {
  if (source.kind != scene::SourceKind::volume) return nullptr;
  scene::VolumeShot shot =
      (region.look ? *region.look : scene::usual_look(source, region.canvas_px)).at(due);
  // Parallel rays have no eye point, so an orthographic picture lies along the screens like a
  // movie.
  if (place.from_eye && region.plane && shot.camera.lens == render::Lens::perspective)
    shot.tilt = {wall::onto_plane(*place.from_eye, *region.plane, region.canvas_px),
                 region.plane->seen_px};
  return std::make_shared<const scene::VolumeShot>(std::move(shot));
}

/// What the label says of the region's timestep beside its time; "" where nothing is known.
std::string note_of(const scene::Region& region, std::int64_t frame,
                    const scene::LiveSteps* steps) {
  if (!region.source->live || steps == nullptr) return "";
  const scene::LiveStep* const step = scene::find_step(*steps, *region.source);
  return step == nullptr ? "" : step->note_of(frame);
}

/// Whether the region's timeline has no tick after the one at `due`.
bool is_last(const scene::Region& region, GlobalInstant due) {
  const auto ticks = region.timeline.tick_count();
  return ticks && region.timeline.tick_at(due).value_or(-1) >= *ticks - 1;
}

RectPx all_of(const ImageView& picture) {
  return {0, 0, picture.size_px.width, picture.size_px.height};
}

ImageView view_of(std::vector<std::uint8_t>& memory, SizePx size_px) {
  const std::size_t row_bytes = static_cast<std::size_t>(size_px.width) * 4;
  memory.resize(row_bytes * static_cast<std::size_t>(size_px.height));
  return {memory.data(), size_px, row_bytes};
}

/// The part's placement, relative to the rectangle of the picture that its region covers.
picture::Placement placement_in_part(const RegionPart& part) {
  picture::Placement placement = part.at.placement;
  placement.picture_px.x -= part.at.drawn_px.x;
  placement.picture_px.y -= part.at.drawn_px.y;
  return placement;
}

bool have_same_look(const scene::Region& one, const scene::Region& other) {
  return one.opacity == other.opacity && one.blend == other.blend &&
         one.difference_gain == other.difference_gain && one.slate == other.slate &&
         (one.slate.empty() || one.canvas_px == other.canvas_px);
}

bool have_same_pixels(const RegionPart& one, const RegionPart& other) {
  const bool is_one_source =
      one.shown.source == other.shown.source || *one.shown.source == *other.shown.source;
  const bool is_one_shot =
      one.shot == other.shot || (one.shot && other.shot && *one.shot == *other.shot);
  return is_one_source && is_one_shot && one.shown.frame == other.shown.frame &&
         one.at == other.at && one.stays == other.stays &&
         have_same_look(*one.region, *other.region);
}

}  // namespace

bool have_same_pixels(const Composition& one, const Composition& other) {
  return std::ranges::equal(
      one, other, [](const RegionPart& a, const RegionPart& b) { return have_same_pixels(a, b); });
}

bool have_same_stages(const Composition& one, int stage, const Composition& other,
                      int other_stage) {
  return std::ranges::equal(one, other, [&](const RegionPart& a, const RegionPart& b) {
    return a.shown.source->kind != scene::SourceKind::volume ||
           scene::stage_of(*a.region, stage) == scene::stage_of(*b.region, other_stage);
  });
}

RegionFrames frames_at(const scene::Scene& scene, GlobalInstant at) {
  RegionFrames frames;
  for (const scene::Region& region : scene.regions)
    frames.push_back(region.timeline.frame_at(scene.pictured_at(at)));
  return frames;
}

bool is_seen(const Composition& composition, const scene::Region& region) {
  return std::ranges::any_of(composition,
                             [&](const RegionPart& part) { return part.region == &region; });
}

Composer::Composer(const scene::PanelConfig& config, SourceCache::Open open,
                   std::function<void(const std::string& line)> problem,
                   DrawCancellation* cancellation)
    : config_(config), sources_(config.late, std::move(open), std::move(problem), cancellation) {}

void Composer::begin(const scene::Scene& scene, bool strict) {
  if (!is_open_for(scene)) look_from(scene);
  sources_.begin(scene, strict);
  scene_ = &scene;
}

void Composer::end() {
  sources_.close_all();
  scene_ = nullptr;
}

bool Composer::take_sources_of(Composer& other, bool replaces) {
  if (open_bezels_ != other.open_bezels_ || open_content_ != other.open_content_) return false;
  return sources_.take_from(other.sources_, replaces);
}

void Composer::note_copied(const Composition& composition, bool better_comes) {
  better_comes_ = better_comes;
  damage_ = scene::FrameDamage::none;
  black_parts_.clear();
  part_damages_.assign(composition.size(), scene::FrameDamage::none);
  flat_.forget_last();
  note_drawn(composition);
}

bool Composer::is_open_for(const scene::Scene& scene) const {
  return scene_ != nullptr && open_bezels_ == scene.bezels && open_content_ == scene.content;
}

void Composer::look_from(const scene::Scene& scene) {
  if (scene_ != nullptr) sources_.close_all();
  open_bezels_ = scene.bezels;
  open_content_ = scene.content;
  view_ = flat_view(config_, scene.bezels, scene.content);
  flat_.clear();
  drawn_.clear();
}

void FlatPictures::clear() {
  for (std::vector<std::uint8_t>& memory : memory_) memory = {};
  has_last_ = false;
}

ImageView FlatPictures::current(SizePx size_px) { return view_of(memory_[0], size_px); }

std::optional<ImageView> FlatPictures::last(SizePx size_px) {
  if (!has_last_) return std::nullopt;
  return view_of(memory_[1], size_px);
}

void FlatPictures::keep() noexcept {
  std::swap(memory_[0], memory_[1]);
  has_last_ = true;
}

void DrawnParts::clear() noexcept { begin(false); }

void DrawnParts::begin(bool is_one_whole) noexcept {
  parts_.clear();
  is_one_whole_ = is_one_whole;
}

const DrawnParts::Part* DrawnParts::before(const RegionPart& part, bool covers) const {
  if (is_one_whole_ && covers) return &parts_.front();  // it goes on with its picture before
  const auto found = std::ranges::find_if(parts_, [&](const Part& before) {
    return before.source == part.shown.source && before.at == part.at;
  });
  return found == parts_.end() ? nullptr : &*found;
}

const DrawnParts::Part* DrawnParts::of_region(const RegionPart& part) const {
  const auto found = std::ranges::find_if(parts_, [&](const Part& before) {
    return before.region == key_of(*part.region) && before.at.drawn_px == part.at.drawn_px;
  });
  return found == parts_.end() ? nullptr : &*found;
}

const DrawnParts::Part* Composer::drawn_before(const RegionPart& part) const {
  return drawn_.before(part, covers(part));
}

bool Composer::was_drawn(const RegionPart& part) const { return drawn_before(part) != nullptr; }

bool Composer::is_black(const RegionPart& part) const {
  return std::ranges::find(black_parts_, &part) != black_parts_.end();
}

void Composer::note_drawn(const Composition& composition) {
  // A slate never stands in for a damaged part of the next picture.
  drawn_.begin(composition.size() == 1 && covers(composition.front()) &&
               !has_slate(composition.front()));
  for (const RegionPart& part : composition)
    if (is_opaque(part) && !has_slate(part))
      drawn_.add({part.shown.source, key_of(*part.region), part.at, is_black(part)});
}

bool Composer::covers(const RegionPart& part) const {
  return is_opaque(part) && is_whole(part.at.drawn_px, view_.drawn.viewed_size_px);
}

Composition Composer::plan(GlobalInstant tick_due, const RegionFrames& frames) const {
  const GlobalInstant due = scene_->pictured_at(tick_due);
  Composition composition;
  if (scene_->is_black()) return composition;
  const scene::CanvasPlace& place = config_.places.in(open_bezels_, open_content_);
  for (std::size_t i = 0; i < scene_->regions.size(); ++i) {
    const scene::Region& region = scene_->regions[i];
    const double opacity = region.is_there(due) ? region.opacity.at(due) : 0;
    scene::SourceFrame shown = scene::resolve_frame(region.source, frames[i]);
    const picture::PanelPlacement at =
        picture::place_on_panel(region, shown.source->size_px, due, view_.drawn);
    if (at.drawn_px.empty() || opacity <= 0) continue;
    auto shot = shot_of(region, *shown.source, due, place);
    const bool stays = shown.source->frames == 1 || region.stands_still() || is_last(region, due) ||
                       scene_->frozen_at;
    std::string note = note_of(region, frames[i], live_.get());
    composition.push_back(
        {&region, std::move(shown), at, std::move(shot), stays, opacity, std::move(note)});
    if (covers(composition.back()))  // parts below it are not visible
      composition.erase(composition.begin(), composition.end() - 1);
  }
  return composition;
}

bool Composer::open(GlobalInstant due) {
  if (sources_.are_open(due)) return true;
  const RegionFrames frames = frames_at(*scene_, due);
  std::vector<scene::SourcePtr> shown;
  std::vector<scene::SourcePtr> all;
  for (const RegionPart& part : plan(due, frames)) shown.push_back(part.shown.source);
  for (std::size_t i = 0; i < scene_->regions.size(); ++i)
    all.push_back(scene::resolve_frame(scene_->regions[i].source, frames[i]).source);
  return sources_.open(shown, all);
}

Composition Composer::aim(GlobalInstant due, const RegionFrames& frames) {
  Composition composition = plan(due, frames);
  for (const RegionPart& part : composition) {
    picture::PictureSource* const source = source_of(part.shown);
    if (source == nullptr) continue;
    set_parameters(part, *source);
    source->aim(placement_in_part(part), {part.at.drawn_px.width, part.at.drawn_px.height});
  }
  return composition;
}

void Composer::leave_unseen(const Composition& composition, const RegionFrames& frames) {
  for (std::size_t i = 0; i < scene_->regions.size(); ++i) {
    const scene::Region& region = scene_->regions[i];
    if (is_seen(composition, region)) continue;
    const scene::SourceFrame hidden = scene::resolve_frame(region.source, frames[i]);
    const bool is_elsewhere = std::ranges::any_of(
        composition, [&](const RegionPart& part) { return part.shown.source == hidden.source; });
    if (is_elsewhere) continue;
    if (picture::PictureSource* const source = source_of(hidden)) source->leave();
  }
}

void Composer::expect(const std::vector<RegionFrames>& ticks) {
  for (std::size_t i = 0; i < scene_->regions.size(); ++i) {
    const scene::SourceFrame next =
        scene::resolve_frame(scene_->regions[i].source, ticks.front()[i]);
    picture::PictureSource* const source = source_of(next);
    if (source == nullptr) continue;
    std::vector<std::int64_t> coming;
    for (const RegionFrames& frames : ticks) {
      const scene::SourceFrame shown = scene::resolve_frame(scene_->regions[i].source, frames[i]);
      const bool is_new = shown.source == next.source &&
                          std::find(coming.begin(), coming.end(), shown.frame) == coming.end();
      if (is_new) coming.push_back(shown.frame);
    }
    source->expect(coming);
  }
}

bool Composer::reads_ahead(const RegionFrames& frames) {
  for (std::size_t i = 0; i < scene_->regions.size(); ++i) {
    const picture::PictureSource* const source =
        source_of(scene::resolve_frame(scene_->regions[i].source, frames[i]));
    if (source != nullptr && source->reads_ahead()) return true;
  }
  return false;
}

void Composer::want(const RegionFrames& frames) {
  for (std::size_t i = 0; i < scene_->regions.size(); ++i)
    if (const auto& source = scene_->regions[i].source; source->kind == scene::SourceKind::playlist)
      sources_.want(scene::resolve_frame(source, frames[i]).source);
}

ImageView Composer::scratch() { return view_of(scratch_, view_.drawn.viewed_size_px); }

void Composer::set_parameters(const RegionPart& part, picture::PictureSource& source) const {
  source.set_parameters({scene_->coarser_by, part.stays, detail_.awaits_best, detail_.refines,
                         detail_.defers, scene::stage_of(*part.region, detail_.most_stage),
                         part.shot, part.note});
}

picture::DrawStatus Composer::draw_source(const RegionPart& part, picture::PictureSource& source,
                                          const ImageView& picture, const ImageView* last) {
  set_parameters(part, source);
  const picture::DrawStatus status =
      source.draw(part.shown.frame, placement_in_part(part), picture, last);
  const scene::FrameDamage damage = source.counters().damage;
  if (status == picture::DrawStatus::whole)
    damage_ = std::max(damage_, damage);  // a picture of the source's own was drawn
  else if (status != picture::DrawStatus::abandoned)
    note_damage(part, damage, last != nullptr);
  return status;
}

void Composer::note_damage(const RegionPart& part, scene::FrameDamage damage, bool has_last) {
  const bool is_replaced =
      damage == scene::FrameDamage::repeated || damage == scene::FrameDamage::missing;
  const DrawnParts::Part* const before = has_last ? drawn_before(part) : nullptr;
  if (is_replaced && (before == nullptr || before->is_black) && !has_slate(part))
    damage = scene::FrameDamage::black;
  if (damage == scene::FrameDamage::black) black_parts_.push_back(&part);
  damage_ = std::max(damage_, damage);
}

picture::DrawStatus Composer::draw_part(const RegionPart& part, RegionSources::Wait& wait,
                                        const ImageView& picture, const ImageView* last) {
  const ImageView target = picture::part_of(picture, part.at.drawn_px);
  picture::PictureSource* const source = wait.open();
  if (source == nullptr && !sources_.is_refused(part.shown.source))
    return picture::DrawStatus::abandoned;
  if (source == nullptr) {
    picture::fill_black(target, all_of(target));
    note_damage(part, scene::FrameDamage::black, false);
    return picture::DrawStatus::whole;
  }
  const bool is_pattern = part.shown.source->kind == scene::SourceKind::pattern;
  const bool cut = is_pattern && !is_whole(part.at.drawn_px, view_.drawn.viewed_size_px);
  if (is_opaque(part) && !cut) {
    if (last == nullptr || !was_drawn(part)) return draw_source(part, *source, target, nullptr);
    const ImageView last_part = picture::part_of(*last, part.at.drawn_px);
    return draw_source(part, *source, target, &last_part);
  }
  // A pattern paints the panel, whatever its region has of it.
  const ImageView above = picture::part_of(scratch(), part.at.drawn_px);
  const picture::DrawStatus status = cut ? draw_source(part, *source, scratch(), nullptr)
                                         : draw_source(part, *source, above, nullptr);
  if (status == picture::DrawStatus::abandoned) return status;
  if (is_opaque(part))
    copy_part(above, target);
  else if (part.region->blend == scene::BlendMode::over)
    blend_over(target, above, part.opacity);
  else
    blend_difference(target, above, part.opacity, part.region->difference_gain);
  return status;
}

picture::DrawStatus Composer::draw_in_time(const RegionPart& part, bool is_alone,
                                           LocalInstant begun, const ImageView& picture,
                                           const ImageView* last) {
  if (!is_alone && sources_.is_still_late(part.shown.source)) return stand_in(part, picture, last);
  RegionSources::Wait wait(sources_, {part.shown.source, is_alone, detail_.refines, begun});
  const picture::DrawStatus drawn = draw_part(part, wait, picture, last);
  if (drawn == picture::DrawStatus::abandoned)
    return wait.goes_on_without() ? stand_in(part, picture, last) : drawn;
  wait.note_drawn();
  return drawn;
}

picture::DrawStatus Composer::stand_in(const RegionPart& part, const ImageView& picture,
                                       const ImageView* last) {
  // A blended region has no picture of its own to repeat, so it is left out.
  scene::FrameDamage damage = scene::FrameDamage::black;
  if (is_opaque(part)) {
    const ImageView target = picture::part_of(picture, part.at.drawn_px);
    const DrawnParts::Part* const before = last != nullptr ? drawn_.of_region(part) : nullptr;
    if (before != nullptr)
      copy_part(picture::part_of(*last, part.at.drawn_px), target);
    else
      picture::fill_black(target, all_of(target));
    if (before != nullptr && !before->is_black) damage = scene::FrameDamage::repeated;
  }
  if (has_slate(part)) damage = scene::FrameDamage::repeated;
  if (damage == scene::FrameDamage::black) black_parts_.push_back(&part);
  damage_ = std::max(damage_, damage);
  return picture::DrawStatus::damaged;
}

picture::DrawStatus Composer::draw(const Composition& composition, const ImageView& picture,
                                   const ImageView* last, TickDetail detail) {
  detail_ = detail;
  if (!view_.warp) return draw_flat(composition, picture, last);
  const ImageView flat = flat_.current(view_.drawn.viewed_size_px);
  const std::optional<ImageView> last_flat = flat_.last(view_.drawn.viewed_size_px);
  const picture::DrawStatus drawn = draw_flat(composition, flat, last_flat ? &*last_flat : nullptr);
  if (drawn == picture::DrawStatus::abandoned) return drawn;
  const sync::TraceSpan span("warp");
  view_.warp->run(flat, picture);
  flat_.keep();
  return drawn;
}

picture::DrawStatus Composer::draw_flat(const Composition& composition, const ImageView& picture,
                                        const ImageView* last) {
  picture::DrawStatus status = picture::DrawStatus::whole;
  better_comes_ = false;
  damage_ = scene::FrameDamage::none;
  black_parts_.clear();
  part_damages_.clear();
  if (composition.empty() || !covers(composition.front()))
    picture::fill_black(picture, all_of(picture));
  const LocalInstant begun = local_now();
  for (const RegionPart& part : composition) {
    const scene::FrameDamage before = std::exchange(damage_, scene::FrameDamage::none);
    const picture::DrawStatus drawn =
        draw_in_time(part, composition.size() == 1, begun, picture, last);
    part_damages_.push_back(damage_);
    damage_ = std::max(damage_, before);
    if (drawn == picture::DrawStatus::abandoned) return drawn;
    // The source is drawn beneath its slate, which shows when it is back.
    if (has_slate(part)) slates_.paint(*part.region, part.at.drawn_px, view_.drawn, picture);
    status = std::max(status, drawn);
    better_comes_ |=
        drawn == picture::DrawStatus::finer_available || drawn == picture::DrawStatus::provisional;
  }
  sources_.keep_late([&](const scene::SourcePtr& source) {
    return std::ranges::any_of(composition,
                               [&](const RegionPart& part) { return part.shown.source == source; });
  });
  note_drawn(composition);
  return status;
}

}  // namespace tilewall::panel
