// Timesteps of a live volume on a panel, with a host's caster made up.

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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
  /// The caster takes `slowness` for the timesteps from this one on, unless it gets another
  /// request.
  std::atomic<std::int64_t> slow_from{INT64_MAX};
  static constexpr std::chrono::milliseconds slowness{2470};
  /// The caster is gone, and the service starts no other one.
  std::atomic<bool> rests{false};
  std::atomic<int> refused{0};  ///< requests that the caster or the service has refused

  /// The text for the label in the last request for this timestep; "" where there was none.
  std::string note_of(std::int64_t timestep) {
    const std::scoped_lock lock(mutex_);
    return notes_[timestep];
  }

  [[nodiscard]] std::filesystem::path socket() const { return folder_ / "service"; }

 private:
  void serve(const std::stop_token& stop) {
    UniqueFd panel;
    UniqueFd caster;
    while (!stop.stop_requested()) {
      pollfd waiting[] = {
          {listening_.get(), POLLIN, 0}, {panel.get(), POLLIN, 0}, {caster.get(), POLLIN, 0}};
      ::poll(waiting, 3, 20);
      if (rests) caster.reset();
      if (late_ && local_now() >= late_->second)
        send(caster, std::exchange(late_, std::nullopt)->first);
      if (waiting[2].revents != 0 && !rests) take(caster);
      if (waiting[1].revents != 0) grant(panel, caster);
      if (waiting[0].revents != 0) panel = net::accept_local(listening_.get());
    }
  }

  /// Gives the panel one end of a new connection, and the caster the other one.
  void grant(UniqueFd& panel, UniqueFd& caster) {
    std::array<std::byte, 4096> request{};
    if (net::receive_packet(panel.get(), request).status == net::PacketStatus::closed)
      return panel.reset();
    volume::CasterGrant granted;
    if (rests) {
      ++refused;
      static_cast<void>(net::send_packet(panel.get(), packet_of_live(granted)));
      return;
    }
    std::array<int, 2> ends = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
      return;
    caster = UniqueFd(ends[0]);
    const UniqueFd panels_end(ends[1]);
    granted.granted = 1;
    static_cast<void>(net::send_packet(panel.get(), packet_of_live(granted), panels_end.get()));
  }

  void take(UniqueFd& caster) {
    std::array<std::byte, sizeof(volume::CastMessage)> bytes{};
    const net::ReceivedPacket packet = net::receive_packet(caster.get(), bytes);
    if (packet.status == net::PacketStatus::closed) return caster.reset();
    const std::span<const std::byte> text(bytes.data(), packet.bytes);
    const auto opened = volume::decode_open(text);
    const auto request = volume::decode_cast(text, SIZE_MAX);
    volume::CastAnswer answer;
    if (opened) answer.number = *opened;
    if (request) answer = answer_to(*request);
    late_.reset();
    if (request && request->timestep >= slow_from)
      late_.emplace(answer, local_now() + slowness);
    else if (opened || request)
      send(caster, answer);
  }

  static void send(const UniqueFd& caster, const volume::CastAnswer& answer) {
    static_cast<void>(net::send_packet(caster.get(), packet_of_live(answer)));
  }

  volume::CastAnswer answer_to(const volume::CastMessage& request) {
    {
      const std::scoped_lock lock(mutex_);
      notes_[request.timestep] = volume::note_of(request);
    }
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
  std::mutex mutex_;
  std::map<std::int64_t, std::string> notes_;  // guarded by mutex_; by timestep
  // The answer to the newest request, and when it is sent.
  std::optional<std::pair<volume::CastAnswer, LocalInstant>> late_;
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
    Scene scene = live_scene(version, epoch, source);
    scene.regions[0].look = usual_look(*source, scene.regions[0].canvas_px);
    return scene;
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

TEST_CASE("the caster is told what the label says of each timestep", "[panel][live]") {
  LiveVolume live;
  LivePanel panel(live.scene(1, 1), {.service = live.host.socket()});
  CHECK(panel.next_picture().frame == no_timestep);
  LiveStep step = live.step(1, no_timestep, 7);
  step.next_note = "age 1 s";
  panel.scenes.set_live(step);
  REQUIRE(panel.draws(1));
  CHECK(live.host.note_of(7) == "age 1 s");
  step = live.step(2, 7, 8);
  step.shown_note = "age 1 s";
  step.next_note = "age 2 s";
  panel.scenes.set_live(step);
  REQUIRE(panel.draws(2));
  CHECK(live.host.note_of(7) == "age 1 s");
  CHECK(live.host.note_of(8) == "age 2 s");
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

TEST_CASE("a timestep that the host's caster does not have is not drawn", "[panel][live]") {
  const bool is_gone = GENERATE(false, true);  // otherwise the caster refuses it
  const bool goes_on = GENERATE(false, true);  // the wall shows it without this panel
  CAPTURE(is_gone, goes_on);
  LiveVolume live;
  LivePanel panel(live.scene(1, 1), {.service = live.host.socket()});
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(live.step(1, no_timestep, 40, live_start));
  CHECK(panel.next_picture().frame == 40);
  if (is_gone)
    live.host.rests = true;
  else
    live.host.refused_from = 41;
  panel.scenes.set_live(live.step(2, 40, 41));
  // The panel asks again and again, with pauses.
  REQUIRE(test::eventually([&] { return live.host.refused >= 3; }));
  CHECK(panel.take_drawn().empty());
  const GlobalInstant from = live_start + std::chrono::seconds(10);
  if (!goes_on) {
    live.host.refused_from = INT64_MAX;
    live.host.rests = false;
    REQUIRE(panel.draws(2));
    CHECK(panel.ring.ready() == 0);
    panel.scenes.set_live(live.step(3, 40, 41, from));
  } else {
    const int before = live.host.refused;
    panel.scenes.set_live(live.step(3, 40, 41, from));
    REQUIRE(test::eventually([&] { return live.host.refused >= before + 3; }));
    CHECK(panel.ring.ready() == 0);
    live.host.refused_from = INT64_MAX;
    live.host.rests = false;
  }
  const DecodedPicture picture = panel.next_picture();
  CHECK(picture.frame == 41);
  CHECK(picture.damage == FrameDamage::none);
  CHECK(picture.not_before == from);
}

TEST_CASE("a damaged picture beside it does not hold up a live timestep", "[panel][live]") {
  LiveVolume damaged;
  damaged.host.refused_from = 0;
  Scene scene = live_scene(1, 1);
  SourceSpec stored = *damaged.source;
  stored.live = false;
  scene.regions.push_back(movie_region("beside", std::make_shared<const SourceSpec>(stored)));
  scene.regions[1].canvas_px = {0, 0, 100, 100};
  scene.regions[1].timeline = scene.regions[0].timeline;
  LivePanel panel(scene, {.service = damaged.host.socket()});
  const DecodedPicture first = panel.next_picture();
  CHECK(first.frame == no_timestep);
  CHECK(first.damage != FrameDamage::none);
  panel.scenes.set_live({"count", 1, no_timestep, 7});
  CHECK(panel.draws(1));
}

TEST_CASE("a timestep that takes longer than other regions wait is drawn once it is there",
          "[panel][live]") {
  LiveVolume live;
  Scene scene = live.scene(1, 1);
  SourceSpec pattern = *test::live_pattern();
  pattern.live = false;
  scene.regions.push_back(movie_region("beside", std::make_shared<const SourceSpec>(pattern)));
  scene.regions[1].canvas_px = {0, 0, 100, 100};
  scene.regions[1].timeline = scene.regions[0].timeline;
  LivePanel panel(scene, {.service = live.host.socket()});
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(live.step(1, no_timestep, 40, live_start));
  CHECK(panel.next_picture().frame == 40);
  live.host.slow_from = 41;
  panel.scenes.set_live(live.step(2, 40, 41));
  CHECK(panel.draws(2));
  CHECK(panel.ring.ready() == 0);
}
