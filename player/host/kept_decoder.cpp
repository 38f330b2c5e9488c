#include "player/host/kept_decoder.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "player/host/kept_program.hpp"
#include "player/host/process_state.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "sync/base/check.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::host {

namespace {

constexpr std::uint32_t max_told_deaths = 10;
constexpr std::chrono::seconds no_decoder_pause{1};  // the host cannot start a process now
// Before a movie that was given up is tried again. A crash is rarely cured by itself.
constexpr std::chrono::seconds pause_after_refusal{2};
constexpr std::chrono::seconds pause_after_crash{30};

std::chrono::seconds trial_pause(const ChildEnd& end) {
  return end.signal == 0 ? pause_after_refusal : pause_after_crash;
}

/// Variables that a decoder gets besides those of every isolated program. GPUs' drivers look for
/// their files by them, and a traced decoder greets the director with the control port's key.
std::vector<std::pair<std::string, std::string>> decoder_environment(bool uses_device,
                                                                     bool is_traced) {
  std::vector<const char*> names;
  if (uses_device)
    names = {"HOME", "LIBVA_DRIVER_NAME", "LIBVA_DRIVERS_PATH", "CUDA_VISIBLE_DEVICES"};
  if (is_traced) names.push_back(secret_file_variable);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* name : names)
    if (const char* value = std::getenv(name)) variables.emplace_back(name, value);
  return variables;
}

}  // namespace

KeptDecoder::KeptDecoder(std::string file, DecoderPlace place)
    : file_(std::move(file)),
      place_(std::move(place)),
      memory_fd_(movie::make_movie_memory(movie::movie_slots_bytes)),
      memory_(memory_fd_.get()),
      page_(memory_.page()) {
  start();
}

KeptDecoder::~KeptDecoder() {
  if (pid_ != 0) {
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait_for(pid_, std::chrono::seconds(1)));
  }
  std::error_code error;
  std::filesystem::remove(place_.pid_file, error);
}

bool KeptDecoder::is_given_up() const noexcept {
  const movie::MoviePhase phase = page_.phase.load();
  return phase == movie::MoviePhase::refused || phase == movie::MoviePhase::lost;
}

void KeptDecoder::start() {
  start_at_.reset();
  // A movie that was given up stays so for the panels until its decoder plays it.
  if (!is_given_up()) page_.phase.store(movie::MoviePhase::starting);
  pictures_at_start_ = page_.decoded_pictures.load();
  const StallWatch::TimePoint now(local_now().since_epoch);
  stall_watch_.started(page_.progress.load(), now);
  stop_watch_.started(now);
  sync::trace_instant("decoder started");
  const scene::DecodeDevice device = trusts_device_ ? place_.decode : scene::DecodeDevice::cpu;
  std::vector<std::string> arguments = {own_program("tilewall-decoder").string(),
                                        "--file",
                                        file_,
                                        "--memory",
                                        fmt::format("/proc/{}/fd/{}", ::getpid(), memory_fd_.get()),
                                        "--decode",
                                        std::string(scene::name_of(device))};
  arguments.insert(arguments.end(), place_.more_arguments.begin(), place_.more_arguments.end());
  try {
    pid_ =
        start_program(arguments, {.environment = decoder_environment(
                                      device != scene::DecodeDevice::cpu,
                                      std::ranges::find(arguments, "--trace") != arguments.end()),
                                  .output = place_.log_file,
                                  .isolated = true});
  } catch (const JobError& error) {
    log_line("tilewall-host: {}: {}", file_, error.what());
    start_at_ = local_now() + no_decoder_pause;
    return;
  }
  note_pid(place_.pid_file, pid_);
}

std::optional<int> KeptDecoder::take_seat() {
  const auto free = std::find(std::begin(seat_taken_), std::end(seat_taken_), false);
  if (free == std::end(seat_taken_)) return std::nullopt;
  *free = true;
  ++seats_taken_;
  return static_cast<int>(free - std::begin(seat_taken_));
}

void KeptDecoder::leave_seat(int seat) {
  seat_taken_[seat] = false;
  --seats_taken_;
  movie::MovieSeat& left = page_.seats[seat];
  movie::withdraw_request(left);
  left.reading.store(-1);
}

bool KeptDecoder::take_end(const ChildEnd& end) {
  if (pid_ == 0 || end.pid != pid_) return false;
  pid_ = 0;
  sync::trace_instant("decoder ended");
  if (is_given_up()) {  // a trial, which did not get as far as to play
    start_at_ = local_now() + trial_pause(end);
    return true;
  }
  const std::uint64_t pictures = page_.decoded_pictures.load() - pictures_at_start_;
  const bool played = page_.phase.load() == movie::MoviePhase::playing;
  has_played_ = has_played_ || played;
  const bool refused = end.signal == 0 && end.exit_code == exit_bad_input && !has_played_;
  if (refused) {
    page_.phase.store(movie::MoviePhase::refused);
    movie::wake_panels(page_);
    start_at_ = local_now() + pause_after_refusal;
    return true;
  }
  const std::uint32_t deaths = page_.deaths.load();
  if (deaths < max_told_deaths) tell_death(end);
  if (deaths < movie::max_death_records)
    page_.death_records[deaths].died_ns.store(local_now().since_epoch.count());
  page_.deaths.store(deaths + 1);
  // While a GPU decodes, its driver is blamed for a death, and no frame. The CPU decodes from now
  // on.
  const bool by_device = page_.device.load() != scene::DecodeDevice::cpu;
  if (by_device) {
    trusts_device_ = false;
    movie::set_device_note(page_, "the GPU's decoder process died");
    page_.device.store(scene::DecodeDevice::cpu);
  }
  std::optional<std::int64_t> position;
  if (played && !by_device) position = movie::bounded_frame(page_.position.load());
  start_after(deaths_.add(position, static_cast<std::int64_t>(pictures)));
  if (is_given_up()) start_at_ = local_now() + trial_pause(end);
  return true;
}

void KeptDecoder::tell_death(const ChildEnd& end) const {
  const std::string log = place_.log_file.filename().string();
  if (end.signal == 0)
    log_line("tilewall-host: {}: its decoder ended with exit code {} (logs/{})", file_,
             end.exit_code, log);
  else
    log_line("tilewall-host: {}: its decoder died of signal {} ({}){}", file_, end.signal,
             ::strsignal(end.signal),
             end.signal == SIGKILL ? ": it stalled, or the system was out of memory" : "");
}

void KeptDecoder::start_after(std::optional<std::chrono::milliseconds> pause) {
  page_.crash_zone.set(deaths_.zone().first, deaths_.zone().end);
  page_.phase.store(pause ? movie::MoviePhase::starting : movie::MoviePhase::lost);
  movie::wake_panels(page_);
  if (!pause) return;
  if (pause->count() == 0) return start();
  start_at_ = local_now() + *pause;
}

bool KeptDecoder::hangs() {
  using Task = StallWatch::Task;
  Task task = Task::none;
  if (page_.phase.load() != movie::MoviePhase::playing)
    task = Task::open_file;
  else if (movie::anyone_waits(page_))
    task = Task::picture;
  const StallWatch::TimePoint now(local_now().since_epoch);
  const bool is_stopped_for_good = stop_watch_.exceeded(is_stopped(pid_), now);
  const bool is_stalled = stall_watch_.hangs(task, page_.progress.load(), now, [this] {
    return ProcessActivity{cpu_time_of(pid_), any_thread_runs(pid_),
                           run_queue_wait_of(pid_).value_or(Nanos(0)), page_.full_waits.load()};
  });
  return is_stopped_for_good || is_stalled;
}

void KeptDecoder::look() {
  if (start_at_ && local_now() >= *start_at_) start();
  if (pid_ != 0 && hangs()) ::kill(pid_, SIGKILL);  // take_end() handles the rest
}

namespace {

constexpr std::chrono::milliseconds first_pause{20};
constexpr std::chrono::milliseconds longest_pause{1000};
constexpr int widest_zone_step = 8;  // 32 * 4^8 frames are a whole movie

}  // namespace

std::optional<std::chrono::milliseconds> DeathLog::add(std::optional<std::int64_t> position,
                                                       std::int64_t pictures) {
  const bool healthy = pictures >= recovered_pictures;
  in_a_row_ = healthy ? 1 : in_a_row_ + 1;
  if (position) note_place(*position, healthy);
  if (in_a_row_ > most_in_a_row) return std::nullopt;
  if (in_a_row_ == 1) return std::chrono::milliseconds(0);
  return std::min(longest_pause, first_pause * (1 << std::min(in_a_row_ - 2, 10)));
}

void DeathLog::note_place(std::int64_t position, bool healthy) {
  const bool near = same_place_ > 0 && std::abs(position - place_) <= same_place_frames;
  same_place_ = near && !healthy ? same_place_ + 1 : 1;
  place_ = near ? std::min(place_, position) : position;
  if (same_place_ >= 2) {
    const int step = std::min(same_place_ - 2, widest_zone_step);
    zone_ = {place_, place_ + (first_zone_frames << (2 * step))};
  }
}

}  // namespace tilewall::host
