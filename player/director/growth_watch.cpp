#include "player/director/growth_watch.hpp"

#include <filesystem>
#include <utility>

#include "player/movie/remote/remote_movie.hpp"

namespace tilewall::director {
namespace {

constexpr std::chrono::milliseconds look_interval{500};
constexpr std::chrono::seconds lively_for{5};
// The end of a show may have to wait for both.
constexpr std::chrono::milliseconds longest_connect{300};
constexpr std::chrono::milliseconds longest_answer{500};

std::string sound_of(const scene::SourceSpec& source, const movie::MovieManifest& movie) {
  if (source.kind == scene::SourceKind::remote_movie) return source.path;
  return (std::filesystem::path(source.path) / movie.audio_file).string();
}

/// Reads the state of growing movies from files and servers, and keeps its connections. One owner,
/// the thread.
class GrowthAsker {
 public:
  /// The source's present state; the same object where nothing has changed, or no server answers.
  scene::SourcePtr ask(const scene::SourcePtr& source) {
    try {
      const movie::MovieManifest movie = manifest_of(*source);
      if (movie.frames == source->frames && movie.complete != source->growing) return source;
      if (movie.size_px != source->size_px || movie.frames < 1) return source;  // another movie
      scene::SourceSpec now = *source;
      now.frames = movie.frames;
      now.growing = !movie.complete;
      if (!movie.audio_file.empty()) now.audio = sound_of(*source, movie);  // written last
      return std::make_shared<const scene::SourceSpec>(std::move(now));
    } catch (const std::exception&) {
      clients_.erase(source->path);
      return source;
    }
  }

 private:
  movie::MovieManifest manifest_of(const scene::SourceSpec& source) {
    if (source.kind == scene::SourceKind::wall_movie) return movie::load_manifest(source.path);
    const net::RemoteUrl url = net::parse_remote_url(source.path);
    std::shared_ptr<net::SlabClient>& client = clients_[source.path];
    if (!client) client = net::connect_remote(url, {.limit = longest_connect});
    return movie::remote_manifest(*client, url, longest_answer);
  }

  std::map<std::string, std::shared_ptr<net::SlabClient>> clients_;  // by URL
};

}  // namespace

void GrowthWatch::watch(const scene::Scene& scene) {
  std::vector<scene::SourcePtr> growing;
  for (const scene::Region& region : scene.regions)
    if (region.source->growing) growing.push_back(region.source);
  const std::scoped_lock lock(mutex_);
  watched_ = std::move(growing);
  if (watched_.empty()) return;
  if (!grew_at_) grew_at_ = local_now();  // a first guess: it grows now
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
    const std::vector<scene::SourcePtr> sources = watched_;
    lock.unlock();
    std::vector<Growth> news;
    for (const scene::SourcePtr& source : sources)
      if (scene::SourcePtr now = asker.ask(source); now != source)
        news.push_back({source, std::move(now)});
    lock.lock();
    if (!news.empty()) grew_at_ = local_now();
    news_ = std::move(news);  // news that was not taken is found again
    wake_.wait_for(lock, stop, look_interval, [] { return false; });
  }
}

}  // namespace tilewall::director
