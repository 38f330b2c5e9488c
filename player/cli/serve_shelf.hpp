// Everything that `tilewall serve` gives: wall movies and volumes, each from its own shelf.
//
// Threads: as a SlabSource's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/remote/movie_shelf.hpp"
#include "player/volume/remote/volume_shelf.hpp"

namespace tilewall {

class ServeShelf final : public SlabSource {
 public:
  /// Folders with movies and volumes below them, or movies and volumes. Throws InputError for what
  /// is neither.
  explicit ServeShelf(const std::vector<std::filesystem::path>& inputs);

  /// "list" answers what both shelves do; "open" a movie's or a volume's answer, whichever has the
  /// name; "range" is a volume's.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override;

  struct Count {
    std::size_t movies = 0;
    std::size_t volumes = 0;
  };
  [[nodiscard]] Count count();

 private:
  [[nodiscard]] std::string shown_names();

  MovieShelf movies_;
  VolumeShelf volumes_;
};

}  // namespace tilewall
