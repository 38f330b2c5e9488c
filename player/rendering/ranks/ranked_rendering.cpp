#include "player/rendering/ranks/ranked_rendering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "player/movie/convert/frame_pipeline.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/rendering/flight_identity.hpp"
#include "player/rendering/frame_bands.hpp"
#include "player/rendering/ranks/frame_assignment.hpp"
#include "player/rendering/ranks/ranked_folder.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

constexpr double report_every_s = 0.1;
constexpr double sample_limit_s = 60;
constexpr int most_frame_deaths = 5;  // of ranks that had the same frame first of all

class RankedRendering final : public CrewListener {
 public:
  RankedRendering(const FlightMovie& flight, const movie::ImportOptions& options,
                  const wall::Wall& wall, const RankOptions& ranks, movie::ProgressSink& progress)
      : movie_(flight),
        flight_(path::flight_of(flight.path, flight.path_file)),
        info_(info_of(flight, flight_)),
        options_(options),
        progress_(progress),
        crew_(flight.pictures, wall, ranks, options.stop, progress) {
    movie::check_import_options(options);
    if (options.frames && options.frames->first >= info_.frames)
      throw InputError({"--frames"}, "", fmt::format("frames from 0 to {}", info_.frames - 1),
                       movie::to_string(*options.frames));
  }

  movie::ImportResult run() {
    crew_.leave_out_unfit_hosts(*this);
    while (!is_done()) {
      crew_.turn(*this);
      plan_movie();
      for (RankPlace& place : crew_.places()) give_work(place);
      crew_.throw_if_stuck();
      report();
    }
    return finish();
  }

  void take(RankPlace& place, const RankAnswer& answer) override {
    std::visit([&](const auto& one) { take_one(place, one); }, answer);
  }

  void lost(const RankPlace& place, RankState before) override {
    if (!assignment_) return;
    const auto frame = assignment_->oldest(place.index);
    const bool has_died = before == RankState::draws && place.state == RankState::waits;
    if (has_died && frame && ++frame_deaths_[*frame] >= most_frame_deaths)
      throw JobError(fmt::format("frame {}: {} ranks ended while they drew it; the last one: {}",
                                 *frame, most_frame_deaths, place.reason));
    assignment_->lose(place.index);
  }

 private:
  void take_one(RankPlace& place, const Opened& opened) {
    if (place.state != RankState::opening) throw DamagedAnswer("it was opened twice");
    if (timesteps_ == 0) {
      check_timesteps(movie_, opened.timesteps);
      timesteps_ = opened.timesteps;
    }
    if (opened.timesteps != timesteps_) {
      crew_.leave_out(place,
                      fmt::format("its volume has {} timesteps, another host's {}",
                                  opened.timesteps, timesteps_),
                      *this);
      return;
    }
    place.state = RankState::opened;
    place.most_under_way = static_cast<std::size_t>(opened.threads) + 1;
  }

  void take_one(RankPlace& place, const Sampled& sampled) {
    if (place.state != RankState::asked) throw DamagedAnswer("samples that nobody asked for");
    place.state = RankState::opened;
    if (!sampled_) {
      sampled_ = sampled;
      has_samples_ = place.index;
    }
  }

  void take_one(RankPlace& place, const StoreReady& ready) {
    if (place.state != RankState::preparing) throw DamagedAnswer("an answer out of turn");
    place.state = RankState::draws;
    if (assignment_) return;
    if (ready.frame_bytes > 0) folder_->require_space(ready.frame_bytes);
    assignment_.emplace(folder_->begin(), crew_.places().size());
  }

  void take_one(RankPlace& place, const FrameStored& stored) {
    if (place.state != RankState::draws) throw DamagedAnswer("a frame that nobody asked for");
    place.failures = 0;
    if (!assignment_->has(place.index, stored.number)) return;  // another rank was faster
    assignment_->finish(stored.number, crew_.now_s());
    ++place.stored;
    folder_->add(stored.number, stored.bytes);
  }

  void take_one(RankPlace&, const RankNote&) {}  // the crew passes notes on itself

  void take_one(RankPlace& place, const RankFault& fault) {
    if (fault.is_own) {
      crew_.leave_out(place, fault.line, *this);
      return;
    }
    if (fault.is_input) throw InputError(fault.line);
    throw JobError(fault.line);
  }

  // Once a rank has drawn samples: plans the movie, and locks its folder.
  void plan_movie() {
    if (folder_ || !sampled_) return;
    const movie::StoredSource source = source_of(movie_, sampled_->drawn_by);
    check_same_flight(options_, source);
    folder_.emplace(options_, movie::plan_import(options_, source, info_, sampled_->chroma),
                    movie::least_measured_frames(is_banded(movie_.pictures)));
  }

  void give_work(RankPlace& place) {
    if (place.state == RankState::opened && !sampled_) ask_for_samples(place);
    if (!folder_ || is_done()) return;
    if (place.state == RankState::opened) {
      if (!assignment_ && !may_begin(place)) return;
      const movie::ImportPlan& plan = folder_->plan();
      place.process->send(StoreOrder{std::filesystem::absolute(options_.output).string(),
                                     plan.manifest, plan.files, plan.panel_share_px,
                                     sampled_->drawn_by, folder_->token_name(),
                                     has_samples_ == place.index});
      place.state = RankState::preparing;
    }
    if (place.state != RankState::draws) return;
    while (assignment_->under_way(place.index) < place.most_under_way) {
      auto frame = assignment_->next(place.index, crew_.now_s());
      if (!frame) frame = assignment_->overdue(place.index, crew_.now_s());
      if (!frame) return;
      FlightFrame drawn =
          frame_at(movie_, flight_, *frame + folder_->plan().first_frame, timesteps_);
      drawn.number = *frame;
      place.process->send(drawn);
    }
  }

  // Before the first frame the rank that has the samples measures them. Where it is lost, nobody
  // does, and the space is watched while frames are written.
  [[nodiscard]] bool may_begin(const RankPlace& place) const {
    const RankState state = crew_.places()[has_samples_].state;
    return place.index == has_samples_ || state == RankState::waits || state == RankState::refused;
  }

  // One rank draws them. Another one is asked where it ends, or takes long, as if it hung.
  void ask_for_samples(RankPlace& place) {
    if (std::ranges::any_of(crew_.places(), [this](const RankPlace& one) {
          return one.state == RankState::asked && crew_.now_s() < one.asked_at_s + sample_limit_s;
        }))
      return;
    SampleOrder order;
    for (const std::int64_t number : sampled_frames(info_.frames))
      order.frames.push_back(frame_at(movie_, flight_, number, timesteps_));
    order.quality = options_.quality;
    order.name = movie_.path_file;
    place.process->send(order);
    place.state = RankState::asked;
    place.asked_at_s = crew_.now_s();
  }

  [[nodiscard]] bool is_done() const {
    return (folder_ && folder_->was_complete()) || (assignment_ && assignment_->complete());
  }

  void report() {
    if (!assignment_ || crew_.now_s() < report_at_s_) return;
    report_at_s_ = crew_.now_s() + report_every_s;
    progress_.update(folder_->progress());
    if (folder_->is_status_due()) folder_->write_status(work_of_ranks(), progress_);
    folder_->watch_space(crew_.now_s());
  }

  [[nodiscard]] std::vector<movie::WorkerStatus> work_of_ranks() const {
    std::vector<movie::WorkerStatus> workers;
    for (const RankPlace& place : crew_.places())
      workers.push_back({place.label, std::string(to_string(place.state)),
                         assignment_->oldest(place.index), place.stored});
    return workers;
  }

  movie::ImportResult finish() {
    crew_.end();
    if (!folder_->was_complete()) progress_.update(folder_->progress());
    return folder_->finish(crew_.now_s());
  }

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const movie::MovieInfo info_;
  const movie::ImportOptions& options_;
  movie::ProgressSink& progress_;
  std::int64_t timesteps_ = 0;          // 0: no rank has opened the volume yet
  std::optional<Sampled> sampled_;      // empty: no rank has drawn samples yet
  std::size_t has_samples_ = 0;         // the rank that has
  std::optional<RankedFolder> folder_;  // empty: no samples yet, so no plan
  std::optional<FrameAssignment> assignment_;
  std::map<std::int64_t, int> frame_deaths_;
  double report_at_s_ = 0;
  RankCrew crew_;  // last: ranks end before the folder that they write to
};

}  // namespace

movie::ImportResult render_by_ranks(const FlightMovie& flight, const movie::ImportOptions& options,
                                    const wall::Wall& wall, const RankOptions& ranks,
                                    movie::ProgressSink& progress) {
  return RankedRendering(flight, options, wall, ranks, progress).run();
}

}  // namespace tilewall::rendering
