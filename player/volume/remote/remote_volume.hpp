// A volume on a server, read box by box. While the server is gone a read waits for it, and
// trouble() says so.
//
// Threads: as a VoxelReader; the session's own thread receives.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "net/slab/remote_url.hpp"
#include "player/volume/remote/box_request.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

struct RemoteVolumeOptions {
  render::VolumeOptions volume;                            ///< what of it
  std::size_t window_bytes = std::size_t{32} << 20;        ///< of voxels on their way here, at most
  const char* key_variable = net::stream_secret_variable;  ///< environment variable with the key
};

class RemoteVolume final : public render::VoxelReader {
 public:
  /// `url`: tilewall://HOST[:PORT]/NAME. Throws InputError where the server has no such volume, or
  /// refuses it; JobError where nobody answers.
  explicit RemoteVolume(const std::string& url, const RemoteVolumeOptions& options = {});
  ~RemoteVolume() override;

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const render::VolumeInfo& info() const noexcept override { return info_; }
  /// Whether the server has another volume under the name by now.
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
  /// What came for one of the boxes that `whole` is asked for in.
  using Place = std::function<void(const render::GridBox& box, std::span<const std::byte> bytes)>;
  enum class Fetched { all, unknown, stopped };
  [[nodiscard]] Fetched fetch(const BoxRequest& whole, const std::array<int, 3>& unit,
                              std::size_t most, const Place& place, const std::stop_token& stop);
  [[nodiscard]] std::size_t usual_piece_bytes() const noexcept;
  [[nodiscard]] std::size_t piece_bytes(const render::VolumeGrid& grid) const noexcept;
  void note_trouble(bool waits);

  const RemoteVolumeName volume_;
  const std::string server_;  ///< "tilewall://HOST:PORT/", for messages
  const std::string path_;
  const std::size_t window_bytes_;
  std::shared_ptr<net::SlabClient> client_;
  render::VolumeInfo info_;
  std::uint64_t read_bytes_ = 0;
  Work work_;  ///< the server's unpacking counts as the file's time
  bool lost_ = false;
  mutable std::mutex mutex_;
  bool waits_ = false;  // guarded by mutex_: for the server
};

/// The least and greatest value of the first timestep, which the server looks for. Throws as
/// RemoteVolume does.
[[nodiscard]] render::ValueRange remote_value_range(const std::string& url,
                                                    const render::VolumeOptions& options);

}  // namespace tilewall::volume
