// The clock daemon, its client and the page, over real sockets on loopback and real threads.

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_conversation.hpp"
#include "net/clock/clock_daemon.hpp"
#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::sync;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// A folder of the test's own, gone with it.
class TestFolder {
 public:
  TestFolder()
      : path_(fs::temp_directory_path() / ("tilewall-clock-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~TestFolder() { fs::remove_all(path_); }
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// run_clock_daemon on a thread.
class DaemonThread {
 public:
  explicit DaemonThread(const ClockDaemonOptions& options)
      : thread_([this, options] {
          run_clock_daemon(options, stop_.get(), [this](const SocketAddress& address) {
            address_ = address;
            ready_.test_and_set();
            ready_.notify_all();
          });
        }) {
    ready_.wait(false);
  }
  ~DaemonThread() { ::eventfd_write(stop_.get(), 1); }
  [[nodiscard]] const SocketAddress& address() const { return address_; }

 private:
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::atomic_flag ready_;
  SocketAddress address_;
  std::jthread thread_;
};

ClockClientOptions client_of(const SocketAddress& daemon) {
  ClockClientOptions options;
  options.daemons = {daemon};
  return options;
}

Nanos error_at(const ClockMapping& mapping, LocalInstant local) {
  return std::chrono::abs(mapping.to_global(local).since_epoch - local.since_epoch);
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const ClockDaemonOptions any_port{"127.0.0.1:0", {}, {}, {}, {}};

}  // namespace

TEST_CASE("a client locks, and its error on the same clock is within its bound", "[net][clock]") {
  const DaemonThread daemon(any_port);
  std::atomic<int> published = 0;
  ClockClientOptions options = client_of(daemon.address());
  options.on_publish = [&](const ClockStatus&) { published++; };
  const ClockClient client(options);
  REQUIRE(client.wait_until_locked(10s));
  for (int i = 0; i < 200; ++i) {
    const ClockMapping mapping = client.mapping();
    const LocalInstant now = local_now();
    REQUIRE(error_at(mapping, now) <= mapping.bound_at(now));
    std::this_thread::sleep_for(1ms);
  }
  CHECK(client.status().samples >= 16);
  CHECK(client.status().daemon_boot_id != 0);
  CHECK(client.status().utc_minus_global > Nanos{0});
  CHECK(published > 0);
}

TEST_CASE("a client counts its own lost requests, not those of the client before", "[net][clock]") {
  const UniqueFd silent = bind_udp(resolve("127.0.0.1:0", "test"));
  ClockClientOptions options = client_of(local_address(silent.get()));
  ClockStatus previous;
  previous.axis_boot_id = 1;
  previous.lost = 9;
  options.previous = previous;
  ClockBoard board;
  ClockClientLoop loop(options, board);
  static_cast<void>(loop.step());
  REQUIRE(board.newest());
  CHECK(board.newest()->axis_boot_id == 1);
  CHECK(board.newest()->lost == 0);
}

TEST_CASE("a daemon that is started again steps nobody", "[net][clock]") {
  auto daemon = std::make_unique<DaemonThread>(any_port);
  ClockDaemonOptions same_port = any_port;
  same_port.listen = to_string(daemon->address());
  const ClockClient client(client_of(daemon->address()));
  REQUIRE(client.wait_until_locked(10s));
  daemon.reset();
  while (client.status().state != ClockState::holdover) std::this_thread::sleep_for(10ms);
  const ClockMapping held = client.mapping();
  daemon = std::make_unique<DaemonThread>(same_port);
  while (client.status().state != ClockState::locked) std::this_thread::sleep_for(10ms);
  const LocalInstant now = local_now();
  CHECK(client.status().restarts == 0);
  CHECK(client.status().lost > 0);
  CHECK(error_at(client.mapping(), now) <= client.mapping().bound_at(now));
  CHECK(std::chrono::abs(client.mapping().to_global(now) - held.to_global(now)) <=
        held.bound_at(now) + client.mapping().bound_at(now));
}

TEST_CASE("with a key only its holders are answered", "[net][clock]") {
  const TestFolder folder;
  write_private_file(folder / "key", "0123456789abcdef");
  write_private_file(folder / "other", "0123456789abcdeF");
  ClockDaemonOptions options = any_port;
  options.key_file = folder / "key";
  const DaemonThread daemon(options);
  ClockClientOptions friendly = client_of(daemon.address());
  friendly.key = key_from_file(folder / "key", Protocol::clock);
  ClockClientOptions unauthenticated = client_of(daemon.address());
  unauthenticated.key = key_from_file(folder / "other", Protocol::clock);
  const ClockClient with_other_key(unauthenticated);
  const ClockClient without_key(client_of(daemon.address()));
  const ClockClient with_key(friendly);
  CHECK(with_key.wait_until_locked(10s));
  CHECK(with_key.status().samples >= 16);
  CHECK(with_other_key.status().samples == 0);
  CHECK(without_key.status().samples == 0);
  // Datagrams of one socket are answered in their order: the first answer is the last one's, which
  // has the key.
  const UniqueFd socket = connect_udp(daemon.address());
  ClockConversation other(key_from_file(folder / "other", Protocol::clock));
  ClockConversation nobody(std::nullopt);
  ClockConversation holder(key_from_file(folder / "key", Protocol::clock));
  for (ClockConversation* asking : {&other, &nobody, &other, &nobody, &holder}) {
    const ClockMessage request = asking->ask(local_now());
    REQUIRE(::send(socket.get(), &request, sizeof request, 0) == sizeof request);
    asking->prepare();
  }
  pollfd answered = {socket.get(), POLLIN, 0};
  REQUIRE(::poll(&answered, 1, 10'000) == 1);
  std::array<std::byte, sizeof(ClockMessage)> answer{};
  REQUIRE(::recv(socket.get(), answer.data(), answer.size(), 0) == sizeof(ClockMessage));
  CHECK(holder.take(answer, local_now()));
}

TEST_CASE("garbage on the daemon's port is passed over", "[net][clock]") {
  const DaemonThread daemon(any_port);
  const UniqueFd socket = connect_udp(daemon.address());
  const std::string noise(3000, '\xa5');
  for (std::size_t size = 0; size < noise.size(); size += 7)
    ::send(socket.get(), noise.data(), size, MSG_DONTWAIT);
  const ClockClient client(client_of(daemon.address()));
  CHECK(client.wait_until_locked(10s));
}

TEST_CASE("the daemon refuses what it cannot serve, and says so", "[net][clock]") {
  const TestFolder folder;
  const auto run = [](const ClockDaemonOptions& options) {
    run_clock_daemon(options, -1, [](const SocketAddress&) {});
  };
  ClockDaemonOptions open = any_port;
  open.listen = "0.0.0.0:0";
  CHECK_THROWS_WITH(run(open), Catch::Contains("--listen") && Catch::Contains("--key-file"));
  CHECK_THROWS_AS(run(open), InputError);
  open.listen = "[::]:0";
  CHECK_THROWS_AS(run(open), InputError);
  write_private_file(folder / "short", "0123456789abcde");
  ClockDaemonOptions keyed = any_port;
  keyed.key_file = folder / "short";
  CHECK_THROWS_WITH(run(keyed), Catch::Contains("at least 16 bytes, found 15"));
  keyed.key_file = folder / "none";
  CHECK_THROWS_AS(run(keyed), InputError);
  const DaemonThread daemon(any_port);
  ClockDaemonOptions taken = any_port;
  taken.listen = to_string(daemon.address());
  CHECK_THROWS_AS(run(taken), JobError);
  CHECK_THROWS_WITH(run(taken), Catch::Contains(taken.listen));
}

TEST_CASE("the daemon announces where it listens", "[net][clock]") {
  const TestFolder folder;
  ClockDaemonOptions options = any_port;
  options.announce_file = folder / "clock.addr";
  const DaemonThread daemon(options);
  CHECK(read_text_file(folder / "clock.addr", 100) == to_string(daemon.address()) + "\n");
}

TEST_CASE("the UTC anchor is kept for one boot and made anew after", "[net][clock]") {
  const TestFolder folder;
  const fs::path file = folder / "anchor";
  const auto is_of_now = [](Nanos utc_minus_global) {
    const Nanos real = std::chrono::system_clock::now().time_since_epoch();
    const Nanos expected = real - local_now().since_epoch;
    return std::chrono::abs(utc_minus_global - expected) < 5s;  // the date may be slewed meanwhile
  };
  const UtcAnchor first = keep_utc_anchor(file, 0xabc);
  CHECK(is_of_now(first.utc_minus_global));
  CHECK(keep_utc_anchor(file, 0xabc).utc_minus_global == first.utc_minus_global);
  write_file(file, "abc 12345\n");
  CHECK(keep_utc_anchor(file, 0xabc).utc_minus_global == Nanos{12345});
  CHECK(is_of_now(keep_utc_anchor(file, 0xdef).utc_minus_global));
  CHECK(keep_utc_anchor(file, 0xdef).boot_id == 0xdef);
  for (const char* broken : {"", "abc", "abc ", "abc 1", "abc x\n", " 1\n", "abc 1\n2\n"}) {
    CAPTURE(broken);
    write_file(file, broken);
    CHECK(is_of_now(keep_utc_anchor(file, 0xabc).utc_minus_global));
  }
}

TEST_CASE("a page shows its reader the newest status and outlives its writer", "[net][clock]") {
  const TestFolder folder;
  const fs::path file = folder / "clock-page";
  CHECK_FALSE(ClockPageReader::try_open(file));
  write_file(file, "not a page");
  CHECK_FALSE(ClockPageReader::try_open(file));
  auto writer = std::make_unique<ClockPageWriter>(file);
  CHECK_FALSE(writer->previous());
  const auto reader = ClockPageReader::try_open(file);
  REQUIRE(reader);
  CHECK(reader->mapping().bound_at(local_now()) == Nanos::max());
  ClockStatus status;
  status.state = ClockState::locked;
  status.updated = local_now();
  for (int i = 1; i <= 20; ++i) {
    status.mapping.anchor_global = {Nanos{i}};
    writer->publish(status);
    CHECK(reader->mapping().anchor_global == GlobalInstant{Nanos{i}});
  }
  writer.reset();
  CHECK(reader->status().state == ClockState::locked);
  writer = std::make_unique<ClockPageWriter>(file);
  REQUIRE(writer->previous());
  CHECK(writer->previous()->mapping.anchor_global == GlobalInstant{Nanos{20}});
  status.updated = local_now() + 1h;
  writer->publish(status);
  CHECK(reader->status().updated == status.updated);
  CHECK_FALSE(ClockPageWriter(file).previous());  // of another boot
}

TEST_CASE("pages that are none are waited for only so long", "[net][clock]") {
  const TestFolder folder;
  CHECK_THROWS_WITH(wait_for_clock_page(folder / "none", 5ms), Catch::Contains("none"));
  ClockPageWriter writer(folder / "page");
  CHECK_THROWS_AS(wait_for_clock_page(folder / "page", 5ms), JobError);
  const std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    ClockStatus status;
    status.state = ClockState::locked;
    writer.publish(status);
  });
  CHECK(wait_for_clock_page(folder / "page", 10s)->status().state == ClockState::locked);
  CHECK_THROWS_AS(ClockPageWriter(folder / "none/page"), JobError);
}

TEST_CASE("a reader never sees half of one status and half of another", "[net][clock]") {
  const TestFolder folder;
  ClockPageWriter writer(folder / "page");
  const auto reader = ClockPageReader::try_open(folder / "page");
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> torn = 0;
  std::uint64_t read_back = 0;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i)
      readers.emplace_back([&] {
        std::uint64_t last = 0;
        while (!done) {
          const ClockStatus status = reader->status();
          const bool is_whole = status.lost == status.samples &&
                                status.rejected == status.samples &&
                                status.mapping.anchor_local.since_epoch.count() ==
                                    static_cast<std::int64_t>(status.samples) &&
                                status.updated == status.mapping.anchor_local;
          if (!is_whole || status.samples < last) torn++;
          last = status.samples;
        }
      });
    for (std::uint64_t n = 1; n <= 300'000; ++n) {
      ClockStatus status;
      status.samples = status.lost = status.rejected = n;
      status.mapping.anchor_local = status.updated = {Nanos{static_cast<std::int64_t>(n)}};
      writer.publish(status);
    }
    done = true;
  }
  read_back = reader->status().samples;
  CHECK(torn == 0);
  CHECK(read_back == 300'000);
}

TEST_CASE("a host service that is started again steers on from its page", "[net][clock]") {
  const TestFolder folder;
  const DaemonThread daemon(any_port);
  const auto keep = [&](ClockPageWriter& page) {
    ClockClientOptions options = client_of(daemon.address());
    options.previous = page.previous();
    options.on_publish = [&page](const ClockStatus& status) { page.publish(status); };
    return options;
  };
  {
    ClockPageWriter page(folder / "page");
    const ClockClient client(keep(page));
    REQUIRE(client.wait_until_locked(10s));
  }
  const auto reader = wait_for_clock_page(folder / "page", 1s);
  const std::uint64_t samples_before = reader->status().samples;
  ClockPageWriter page(folder / "page");
  const ClockClient client(keep(page));
  CHECK(client.wait_until_locked(10s));  // at once: with what was known
  while (client.status().samples < 16) std::this_thread::sleep_for(1ms);
  CHECK(reader->status().state == ClockState::locked);
  CHECK(samples_before >= 16);
  const ClockMapping mapping = reader->mapping();
  const LocalInstant now = local_now();
  CHECK(error_at(mapping, now) <= mapping.bound_at(now));
}
