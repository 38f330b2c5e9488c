// Serves the wall movies below some folders, block by block, for `tilewall serve`. It never decodes
// a block.
//
// The name of a movie is its path below a folder. No file outside of the folders is ever opened,
// not even through links.
//
// Threads: any, several at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/slab/recent_answers.hpp"
#include "net/slab/slab_server.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/sound_range.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

class MovieServer final : public net::SlabSource {
 public:
  /// Opens the folders. Throws InputError for one that is no readable folder.
  explicit MovieServer(const std::vector<std::filesystem::path>& folders);

  /// Answers a JSON request; throws InputError for any other than these two:
  /// {"type": "list"} -> {"movies": [{"name", "width_px", "height_px", "frames", "fps",
  /// "complete"}], "left_out": number of unreadable movies};
  /// {"type": "open", "name"} -> {"manifest": text of movie.toml, "sound_bytes": size of its sound,
  /// 0 without sound}.
  /// A list is made at most every two seconds.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;

  [[nodiscard]] std::uint64_t answer_bytes(std::span<const std::byte> request) override;
  /// Answers a BlockRequest or a SoundRange. Throws InputError for a bad request or unknown movie.
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

  /// Whether a folder of that name with a manifest exists; the manifest is not read.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Movie {
    std::string name;
    UniqueFd folder;
    std::string text;             // text of movie.toml
    std::int64_t changed_ns = 0;  // its modification time
    std::uint64_t inode = 0;      // its inode: two writes in one clock tick have the same time
    MovieManifest manifest;
  };
  using MoviePtr = std::shared_ptr<const Movie>;

  struct Place {
    std::filesystem::path path;
    UniqueFd fd;
    std::string prefix;  // name of the only movie served from `path`; "" = all below it
  };

  struct Found;

  [[nodiscard]] nlohmann::json list() const;
  [[nodiscard]] nlohmann::json open(const nlohmann::json& question);
  [[nodiscard]] MoviePtr movie(const std::string& name);
  [[nodiscard]] MoviePtr load(const std::string& name) const;

  [[nodiscard]] Found find(const BlockRequest& request);
  void answer(const BlockRequest& request, net::SlabBuffer& slab);
  void answer(const SoundRange& request, net::SlabBuffer& slab);

  std::vector<Place> places_;
  net::SlabPool pool_{std::size_t{128} << 20};
  net::RecentAnswers lists_{std::chrono::seconds(2)};
  std::mutex mutex_;
  std::list<MoviePtr> open_;  // guarded by mutex_; the most recently used first
};

}  // namespace tilewall::movie
