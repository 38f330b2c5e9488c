// What a panel shows and counts of a volume, with a caster made up.

#include "player/volume/volume_source.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "net/local_socket.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::volume;
using picture::DrawStatus;

namespace {

std::span<const std::byte> packet_of(const auto& message) {
  return std::as_bytes(std::span(&message, 1));
}

/// A host service with one caster. It fills each picture with one level and sends `answer`.
class FakeHost {
 public:
  FakeHost() : listening_(net::listen_local(socket())) {
    server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  [[nodiscard]] std::filesystem::path socket() const { return folder_ / "service"; }

  void answer_with(const CastAnswer& answer, std::uint8_t level) {
    const std::scoped_lock lock(mutex_);
    answer_ = answer;
    level_ = level;
  }
  [[nodiscard]] CastMessage asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  [[nodiscard]] int styles() const { return styles_; }
  [[nodiscard]] int memories() const { return memories_; }

 private:
  void serve(const std::stop_token& stop) {
    UniqueFd panel;
    UniqueFd caster;
    while (!stop.stop_requested()) {
      pollfd waiting[] = {
          {listening_.get(), POLLIN, 0}, {panel.get(), POLLIN, 0}, {caster.get(), POLLIN, 0}};
      ::poll(waiting, 3, 20);
      if (waiting[2].revents != 0) answer(caster);
      if (waiting[1].revents != 0) grant(panel, caster);
      if (waiting[0].revents != 0) panel = net::accept_local(listening_.get());
    }
  }

  /// Gives a panel that asks for a caster the other end of a new connection.
  static void grant(UniqueFd& panel, UniqueFd& caster) {
    std::array<std::byte, 4096> request{};
    if (net::receive_packet(panel.get(), request).status == net::PacketStatus::closed)
      return panel.reset();
    std::array<int, 2> ends = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
      return;
    caster = UniqueFd(ends[0]);
    const UniqueFd others(ends[1]);
    CasterGrant granted;
    granted.granted = 1;
    static_cast<void>(net::send_packet(panel.get(), packet_of(granted), others.get()));
  }

  void answer(UniqueFd& caster) {
    std::array<std::byte, sizeof(CastMessage)> bytes{};
    net::ReceivedPacket packet = net::receive_packet(caster.get(), bytes);
    if (packet.status == net::PacketStatus::closed) return caster.reset();
    const std::span<const std::byte> text(bytes.data(), packet.bytes);
    if (const auto number = decode_open(text)) {
      CastAnswer opened;
      opened.number = *number;
      static_cast<void>(net::send_packet(caster.get(), packet_of(opened)));
    } else if (kind_of(text) == CastMessageKind::style) {
      ++styles_;
    } else if (kind_of(text) == CastMessageKind::memory) {
      ++memories_;
      memory_ = std::move(packet.file);
    } else {
      draw(text, caster.get());
    }
  }

  void draw(std::span<const std::byte> text, int socket) {
    struct stat status = {};
    ::fstat(memory_.get(), &status);
    const auto size = static_cast<std::size_t>(status.st_size);
    const auto message = decode_cast(text, size);
    if (!message) return;
    const std::scoped_lock lock(mutex_);
    asked_ = *message;
    void* const at = ::mmap(nullptr, size, PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    std::memset(at, level_, size);
    ::munmap(at, size);
    answer_.number = message->number;
    static_cast<void>(net::send_packet(socket, packet_of(answer_)));
  }

  const test::TemporaryFolder folder_;
  const UniqueFd listening_;
  mutable std::mutex mutex_;
  CastAnswer answer_;       // guarded by mutex_
  std::uint8_t level_ = 0;  // guarded by mutex_
  CastMessage asked_;       // guarded by mutex_
  std::atomic<int> styles_{0};
  std::atomic<int> memories_{0};
  UniqueFd memory_;
  std::jthread server_;
};

/// A panel's picture of the volume: 4 x 2 pixels.
struct VolumePanel {
  static constexpr SizePx size_px{4, 2};
  FakeHost host;
  std::vector<std::string> problems;
  bool gives_up = false;
  std::optional<int> gives_up_at;  // progress
  std::unique_ptr<picture::PictureSource> source = open();
  picture::DrawParameters parameters = shown();

  std::unique_ptr<picture::PictureSource> open() {
    VolumeJob job;
    job.path = "/a.nrrd";
    job.memory_bytes = 12345;
    VolumeSourceOptions options;
    options.socket = host.socket();
    options.volume = to_text(job);
    options.name = "a.nrrd";
    options.abandon = [this] {
      return gives_up || (gives_up_at && source->volume_status()->progress == gives_up_at);
    };
    options.problem = [this](const std::string& line) { problems.push_back(line); };
    return open_volume_source(options);
  }
  static picture::DrawParameters shown() {
    scene::VolumeShot shot;
    shot.style = std::make_shared<const scene::VolumeStyle>();
    picture::DrawParameters parameters;
    parameters.keep = true;
    parameters.shot = std::make_shared<const scene::VolumeShot>(shot);
    return parameters;
  }
  struct Drawn {
    DrawStatus status;
    int level;  // of the first and the last pixel; -1 where they differ
  };
  Drawn draw(std::int64_t timestep = 3, const ImageView* last_good = nullptr) {
    source->set_parameters(parameters);
    const TestPicture picture(size_px);
    const ImageView view = picture.view();
    for (int y = 0; y < size_px.height; ++y) std::fill_n(view.row(y), 4 * size_px.width, 7);
    const DrawStatus status = source->draw(timestep, {{0, 0, 4, 2}, {0, 0, 4, 2}}, view, last_good);
    const int first = view.pixel(0, 0)[0];
    return {status, view.pixel(3, 1)[0] == first ? first : -1};
  }
  [[nodiscard]] scene::VolumeStatus status() const {
    const auto status = source->volume_status();
    REQUIRE(status);
    return *status;
  }
};

CastAnswer counted_answer() {
  CastAnswer answer;
  answer.samples = 41;
  answer.cast_ns = 1000;
  answer.style_ns = 300;
  answer.occupancy_ns = 100;
  answer.annotate_ns = 50;
  answer.beams_cpu_ns = 7;
  answer.sample_cpu_ns = 11;
  answer.gpu_ns = 13;
  answer.held_bytes = 17;
  answer.read_bytes = 19;
  answer.read_bricks = 23;
  answer.read_ns = 29;
  answer.decode_ns = 31;
  answer.cpu_ns = 37;
  answer.level = 2;
  set_line(answer, "cpu: test");
  return answer;
}

}  // namespace

TEST_CASE("a volume's costs are summed, and the caster's totals taken over", "[volume]") {
  VolumePanel panel;
  CHECK(panel.status().still.pictures == 0);
  panel.host.answer_with(counted_answer(), 99);
  for (int i = 0; i < 2; ++i) {
    const auto drawn = panel.draw();
    CHECK(drawn.status == DrawStatus::whole);
    CHECK(drawn.level == 99);
  }
  const scene::VolumeStatus status = panel.status();
  CHECK(status.style_ns == 2 * (300 - 100));
  CHECK(status.occupancy_ns == 2 * 100);
  CHECK(status.annotate_ns == 2 * 50);
  CHECK(status.cast_ns == 2 * (1000 - 300 - 50));
  CHECK(status.beams_cpu_ns == 14);
  CHECK(status.sample_cpu_ns == 22);
  CHECK(status.gpu_ns == 26);
  CHECK(status.held_bytes == 17);
  CHECK(status.limit_bytes == 12345);
  CHECK(status.read_bytes == 19);
  CHECK(status.read_bricks == 23);
  CHECK(status.read_ns == 29);
  CHECK(status.decode_ns == 31);
  CHECK(status.caster_cpu_ns == 37);
  CHECK(status.level == 2);
  CHECK(status.drawn_by == "cpu: test");
  CHECK(status.still.pictures == 2);
  CHECK(status.moving.pictures == 0);
  CHECK(status.still.p50_ns > 0);
  CHECK(status.still.p50_ns <= status.still.p95_ns);
  CHECK(status.still.p95_ns <= status.still.max_ns);
  const picture::DrawCounters& counters = panel.source->counters();
  CHECK(counters.decoded_px.load() == 2 * 4 * 2);
  CHECK(counters.decode_ns.load() == 2000);
  CHECK(counters.samples.load() == 82);
  CHECK(counters.level.load() == 2);
  CHECK(counters.damaged_frames.load() == 0);
  CHECK(panel.host.styles() == 1);  // it did not change
  CHECK(panel.host.memories() == 1);
}

TEST_CASE("times of a caster that contradict each other give no negative sums", "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.cast_ns = 20;
  answer.style_ns = 30;
  answer.occupancy_ns = 40;
  panel.host.answer_with(answer, 1);
  panel.draw();
  CHECK(panel.status().style_ns == 0);
  CHECK(panel.status().cast_ns == 0);
  CHECK(panel.status().occupancy_ns == 40);
}

TEST_CASE("only full pictures say whether a volume is blank and its detail failed", "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.blank = 1;
  answer.finer = FinerDetail::failed;
  panel.host.answer_with(answer, 1);
  panel.parameters.coarser_by = 2;
  CHECK(panel.draw().status == DrawStatus::whole);
  CHECK(panel.host.asked().coarser_by == 2);
  CHECK(panel.host.asked().detail == CastDetail::overview);
  CHECK_FALSE(panel.status().blank);
  CHECK_FALSE(panel.status().detail_failed);
  CHECK(panel.status().moving.pictures == 1);
  CHECK(panel.status().still.pictures == 0);
  panel.parameters.coarser_by = 0;
  CHECK(panel.draw().status == DrawStatus::whole);
  CHECK(panel.status().blank);
  CHECK(panel.status().detail_failed);
  CHECK(panel.status().still.pictures == 1);
}

TEST_CASE("a finer picture that comes or is there is told", "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.finer = FinerDetail::comes;
  panel.host.answer_with(answer, 1);
  CHECK(panel.draw().status == DrawStatus::provisional);
  answer.finer = FinerDetail::there;
  panel.host.answer_with(answer, 1);
  CHECK(panel.draw().status == DrawStatus::finer_available);
  answer.finer = FinerDetail::none;
  panel.host.answer_with(answer, 1);
  CHECK(panel.draw().status == DrawStatus::whole);
}

TEST_CASE("a picture that stays asks for detail, awaited or deferred as the wall does",
          "[volume]") {
  VolumePanel panel;
  panel.host.answer_with({}, 1);
  panel.draw(5);
  CHECK(panel.host.asked().timestep == 5);
  CHECK(panel.host.asked().width == 4);
  CHECK(panel.host.asked().height == 2);
  CHECK(panel.host.asked().detail == CastDetail::soon);
  panel.parameters.awaits_best = true;
  panel.draw();
  CHECK(panel.host.asked().detail == CastDetail::awaited);
  panel.parameters.defers = true;
  panel.draw();
  CHECK(panel.host.asked().detail == CastDetail::deferred);
  panel.parameters.keep = false;
  panel.draw();
  CHECK(panel.host.asked().detail == CastDetail::overview);
}

TEST_CASE("a panel asks for its wall's stage of a volume, or for what follows its own",
          "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.finer = FinerDetail::comes;
  answer.stage = 2;
  panel.host.answer_with(answer, 1);
  panel.parameters.most_stage = 1;
  panel.draw();
  CHECK(panel.host.asked().most_stage == 1);
  panel.parameters.awaits_best = true;
  panel.parameters.most_stage = 2;
  panel.draw();
  CHECK(panel.host.asked().least_stage == 2);
  CHECK(panel.host.asked().most_stage == 2);
  panel.parameters.most_stage = all_stages;  // a wall of one panel
  panel.parameters.refines = true;
  panel.draw();
  CHECK(panel.host.asked().least_stage == 3);
  CHECK(panel.host.asked().most_stage == all_stages);
  panel.parameters.refines = false;  // a picture that is saved
  panel.draw();
  CHECK(panel.host.asked().least_stage == all_stages);
}

TEST_CASE("how much of a volume is read is told with pictures and between them", "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.progress = 300;
  panel.host.answer_with(answer, 1);
  panel.draw();
  CHECK(panel.status().progress == 300);
  answer.status = CastStatus::reads;  // no picture comes
  answer.progress = 412;
  panel.host.answer_with(answer, 1);
  panel.gives_up_at = 412;
  CHECK(panel.draw().status == DrawStatus::abandoned);
  CHECK(panel.status().progress == 412);
  CHECK(panel.problems.empty());
}

TEST_CASE("nothing more is told of a volume that cannot be read", "[volume]") {
  VolumePanel panel;
  CastAnswer answer;
  answer.progress = 300;
  panel.host.answer_with(answer, 1);
  panel.draw();
  REQUIRE(panel.status().progress == 300);
  answer.status = CastStatus::refused;
  panel.host.answer_with(answer, 1);
  CHECK(panel.draw().status == DrawStatus::damaged);
  CHECK(panel.status().progress == scene::VolumeStatus::all_read);
}

TEST_CASE("a new style is told to the caster, and the same one is not", "[volume]") {
  VolumePanel panel;
  panel.host.answer_with({}, 1);
  panel.draw();
  CHECK(panel.host.styles() == 1);
  scene::VolumeShot shot = *panel.parameters.shot;
  scene::VolumeStyle style = *shot.style;
  style.iso_shift = 0.25;
  shot.style = std::make_shared<const scene::VolumeStyle>(style);
  panel.parameters.shot = std::make_shared<const scene::VolumeShot>(shot);
  panel.draw();
  CHECK(panel.host.styles() == 2);
  panel.draw();
  CHECK(panel.host.styles() == 2);
}

TEST_CASE("a refused picture repeats the last one, and its reason is told once", "[volume]") {
  VolumePanel panel;
  CastAnswer answer = counted_answer();
  answer.status = CastStatus::refused;
  set_line(answer, "a.nrrd: no such timestep");
  panel.host.answer_with(answer, 99);
  const TestPicture last(VolumePanel::size_px);
  const ImageView last_view = last.view();
  for (int y = 0; y < 2; ++y) std::fill_n(last_view.row(y), 16, std::uint8_t{55});
  for (int i = 0; i < 2; ++i) {
    const auto drawn = panel.draw(3, &last_view);
    CHECK(drawn.status == DrawStatus::damaged);
    CHECK(drawn.level == 55);
    CHECK(panel.source->counters().damage.load() == scene::FrameDamage::repeated);
  }
  CHECK(panel.draw().level == 0);  // without a last picture
  CHECK(panel.problems == std::vector<std::string>{"a.nrrd: no such timestep"});
  CHECK(panel.source->counters().damaged_frames.load() == 3);
  CHECK(panel.source->counters().decoded_px.load() == 0);
  CHECK(panel.status().cast_ns == 0);
  panel.host.answer_with(counted_answer(), 99);
  panel.draw();
  CHECK(panel.source->counters().damage.load() == scene::FrameDamage::none);
}

TEST_CASE("a volume without a look is black, and nobody is asked", "[volume]") {
  VolumePanel panel;
  panel.parameters.shot = nullptr;
  const auto drawn = panel.draw();
  CHECK(drawn.status == DrawStatus::whole);
  CHECK(drawn.level == 0);
  CHECK(panel.host.memories() == 0);
}

TEST_CASE("a draw that is given up says so", "[volume]") {
  VolumePanel panel;
  panel.gives_up = true;
  CHECK(panel.draw().status == DrawStatus::abandoned);
  CHECK(panel.source->counters().damaged_frames.load() == 0);
}
