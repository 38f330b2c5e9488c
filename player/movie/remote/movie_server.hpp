// What `tilewall serve` gives: the wall movies below some folders, block by block, never decoded.
//
// Names are paths below a folder; nothing outside of it is ever opened, by whatever links. Threads:
// any, several at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/slab/slab_server.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/sound_range.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

class MovieServer final : public net::SlabSource {
 public:
  /// Throws InputError for what is no folder.
  explicit MovieServer(const std::vector<std::filesystem::path>& folders);

  /// {"type": "list"} -> {"movies": [{"name", "width_px", "height_px", "frames", "fps",
  /// "complete"}], "left_out": n}; {"type": "open", "name"} -> {"manifest": text of movie.toml,
  /// "sound_bytes": of its sound, 0: none}.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

  /// Whether there is something of that name that looks like a movie.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Movie {
    std::string name;
    UniqueFd folder;
    std::string text;             // of movie.toml
    std::int64_t changed_ns = 0;  // when it was written; two in one tick of the system are alike,
    std::uint64_t inode = 0;      // but other files
    MovieManifest manifest;
  };
  using MoviePtr = std::shared_ptr<const Movie>;

  struct Place {
    std::filesystem::path path;
    UniqueFd fd;
    std::string prefix;  // a folder that is a movie itself has its own name
  };

  [[nodiscard]] nlohmann::json list() const;
  [[nodiscard]] nlohmann::json open(const nlohmann::json& question);
  [[nodiscard]] MoviePtr movie(const std::string& name);
  [[nodiscard]] MoviePtr load(const std::string& name) const;

  void answer(const BlockRequest& request, net::SlabBuffer& slab);
  void answer(const SoundRange& request, net::SlabBuffer& slab);

  std::vector<Place> places_;
  net::SlabPool pool_{std::size_t{128} << 20};
  std::mutex mutex_;
  std::list<MoviePtr> open_;  // guarded by mutex_; the one used last in front
};

}  // namespace tilewall::movie
