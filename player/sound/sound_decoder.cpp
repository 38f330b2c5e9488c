#include "player/sound/sound_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"

namespace tilewall::sound {
namespace {

constexpr std::chrono::milliseconds rest{50};  // with all that is needed soon decoded

std::int64_t chunk_at(double second, int rate_hz) {
  return static_cast<std::int64_t>(
      std::floor(second * rate_hz / static_cast<double>(chunk_frames)));
}

}  // namespace

SoundDecodeLoop::SoundDecodeLoop(PcmStore& store, FindSound find,
                                 std::function<void(const std::string&)> note)
    : store_(store), find_(std::move(find)), note_(std::move(note)) {}

bool SoundDecodeLoop::step(const std::vector<SoundRequest>& requests) {
  for (const SoundRequest& request : requests) {
    Open* const file = refused_.contains(request.file) ? nullptr : open(request.file);
    if (file == nullptr) continue;
    const int rate_hz = file->reader->rate_hz();
    for (auto index = chunk_at(request.from_s, rate_hz);
         index <= chunk_at(request.until_s, rate_hz); ++index) {
      if (store_.has(request.file, index)) continue;
      try {
        decode(*file, index);
      } catch (const InputError& error) {
        refuse(request.file, error.what());  // it was there before, and is no longer
      } catch (const std::exception&) {
        count_crash(request.file);  // out of memory, there or here
      }
      return true;
    }
  }
  return false;
}

SoundDecodeLoop::Open* SoundDecodeLoop::open(int id) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [id](const Open& one) { return one.id == id; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return &open_.front();
  }
  const auto path = find_(store_.path(id));
  if (!path) return nullptr;
  try {
    open_.push_front({id, std::make_unique<SoundReader>(*path, store_.path(id))});
  } catch (const InputError& error) {
    refuse(id, error.what());
    return nullptr;
  } catch (const std::exception&) {
    count_crash(id);
    return nullptr;
  }
  if (open_.size() > most_open_files) open_.pop_back();
  return &open_.front();
}

void SoundDecodeLoop::close(int id) {
  open_.remove_if([id](const Open& one) { return one.id == id; });
}

void SoundDecodeLoop::refuse(int id, const std::string& why) {
  close(id);
  refused_.insert(id);
  store_.set_rate_hz(id, 0);  // there is no sound that a device could wait for
  note_(fmt::format("no sound: {}", why));
}

/// The next step starts another reader.
void SoundDecodeLoop::count_crash(int id) {
  close(id);
  if (++crashes_[id] == most_crashes)
    refuse(id, fmt::format("{}: it crashes its readers, or hangs them", store_.path(id)));
}

void SoundDecodeLoop::decode(Open& open, std::int64_t index) {
  auto chunk = std::make_shared<PcmChunk>();
  if (!open.reader->read(index, *chunk)) return count_crash(open.id);
  crashes_.erase(open.id);
  store_.set_rate_hz(open.id, open.reader->rate_hz());
  store_.put(open.id, index, std::move(chunk));
  if (open.told_of_damage || open.reader->damaged_packets() == 0) return;
  open.told_of_damage = true;
  note_(fmt::format("{}: the sound is damaged; it is silent there", store_.path(open.id)));
}

SoundDecoder::SoundDecoder(PcmStore& store, Requests requests, FindSound find,
                           std::function<void(const std::string&)> note)
    : loop_(store, std::move(find), std::move(note)),
      requests_(std::move(requests)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

SoundDecoder::~SoundDecoder() = default;

void SoundDecoder::wake() {
  const std::scoped_lock lock(mutex_);
  news_ = true;
  woken_.notify_all();
}

void SoundDecoder::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (loop_.step(requests_())) continue;
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, rest, [this] { return news_; });
    news_ = false;
  }
}

}  // namespace tilewall::sound
