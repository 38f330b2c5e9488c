#include "player/rendering/ranks/ranked_rendering.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/convert/transfer_status.hpp"
#include "player/rendering/rank_messages.hpp"
#include "player/rendering/ranks/frame_assignment.hpp"
#include "player/rendering/ranks/rank_process.hpp"
#include "player/supervisor/host_check.hpp"
#include "player/supervisor/launch.hpp"
#include "player/supervisor/launch_folder.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::rendering {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int poll_ms = 50;
constexpr double report_every_s = 0.1;
constexpr double check_space_every_s = 2;
constexpr double sample_limit_s = 60;
constexpr double first_pause_s = 1;
constexpr double longest_pause_s = 10;
constexpr int most_failures = 3;      // in a row, of all ranks, before the rendering ends
constexpr int most_frame_deaths = 5;  // of ranks that had the same frame first of all
constexpr std::size_t most_log_bytes = 64 * 1024;

/// How far a rank has come. asked: it draws samples.
enum class RankState { waits, opening, opened, asked, preparing, draws, refused };
constexpr std::string_view state_words[] = {"is started again", "opens the volume", "waits",
                                            "draws samples",    "prepares",         "draws",
                                            "left out"};

/// A rank's place: the process that runs there now, and how its predecessors fared.
struct RankPlace {
  supervisor::LaunchHost host;
  std::size_t index = 0;
  std::string label;  ///< for people
  std::filesystem::path folder;
  std::unique_ptr<RankProcess> process;  ///< null where none runs
  RankState state = RankState::waits;
  double asked_at_s = 0;  ///< state asked: since when
  double start_at_s = 0;  ///< state waits: when the next one is started
  double pause_s = 0;
  std::size_t most_under_way = 2;
  std::int64_t stored = 0;  ///< frames
  int failures = 0;         ///< since a frame was stored
  std::string reason;       ///< why the last one ended
};

/// Writing to a rank that has just ended is an error, and no signal.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

class RankedRendering {
 public:
  RankedRendering(const FlightMovie& flight, const movie::ImportOptions& options,
                  const wall::Wall& wall, const RankOptions& ranks, movie::ProgressSink& progress)
      : movie_(flight),
        flight_(path::flight_of(flight.path, flight.path_file)),
        info_(info_of(flight, flight_)),
        options_(options),
        wall_(wall),
        rank_options_(ranks),
        progress_(progress),
        several_hosts_(supervisor::uses_other_hosts(wall, ranks.local)) {
    movie::check_import_options(options);
    supervisor::check_launch_template(ranks.launcher, several_hosts_);
    if (options.frames && options.frames->first >= info_.frames)
      throw InputError({"--frames"}, "", fmt::format("frames from 0 to {}", info_.frames - 1),
                       movie::to_string(*options.frames));
    make_places();
  }

  ~RankedRendering() {
    for (RankPlace& place : places_) place.process.reset();
    if (!import_folder_) return;
    std::error_code ignored;
    std::filesystem::remove(import_folder_->path() / token_name(), ignored);
  }
  RankedRendering(const RankedRendering&) = delete;
  RankedRendering& operator=(const RankedRendering&) = delete;

  movie::ImportResult run() {
    leave_out_unfit_hosts();
    while (!is_done()) {
      start_due();
      wait();
      for (RankPlace& place : places_) look_at(place);
      plan_movie();
      for (RankPlace& place : places_) give_work(place);
      throw_if_stuck();
      report();
    }
    return finish();
  }

 private:
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(SteadyClock::now() - began_).count();
  }

  // A place for each rank of each host.
  void make_places() {
    for (const supervisor::LaunchHost& host : supervisor::launch_hosts(wall_, rank_options_.local))
      for (int i = 0; i < rank_options_.ranks; ++i) {
        RankPlace& place = places_.emplace_back();
        place.host = host;
        place.index = places_.size() - 1;
        place.label = host.is_this_machine() ? "this machine" : host.label();
        if (rank_options_.ranks > 1) place.label = fmt::format("rank {} of {}", i + 1, place.label);
        place.folder = folder_.path() / fmt::format("rank-{}", place.index);
        std::filesystem::create_directory(place.folder);
      }
  }

  void leave_out_unfit_hosts() {
    if (!several_hosts_) return;
    supervisor::HostCheckOptions check;
    check.launcher = rank_options_.launcher;
    check.log_folder = folder_.path();
    check.wait = [this](std::chrono::milliseconds time) {
      return ::poll(nullptr, 0, static_cast<int>(time.count())) == 0 &&
             !options_.stop.stop_requested();
    };
    for (const supervisor::HostFault& fault : supervisor::check_hosts(wall_, check).faults)
      for (RankPlace& place : places_)
        if (std::ranges::find(place.host.names, fault.host) != place.host.names.end())
          leave_out(place, fault.cause + "; " + fault.remedy);
  }

  void start_due() {
    for (RankPlace& place : places_)
      if (place.state == RankState::waits && now_s() >= place.start_at_s) start(place);
  }

  void start(RankPlace& place) {
    const std::vector<std::string> renderer = {own_program("tilewall-renderer").string()};
    const bool is_direct =
        place.host.is_this_machine() && !supervisor::is_launch_template(rank_options_.launcher);
    supervisor::LaunchOptions launch;
    launch.launcher = rank_options_.launcher;
    launch.run_dir = place.folder;
    RankProcess::Command command;
    command.words = is_direct ? renderer
                              : supervisor::launch_command(place.host, rank_options_.launcher,
                                                           several_hosts_, renderer);
    if (!is_direct) command.environment = supervisor::launch_environment(place.host, launch);
    command.log = place.folder / "errors";
    std::error_code ignored;
    std::filesystem::remove(command.log, ignored);
    place.process = std::make_unique<RankProcess>(command);
    place.process->send(OpenOrder{program_version(), movie_.pictures, rank_options_.ranks});
    place.state = RankState::opening;
  }

  // Waits until a rank says something, for a moment.
  void wait() {
    std::vector<pollfd> polled;
    for (const RankPlace& place : places_) {
      if (!place.process) continue;
      polled.push_back({place.process->output_fd(), POLLIN, 0});
      if (place.process->wants_write()) polled.push_back({place.process->input_fd(), POLLOUT, 0});
    }
    ::poll(polled.data(), polled.size(), poll_ms);
    if (options_.stop.stop_requested())
      throw JobError("interrupted; run the same command again to resume");
  }

  void look_at(RankPlace& place) {
    if (!place.process) return;
    try {
      place.process->write_some();
      for (const RankAnswer& answer : place.process->read_some()) {
        std::visit([&](const auto& one) { take(place, one); }, answer);
        if (!place.process) return;  // it was left out
      }
    } catch (const DamagedAnswer& error) {
      lose(place, error.what());
      return;
    }
    if (place.process->ended()) lose(place, end_of(place));
  }

  // Why a rank has ended: what was printed, or how it ended.
  std::string end_of(RankPlace& place) const {
    const std::string how = place.process->finish();
    const std::string printed =
        supervisor::launch_summary(file_ending(place.folder / "errors", most_log_bytes));
    return printed.empty() ? how : printed + " (" + how + ")";
  }

  void lose(RankPlace& place, const std::string& reason) {
    const bool was_drawing = place.state == RankState::draws;
    place.process.reset();
    place.state = RankState::waits;
    place.reason = reason;
    ++place.failures;
    progress_.note(fmt::format("{}: {}; it is started again", place.label, reason));
    if (was_drawing && assignment_) {
      if (const auto frame = assignment_->oldest(place.index);
          frame && ++frame_deaths_[*frame] >= most_frame_deaths)
        throw JobError(fmt::format("frame {}: {} ranks ended while they drew it; the last one: {}",
                                   *frame, most_frame_deaths, reason));
      assignment_->lose(place.index);
    }
    // One that has worked is started again at once.
    place.pause_s =
        place.failures <= 1 ? 0 : std::clamp(2 * place.pause_s, first_pause_s, longest_pause_s);
    place.start_at_s = now_s() + place.pause_s;
  }

  void leave_out(RankPlace& place, const std::string& reason) {
    place.process.reset();
    place.state = RankState::refused;
    place.reason = reason;
    if (assignment_) assignment_->lose(place.index);
    if (std::ranges::any_of(places_,
                            [](const RankPlace& one) { return one.state != RankState::refused; }))
      progress_.note(fmt::format("{}: {}; it draws nothing", place.label, reason));
  }

  void take(RankPlace& place, const Opened& opened) {
    if (place.state != RankState::opening) throw DamagedAnswer("it was opened twice");
    if (timesteps_ == 0) {
      check_timesteps(movie_, opened.timesteps);
      timesteps_ = opened.timesteps;
    }
    if (opened.timesteps != timesteps_) {
      leave_out(place, fmt::format("its volume has {} timesteps, another host's {}",
                                   opened.timesteps, timesteps_));
      return;
    }
    place.state = RankState::opened;
    place.most_under_way = static_cast<std::size_t>(opened.threads) + 1;
  }

  void take(RankPlace& place, const Sampled& sampled) {
    if (place.state != RankState::asked) throw DamagedAnswer("samples that nobody asked for");
    place.state = RankState::opened;
    if (!sampled_) {
      sampled_ = sampled;
      has_samples_ = place.index;
    }
  }

  void take(RankPlace& place, const StoreReady& ready) {
    if (place.state != RankState::preparing) throw DamagedAnswer("an answer out of turn");
    place.state = RankState::draws;
    if (assignment_) return;
    if (ready.frame_bytes > 0)
      movie::require_space(options_.output, ready.frame_bytes, frames_left());
    begin();
  }

  void take(RankPlace& place, const FrameStored& stored) {
    if (place.state != RankState::draws) throw DamagedAnswer("a frame that nobody asked for");
    place.failures = 0;
    if (!assignment_->has(place.index, stored.number)) return;  // another rank was faster
    assignment_->finish(stored.number, now_s());
    ++place.stored;
    ++result_.written_frames;
    result_.written_bytes += stored.bytes;
  }

  void take(RankPlace& place, const RankNote& note) {
    if (told_.insert({note.line, place.index}).second) progress_.note(note.line);
  }

  void take(RankPlace& place, const RankFault& fault) {
    if (fault.is_own) {
      leave_out(place, fault.line);
      return;
    }
    if (fault.is_input) throw InputError(fault.line);
    throw JobError(fault.line);
  }

  // Once a rank has drawn samples: plans the movie, locks the folder, gives out the frames.
  void plan_movie() {
    if (plan_ || !sampled_) return;
    plan_ = movie::plan_import(options_, source_of(movie_, sampled_->drawn_by), info_,
                               sampled_->chroma);
    import_folder_.emplace(options_.output, options_.files, plan_->manifest, options_.overwrite);
    if (import_folder_->complete()) {
      result_.already_complete = true;
      result_.manifest = import_folder_->existing();
      return;
    }
    already_there_ = import_folder_->frames_there();
    write_file_atomically(import_folder_->path() / token_name(), "");
  }

  // A file by which ranks see that their folder is this one. Its name is that of a killed
  // writer's leftovers, and it goes with these.
  [[nodiscard]] std::string token_name() const {
    return fmt::format("frame-ranks.{:016x}.tmp", token_);
  }

  // Once it is known that the frames fit on the disk.
  void begin() {
    import_folder_->save(plan_->manifest);
    status_.emplace(import_folder_->path());
    std::vector<std::int64_t> missing;
    for (std::int64_t frame = 0; frame < plan_->manifest.frames; ++frame)
      if (!import_folder_->has_frame(frame)) missing.push_back(frame);
    already_there_ = plan_->manifest.frames - static_cast<std::int64_t>(missing.size());
    assignment_.emplace(missing, places_.size());
  }

  void give_work(RankPlace& place) {
    if (place.state == RankState::opened && !sampled_) ask_for_samples(place);
    if (!plan_ || is_done()) return;
    if (place.state == RankState::opened) {
      if (!assignment_ && !may_begin(place)) return;
      place.process->send(StoreOrder{
          std::filesystem::absolute(options_.output).string(), plan_->manifest, plan_->files,
          plan_->panel_share_px, sampled_->drawn_by, token_name(), has_samples_ == place.index});
      place.state = RankState::preparing;
    }
    if (place.state != RankState::draws) return;
    while (assignment_->under_way(place.index) < place.most_under_way) {
      auto frame = assignment_->next(place.index, now_s());
      if (!frame) frame = assignment_->overdue(place.index, now_s());
      if (!frame) return;
      FlightFrame drawn = frame_at(movie_, flight_, *frame + plan_->first_frame, timesteps_);
      drawn.number = *frame;
      place.process->send(drawn);
    }
  }

  // Before the first frame the rank that has the samples measures them. Where it is lost, nobody
  // does, and the space is watched while frames are written.
  [[nodiscard]] bool may_begin(const RankPlace& place) const {
    const RankState state = places_[has_samples_].state;
    return place.index == has_samples_ || state == RankState::waits || state == RankState::refused;
  }

  // One rank draws them. Another one is asked where it ends, or takes long, as if it hung.
  void ask_for_samples(RankPlace& place) {
    if (std::ranges::any_of(places_, [this](const RankPlace& one) {
          return one.state == RankState::asked && now_s() < one.asked_at_s + sample_limit_s;
        }))
      return;
    SampleOrder order;
    for (const std::int64_t number : sampled_frames(info_.frames))
      order.frames.push_back(frame_at(movie_, flight_, number, timesteps_));
    order.quality = options_.quality;
    order.name = movie_.path_file;
    place.process->send(order);
    place.state = RankState::asked;
    place.asked_at_s = now_s();
  }

  // Ends the rendering where no rank works or is likely to.
  void throw_if_stuck() const {
    const RankPlace* last = nullptr;
    for (const RankPlace& place : places_) {
      // One that fails again and again is tried on only beside others that work.
      const bool has_hope = place.failures < most_failures ? place.state != RankState::refused
                                                           : place.state == RankState::draws;
      if (has_hope) return;
      if (last == nullptr || place.state == RankState::refused) last = &place;
    }
    if (last->state == RankState::refused) throw InputError(last->reason);
    throw JobError(fmt::format("{}: {}; no rank is left", last->label, last->reason));
  }

  [[nodiscard]] std::int64_t frames_left() const {
    return plan_->manifest.frames - already_there_ - result_.written_frames;
  }

  [[nodiscard]] bool is_done() const {
    return result_.already_complete || (assignment_ && assignment_->complete());
  }

  void report() {
    if (!assignment_ || now_s() < report_at_s_) return;
    report_at_s_ = now_s() + report_every_s;
    const movie::TransferProgress progress{already_there_ + result_.written_frames,
                                           plan_->manifest.frames, result_.written_bytes};
    progress_.update(progress);
    if (status_->is_due()) status_->update(progress, work_of_ranks());
    if (now_s() < check_space_at_s_ || result_.written_frames < 8) return;
    check_space_at_s_ = now_s() + check_space_every_s;
    movie::require_space(
        options_.output,
        static_cast<double>(result_.written_bytes) / static_cast<double>(result_.written_frames),
        frames_left());
  }

  [[nodiscard]] std::vector<movie::WorkerStatus> work_of_ranks() const {
    std::vector<movie::WorkerStatus> workers;
    for (const RankPlace& place : places_)
      workers.push_back({place.label, std::string(state_words[static_cast<int>(place.state)]),
                         assignment_->oldest(place.index), place.stored});
    return workers;
  }

  movie::ImportResult finish() {
    for (RankPlace& place : places_) place.process.reset();
    status_.reset();
    if (result_.already_complete) return std::move(result_);
    progress_.update({plan_->manifest.frames, plan_->manifest.frames, result_.written_bytes});
    import_folder_->remove_leftovers();
    plan_->manifest.complete = true;
    import_folder_->save(plan_->manifest);
    result_.manifest = plan_->manifest;
    result_.decoded_pictures = result_.written_frames;
    result_.duration_s = now_s();
    return std::move(result_);
  }

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const movie::MovieInfo info_;
  const movie::ImportOptions& options_;
  const wall::Wall& wall_;
  const RankOptions& rank_options_;
  movie::ProgressSink& progress_;
  const bool several_hosts_;
  const SteadyClock::time_point began_ = SteadyClock::now();
  const supervisor::LaunchFolder folder_{"render"};
  const std::uint64_t token_ =
      (std::uint64_t{std::random_device()()} << 32) | std::random_device()();
  std::int64_t timesteps_ = 0;             // 0: no rank has opened the volume yet
  std::optional<Sampled> sampled_;         // empty: no rank has drawn samples yet
  std::size_t has_samples_ = 0;            // the rank that has
  std::optional<movie::ImportPlan> plan_;  // with sampled_
  std::optional<movie::ImportFolder> import_folder_;
  std::optional<movie::StatusFile> status_;
  std::int64_t already_there_ = 0;  // frames of an earlier run
  std::optional<FrameAssignment> assignment_;
  std::map<std::int64_t, int> frame_deaths_;
  std::set<std::pair<std::string, std::size_t>> told_;  // notes
  movie::ImportResult result_;
  double report_at_s_ = 0;
  double check_space_at_s_ = 0;
  std::deque<RankPlace> places_;  // last: ranks end before the folders that they use
};

}  // namespace

movie::ImportResult render_by_ranks(const FlightMovie& flight, const movie::ImportOptions& options,
                                    const wall::Wall& wall, const RankOptions& ranks,
                                    movie::ProgressSink& progress) {
  block_broken_pipes();
  return RankedRendering(flight, options, wall, ranks, progress).run();
}

}  // namespace tilewall::rendering
