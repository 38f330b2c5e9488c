#include "player/panel/open_source.hpp"

#include <cstring>
#include <vector>

#include "player/movie/frames/image_sequence.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "player/movie/shared/shared_movie.hpp"
#include "player/movie/staging/file_fetcher.hpp"
#include "player/volume/volume_source.hpp"
#include "render/pattern.hpp"
#include "sync/base/check.hpp"
#include "sync/base/process.hpp"

namespace tilewall::panel {

namespace {

std::vector<std::filesystem::path> files_of(const scene::SourceSpec& spec) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : spec.files)
    files.push_back(name.empty() ? std::filesystem::path()
                                 : std::filesystem::path(spec.path) / name);
  return files;
}

}  // namespace

std::unique_ptr<picture::PictureSource> open_source(const scene::SourceSpec& spec,
                                                    const scene::PanelConfig& config,
                                                    const FlatView& view, const MovieAccess& movies,
                                                    const movie::DrawMemoryPtr& memory) {
  switch (spec.kind) {
    case scene::SourceKind::wall_movie:
      if (config.stage_bytes.value_or(0) > 0)
        return movie::open_staged_movie(spec.path, config.decode_threads, movies.budget,
                                        movies.abandon, memory);
      return movie::open_wall_movie(spec.path, config.decode_threads, memory, movies.unwanted);
    case scene::SourceKind::images:
      return movie::open_image_sequence(files_of(spec), config.decode_threads, memory,
                                        movies.unwanted);
    case scene::SourceKind::movie:
      return movie::open_shared_movie({movies.socket, spec.path, spec.size_px,
                                       config.decode_threads, movies.abandon, movies.abandon_open});
    case scene::SourceKind::remote_movie:
      return movie::open_remote_movie(
          {spec.path, config.decode_threads, movies.budget, movies.abandon, movies.receiver},
          memory);
    case scene::SourceKind::pattern:
      return open_pattern(spec.path, config, view);
    case scene::SourceKind::volume:
      return volume::open_volume_source({movies.socket, spec.path, config.name, movies.ended,
                                         movies.unwanted, movies.abandon_open, movies.version,
                                         movies.problem});
    case scene::SourceKind::playlist:
      break;  // the cache opens its items instead
  }
  TW_CHECK(false, "a playlist");
  return nullptr;
}

namespace {

class PatternSource final : public picture::PictureSource {
 public:
  PatternSource(const render::Pattern& pattern, render::PatternInfo info, SizePx canvas_px)
      : pattern_(pattern), info_(std::move(info)), canvas_px_(canvas_px) {}

  [[nodiscard]] SizePx size_px() const noexcept override { return canvas_px_; }

  /// A pattern is painted for the whole panel, so the placement does not matter.
  picture::DrawStatus draw(std::int64_t frame, const picture::Placement&, const ImageView& picture,
                           const ImageView*) override {
    info_.frame = frame;
    if (pattern_.moves)
      pattern_.paint(info_, picture);
    else
      copy_still(picture);
    return picture::DrawStatus::whole;
  }

  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }

 private:
  /// Copies the pattern, painted once, since some take a second to paint on a large panel.
  /// @pre all pictures have the same size
  void copy_still(const ImageView& picture) {
    const std::size_t row_bytes = static_cast<std::size_t>(picture.size_px.width) * 4;
    if (still_.empty()) {
      still_.resize(row_bytes * static_cast<std::size_t>(picture.size_px.height));
      pattern_.paint(info_, {still_.data(), picture.size_px, row_bytes});
    }
    for (int y = 0; y < picture.size_px.height; ++y)
      std::memcpy(picture.row(y), still_.data() + static_cast<std::size_t>(y) * row_bytes,
                  row_bytes);
  }

  const render::Pattern& pattern_;
  render::PatternInfo info_;
  const SizePx canvas_px_;
  std::vector<std::uint8_t> still_;  // empty until the first picture of a pattern that stands still
  picture::DrawCounters counters_;
};

}  // namespace

std::unique_ptr<picture::PictureSource> open_pattern(const std::string& name,
                                                     const scene::PanelConfig& config,
                                                     const FlatView& view) {
  render::PatternInfo info;
  info.canvas_px = view.canvas_px;
  info.panel_on_canvas_px = view.drawn.canvas_px;
  info.panel = config.name;
  info.host = config.host.empty() ? host_name() : config.host;
  info.column = config.column;
  info.row = config.row;
  info.lit_width_mm = config.lit_mm.width;
  info.lit_height_mm = config.lit_mm.height;
  return std::make_unique<PatternSource>(render::find_pattern(name), info, info.canvas_px);
}

}  // namespace tilewall::panel
