#include "player/sound/pcm_store.hpp"

#include <algorithm>

namespace tilewall::sound {

int PcmStore::file_id(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = ids_.try_emplace(path, static_cast<int>(paths_.size()));
  if (is_new) {
    paths_.push_back(path);
    rates_hz_.push_back(0);
  }
  return found->second;
}

std::string PcmStore::path(int file) const {
  const std::scoped_lock lock(mutex_);
  return paths_.at(static_cast<std::size_t>(file));
}

void PcmStore::set_rate_hz(int file, int rate_hz) {
  const std::scoped_lock lock(mutex_);
  rates_hz_.at(static_cast<std::size_t>(file)) = rate_hz;
}

int PcmStore::rate_hz(int file) const {
  const std::scoped_lock lock(mutex_);
  return rates_hz_.at(static_cast<std::size_t>(file));
}

void PcmStore::put(int file, std::int64_t index, std::shared_ptr<const PcmChunk> chunk) {
  std::shared_ptr<const PcmChunk> dropped;  // freed outside the lock
  const std::scoped_lock lock(mutex_);
  if (chunks_.size() >= max_chunks) {
    const auto oldest = std::min_element(
        chunks_.begin(), chunks_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    dropped = std::move(oldest->second.chunk);
    chunks_.erase(oldest);
  }
  chunks_.insert_or_assign(Key{file, index}, Kept{std::move(chunk), ++uses_});
}

bool PcmStore::has(int file, std::int64_t index) const {
  const std::scoped_lock lock(mutex_);
  return chunks_.contains({file, index});
}

std::shared_ptr<const PcmChunk> PcmStore::find(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = chunks_.find(key);
  if (found == chunks_.end()) return nullptr;
  found->second.used = ++uses_;
  return found->second.chunk;
}

bool PcmStore::read(int file, std::int64_t first, std::span<float> stereo) const {
  bool whole = true;
  while (!stereo.empty()) {
    const std::int64_t index = first >= 0 ? first / chunk_frames : (first + 1) / chunk_frames - 1;
    const std::int64_t skipped = first - index * chunk_frames;
    const auto wanted = static_cast<std::int64_t>(stereo.size()) / pcm_channels;
    const std::int64_t frames = std::min(wanted, chunk_frames - skipped);
    const auto part = stereo.first(static_cast<std::size_t>(frames * pcm_channels));
    const auto chunk = find({file, index});
    if (chunk)
      std::copy_n(chunk->begin() + skipped * pcm_channels, part.size(), part.begin());
    else
      std::fill(part.begin(), part.end(), 0.0F);
    whole = whole && chunk;
    stereo = stereo.subspan(part.size());
    first += frames;
  }
  return whole;
}

}  // namespace tilewall::sound
