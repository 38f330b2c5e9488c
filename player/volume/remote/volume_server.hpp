// What `tilewall serve` gives of volumes: boxes of voxels, read as they are asked for. Each volume
// that is open has a reader process of its own; a few are open at once.
//
// Threads: any, several at once. Readers die with the thread that opened them: those that call this
// stay as long as it is asked.
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
    std::size_t answer_bytes = std::size_t{512} << 20;  ///< of voxels that clients have not all got
    std::size_t kept_bytes = std::size_t{128} << 20;    ///< of them, for the next who asks the same
    render::ReaderLimits reader{.window_bytes = largest_box_bytes};
  };

  explicit VolumeServer(const std::vector<std::filesystem::path>& places);
  VolumeServer(const std::vector<std::filesystem::path>& places, const Limits& limits);
  explicit VolumeServer(std::vector<VolumeExport> exports);
  ~VolumeServer() override;

  /// {"type": "list"} -> {"volumes": [{"name"} or {"name", "format", "size_voxels", "type",
  /// "timesteps"}], "left_out": n}: what is found within a few seconds has all of it.
  /// {"type": "open", "name", "options"} -> {"volume": a VolumeInfo}.
  /// {"type": "range", "name", "options"} -> {"range": [least, greatest] or null}: of the first
  /// timestep.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

  /// Gives these from now on, and nothing else; what is not among them is closed once it is read.
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
  [[nodiscard]] nlohmann::json range(const nlohmann::json& question);
  [[nodiscard]] std::shared_ptr<const VolumePlaces> places() const;
  [[nodiscard]] OpenPtr open_of(const RemoteVolumeName& volume);
  void open_file(Open& open);
  /// For whoever has that turn. Throws InputError where it came to none.
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
  std::atomic<std::size_t> lent_{0};  // bytes of answers with voxels, kept ones too
  std::atomic<bool> is_listing_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<const VolumePlaces> places_;  // guarded by mutex_
  std::condition_variable turned_;              // a volume is free again
  std::list<OpenPtr> open_;                     // guarded by mutex_; the one used last in front
  std::deque<Kept> kept_;                       // guarded by mutex_; the newest at the end
};

}  // namespace tilewall::volume
