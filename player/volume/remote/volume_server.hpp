// The volumes of `tilewall serve`. Boxes of voxels are read when a client requests them. Each open
// volume has a reader process; a few volumes are open at the same time.
//
// Threads: any, several at once. A reader process dies with the thread that opened it, so the
// calling threads must live as long as this object is used.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "net/slab/recent_answers.hpp"
#include "net/slab/slab_server.hpp"
#include "player/volume/remote/box_request.hpp"
#include "player/volume/remote/volume_places.hpp"
#include "render/readers/volume_file.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

class VolumeServer final : public net::SlabSource {
 public:
  struct Limits {
    std::size_t open_volumes = 8;
    std::size_t answer_bytes = std::size_t{512} << 20;  ///< limit for all answers in memory
    std::size_t kept_bytes = std::size_t{128} << 20;    ///< the part kept for equal requests
    render::ReaderLimits reader{.window_bytes = largest_box_bytes};
  };

  explicit VolumeServer(const std::vector<std::filesystem::path>& places);
  VolumeServer(const std::vector<std::filesystem::path>& places, const Limits& limits);
  explicit VolumeServer(std::vector<VolumeExport> exports);
  ~VolumeServer() override;

  /// Answers a JSON message; blocks, and throws InputError for one that it cannot answer.
  /// {"type": "list"} -> {"volumes": [{"name"} or {"name", "format", "size_voxels", "type",
  /// "timesteps"}], "left_out": n}: volumes that were not opened within 3 s have only their name.
  /// {"type": "open", "name", "options"} -> {"volume": a VolumeInfo}.
  /// {"type": "range", "name", "options"} -> {"range": [least, greatest] or null}: the range of the
  /// first timestep's values; null if there are none. Lists and ranges are kept for some seconds.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::uint64_t answer_bytes(std::span<const std::byte> request) override;
  /// Answers a BoxRequest; blocks. Throws InputError for bytes that are none.
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

  /// Serves only these volumes from now on. Others are closed when requests under way have ended.
  void replace(std::vector<VolumeExport> exports);

  [[nodiscard]] bool has(const std::string& name) const { return places()->find(name).has_value(); }
  [[nodiscard]] std::vector<std::string> names(std::size_t most) const {
    return places()->list(most);
  }

 private:
  struct Open;
  using OpenPtr = std::shared_ptr<Open>;
  class Turn;
  class Loan;
  using Answer = std::shared_ptr<const net::SlabBuffer>;
  struct Kept {
    std::vector<std::byte> request;
    Answer answer;
    LocalInstant since;
  };

  [[nodiscard]] nlohmann::json list();
  [[nodiscard]] nlohmann::json open(const nlohmann::json& question);
  [[nodiscard]] nlohmann::json range(const RemoteVolumeName& volume);
  [[nodiscard]] std::shared_ptr<const VolumePlaces> places() const;
  [[nodiscard]] OpenPtr open_of(const RemoteVolumeName& volume);
  void open_file(Open& open);
  /// Opens the volume of a turn. Throws InputError if the turn did not come, or the file cannot be
  /// opened.
  [[nodiscard]] Open& open_now(const Turn& turn, const RemoteVolumeName& volume);
  [[nodiscard]] Answer answer(const BoxRequest& request, std::span<const std::byte> payload);
  [[nodiscard]] Answer read_voxels(Open& open, const BoxRequest& request);
  static void read_voxels(Open& open, const BoxRequest& request, std::span<std::byte> into);
  [[nodiscard]] static bool ranges_for(Open& open, const BoxRequest& request);
  [[nodiscard]] Answer find_kept(std::span<const std::byte> payload);
  void keep(const Open& open, std::span<const std::byte> payload, Answer answer);
  void drop_kept(std::size_t down_to_bytes);

  const Limits limits_;
  net::SlabPool pool_{std::size_t{32} << 20};
  std::atomic<std::size_t> lent_{0};  // bytes of all answers in memory, with kept ones
  net::RecentAnswers answers_{std::chrono::seconds(5)};  // lists and ranges
  mutable std::mutex mutex_;
  std::shared_ptr<const VolumePlaces> places_;  // guarded by mutex_
  std::condition_variable turned_;              // notified when a turn ends
  std::list<OpenPtr> open_;                     // guarded by mutex_; the last one used first
  std::deque<Kept> kept_;                       // guarded by mutex_; the newest one last
};

}  // namespace tilewall::volume
