#include "player/movie/decoder/decode_loop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <thread>

#include "player/movie/decoder/frame_store.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "player/trace/log_clock.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/check.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/sandbox.hpp"
#include "sync/global_time.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::movie {
namespace {

// How long the loop sleeps while there is nothing to do. A panel that waits wakes it at once.
constexpr std::chrono::milliseconds short_rest{4};  // enough is ahead, and panels draw
constexpr std::chrono::milliseconds long_rest{50};  // enough is ahead, and no request changes
constexpr std::chrono::milliseconds full_rest{1};   // panels read every slot
// A decoder that runs wild must not take all memory of the machine.
constexpr std::uint64_t decoder_memory_bytes = std::uint64_t{16} << 30;
constexpr std::int64_t inexact_frames = 2;         // a container's length is an estimate
constexpr std::int64_t longest_lag = 256;          // frames that a late picture may be behind
constexpr std::int64_t threads_reach_frames = 24;  // FFmpeg's threads begin so many frames early

std::uint64_t process_cpu_ns() {
  timespec time = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// The movie's first picture; its layout gives the size of the slots.
TimedPicture first_picture(FrameCursor& cursor, const std::string& file) {
  auto picture = cursor.next();
  if (!picture)
    throw InputError({file}, "", "a video with at least one picture that decodes",
                     "none (" + last_ffmpeg_message() + ")");
  return std::move(*picture);
}

std::size_t slot_bytes_for(const TimedPicture& picture, const FrameCursor& cursor,
                           const std::string& file) {
  const std::size_t bytes =
      picture_bytes(shared_layout(*picture.frame, cursor.info().orientation, file));
  return (bytes + 4095) / 4096 * 4096;
}

FrameReach reach_of(const SharedFrames& frames) noexcept {
  return {bounded_frame(frames.first.load()), bounded_frame(frames.end.load())};
}

FrameReach reach_of(const TimedPicture& picture) noexcept {
  return {picture.span.first, picture.span.first + picture.span.count};
}

}  // namespace

DecodeLoop::DecodeLoop(std::string file, const MovieMemory& memory,
                       std::shared_ptr<HardwareDecoder> hardware, HdrMode hdr)
    : file_(std::move(file)),
      file_change_(file_),
      memory_(memory),
      page_(memory.page()),
      hardware_(std::move(hardware)),
      cursor_(file_, {}, 0, ReadErrors::thrown, hardware_),
      pending_(first_picture(cursor_, file_)),
      slots_(memory, slot_bytes_for(*pending_, cursor_, file_)),
      tone_(hdr, static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))),
      frames_(bounded_frame(page_.end_frame.load())),
      catch_up_(cursor_.info().fps.value()) {
  note_work(*pending_->frame);
  page_.phase.store(MoviePhase::playing);
  wake_panels(page_);
}

/// Whether frames of the movie could not be decoded, or its end came too early.
bool DecodeLoop::met_damage() const noexcept {
  const bool ends_early = frames_ > 0 && frames_ < cursor_.info().frames - inexact_frames;
  return stored_damage_ || ends_early || page_.failed.end.load() > 0;
}

bool DecodeLoop::was_mended() {
  if (!met_damage() || !file_change_.changed(local_now())) return false;
  try {
    FrameCursor trial(file_, {}, 1, ReadErrors::thrown);
    first_picture(trial, file_);
  } catch (const JobError&) {  // the disk fails just now
    file_change_.forget();
    return false;
  } catch (const std::exception&) {  // go on with the file that is open
    return false;
  }
  pending_.reset();
  slots_.empty_all();
  page_.failed.set(0, 0);
  page_.end_frame.store(0);
  return true;
}

std::vector<FrameReach> DecodeLoop::lost_frames() const {
  std::vector<FrameReach> lost = {reach_of(page_.crash_zone), reach_of(page_.failed)};
  std::ranges::copy(catch_up_.left_out(), std::back_inserter(lost));
  return lost;
}

void DecodeLoop::step() {
  // The futex word is read before the requests, so that a request in between ends the wait at once.
  const std::uint32_t asked = page_.asked.load();
  const std::vector<FrameRequest> wanted = requests_on(page_, frames_);
  if (pending_) {
    const Stored stored = store(*pending_, wanted);
    if (stored == Stored::slots_busy) {
      page_.full_waits.fetch_add(1);
      return futex_wait(page_.asked, asked, full_rest);
    }
    if (stored == Stored::done) pending_.reset();
  }
  catch_up_.look(wanted);
  std::vector<FrameReach> held = slots_.held();
  std::int64_t pending_distance = far_away;
  if (pending_) {
    held.push_back(reach_of(*pending_));
    pending_distance = distance_of(held.back(), wanted, frames_);
  }
  const DecodeState state{frames_, cursor_.position(), cursor_.at_end(), slots_.slots(),
                          local_now().since_epoch.count()};
  const auto target = next_target(state, wanted, held, lost_frames());
  const std::int64_t distance =
      target ? distance_of({*target, *target + 1}, wanted, frames_) : far_away;
  // A picture without a slot gives way to a frame that is needed earlier, and otherwise waits for
  // its turn. Dropping it at once had made the decoder go back to the key picture for it: a request
  // that goes, or comes behind the others, between the decoding and the storing takes its slot.
  const bool is_next = target && (!pending_ || distance < pending_distance);
  if (!is_next || !slots_.has_room(distance, wanted, frames_)) return rest(wanted, asked);
  pending_.reset();
  if (go_towards(*target)) decode_one();
}

bool DecodeLoop::go_towards(std::int64_t target) {
  catch_up_.go(target, cursor_.position());
  cursor_.hurry(catch_up_.in_a_hurry());
  const FrameReach zone = reach_of(page_.crash_zone);
  const std::int64_t zone_first = zone.first - threads_reach_frames;
  const std::int64_t zone_end = zone.end;
  const bool past_zone = zone_end > 0 && target >= zone_end;
  // FFmpeg's threads would reach the pictures that kill the decoder from 24 frames before the zone,
  // so the frames there are given up, too.
  const bool into_zone = zone_end > 0 && target >= zone_first && target < zone_end;
  if (into_zone) {
    give_up({target, target + 1});
    return false;
  }
  // From before the zone, only a jump leads past it: decoding through it would kill the decoder.
  const bool through = !past_zone || cursor_.position() >= zone_end;
  // A jump beyond the target could land in the zone, so a movie with a zone has none.
  const std::int64_t farthest =
      zone_end > 0 ? target : catch_up_.farthest_for(target, likely_frames());
  const bool is_first = way_end_ == most_frames;
  const bool jumped =
      cursor_.go_to(farthest, through ? FrameCursor::Way::any : FrameCursor::Way::jump);
  if (jumped || is_first) way_end_ = target;
  catch_up_.leave_out({target, cursor_.position()});
  // No key picture lies between the zone and the target, so the jump ended before the zone.
  if (past_zone && cursor_.position() < zone_end) {
    give_up({target, target + 1});
    return false;
  }
  return true;
}

void DecodeLoop::decode_one() {
  page_.position.store(cursor_.position());
  {
    const sync::TraceSpan span("decode", {cursor_.position(), sync::TraceLabels::none});
    pending_ = cursor_.next();
  }
  if (pending_) {
    note_work(*pending_->frame);
    const std::int64_t end = pending_->span.first + pending_->span.count;
    if (frames_ > 0 && end > frames_) note_end(end);
    pending_ = without_gap(std::move(*pending_));
  }
  if (!cursor_.at_end()) return;
  // In a hurry the last pictures may have been left out, and then the position is short of the end.
  note_end(cursor_.hurried() ? std::max(likely_frames(), cursor_.position()) : cursor_.position());
}

std::int64_t DecodeLoop::likely_frames() const noexcept {
  return frames_ > 0 ? frames_ : cursor_.info().frames;
}

void DecodeLoop::note_end(std::int64_t end) noexcept {
  frames_ = end;
  page_.end_frame.store(end);
  wake_panels(page_);
}

TimedPicture DecodeLoop::without_gap(TimedPicture picture) {
  FrameSpan& span = picture.span;
  if (!picture.before_gap || span.count == 1) return picture;
  catch_up_.leave_out({span.first + 1, span.first + span.count});
  span.count = 1;
  return picture;
}

// The way from a key picture to the jump's target shows what panels have shown before, or never
// lacked. A decoder that was started again had made panels show the movie from its key picture on,
// in a second, while other panels still had the right pictures.
bool DecodeLoop::is_awaited_late(const FrameReach& picture,
                                 const std::vector<FrameRequest>& requests) const {
  return std::ranges::any_of(requests, [&](const FrameRequest& request) {
    const std::int64_t behind = (request.frame - picture.first) * request.direction;
    const bool is_on_the_way = request.direction > 0 && picture.end <= way_end_;
    return request.catches_up && behind > 0 && behind <= longest_lag && !is_on_the_way;
  });
}

DecodeLoop::Stored DecodeLoop::store(const TimedPicture& picture,
                                     const std::vector<FrameRequest>& wanted) {
  const FrameReach frames = reach_of(picture);
  std::int64_t distance = distance_ahead(frames, wanted, frames_);
  if (distance >= slots_.slots()) {
    // A picture on the way to the target, which no panel draws soon, would only displace others. A
    // late picture is kept, but it displaces only those that no panel draws soon either.
    if (!is_awaited_late(frames, wanted)) return Stored::no_slot;
    distance = slots_.slots();
  }
  for (const FrameReach& held : slots_.held())
    if (held.first == frames.first) return Stored::done;
  const Stored without_slot = distance > 0 ? Stored::no_slot : Stored::slots_busy;
  if (!slots_.has_room(distance, wanted, frames_)) return without_slot;
  // Tone mapping is costly, so only pictures that will be stored get so far.
  const AVFrame& frame = tone_.mapped(*picture.frame);
  SharedPicture layout = shared_layout(frame, cursor_.info().orientation, file_);
  layout.repeats_lost = picture.repeats_lost ? 1 : 0;
  stored_damage_ |= picture.repeats_lost || layout.damaged != 0;
  // Pictures may grow in the middle of a movie, but the slots keep their size: panels read them.
  if (picture_bytes(layout) > slots_.slot_bytes()) {
    give_up(frames);
    return Stored::done;
  }
  const auto slot = slots_.acquire(distance, wanted, frames_);
  if (!slot) return without_slot;
  const sync::TraceSpan span("store", {frames.first, sync::TraceLabels::none});
  store_frame(frame, layout, file_, slots_.bytes(*slot));
  note_return();
  slots_.publish(*slot, layout, frames);
  return Stored::done;
}

void DecodeLoop::give_up(const FrameReach& frames) {
  SharedFrames& failed = page_.failed;
  if (!failed.contains(frames.first) || !failed.contains(frames.end - 1)) {
    // The page has one span of failed frames. Frames that follow it extend it, others replace it.
    const bool follows = failed.end.load() == frames.first;
    failed.set(follows ? failed.first.load() : frames.first, frames.end);
  }
  page_.progress.fetch_add(1);
  wake_panels(page_);
}

void DecodeLoop::note_return() noexcept {
  const std::uint32_t deaths = page_.deaths.load();
  if (deaths == 0 || deaths > max_death_records) return;
  DeathRecord& last = page_.death_records[deaths - 1];
  if (last.back_ns.load() == 0) last.back_ns.store(local_now().since_epoch.count());
}

void DecodeLoop::note_work(const AVFrame& frame) noexcept {
  page_.progress.fetch_add(1);
  page_.decoded_pictures.fetch_add(1);
  page_.decoded_px.fetch_add(static_cast<std::uint64_t>(frame.width) *
                             static_cast<std::uint64_t>(frame.height));
  note_device();
  const std::uint64_t cpu_ns = process_cpu_ns();
  page_.decode_cpu_ns.fetch_add(cpu_ns - counted_cpu_ns_);
  counted_cpu_ns_ = cpu_ns;
}

void DecodeLoop::note_device() noexcept {
  const scene::DecodeDevice device =
      hardware_ && !hardware_->given_up() ? hardware_->device() : scene::DecodeDevice::cpu;
  if (page_.device.load() == device) return;
  if (hardware_ && hardware_->given_up()) set_device_note(page_, hardware_->failure());
  page_.device.store(device);
}

void DecodeLoop::rest(const std::vector<FrameRequest>& wanted, std::uint32_t asked) {
  std::int64_t mark = 0;
  for (const FrameRequest& request : wanted) mark += request.frame * request.direction;
  const bool moving = std::exchange(requests_mark_, mark) != mark;
  const sync::TraceSpan span("enough ahead");
  // Panels wake the decoder only while this is 1. A request that came before has changed `asked`,
  // so futex_wait() returns at once.
  page_.decoder_sleeps.store(1);
  futex_wait(page_.asked, asked, moving ? short_rest : long_rest);
  page_.decoder_sleeps.store(0);
}

namespace {

/// Confines this process to the movie's folder, its log and what tells it the time.
void confine(const DecoderOptions& options, bool uses_device) {
  Sandbox sandbox;
  sandbox.readable = folders_to_read(options.file);
  // A crash is reported with the names of this program's functions.
  sandbox.readable.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  sandbox.readable.emplace_back(options.clock_page);
  if (const std::filesystem::path log = role_log(); !log.empty()) {
    sandbox.readable.push_back(trace::clock_page_of_host(log.parent_path().parent_path()));
    sandbox.writable = {log.parent_path()};
  }
  sandbox.writes_files = true;  // the log is one
  if (const char* secret_file = std::getenv(secret_file_variable); secret_file != nullptr)
    sandbox.readable.emplace_back(secret_file);  // only with a trace
  sandbox.sockets = !options.trace.empty();
  sandbox.devices = uses_device;
  if (const std::string missing = missing_confinement(enter_sandbox(sandbox)); !missing.empty())
    log_line("tilewall-decoder: this host's kernel gives no {}, so damaged files are confined less",
             missing);
}

}  // namespace

int run_decoder(const DecoderOptions& options) {
  const UniqueFd fd(
      retry_eintr([&] { return ::open(options.memory_file.c_str(), O_RDWR | O_CLOEXEC); }));
  if (fd.empty()) throw_errno(options.memory_file, errno);
  const MovieMemory memory(fd.get());
  sync::use_background_priority();  // threads of FFmpeg and of drivers inherit it
  MoviePage& page = memory.page();
  page.device.store(options.decode);
  const HardwareChoice hardware = open_hardware_decoder(options.decode);
  if (!hardware.decoder)
    page.device.store(scene::DecodeDevice::cpu);  // no driver is to blame for a death from here on
  if (!hardware.why_not.empty() && options.decode != scene::DecodeDevice::automatic)
    set_device_note(page, hardware.why_not);
  confine(options, hardware.decoder != nullptr);
  const trace::ProcessTrace trace(
      trace::trace_by_page(options.trace, "decoder", options.clock_page));
  const sync::TraceThread thread(trace.recorder(), "movie decode");
  // No limit with a GPU, because its driver maps the GPU's memory, and more, into the process.
  if (!hardware.decoder) limit_memory(decoder_memory_bytes);
  try {
    for (;;) {
      DecodeLoop loop(options.file, memory, hardware.decoder, options.hdr);
      while (!loop.was_mended()) loop.step();
    }
  } catch (const InputError& error) {
    set_refusal(memory.page(), error.what());
    throw;
  }
}

}  // namespace tilewall::movie
