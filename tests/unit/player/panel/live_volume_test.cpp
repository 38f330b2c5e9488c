// Timesteps of a live volume on a panel, with a host's caster made up.

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "net/local_socket.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/player/panel/live_panel.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using test::live_scene;
using test::live_start;
using test::LivePanel;

namespace {

std::span<const std::byte> packet_of_live(const auto& message) {
  return std::as_bytes(std::span(&message, 1));
}

/// A host service with one caster, which leaves the panel's memory as it is.
class LiveHost {
 public:
  /// A still picture is drawn coarse first, and finer data are being read.
  std::atomic<bool> is_coarse{false};
  /// Even a picture that waits for finer data is drawn coarse.
  std::atomic<bool> stays_coarse{false};
  /// The caster does not have the timesteps from this one on.
  std::atomic<std::int64_t> refused_from{INT64_MAX};
  std::atomic<int> refused{0};  ///< requests that it has refused

  [[nodiscard]] std::filesystem::path socket() const { return folder_ / "service"; }

 private:
  void serve(const std::stop_token& stop) {
    UniqueFd panel;
    UniqueFd caster;
    while (!stop.stop_requested()) {
      pollfd waiting[] = {
          {listening_.get(), POLLIN, 0}, {panel.get(), POLLIN, 0}, {caster.get(), POLLIN, 0}};
      ::poll(waiting, 3, 20);
      if (waiting[2].revents != 0) take(caster);
      if (waiting[1].revents != 0) grant(panel, caster);
      if (waiting[0].revents != 0) panel = net::accept_local(listening_.get());
    }
  }

  /// Gives the panel one end of a new connection, and the caster the other one.
  static void grant(UniqueFd& panel, UniqueFd& caster) {
    std::array<std::byte, 4096> request{};
    if (net::receive_packet(panel.get(), request).status == net::PacketStatus::closed)
      return panel.reset();
    std::array<int, 2> ends = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
      return;
    caster = UniqueFd(ends[0]);
    const UniqueFd panels_end(ends[1]);
    volume::CasterGrant granted;
    granted.granted = 1;
    static_cast<void>(net::send_packet(panel.get(), packet_of_live(granted), panels_end.get()));
  }

  void take(UniqueFd& caster) {
    std::array<std::byte, sizeof(volume::CastMessage)> bytes{};
    const net::ReceivedPacket packet = net::receive_packet(caster.get(), bytes);
    if (packet.status == net::PacketStatus::closed) return caster.reset();
    const std::span<const std::byte> text(bytes.data(), packet.bytes);
    volume::CastAnswer answer;
    if (const auto opened = volume::decode_open(text))
      answer.number = *opened;
    else if (const auto request = volume::decode_cast(text, SIZE_MAX))
      answer = answer_to(*request);
    else
      return;
    static_cast<void>(net::send_packet(caster.get(), packet_of_live(answer)));
  }

  volume::CastAnswer answer_to(const volume::CastMessage& request) {
    volume::CastAnswer answer;
    answer.number = request.number;
    if (request.timestep >= refused_from) {
      answer.status = volume::CastStatus::refused;
      ++refused;
    }
    const bool waits = request.detail == volume::CastDetail::awaited;
    if (stays_coarse || (is_coarse && !waits)) answer.finer = volume::FinerDetail::comes;
    return answer;
  }

  const test::TemporaryFolder folder_;
  const UniqueFd listening_{net::listen_local(socket())};
  std::jthread server_{[this](const std::stop_token& stop) { serve(stop); }};
};

/// The panel of a live volume.
struct LiveVolume {
  [[nodiscard]] LiveStep step(std::uint64_t number, std::int64_t shown, std::int64_t next,
                              GlobalInstant from = never) const {
    return {source->path, number, shown, next, from};
  }
  [[nodiscard]] Scene scene(std::uint64_t version, std::uint64_t epoch) const {
    return live_scene(version, epoch, source);
  }

  static SourcePtr volume() {
    volume::VolumeJob job;
    job.path = "live:count";
    job.memory_bytes = 1 << 20;
    SourceSpec spec = *volume_region("main").source;
    spec.path = volume::to_text(job);
    spec.live = true;
    return std::make_shared<const SourceSpec>(std::move(spec));
  }

  const SourcePtr source = volume();
  LiveHost host;
};

}  // namespace

TEST_CASE("a better picture of a live timestep is not shown before the timestep's instant",
          "[panel][live]") {
  LiveVolume live;
  LivePanel panel(live.scene(1, 1), {.service = live.host.socket()});
  CHECK(panel.next_picture().frame == no_timestep);
  live.host.stays_coarse = true;
  panel.scenes.set_live(live.step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  const GlobalInstant from = live_start + std::chrono::seconds(10);
  panel.scenes.set_live(live.step(2, no_timestep, 7, from));
  for (const char* const which : {"coarse", "finer"}) {
    CAPTURE(which);
    const DecodedPicture picture = panel.next_picture();
    CHECK(picture.frame == 7);
    CHECK(picture.not_before == from);
    live.host.stays_coarse = false;
  }
}

TEST_CASE("a finer picture of an earlier timestep does not come back", "[panel][live]") {
  LiveVolume live;
  live.host.is_coarse = true;
  Scene scene = live.scene(1, 1);
  scene.detail_from = never;  // as on a wall of several hosts
  LivePanel panel(scene, {.buffers = 3, .service = live.host.socket()});
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(live.step(1, no_timestep, 40, live_start));
  CHECK(panel.next_picture().frame == 40);
  scene.version = 2;
  scene.epoch = 2;
  panel.set(scene);
  CHECK(panel.next_picture().frame == 40);
  const auto is_in = [&](DetailState state) {
    return test::eventually([&] {
      const DetailReport report = panel.decoder->detail();
      return report.epoch == 2 && report.state == state;
    });
  };
  REQUIRE(is_in(DetailState::ready));  // the finer picture waits
  panel.scenes.set_live(live.step(2, 40, 41));
  REQUIRE(panel.draws(2));
  panel.scenes.set_live(live.step(3, 40, 41, live_start));
  CHECK(panel.next_picture().frame == 41);
  CHECK(is_in(DetailState::none));
  scene.version = 3;
  scene.detail_from = live_start;
  panel.set(scene);
  panel.scenes.set_live(live.step(4, 41, 42));
  REQUIRE(panel.draws(4));
  panel.scenes.set_live(live.step(5, 41, 42, live_start));
  CHECK(panel.next_picture().frame == 42);
  CHECK(panel.ring.ready() == 0);
}
