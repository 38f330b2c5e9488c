// What comes to a server of movies that should not: it answers in one line, or drops it, and serves
// the others on.

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/remote/movie_server.hpp"
#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr SizePx movie_px{320, 96};

class Served {
 public:
  Served() {
    write_numbered_movie(folder_ / "movie", movie_px, 3);
    movies_.emplace(std::vector{folder_.path()});
    server_.emplace(SlabServerOptions{resolve("127.0.0.1:0", "test")}, *movies_);
    thread_ = std::jthread([this] { server_->run(stop_.get()); });
  }
  ~Served() { ::eventfd_write(stop_.get(), 1); }

  [[nodiscard]] std::filesystem::path movie() const { return folder_ / "movie"; }
  [[nodiscard]] SocketAddress address() const {
    return resolve("127.0.0.1:" + std::to_string(server_->port()), "test");
  }
  [[nodiscard]] SlabServerStatus status() const { return server_->status(); }

  [[nodiscard]] SlabClientOptions options(SlabTransport transport = SlabTransport::udp) const {
    SlabClientOptions options;
    options.servers = {address()};
    options.session.transport = transport;
    return options;
  }

  /// What comes for the blocks of a frame.
  [[nodiscard]] BlockAnswer fetch(const BlockRequest& request) const {
    fetch_slab(to_bytes(request));
    return parse_block_answer(slab_.bytes(), request.blocks.size());
  }
  /// How much of its sound comes.
  [[nodiscard]] std::size_t fetch_sound(const SoundRange& range) const {
    fetch_slab(to_bytes(range));
    return slab_.size();
  }
  void check_serves() const {
    const BlockAnswer answer = fetch({"movie", 0, 1, {0, 1, 2}});
    CHECK(answer.status == BlockAnswerStatus::found);
    for (const auto block : answer.blocks) CHECK(block.size() > 0);
  }

 private:
  void fetch_slab(std::vector<std::byte> words) const {
    SlabClient client(options());
    const auto ticket = client.fetch(std::move(words));
    REQUIRE(eventually([&] { return client.has(ticket); }));
    slab_ = std::move(*client.take(ticket));
  }

  TemporaryFolder folder_;
  std::optional<MovieServer> movies_;
  std::optional<SlabServer> server_;
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  mutable SlabBuffer slab_;
  std::jthread thread_;
};

}  // namespace

TEST_CASE("random packets and streams change nothing for others", "[serve]") {
  const Served served;
  std::mt19937_64 random(1);
  const UniqueFd packets = connect_udp(served.address());
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes(random() % 2000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (i % 2 == 0 && bytes.size() >= sizeof packet_magic)
      std::memcpy(bytes.data(), &packet_magic, sizeof packet_magic);
    ::send(packets.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  }
  for (int i = 0; i < 50; ++i) {
    const UniqueFd stream = try_connect_tcp(served.address(), 1s);
    REQUIRE_FALSE(stream.empty());
    std::vector<std::byte> bytes(random() % 4000 + 12);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    ::send(stream.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  served.check_serves();
  CHECK(eventually([&] { return served.status().malformed > 0; }));
}

TEST_CASE("messages of words that are no text are refused", "[serve]") {
  const Served served;
  for (const std::string& text : {R"({"type": ")" + std::string(39, 'x') + "\xc3\xa9\"}",
                                  std::string(R"({"type": "\ud800"})"),
                                  std::string(R"({"type": "hello", "version": [[[[]]]]})"),
                                  std::string("[]"), std::string("{\"type\": \"\xff\"}")}) {
    MessageStream stream(try_connect_tcp(served.address(), 1s), {4096, 0});
    stream.queue({text, {}});
    std::vector<Message> answers;
    CHECK(eventually([&] {
      static_cast<void>(stream.write_some());
      static_cast<void>(stream.read_some(answers));
      return answers.size() >= 2;  // the challenge, and the refusal
    }));
    REQUIRE(answers.size() >= 2);
    CHECK(answers[1].text.find("refused") != std::string::npos);
  }
  served.check_serves();
}

TEST_CASE("a thousand connections that say nothing keep nobody out", "[serve]") {
  allow_open_files();
  const Served served;
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 900; ++i) {
    silent.push_back(try_connect_tcp(served.address(), 1s));
    if (silent.back().empty()) break;  // this process may not have as many
  }
  served.check_serves();
}

TEST_CASE("a client that stops reading holds nobody up", "[serve]") {
  const Served served;
  SlabClientOptions options = served.options(SlabTransport::tcp);
  SlabPool pool(0);
  ClientSession deaf(options.servers.front(), options.session, pool, 2s);
  const auto request = to_bytes({"movie", 0, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
  ClientSession::Events events;
  for (int i = 0; i < 400; ++i) static_cast<void>(deaf.fetch(request));
  for (int i = 0; i < 5; ++i) served.check_serves();
}

TEST_CASE("a frame that shrinks, vanishes or is none while it is served is told so", "[serve]") {
  const Served served;
  const auto frame = served.movie() / frame_file_name(1);
  const BlockRequest request{"movie", 0, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  served.check_serves();
  const auto size = std::filesystem::file_size(frame);
  for (std::uintmax_t left = size; left > 0; left = left * 7 / 8) {
    std::filesystem::resize_file(frame, left);
    const BlockAnswer answer = served.fetch(request);
    CAPTURE(left);
    if (answer.status == BlockAnswerStatus::found)
      CHECK(answer.blocks.size() == request.blocks.size());
    else
      CHECK(answer.status == BlockAnswerStatus::damaged_frame);
  }
  std::ofstream(frame) << "no frame";
  CHECK(served.fetch(request).status == BlockAnswerStatus::damaged_frame);
  std::filesystem::remove(frame);
  CHECK(served.fetch(request).status == BlockAnswerStatus::no_frame);
  std::filesystem::create_directory(frame);
  CHECK(served.fetch(request).status != BlockAnswerStatus::found);
}

TEST_CASE("nothing outside of the folder is served", "[serve]") {
  const Served served;
  const TemporaryFolder outside;
  write_numbered_movie(outside / "other", movie_px, 2);
  const auto root = served.movie().parent_path();
  std::filesystem::create_directory_symlink(outside / "other", root / "link");
  std::filesystem::create_directory_symlink("movie", root / "inside");
  const auto frame = served.movie() / frame_file_name(2);
  std::filesystem::remove(frame);
  std::filesystem::create_symlink(outside / "other" / frame_file_name(0), frame);
  const std::string way_out = "../" + outside.path().filename().string() + "/other";
  for (const std::string& name : {std::string("link"), way_out, (outside / "other").string(),
                                  std::string("movie/.."), std::string("."), std::string("..")}) {
    CAPTURE(name);
    CHECK(served.fetch({name, 0, 0, {0}}).status == BlockAnswerStatus::damaged_frame);
  }
  CHECK(served.fetch({"inside", 0, 0, {0}}).status == BlockAnswerStatus::found);
  CHECK(served.fetch({"movie", 0, 2, {0}}).status == BlockAnswerStatus::no_frame);
}

TEST_CASE("of a movie's folder only its frames and its sound are served", "[serve]") {
  const Served served;
  const TemporaryFolder outside;
  std::ofstream(outside / "secret") << "secret";
  std::ofstream(served.movie() / "sound") << "sound";
  std::filesystem::create_symlink(outside / "secret", served.movie() / "link");
  std::filesystem::create_directory(served.movie() / "folder");
  MovieManifest movie = load_manifest(served.movie());
  CHECK(served.fetch_sound({"movie", 0, 10}) == 0);
  for (const std::string name : {"link", "folder", "nothing"}) {
    movie.audio_file = name;
    save_manifest(served.movie(), movie);
    CHECK(served.fetch_sound({"movie", 0, 10}) == 0);
  }
  movie.audio_file = "sound";
  save_manifest(served.movie(), movie);
  CHECK(served.fetch_sound({"movie", 0, 10}) == 5);
  CHECK(served.fetch_sound({"movie", 3, 10}) == 2);
  for (const SoundRange& range : {SoundRange{"movie", 5, 10}, SoundRange{"movie", 0, 0},
                                  SoundRange{"movie", 0, largest_sound_range + 1},
                                  SoundRange{"movie", UINT64_MAX, 10}, SoundRange{"", 0, 10}})
    CHECK(served.fetch_sound(range) == 0);
  served.check_serves();
}

TEST_CASE("levels, frames and blocks that there are not come as nothing", "[serve]") {
  const Served served;
  CHECK(served.fetch({"movie", 60, 0, {0}}).status == BlockAnswerStatus::no_frame);
  CHECK(served.fetch({"movie", 0, 1'000'000, {0}}).status == BlockAnswerStatus::no_frame);
  const BlockAnswer answer = served.fetch({"movie", 0, 0, {0, 100'000}});
  REQUIRE(answer.status == BlockAnswerStatus::found);
  CHECK(answer.blocks[0].size() > 0);
  CHECK(answer.blocks[1].empty());
}
