#include "player/sound/sound_places.hpp"

#include <fmt/format.h>

#include "net/slab/remote_url.hpp"
#include "player/movie/remote/sound_range.hpp"
#include "sync/base/error.hpp"

namespace tilewall::sound {
namespace {

constexpr int most_tries = 3;
constexpr std::chrono::seconds pause_between{2};

}  // namespace

SoundPlaces::SoundPlaces(std::filesystem::path folder,
                         std::function<void(const std::string& line)> note)
    : folder_(std::move(folder)), note_(std::move(note)) {}

SoundPlaces::~SoundPlaces() = default;

std::optional<std::filesystem::path> SoundPlaces::find(const std::string& sound) {
  if (!net::is_remote(sound)) return sound;
  const std::scoped_lock lock(mutex_);
  const auto [file, is_new] = files_.try_emplace(sound);
  if (is_new) {
    requests_.push_back(sound);
    requested_.notify_one();
    if (!thread_.joinable())
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  if (file->second.empty()) return std::nullopt;
  return fmt::format("/proc/self/fd/{}", file->second.get());
}

void SoundPlaces::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (requested_.wait(lock, stop, [this] { return !requests_.empty(); })) {
    const std::string url = std::move(requests_.front());
    requests_.pop_front();
    lock.unlock();
    UniqueFd file = fetch(url, stop);
    lock.lock();
    files_[url] = std::move(file);
  }
}

/// Empty where it cannot be had.
UniqueFd SoundPlaces::fetch(const std::string& url, const std::stop_token& stop) {
  for (int tries = 1; !stop.stop_requested(); ++tries) {
    try {
      return movie::fetch_remote_sound(url, folder_, stop);
    } catch (const InputError& error) {
      note_(fmt::format("no sound: {}", error.what()));
      break;
    } catch (const std::exception& error) {
      if (tries == 1) note_(fmt::format("no sound for now: {}", error.what()));
      if (tries == most_tries) break;
    }
    std::unique_lock lock(mutex_);
    requested_.wait_for(lock, stop, pause_between, [] { return false; });
  }
  return UniqueFd();
}

}  // namespace tilewall::sound
