#include "player/director/growth_watch.hpp"

#include <filesystem>
#include <utility>

#include "player/movie/remote/remote_movie.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds look_interval{500};
constexpr std::chrono::seconds lively_for{5};
// A show that ends waits for these.
constexpr std::chrono::milliseconds longest_connect{300};
constexpr std::chrono::milliseconds longest_answer{500};

std::string sound_of(const SourceSpec& source, const MovieManifest& movie) {
  if (source.kind == SourceKind::remote_movie) return source.path;
  return (std::filesystem::path(source.path) / movie.audio_file).string();
}

/// Asks where movies lie; keeps its connections. The thread's.
class GrowthAsker {
 public:
  /// The source as it is now; the same one where nothing changed, or nobody answers.
  SourcePtr ask(const SourcePtr& source) {
    try {
      const MovieManifest movie = manifest_of(*source);
      if (movie.frames == source->frames && movie.complete != source->growing) return source;
      if (movie.size_px != source->size_px || movie.frames < 1) return source;  // another movie
      SourceSpec now = *source;
      now.frames = movie.frames;
      now.growing = !movie.complete;
      if (!movie.audio_file.empty()) now.audio = sound_of(*source, movie);  // written last
      return std::make_shared<const SourceSpec>(std::move(now));
    } catch (const std::exception&) {
      clients_.erase(source->path);
      return source;
    }
  }

 private:
  MovieManifest manifest_of(const SourceSpec& source) {
    if (source.kind == SourceKind::wall_movie) return load_manifest(source.path);
    const RemoteUrl url = parse_remote_url(source.path);
    std::shared_ptr<SlabClient>& client = clients_[source.path];
    if (!client) client = connect_remote(url, {.limit = longest_connect});
    return remote_manifest(*client, url, longest_answer);
  }

  std::map<std::string, std::shared_ptr<SlabClient>> clients_;  // by URL
};

}  // namespace

void GrowthWatch::watch(const Scene& scene) {
  std::vector<SourcePtr> growing;
  for (const Region& region : scene.regions)
    if (region.source->growing) growing.push_back(region.source);
  const std::scoped_lock lock(mutex_);
  watched_ = std::move(growing);
  if (watched_.empty()) return;
  if (!grew_at_) grew_at_ = local_now();  // until it is known better
  wake_.notify_one();
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::vector<Growth> GrowthWatch::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(news_, {});
}

bool GrowthWatch::is_lively() const {
  const std::scoped_lock lock(mutex_);
  return grew_at_ && local_now() - *grew_at_ < lively_for;
}

void GrowthWatch::run(const std::stop_token& stop) {
  GrowthAsker asker;
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !watched_.empty(); }) && !stop.stop_requested()) {
    const std::vector<SourcePtr> sources = watched_;
    lock.unlock();
    std::vector<Growth> news;
    for (const SourcePtr& source : sources)
      if (SourcePtr now = asker.ask(source); now != source)
        news.push_back({source, std::move(now)});
    lock.lock();
    if (!news.empty()) grew_at_ = local_now();
    news_ = std::move(news);  // what was not taken is told again
    wake_.wait_for(lock, stop, look_interval, [] { return false; });
  }
}

}  // namespace tilewall
