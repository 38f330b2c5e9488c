#include "player/panel/panel_report.hpp"

#include <sys/resource.h>

#include <thread>
#include <utility>

#include "player/trace/host_memory.hpp"

namespace tilewall::panel {
namespace {

std::uint64_t peak_rss_bytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Global time of a local stamp. 0 means "not yet", and stays 0.
std::int64_t global_ns(std::int64_t local_ns, const ClockMapping& mapping) {
  if (local_ns == 0) return 0;
  return mapping.to_global(LocalInstant{Nanos(local_ns)}).since_epoch.count();
}

}  // namespace

int host_cpus() noexcept { return static_cast<int>(std::thread::hardware_concurrency()); }

scene::ReportedClock reported_clock(const sync::ClockStatus& status, LocalInstant now) {
  return {sync::to_string(status.state), status.mapping.bound_at(now).count(),
          status.holdover_at(now).count(), static_cast<int>(status.daemon), status.failovers};
}

std::vector<scene::HostRestart> host_restarts(const std::vector<trace::LoggedRestart>& logged,
                                              const std::optional<scene::DecoderStatus>& decoder,
                                              const ClockMapping& mapping) {
  std::vector<scene::HostRestart> restarts;
  const auto add = [&](const std::string& role, std::int64_t died_ns, std::int64_t back_ns) {
    restarts.push_back({role, died_ns, global_ns(died_ns, mapping), global_ns(back_ns, mapping)});
  };
  for (const trace::LoggedRestart& one : logged) add(one.role, one.died_ns, one.back_ns);
  if (!decoder) return restarts;
  for (const scene::DecoderDeath& death : decoder->deaths)
    add("decoder", death.died_ns, death.back_ns);
  return restarts;
}

scene::DecoderStatus on_global_time(scene::DecoderStatus status, const ClockMapping& mapping) {
  for (scene::DecoderDeath& death : status.deaths) {
    death.died_ns = global_ns(death.died_ns, mapping);
    death.back_ns = global_ns(death.back_ns, mapping);
  }
  return status;
}

void set_totals(scene::ShownBatch& batch, const DecodeTotals& totals, const ClockMapping& mapping) {
  batch.read_bytes = totals.read_bytes;
  batch.decoded_px = totals.decoded_px;
  batch.decode_ns = totals.decode_ns;
  batch.damaged_blocks = totals.damaged_blocks;
  batch.damaged_frames = totals.damaged_frames;
  batch.received_bytes = totals.received_bytes;
  batch.lost_packets = totals.lost_packets;
  batch.repaired_packets = totals.repaired_packets;
  batch.samples = totals.samples;
  batch.window_bytes = totals.window_bytes;
  batch.staged_bytes = totals.staged_bytes;
  batch.stage_budget_bytes = totals.stage_budget_bytes;
  if (totals.decoder) batch.decoder = on_global_time(*totals.decoder, mapping);
  batch.volume = totals.volume;
  batch.level = totals.level;
}

PanelReport::PanelReport(const net::ClockPageReader& clock, std::filesystem::path restart_log)
    : clock_(clock),
      restart_log_(std::move(restart_log)),
      host_memory_(trace::host_memory_file(restart_log_.parent_path())) {}

std::vector<scene::ShownBatch> PanelReport::take(bool again) {
  std::vector<scene::ShownBatch> batches;
  if (again) {
    ShownLog::Recent recent = shown_.recent();
    for (ShownFrames& shown : recent.groups) {
      batches.emplace_back();
      batches.back().epoch = shown.epoch;
      batches.back().frames = std::move(shown.frames);
      batches.back().again_after_ns = recent.after_ns;
    }
  }
  for (ShownFrames& shown : shown_.take()) {
    batches.emplace_back();
    batches.back().epoch = shown.epoch;
    batches.back().frames = std::move(shown.frames);
  }
  if (batches.empty()) batches.emplace_back();
  for (scene::ShownBatch& batch : batches)
    fill(batch);  // the director keeps the totals of the newest
  return batches;
}

scene::DrawPace PanelReport::pace() const {
  const std::scoped_lock lock(mutex_);
  return decoder_ != nullptr ? decoder_->pace() : scene::DrawPace{};
}

void PanelReport::set_cores(std::string cores) {
  const std::scoped_lock lock(mutex_);
  cores_ = std::move(cores);
}

void PanelReport::set_presenter(std::string name) {
  const std::scoped_lock lock(mutex_);
  presenter_ = std::move(name);
}

void PanelReport::publish(DecodeAhead* decoder, PictureRing* ring) {
  const std::scoped_lock lock(mutex_);
  ring_ = ring;
  if (decoder_ != nullptr) last_totals_ = decoder_->totals();
  decoder_ = decoder;
  if (decoder != nullptr) decoder->start();
}

void PanelReport::fill(scene::ShownBatch& batch) const {
  const sync::ClockStatus status = clock_.status();
  batch.clock = reported_clock(status, local_now());
  batch.peak_rss_bytes = peak_rss_bytes();
  batch.host_memory_bytes = trace::read_host_memory(host_memory_).value_or(0);
  batch.present_ns = static_cast<std::uint64_t>(present_ns_.load());
  batch.realtime = realtime_;
  batch.late = late_.counts();
  batch.late_epoch = late_.newest_epoch();
  batch.cpus = host_cpus();
  const std::scoped_lock lock(mutex_);
  batch.cores = cores_;
  batch.presenter = presenter_;
  const DecodeTotals totals = decoder_ != nullptr ? decoder_->totals() : last_totals_;
  set_totals(batch, totals, status.mapping);
  batch.host_restarts =
      host_restarts(trace::read_restart_log(restart_log_), totals.decoder, status.mapping);
  if (decoder_ != nullptr) batch.pace = decoder_->pace();
  if (decoder_ != nullptr) batch.regions = decoder_->regions();
  if (decoder_ != nullptr) batch.detail = decoder_->detail();
  if (ring_ == nullptr) return;
  batch.buffers_ready = static_cast<std::int64_t>(ring_->ready());
  batch.buffers = static_cast<std::int64_t>(ring_->buffers());
}

}  // namespace tilewall::panel
