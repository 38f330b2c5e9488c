// How the host service shares decoders and casters between the panels that are connected to it.

#include "player/host/media_service.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "net/local_socket.hpp"
#include "player/movie/shared/movie_request.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// The service of a host that panels of this process are connected to. The movies need not exist:
/// their decoders refuse them, and panels have seats all the same.
class ServedHost {
 public:
  ServedHost() : service_(socket_, {folder_.path(), folder_ / "clock-page", {}}) {
    fs::create_directory(folder_ / "logs");
    fs::create_directory(folder_ / "pids");
  }

  void serve() { static_cast<void>(service_.serve_until(watch_, std::chrono::milliseconds(1))); }

  [[nodiscard]] UniqueFd connect() const { return net::try_connect_local(socket_); }

  /// Empty where the service has given no movie.
  [[nodiscard]] std::optional<movie::MovieSubscription> subscribe(const std::string& file) {
    movie::MovieSubscriber subscriber(socket_, file);
    std::optional<movie::MovieSubscription> movie;
    static_cast<void>(eventually([&] {
      movie = subscriber.try_subscribe(std::chrono::milliseconds(0));
      if (!movie) serve();
      return movie.has_value();
    }));
    return movie;
  }

  /// The next packet from the service that is no "nothing yet".
  [[nodiscard]] net::ReceivedPacket answer(const UniqueFd& connection,
                                           std::span<std::byte> buffer) {
    net::ReceivedPacket received;
    static_cast<void>(eventually([&] {
      serve();
      received = net::receive_packet(connection.get(), buffer);
      return received.status != net::PacketStatus::nothing_yet;
    }));
    return received;
  }

  [[nodiscard]] bool has_process(const std::string& name) const {
    return fs::exists(folder_ / "pids" / name);
  }

 private:
  const TemporaryFolder folder_;
  const fs::path socket_ = folder_ / "movies";
  const ChildWatch watch_;
  MediaService service_;
};

}  // namespace

TEST_CASE("panels of a host share a movie's decoder, and leave their seats to others", "[movie]") {
  ServedHost host;
  auto first = host.subscribe("a.mp4");
  auto second = host.subscribe("a.mp4");
  const auto other = host.subscribe("b.mp4");
  REQUIRE((first && second && other));
  CHECK(first->seat == 0);
  CHECK(second->seat == 1);
  CHECK(other->seat == 0);
  CHECK(host.has_process("decoder"));
  CHECK(host.has_process("decoder-1"));
  CHECK_FALSE(host.has_process("decoder-2"));
  // Both panels of a movie see the same memory, and the panel of another movie does not.
  first->own_seat().reading.store(7);
  CHECK(second->memory.page().seats[0].reading.load() == 7);
  CHECK(other->memory.page().seats[0].reading.load() == -1);

  first.reset();
  CHECK(eventually([&] {
    host.serve();
    return second->memory.page().seats[0].reading.load() == -1;
  }));
  CHECK(second->open());
  first = host.subscribe("a.mp4");
  REQUIRE(first);
  CHECK(first->seat == 0);

  // The last panel's end is the decoder's.
  first.reset();
  second.reset();
  CHECK(eventually([&] {  // A panel that comes before both are seen to have gone gets the old one.
    host.serve();
    return host.subscribe("a.mp4").has_value() && host.has_process("decoder-2");
  }));
}

TEST_CASE("a connection to the host service gets one movie or one volume", "[movie][volume]") {
  ServedHost host;
  std::array<std::byte, 512> buffer;
  const auto movie = movie::encode_request("a.mp4");
  const auto volume = volume::encode_caster_request({"a volume", false});
  const auto other_volume = volume::encode_caster_request({"another", false});
  const UniqueFd connection = host.connect();
  REQUIRE_FALSE(connection.empty());
  const bool has_volume = GENERATE(false, true);
  CAPTURE(has_volume);

  REQUIRE(net::send_packet(connection.get(), has_volume ? volume : movie));
  const net::ReceivedPacket granted = host.answer(connection, buffer);
  CHECK(granted.status == net::PacketStatus::received);
  CHECK_FALSE(granted.file.empty());
  if (has_volume) {
    volume::CasterGrant grant;
    REQUIRE(granted.bytes == sizeof grant);
    std::memcpy(&grant, buffer.data(), sizeof grant);
    CHECK(grant.granted == 1);
    CHECK(volume::line_of(grant).empty());
    // A panel whose caster is gone asks for the same volume again.
    REQUIRE(net::send_packet(connection.get(), volume));
    CHECK_FALSE(host.answer(connection, buffer).file.empty());
  }

  REQUIRE(net::send_packet(connection.get(), has_volume ? GENERATE_COPY(movie, other_volume)
                                                        : GENERATE_COPY(movie, volume)));
  CHECK(host.answer(connection, buffer).status == net::PacketStatus::closed);
}

TEST_CASE("the host service ends a connection whose request it does not understand",
          "[movie][bad-input]") {
  ServedHost host;
  std::array<std::byte, 512> buffer;
  const UniqueFd connection = host.connect();
  REQUIRE_FALSE(connection.empty());
  REQUIRE(net::send_packet(connection.get(), std::vector<std::byte>(8)));
  CHECK(host.answer(connection, buffer).status == net::PacketStatus::closed);
  CHECK_FALSE(host.has_process("decoder"));
}
