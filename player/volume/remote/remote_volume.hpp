// A volume on a server, read box by box. While the server is gone, a read waits for it, and
// trouble() has a line about that.
//
// Threads: one owner, except for trouble(). The session has a thread that receives.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "net/slab/remote_url.hpp"
#include "player/volume/remote/box_request.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

struct RemoteVolumeOptions {
  render::VolumeOptions volume;                      ///< the part of the volume that is read
  std::size_t window_bytes = std::size_t{32} << 20;  ///< limit for voxels that are in flight
  net::ServerParty party = net::ServerParty::outside;
};

class RemoteVolume final : public render::VoxelReader {
 public:
  /// Opens `url`, which is tilewall://HOST[:PORT]/NAME. Throws InputError if the server does not
  /// have the volume or cannot open it, JobError if no server answers.
  explicit RemoteVolume(const std::string& url, const RemoteVolumeOptions& options = {});
  ~RemoteVolume() override;

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const render::VolumeInfo& info() const noexcept override { return info_; }
  /// Whether the server has another volume under this name by now.
  [[nodiscard]] bool is_lost() const noexcept override { return lost_; }
  void read_box(int grid, int timestep, const render::GridBox& box, const render::VoxelTarget& into,
                const std::stop_token& stop = {}) override;
  [[nodiscard]] std::optional<render::CellPairs> read_cells(
      int grid, int timestep, const std::stop_token& stop = {}) override;
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return window_bytes_; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return read_bytes_; }
  [[nodiscard]] Work work() const noexcept override { return work_; }
  [[nodiscard]] std::string trouble() const override;

 private:
  class Fetch;
  /// Stores the voxels or cells of one piece.
  using Place = std::function<void(const render::GridBox& box, std::span<const std::byte> bytes)>;
  enum class Fetched { all, unknown, stopped };
  [[nodiscard]] Fetched fetch(const BoxRequest& whole, const std::array<int, 3>& unit,
                              std::size_t most, const Place& place, const std::stop_token& stop);
  [[nodiscard]] std::size_t usual_piece_bytes() const noexcept;
  [[nodiscard]] std::size_t piece_bytes(const render::VolumeGrid& grid) const noexcept;
  void note_trouble(bool waits);

  const RemoteVolumeName volume_;
  const std::string server_;  // "tilewall://HOST:PORT/", for messages
  const std::string path_;
  const std::size_t window_bytes_;
  std::shared_ptr<net::SlabClient> client_;
  render::VolumeInfo info_;
  std::uint64_t read_bytes_ = 0;
  Work work_;  // the server's unpacking is part of file_ns
  bool lost_ = false;
  mutable std::mutex mutex_;
  bool waits_ = false;  // guarded by mutex_; a read waits for a server that is gone
};

/// What a server has found in the first timestep of a volume.
struct RemoteValues {
  render::ValueRange range{1, 0};            ///< empty: no voxel has a value
  std::optional<std::int64_t> not_positive;  ///< values of 0 and below; empty: not told
};

/// Asks the server about the values of the first timestep, all of which it looks at. Blocks for up
/// to 130 s. Throws what RemoteVolume's constructor throws.
[[nodiscard]] RemoteValues remote_values(const std::string& url,
                                         const render::VolumeOptions& options);

}  // namespace tilewall::volume
