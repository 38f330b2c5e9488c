#include "player/volume/caster/tile_loader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "player/volume/tile_choice.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/tiled_voxels.hpp"

namespace tilewall::volume {
namespace {

using Triple = std::array<int, 3>;
constexpr int usual_side = 64;  // voxels of a unit where the file's bricks do not fit tiles
constexpr int edges = 7;        // ways to go one unit further along x, y or z, or several of them

/// Whether way `edge`, 1 to 7, goes one unit further along the axis.
constexpr bool goes_along(int edge, std::size_t axis) noexcept { return (edge >> axis & 1) != 0; }

Triple sum(const Triple& at, int edge) noexcept {
  return {at[0] + (edge & 1), at[1] + (edge >> 1 & 1), at[2] + (edge >> 2 & 1)};
}

/// [begin, end) along each axis.
struct Span {
  Triple begin = {};
  Triple end = {};
};

/// Calls `use` with the places in the span, x fastest, until it returns true. Returns whether it
/// did.
template <typename Use>
bool any_of(const Span& span, Use&& use) {
  for (int z = span.begin[2]; z < span.end[2]; ++z)
    for (int y = span.begin[1]; y < span.end[1]; ++y)
      for (int x = span.begin[0]; x < span.end[0]; ++x)
        if (use(Triple{x, y, z})) return true;
  return false;
}

/// How a volume is divided into units that are read at once: the bricks of the file, where these
/// consist of whole tiles and fit the window.
class Units {
 public:
  Units(const render::GridBox& box, const Triple& tiles, const Triple& chunk,
        std::size_t window_bytes)
      : tiles_(tiles) {
    const render::VolumeSize size = box.size();
    size_ = {size.x, size.y, size.z};
    for (std::size_t i = 0; i < 3; ++i) {
      const bool fits = chunk[i] % render::tile_sides[i] == 0 && box.begin[i] % chunk[i] == 0;
      side_[i] = fits ? chunk[i] : usual_side;
    }
    const auto halve = [this](std::size_t i) {
      const int whole = side_[i] / 2 / render::tile_sides[i];
      side_[i] = std::max(1, whole) * render::tile_sides[i];
    };
    for (std::size_t i = 0; bytes_of(1) > window_bytes && side_ != render::tile_sides;
         i = (i + 1) % 3)
      halve(i);
    for (std::size_t i = 0; i < 3; ++i) count_[i] = (size_[i] + side_[i] - 1) / side_[i];
  }

  [[nodiscard]] const Triple& count() const noexcept { return count_; }
  /// Voxels of the volume.
  [[nodiscard]] const Triple& size() const noexcept { return size_; }
  [[nodiscard]] const Triple& side() const noexcept { return side_; }
  [[nodiscard]] bool has(const Triple& unit) const noexcept {
    return unit[0] < count_[0] && unit[1] < count_[1] && unit[2] < count_[2];
  }
  /// Memory of so many units along x, with a voxel more along each axis. Units at the end of z may
  /// have another slice of tiles.
  [[nodiscard]] std::size_t bytes_of(int along_x) const noexcept {
    return render::VolumeSize{along_x * side_[0] + 1, side_[1] + 1,
                              side_[2] + render::tile_sides[2] + 1}
        .voxels();
  }
  [[nodiscard]] std::size_t number_of(const Triple& unit) const noexcept {
    return static_cast<std::size_t>(unit[1]) * static_cast<std::size_t>(count_[0]) +
           static_cast<std::size_t>(unit[0]);
  }
  [[nodiscard]] Span voxels_of(const Triple& unit) const noexcept {
    Span span;
    for (std::size_t i = 0; i < 3; ++i) {
      span.begin[i] = unit[i] * side_[i];
      span.end[i] = std::min(span.begin[i] + side_[i], size_[i]);
    }
    return span;
  }
  /// The last unit has the slice of tiles beyond the volume's last voxel, too.
  [[nodiscard]] Span tiles_of(const Triple& unit) const noexcept {
    Span span;
    for (std::size_t i = 0; i < 3; ++i) {
      const int along = side_[i] / render::tile_sides[i];
      span.begin[i] = unit[i] * along;
      span.end[i] = unit[i] + 1 == count_[i] ? tiles_[i] : span.begin[i] + along;
    }
    return span;
  }

 private:
  Triple tiles_;
  Triple size_ = {};
  Triple side_ = {};
  Triple count_ = {};
};

/// The first voxels of a unit along x, y and z.
class Faces {
 public:
  /// `voxel(x, y, z)` gives the unit's voxels, counted from its first one.
  template <typename Voxel>
  Faces(const Triple& size, Voxel&& voxel) : size_(size) {
    const auto copy = [&](std::size_t flat) {
      Span span{{}, size};
      span.end[flat] = 1;
      std::vector<std::uint8_t>& face = faces_[flat];
      any_of(span, [&](const Triple& at) {
        face.push_back(voxel(at));
        return false;
      });
    };
    for (std::size_t axis = 0; axis < 3; ++axis) copy(axis);
  }

  /// Frees those along an axis.
  void drop(std::size_t axis) { faces_[axis] = {}; }

  /// @pre `at` is 0 along at least one axis, and the last one of these was not dropped
  [[nodiscard]] std::uint8_t at(const Triple& at) const noexcept {
    const std::size_t flat = at[2] == 0 ? 2 : at[1] == 0 ? 1 : 0;
    const std::size_t fast = flat == 0 ? 1 : 0;
    const std::size_t slow = flat == 2 ? 1 : 2;
    return faces_[flat][static_cast<std::size_t>(at[slow]) * static_cast<std::size_t>(size_[fast]) +
                        static_cast<std::size_t>(at[fast])];
  }

 private:
  Triple size_;
  std::array<std::vector<std::uint8_t>, 3> faces_;
};

}  // namespace

class TileRun {
 public:
  TileRun(const Units& units, const Triple& first, int count) : size_(units.size()) {
    Triple last = first;
    last[0] += count - 1;
    const Span from = units.tiles_of(first);
    const Span to = units.tiles_of(last);
    for (std::size_t i = 0; i < 3; ++i) {
      begin_[i] = from.begin[i] * render::tile_sides[i];
      count_[i] = (to.end[i] - from.begin[i]) * render::tile_sides[i] + 1;
      own_end_[i] = units.voxels_of(last).end[i];
    }
    row_ = static_cast<std::size_t>(count_[0]);
    slice_ = row_ * static_cast<std::size_t>(count_[1]);
    voxels_.resize(slice_ * static_cast<std::size_t>(count_[2]));
  }

  /// The units' own voxels, in those of the volume.
  [[nodiscard]] Span own() const noexcept { return {begin_, own_end_}; }
  [[nodiscard]] render::VoxelTarget target() noexcept {
    return {reinterpret_cast<std::byte*>(voxels_.data()), row_, slice_};
  }
  [[nodiscard]] std::uint8_t& at(const Triple& voxel) noexcept { return voxels_[place_of(voxel)]; }
  [[nodiscard]] render::TileVoxels around(const Triple& tile) const noexcept {
    return {
        voxels_.data() + place_of({tile[0] * render::tile_sides[0], tile[1] * render::tile_sides[1],
                                   tile[2] * render::tile_sides[2]}),
        row_, slice_};
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return voxels_.size(); }

  std::vector<Triple> tiles;  ///< to be loaded from the voxels

  /// Beyond the volume its last voxel stands again.
  void repeat_ends() {
    const auto there = [this](std::size_t i) {
      return static_cast<std::size_t>(std::min(count_[i], size_[i] - begin_[i]));
    };
    for (std::size_t z = 0; z < there(2); ++z) {
      for (std::size_t y = 0; y < there(1); ++y) {
        std::uint8_t* const row = &voxels_[z * slice_ + y * row_];
        std::memset(row + there(0), row[there(0) - 1], row_ - there(0));
      }
      std::uint8_t* const slice = &voxels_[z * slice_];
      for (std::size_t y = there(1); y < static_cast<std::size_t>(count_[1]); ++y)
        std::memcpy(slice + y * row_, slice + (there(1) - 1) * row_, row_);
    }
    for (std::size_t z = there(2); z < static_cast<std::size_t>(count_[2]); ++z)
      std::memcpy(&voxels_[z * slice_], &voxels_[(there(2) - 1) * slice_], slice_);
  }

 private:
  [[nodiscard]] std::size_t place_of(const Triple& voxel) const noexcept {
    return static_cast<std::size_t>(voxel[2] - begin_[2]) * slice_ +
           static_cast<std::size_t>(voxel[1] - begin_[1]) * row_ +
           static_cast<std::size_t>(voxel[0] - begin_[0]);
  }

  Triple size_ = {};
  Triple begin_ = {};
  Triple count_ = {};
  Triple own_end_ = {};
  std::size_t row_ = 0;
  std::size_t slice_ = 0;
  std::vector<std::uint8_t> voxels_;
};

StagedTiles::StagedTiles() = default;
StagedTiles::~StagedTiles() = default;
StagedTiles::StagedTiles(StagedTiles&& other) noexcept = default;
StagedTiles& StagedTiles::operator=(StagedTiles&& other) noexcept = default;

std::optional<TileRun> StagedTiles::take() {
  if (runs_.empty()) return std::nullopt;
  TileRun run = std::move(runs_.back());
  runs_.pop_back();
  bytes_ -= run.bytes();
  return run;
}

void StagedTiles::add(TileRun run) {
  bytes_ += run.bytes();
  runs_.push_back(std::move(run));
}

namespace {

bool is_needed(const render::TileNeeds& needs, std::size_t tile) {
  return needs.uses[tile] == render::TileUse::needed;
}

constexpr std::size_t ahead_share = 8;  // of the tiles' memory 1/8 is left for reading ahead

/// Tiles by their memory.
struct TileCounts {
  std::size_t most = 0;      ///< There may be so many.
  std::size_t together = 0;  ///< There would be so many once those are loaded that are needed.
  /// How many tiles may be held that are not needed.
  [[nodiscard]] std::size_t room() const noexcept {
    const std::size_t rest = most - most / ahead_share;
    return rest - std::min(rest, together);
  }
};

/// `taken_bytes` of the tiles' memory have another use.
TileCounts counts_of(const render::Volume& volume, const DetailChoice& choice,
                     std::size_t taken_bytes) {
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  const std::size_t tables = tiled_bytes(volume.size(), 0) + taken_bytes;
  const std::size_t left = choice.tiles_bytes - std::min(choice.tiles_bytes, tables);
  TileCounts counts{left / render::tile_bytes, choice.tiles->count};
  for (std::size_t tile = 0; tile < loaded.size(); ++tile)
    counts.together += loaded[tile] != 0 && !is_needed(*choice.tiles, tile) ? 1U : 0U;
  return counts;
}

/// Drops tiles that are not needed as far as there are too many. Returns for how many more there is
/// room.
std::size_t make_room(render::Volume& volume, const DetailChoice& choice, std::size_t taken_bytes) {
  TileCounts counts = counts_of(volume, choice, taken_bytes);
  const std::size_t most = counts.most - counts.most / ahead_share;
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  for (std::size_t tile = 0; tile < loaded.size() && counts.together > most; ++tile) {
    if (loaded[tile] == 0 || is_needed(*choice.tiles, tile)) continue;
    volume.drop_tile(tile);
    --counts.together;
  }
  return counts.room();
}

void load_run(render::Volume& volume, const TileRun& run, int threads) {
  constexpr int piece = 256;  // tiles
  const int all = static_cast<int>(run.tiles.size());
  render::share_work((all + piece - 1) / piece, threads, [&](int i) {
    for (int k = i * piece; k < std::min((i + 1) * piece, all); ++k) {
      const Triple& at = run.tiles[static_cast<std::size_t>(k)];
      const std::size_t tile = volume.tiles()->tile_at(at[0], at[1], at[2]);
      if (volume.tiles()->loaded()[tile] == 0) volume.load_tile(tile, run.around(at));
    }
  });
}

/// Reads the runs of units whose tiles lack, from the last to the first.
class TileLoader {
 public:
  /// Takes a run, and returns whether there is room for more.
  using Take = std::function<bool(TileRun run)>;

  /// `room`: tiles that may be loaded besides the needed ones.
  TileLoader(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
             const render::Volume& volume, std::size_t room, Take take)
      : file_(file),
        choice_(choice),
        how_(how),
        volume_(volume),
        take_(std::move(take)),
        units_(choice.box, volume.tiles()->tiles(), file.info().grid(how.grid).chunk,
               how.window_bytes),
        room_(room) {}

  void load(const std::stop_token& stop) {
    for (int z = units_.count()[2] - 1; z >= 0; --z) {
      faces_in(z).clear();
      for (int y = units_.count()[1] - 1; y >= 0; --y) {
        for (int end = units_.count()[0]; end > 0;) {
          if (!lacks_any(units_.tiles_of({end - 1, y, z}))) {
            --end;
            continue;
          }
          int first = end - 1;
          while (first > 0 && units_.bytes_of(end - first + 1) <= how_.window_bytes &&
                 lacks_any(units_.tiles_of({first - 1, y, z})))
            --first;
          if (!read_run({first, y, z}, end - first, stop)) return;
          end = first;
        }
        drop_faces(z, y, 0);  // only units of the same row lie beside them along x
        if (y + 1 < units_.count()[1]) drop_faces(z, y + 1, 1);
      }
    }
  }

 private:
  using FacesOfLayer = std::unordered_map<std::size_t, Faces>;
  // Bit 1 to 7 is set where the unit's edge of that number has its voxels.
  using KnownEdges = std::uint8_t;

  void drop_faces(int z, int y, std::size_t axis) {
    for (int x = 0; x < units_.count()[0]; ++x) {
      const auto found = faces_in(z).find(units_.number_of({x, y, z}));
      if (found != faces_in(z).end()) found->second.drop(axis);
    }
  }
  [[nodiscard]] FacesOfLayer& faces_in(int z) { return faces_[static_cast<std::size_t>(z & 1)]; }
  [[nodiscard]] std::size_t tile_at(const Triple& tile) const {
    return volume_.tiles()->tile_at(tile[0], tile[1], tile[2]);
  }
  [[nodiscard]] bool is_loaded(const Triple& tile) const {
    return volume_.tiles()->loaded()[tile_at(tile)] != 0;
  }
  [[nodiscard]] bool is_lacking(const Triple& tile) const {
    return choice_.tiles->uses[tile_at(tile)] == render::TileUse::needed && !is_loaded(tile);
  }
  [[nodiscard]] bool lacks_any(const Span& tiles) const {
    return any_of(tiles, [this](const Triple& tile) { return is_lacking(tile); });
  }

  void read(const Span& voxels, const render::VoxelTarget& into, const std::stop_token& stop) {
    render::GridBox box;
    for (std::size_t i = 0; i < 3; ++i) {
      box.begin[i] = choice_.box.begin[i] + voxels.begin[i];
      box.end[i] = choice_.box.begin[i] + voxels.end[i];
    }
    file_.read_box(how_.grid, how_.timestep, box, into, stop);
  }

  template <typename Voxel>
  const Faces& keep_faces(const Triple& unit, Voxel&& voxel) {
    const Span own = units_.voxels_of(unit);
    const Triple size = {own.end[0] - own.begin[0], own.end[1] - own.begin[1],
                         own.end[2] - own.begin[2]};
    return faces_in(unit[2])
        .insert_or_assign(units_.number_of(unit), Faces(size, voxel))
        .first->second;
  }

  /// Returns whether to go on.
  bool read_run(const Triple& first, int count, const std::stop_token& stop) {
    TileRun run(units_, first, count);
    read(run.own(), run.target(), stop);
    if (stop.stop_requested()) return false;
    std::vector<KnownEdges> known(static_cast<std::size_t>(count));
    for (int i = count - 1; i >= 0; --i) {
      const Triple unit = {first[0] + i, first[1], first[2]};
      const Triple begin = units_.voxels_of(unit).begin;
      keep_faces(unit, [&](const Triple& at) {
        return run.at({begin[0] + at[0], begin[1] + at[1], begin[2] + at[2]});
      });
      known[static_cast<std::size_t>(i)] = add_edges(unit, i > 0, i + 1 < count, run, stop);
      if (stop.stop_requested()) return false;
    }
    run.repeat_ends();
    for (int i = 0; i < count; ++i)
      add_tiles({first[0] + i, first[1], first[2]},
                std::span(known).subspan(static_cast<std::size_t>(i)), run.tiles);
    return take_(std::move(run));
  }

  /// The unit's tiles at the edge; those before it along x read the same voxels.
  [[nodiscard]] Span tiles_at(const Triple& unit, int edge, bool with_one_before) const {
    Span tiles = units_.tiles_of(unit);
    for (std::size_t i = 0; i < 3; ++i)
      if (goes_along(edge, i)) tiles.begin[i] = tiles.end[i] - 1;
    if (with_one_before && !goes_along(edge, 0)) --tiles.begin[0];
    return tiles;
  }

  /// Sets the voxels beyond the unit's ends, as far as tiles that lack need them or they are at
  /// hand. `has_before`, `has_next`: the run has a unit before and after it.
  KnownEdges add_edges(const Triple& unit, bool has_before, bool has_next, TileRun& voxels,
                       const std::stop_token& stop) {
    unsigned known = 0;
    for (int edge = 1; edge <= edges && !stop.stop_requested(); ++edge) {
      const bool is_in_run = goes_along(edge, 0) && has_next;  // then it is an edge of that unit
      const Triple other = sum(unit, edge);
      const bool is_known =
          is_in_run || !units_.has(other) || add_edge(other, edge, voxels) ||
          (lacks_any(tiles_at(unit, edge, has_before)) && read_edge(other, edge, voxels, stop));
      known |= is_known ? 1U << edge : 0U;
    }
    return static_cast<KnownEdges>(known);
  }

  /// The voxels of unit `other` that are beyond the edge of the one before it.
  [[nodiscard]] Span voxels_at(const Triple& other, int edge) const {
    Span span = units_.voxels_of(other);
    for (std::size_t i = 0; i < 3; ++i)
      if (goes_along(edge, i)) span.end[i] = span.begin[i] + 1;
    return span;
  }

  void copy_faces(const Faces& faces, const Triple& other, int edge, TileRun& voxels) const {
    const Triple begin = units_.voxels_of(other).begin;
    any_of(voxels_at(other, edge), [&](const Triple& at) {
      voxels.at(at) = faces.at({at[0] - begin[0], at[1] - begin[1], at[2] - begin[2]});
      return false;
    });
  }

  /// Takes them from what was read, or from tiles that are loaded. Returns whether that could be.
  bool add_edge(const Triple& other, int edge, TileRun& voxels) {
    const FacesOfLayer& layer = faces_in(other[2]);
    if (const auto found = layer.find(units_.number_of(other)); found != layer.end()) {
      copy_faces(found->second, other, edge, voxels);
      return true;
    }
    Span tiles = units_.tiles_of(other);
    for (std::size_t i = 0; i < 3; ++i)
      if (goes_along(edge, i)) tiles.end[i] = tiles.begin[i] + 1;
    if (any_of(tiles, [this](const Triple& tile) { return !is_loaded(tile); })) return false;
    any_of(voxels_at(other, edge), [&](const Triple& at) {
      voxels.at(at) = volume_.tiles()->voxel(at[0], at[1], at[2]);
      return false;
    });
    return true;
  }

  bool read_edge(const Triple& other, int edge, TileRun& voxels, const std::stop_token& stop) {
    TileRun whole(units_, other, 1);
    read(whole.own(), whole.target(), stop);
    if (stop.stop_requested()) return false;
    const Triple begin = units_.voxels_of(other).begin;
    const Faces& faces = keep_faces(other, [&](const Triple& at) {
      return whole.at({begin[0] + at[0], begin[1] + at[1], begin[2] + at[2]});
    });
    copy_faces(faces, other, edge, voxels);
    return true;
  }

  /// Adds the unit's tiles that lack, and such as the picture does not see while there is room.
  /// `known`: the unit's edges, and those of the next one where the run has it.
  void add_tiles(const Triple& unit, std::span<const KnownEdges> known,
                 std::vector<Triple>& tiles) {
    const Span span = units_.tiles_of(unit);
    any_of(span, [&](const Triple& tile) {
      const std::size_t number = tile_at(tile);
      const render::TileUse use = choice_.tiles->uses[number];
      if (use == render::TileUse::nothing || is_loaded(tile)) return false;
      if (use == render::TileUse::unseen) {
        if (room_ == 0 || !has_edges(tile, span, known)) return false;
        --room_;
      }
      tiles.push_back(tile);
      return false;
    });
  }

  /// Whether the voxels beyond the tile's ends are known.
  [[nodiscard]] static bool has_edges(const Triple& tile, const Span& unit,
                                      std::span<const KnownEdges> known) {
    int at = 0;  // the axes along which it is the last tile of its unit
    for (std::size_t i = 0; i < 3; ++i) at |= tile[i] + 1 == unit.end[i] ? 1 << i : 0;
    for (int edge = 1; edge <= edges; ++edge) {
      if ((edge & ~at) != 0) continue;
      if ((known[0] >> edge & 1) == 0) return false;
      const int of_next = edge & ~1;  // beyond the next unit's end along y or z
      if ((edge & 1) != 0 && of_next != 0 && known.size() > 1 && (known[1] >> of_next & 1) == 0)
        return false;
    }
    return true;
  }

  render::VoxelReader& file_;
  const DetailChoice& choice_;
  const TileLoading& how_;
  const render::Volume& volume_;
  const Take take_;
  const Units units_;
  std::size_t room_;                   // tiles that may be loaded besides the needed ones
  std::array<FacesOfLayer, 2> faces_;  // of the units that were read in this layer and the next
};

}  // namespace

void load_tiles(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
                render::Volume& volume, StagedTiles staged, const std::stop_token& stop) {
  make_room(volume, choice, staged.bytes());
  while (const std::optional<TileRun> run = staged.take()) load_run(volume, *run, how.threads);
  const std::size_t room = make_room(volume, choice, 0);
  TileLoader(file, choice, how, volume, room, [&](const TileRun& run) {
    load_run(volume, run, how.threads);
    return true;
  }).load(stop);
}

StagedTiles stage_tiles(render::VoxelReader& file, const DetailChoice& choice,
                        const TileLoading& how, const render::Volume& volume,
                        std::size_t most_bytes, const std::stop_token& stop) {
  StagedTiles staged;
  // While the staged tiles are loaded, all needed ones have room beside them.
  const std::size_t needed = tiled_bytes(volume.size(), choice.tiles->count);
  const std::size_t most =
      std::min(most_bytes, choice.tiles_bytes - std::min(choice.tiles_bytes, needed));
  if (most < how.window_bytes) return staged;
  try {
    TileLoader(file, choice, how, volume, counts_of(volume, choice, 0).room(), [&](TileRun run) {
      staged.add(std::move(run));
      return staged.bytes() + how.window_bytes <= most;
    }).load(stop);
  } catch (const std::exception&) {  // load_tiles() meets it again, and tells it
  }
  return staged;
}

}  // namespace tilewall::volume
