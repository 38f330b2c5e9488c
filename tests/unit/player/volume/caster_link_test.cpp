// A panel's connection to its host's caster, with a host service and casters made up.

#include "player/volume/caster_link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "net/local_socket.hpp"
#include "player/volume/cast_wire.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::volume;

namespace {

constexpr std::chrono::seconds test_limit{20};

std::span<const std::byte> bytes_of(const auto& message) {
  return std::as_bytes(std::span(&message, 1));
}

bool readable(int fd) {
  pollfd waiting = {fd, POLLIN, 0};
  const std::chrono::milliseconds limit = test_limit;
  return ::poll(&waiting, 1, static_cast<int>(limit.count())) > 0;
}

/// Waits for a packet; empty where none comes.
std::vector<std::byte> packet_from(int socket) {
  std::vector<std::byte> bytes(4096);
  if (!readable(socket)) return {};
  bytes.resize(net::receive_packet(socket, bytes).bytes);
  return bytes;
}

/// Grants the panel a caster when it asks for one, and returns the caster's end of the connection.
/// Adds to `changed` whether the panel wants another picture than its last one.
UniqueFd grant_caster(int panel, std::vector<bool>* changed = nullptr) {
  const auto request = decode_caster_request(packet_from(panel));
  if (!request) return UniqueFd();
  if (changed != nullptr) changed->push_back(request->changed);
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    return UniqueFd();
  const UniqueFd panels_end(ends[1]);
  UniqueFd casters_end(ends[0]);
  CasterGrant grant;
  grant.granted = 1;
  if (!net::send_packet(panel, bytes_of(grant), panels_end.get())) return UniqueFd();
  return casters_end;
}

}  // namespace

TEST_CASE("a caster that takes the place of a dead one gets the request that was not answered",
          "[volume]") {
  const test::TemporaryFolder folder;
  const UniqueFd listening = net::listen_local(folder / "service");
  int asked = 0;  // requests that casters got
  std::jthread service([&] {
    if (!readable(listening.get())) return;
    const UniqueFd panel = net::accept_local(listening.get());
    {
      const UniqueFd first = grant_caster(panel.get());
      if (first.empty() || !decode_open(packet_from(first.get()))) return;
      ++asked;
      // By now a panel may connect again at once, without an interval that tells it of the death.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const UniqueFd second = grant_caster(panel.get());
    if (second.empty()) return;
    const auto number = decode_open(packet_from(second.get()));
    if (!number) return;
    ++asked;
    CastAnswer answer;
    answer.number = *number;
    if (!net::send_packet(second.get(), bytes_of(answer))) return;
    readable(second.get());  // until the panel has read the answer and left
  });
  const auto until = std::chrono::steady_clock::now() + test_limit;
  VolumeSourceOptions options;
  options.socket = folder / "service";
  options.volume = "{}";
  options.abandon = [until] { return std::chrono::steady_clock::now() > until; };
  {
    CasterLink link(options);
    CHECK(link.open().end == CasterLink::End::done);
  }
  service.join();
  CHECK(asked == 2);
}

TEST_CASE("a service learns of another picture once, and not where a caster had drawn it",
          "[volume]") {
  const test::TemporaryFolder folder;
  const UniqueFd listening = net::listen_local(folder / "service");
  std::vector<bool> changed;  // of each request for a caster
  std::jthread service([&] {
    if (!readable(listening.get())) return;
    const UniqueFd panel = net::accept_local(listening.get());
    for (const int pictures : {2, 1, 1}) {
      const UniqueFd caster = grant_caster(panel.get(), &changed);
      if (caster.empty()) return;
      for (int drawn = 0; drawn < pictures;) {
        const std::vector<std::byte> packet = packet_from(caster.get());
        if (!kind_of(packet)) return;  // the panel has left
        const auto request = decode_cast(packet, 1 << 20);
        if (!request) continue;
        CastAnswer answer;
        answer.number = request->number;
        if (!net::send_packet(caster.get(), bytes_of(answer))) return;
        ++drawn;
      }
    }
  });
  VolumeSourceOptions options;
  options.socket = folder / "service";
  options.volume = "{}";
  options.abandon = [until = std::chrono::steady_clock::now() + test_limit] {
    return std::chrono::steady_clock::now() > until;
  };
  {
    CasterLink link(options);
    CastMessage message;
    message.width = message.height = message.picture_width = message.picture_height = 8;
    CHECK(link.cast(message, {}).end == CasterLink::End::done);
    CHECK(link.cast(message, {true, false}).end == CasterLink::End::done);
    // This caster has ended, and the next one too, after a picture.
    CHECK(link.cast(message, {}).end == CasterLink::End::done);
    CHECK(link.cast(message, {true, false}).end == CasterLink::End::done);
  }
  service.join();
  CHECK(changed == std::vector<bool>{false, false, true});
}

TEST_CASE("a picture that is overdue is taken when the caster has drawn it", "[volume]") {
  const test::TemporaryFolder folder;
  const UniqueFd listening = net::listen_local(folder / "service");
  std::atomic<bool> draws{false};
  std::atomic<int> styles{0};
  std::atomic<std::uint64_t> answered{0};
  std::jthread service([&] {
    if (!readable(listening.get())) return;
    const UniqueFd panel = net::accept_local(listening.get());
    const UniqueFd caster = grant_caster(panel.get());
    if (caster.empty()) return;
    for (;;) {
      const std::vector<std::byte> packet = packet_from(caster.get());
      const auto kind = kind_of(packet);
      if (!kind) return;  // the panel has left
      if (*kind == CastMessageKind::style) ++styles;
      const auto request = decode_cast(packet, 1 << 20);
      if (!request) continue;
      draws.wait(false);
      CastAnswer answer;
      answer.number = request->number;
      answered = request->number;
      if (!net::send_packet(caster.get(), bytes_of(answer))) return;
    }
  });
  std::atomic<bool> overdue{true};
  VolumeSourceOptions options;
  options.socket = folder / "service";
  options.volume = "{}";
  options.abandon = [until = std::chrono::steady_clock::now() + test_limit] {
    return std::chrono::steady_clock::now() > until;
  };
  options.overdue = [&] { return overdue.load(); };
  {
    CasterLink link(options);
    link.set_style("{}");
    CastMessage message;
    message.width = message.height = message.picture_width = message.picture_height = 8;
    CHECK(link.cast(message, {}).end == CasterLink::End::overdue);
    CHECK(link.is_under_way());
    // The request is sent although it is overdue, as soon as there is a caster.
    while (styles == 0) CHECK(link.resume({}).end == CasterLink::End::overdue);
    CHECK(link.is_late());
    draws = true;
    draws.notify_all();
    overdue = false;
    const CasterLink::Outcome outcome = link.resume({});
    CHECK(outcome.end == CasterLink::End::done);
    CHECK(outcome.answer.number == answered);
    CHECK_FALSE(link.is_under_way());
    CHECK_FALSE(link.is_late());
    CHECK(link.cast(message, {}).end == CasterLink::End::done);
  }
}
