#include "player/volume/volume_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/picture/bgrx.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/cast_request.hpp"
#include "player/volume/caster_link.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

// A picture that takes longer mostly waits for data, and is not being drawn.
constexpr std::chrono::seconds longest_earlier_wait{1};

scene::PictureTimes times_of(const LogHistogram& ns) {
  const auto at = [&](std::uint64_t percent) {
    return static_cast<std::int64_t>(ns.percentile(percent));
  };
  return {ns.count(), at(50), at(95), at(100)};
}

CastDetail detail_of(const picture::DrawParameters& parameters) {
  if (parameters.defers) return CastDetail::deferred;
  return parameters.awaits_best ? CastDetail::awaited : CastDetail::soon;
}

picture::DrawStatus status_of(FinerDetail finer) {
  switch (finer) {
    case FinerDetail::comes:
      return picture::DrawStatus::provisional;
    case FinerDetail::there:
      return picture::DrawStatus::finer_available;
    case FinerDetail::none:
    case FinerDetail::failed:
      break;
  }
  return picture::DrawStatus::whole;
}

class VolumeSource final : public picture::PictureSource {
 public:
  explicit VolumeSource(VolumeSourceOptions options)
      : name_(options.name),
        limit_bytes_(volume_job_of(options.volume).memory_bytes),
        is_live_(volume_job_of(options.volume).live.has_value()),
        problem_(options.problem),
        version_(options.version),
        link_(std::move(options), [this](int progress) { note_progress(progress); }) {
    const sync::TraceSpan span("wait for volume");
    const CasterLink::Outcome outcome = link_.open();
    if (outcome.end == CasterLink::End::refused) throw InputError(line_of(outcome.answer));
    if (outcome.end == CasterLink::End::rests) throw JobError(line_of(outcome.answer));
    if (outcome.end == CasterLink::End::lost)
      throw JobError(name_ + ": expected a caster on this host, found none for 5 s; see the logs");
  }

  [[nodiscard]] SizePx size_px() const noexcept override { return {}; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }
  void set_parameters(const picture::DrawParameters& parameters) override {
    parameters_ = parameters;
  }
  [[nodiscard]] std::optional<scene::VolumeStatus> volume_status() const override {
    const std::scoped_lock lock(mutex_);
    scene::VolumeStatus status = measured_.status;
    status.still = times_of(measured_.still_ns);
    status.moving = times_of(measured_.moving_ns);
    return status;
  }

  picture::DrawStatus draw(std::int64_t timestep, const picture::Placement& placement,
                           const ImageView& picture, const ImageView* last_good) override {
    counters_.damage = scene::FrameDamage::none;
    const RectPx all{0, 0, picture.size_px.width, picture.size_px.height};
    if (!parameters_.shot || timestep < 0) {  // a live source has no timestep yet
      picture::fill_black(picture, all);
      return picture::DrawStatus::whole;
    }
    if (parameters_.shot->style != style_) {
      style_ = parameters_.shot->style;
      link_.set_style(scene::to_json(*style_).dump());
    }
    CastMessage message = cast_request(*parameters_.shot, placement, picture.size_px);
    message.timestep = timestep;
    message.coarser_by = parameters_.coarser_by;
    set_note(message, parameters_.note);
    if (parameters_.keep && parameters_.coarser_by == 0) message.detail = detail_of(parameters_);
    message.most_stage = parameters_.most_stage;
    message.least_stage = least_stage();
    const LocalInstant requested = local_now();
    const bool changed = asked_ && *asked_ != *parameters_.shot;
    asked_ = parameters_.shot;
    const CasterLink::WaitPolicy wait_policy{changed, parameters_.refines};
    const Earlier earlier = take_earlier(message, picture, wait_policy);
    if (earlier == Earlier::waited_for) return picture::DrawStatus::abandoned;
    const CasterLink::Outcome outcome =
        earlier == Earlier::is_wanted ? resume(wait_policy) : wait_for(message, wait_policy);
    if (outcome.end == CasterLink::End::overdue && earlier == Earlier::drawn) {
      counters_.damage = scene::FrameDamage::repeated;
      return picture::DrawStatus::provisional;
    }
    if (outcome.end == CasterLink::End::abandoned || outcome.end == CasterLink::End::overdue)
      return picture::DrawStatus::abandoned;
    const bool rests = outcome.end == CasterLink::End::rests;
    if (outcome.end == CasterLink::End::refused || rests) tell(line_of(outcome.answer));
    if (outcome.end == CasterLink::End::lost)
      tell("a volume: expected a caster on this host, found none for 5 s");
    if (outcome.end != CasterLink::End::done) {
      note_progress(scene::VolumeStatus::all_read);  // no more is read
      picture::copy_or_blacken(last_good, picture, all);
      counters_.damage = scene::FrameDamage::repeated;
      ++counters_.damaged_frames;
      return rests ? picture::DrawStatus::provisional : picture::DrawStatus::damaged;
    }
    const LocalInstant came = local_now();
    picture::copy_or_blacken(&picture_view(picture.size_px), picture, all);
    count(outcome.answer, picture.size_px, {came - requested, local_now() - came});
    stage_ = outcome.answer.stage;
    return status_of(outcome.answer.finer);
  }

  [[nodiscard]] bool is_late() override { return link_.is_late(); }
  void keep_connected() override {
    if (is_live_) link_.keep_connected();
  }

 private:
  /// The stage that an awaited picture waits for. On a wall of one panel a picture that is refined
  /// takes what comes next.
  [[nodiscard]] int least_stage() const noexcept {
    if (parameters_.most_stage < all_stages || !parameters_.refines) return parameters_.most_stage;
    return stage_ + 1;
  }

  CasterLink::Outcome wait_for(const CastMessage& message, CasterLink::WaitPolicy wait_policy) {
    const sync::TraceSpan span("wait for caster");
    wanted_.request = message;
    wanted_.at = local_now();
    wanted_.style = style_;
    if (version_) wanted_.version = version_();
    return link_.cast(message, wait_policy);
  }

  CasterLink::Outcome resume(CasterLink::WaitPolicy wait_policy) {
    const sync::TraceSpan span("wait for caster");
    return link_.resume(wait_policy);
  }

  /// What becomes of the last request where its picture was overdue. none: it has its answer, or is
  /// not waited for any more. is_wanted: it is the wanted picture. waited_for: another picture,
  /// which has still not come. drawn: another picture, which came and is in the panel's picture.
  enum class Earlier { none, is_wanted, waited_for, drawn };

  /// Takes a picture that the caster was still drawing for an earlier tick, before the memory is
  /// used again. A caster that is slower than the wall would never finish one otherwise.
  Earlier take_earlier(const CastMessage& message, const ImageView& picture,
                       CasterLink::WaitPolicy wait_policy) {
    if (!link_.is_under_way()) return Earlier::none;
    if (style_ == wanted_.style && std::memcmp(&message, &wanted_.request, sizeof message) == 0)
      return Earlier::is_wanted;
    // The operator has changed the scene, and the earlier picture may wait for data that the new
    // scene does not need.
    const bool is_long = local_now() - wanted_.at > longest_earlier_wait;
    if (is_long && version_ && version_() != wanted_.version) return Earlier::none;
    const CasterLink::Outcome outcome = resume(wait_policy);
    if (outcome.end == CasterLink::End::abandoned || outcome.end == CasterLink::End::overdue)
      return Earlier::waited_for;
    if (outcome.end != CasterLink::End::done || wanted_.request.width != message.width ||
        wanted_.request.height != message.height)
      return Earlier::none;
    const RectPx all{0, 0, picture.size_px.width, picture.size_px.height};
    picture::copy_or_blacken(&picture_view(picture.size_px), picture, all);
    return Earlier::drawn;
  }

  const ImageView& picture_view(SizePx size_px) {
    shown_ = link_.picture(size_px.width, size_px.height);
    return shown_;
  }

  /// Reports a line unless it is empty, or equals the last one, which would otherwise come with
  /// every picture.
  void tell(const std::string& line) {
    if (line.empty() || line == std::exchange(told_, line)) return;
    problem_(line);
  }

  void note_progress(int progress) {
    const std::scoped_lock lock(mutex_);
    measured_.status.progress = progress;
  }

  struct Took {
    Nanos answer;
    Nanos copy;
  };

  void count(const CastAnswer& answer, SizePx size_px, const Took& took) {
    counters_.decoded_px +=
        static_cast<std::uint64_t>(size_px.width) * static_cast<std::uint64_t>(size_px.height);
    counters_.decode_ns += answer.cast_ns;
    counters_.samples += answer.samples;
    counters_.level = answer.level;
    const auto waited = static_cast<std::uint64_t>(took.answer.count());
    const std::scoped_lock lock(mutex_);
    scene::VolumeStatus& status = measured_.status;
    status.style_ns += answer.style_ns - std::min(answer.style_ns, answer.occupancy_ns);
    status.occupancy_ns += answer.occupancy_ns;
    status.annotate_ns += answer.annotate_ns;
    status.cast_ns +=
        answer.cast_ns - std::min(answer.cast_ns, answer.style_ns + answer.annotate_ns);
    status.beams_cpu_ns += answer.beams_cpu_ns;
    status.sample_cpu_ns += answer.sample_cpu_ns;
    status.gpu_ns += answer.gpu_ns;
    status.wait_ns += waited - std::min(waited, answer.cast_ns);
    status.copy_ns += static_cast<std::uint64_t>(took.copy.count());
    status.held_bytes = answer.held_bytes;
    status.limit_bytes = limit_bytes_;
    status.read_bytes = answer.read_bytes;
    status.read_bricks = answer.read_bricks;
    status.read_ns = answer.read_ns;
    status.decode_ns = answer.decode_ns;
    status.caster_cpu_ns = answer.cpu_ns;
    status.level = answer.level;
    status.drawn_by = line_of(answer);
    if (parameters_.coarser_by == 0) {
      status.blank = answer.blank != 0;
      status.progress = answer.progress;
      status.detail_failed = answer.finer == FinerDetail::failed;
    }
    (parameters_.coarser_by > 0 ? measured_.moving_ns : measured_.still_ns)
        .add((took.answer + took.copy).count());
  }

  const std::string name_;
  const std::size_t limit_bytes_;
  const bool is_live_;
  const std::function<void(const std::string& line)> problem_;
  const std::function<std::uint64_t()> version_;  // may be empty
  /// The last request, with what held when it was made.
  struct Wanted {
    CastMessage request;
    std::shared_ptr<const scene::VolumeStyle> style;
    std::uint64_t version = 0;  ///< version_()'s
    LocalInstant at;
  };
  Wanted wanted_;
  std::string told_;  // last line for problem_
  int stage_ = -1;    // that was drawn last; -1: none
  mutable std::mutex mutex_;
  /// What statuses are made of, guarded by mutex_.
  struct Measured {
    scene::VolumeStatus status;  ///< its `still` and `moving` are not set
    LogHistogram still_ns;
    LogHistogram moving_ns;
  };
  Measured measured_;
  picture::DrawCounters counters_;
  picture::DrawParameters parameters_;
  std::shared_ptr<const scene::VolumeStyle> style_;  // the style that link_ has
  std::shared_ptr<const scene::VolumeShot> asked_;   // the last picture's; null before the first
  ImageView shown_;
  CasterLink link_;
};

}  // namespace

std::unique_ptr<picture::PictureSource> open_volume_source(VolumeSourceOptions options) {
  return std::make_unique<VolumeSource>(std::move(options));
}

}  // namespace tilewall::volume
