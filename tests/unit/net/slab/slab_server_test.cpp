// A server in a process to which anything may happen: it is forked, or short of descriptors.

#include "net/slab/slab_server.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "net/slab/event_set.hpp"
#include "net/slab/slab_dialler.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

/// A child process that holds copies of all descriptors that are open now, and does nothing.
class ForkedChild {
 public:
  ForkedChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  ~ForkedChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

 private:
  const pid_t pid_;
};

/// The number of descriptors in all epoll sets of this process.
std::size_t watched_descriptors() {
  std::size_t watched = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) != "anon_inode:[eventpoll]") continue;
    std::ifstream info("/proc/self/fdinfo/" + entry.path().filename().string());
    for (std::string line; std::getline(info, line);) watched += line.starts_with("tfd:") ? 1U : 0U;
  }
  return watched;
}

/// Lets this process open no further descriptor while it exists.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

/// Throws what is no std::exception.
class Thrower final : public SlabSource {
 public:
  nlohmann::json call(const nlohmann::json& question) override {
    if (question["type"] == "throw") throw 7;
    return 1;
  }
  std::shared_ptr<const SlabBuffer> read(std::span<const std::byte>) override { throw 7; }
};

/// Whether the peer ends the connection.
bool ends(const RawPeer& peer) {
  pollfd something = {peer.stream.fd(), POLLIN, 0};
  char byte = 0;
  return ::poll(&something, 1, 20'000) == 1 && ::recv(peer.stream.fd(), &byte, 1, 0) == 0;
}

}  // namespace

TEST_CASE("connections end although a forked process holds their sockets", "[slab]") {
  Numbers numbers;
  auto server = std::make_unique<RunningServer>(SlabServerOptions{local(0)}, numbers);
  const std::uint16_t port = server->port();
  RawPeer stays(try_connect_tcp(local(port), 5s));
  CHECK(stays.next()["type"] == "challenge");
  const std::size_t watched = watched_descriptors();
  RawPeer refused(try_connect_tcp(local(port), 5s));
  CHECK(refused.next()["type"] == "challenge");
  CHECK(watched_descriptors() == watched + 1);
  const ForkedChild child;
  refused.stream.queue({"{}", {}});
  CHECK(refused.next()["type"] == "refused");
  CHECK(ends(refused));
  CHECK(eventually([&] { return watched_descriptors() == watched; }));
  server.reset();
  CHECK(ends(stays));
  CHECK(try_connect_tcp(local(port), 5s).empty());
}

TEST_CASE("a dialler's connections leave its set although a forked process holds them", "[slab]") {
  UniqueFd listening = listen_tcp(local(0));
  const SocketAddress requester = local_address(listening.get());
  for (const bool answers : {true, false}) {
    CAPTURE(answers);
    if (!answers) listening.reset();
    EventSet events;
    SlabDialler dialler({requester}, [](const std::string&) {});
    LocalInstant now{100s};
    dialler.step(events, now);
    const auto ready = events.wait(local_now() + 5s);
    if (!answers && ready.empty()) continue;  // it failed at once
    REQUIRE(ready.size() == 1);
    const UniqueFd copy(::dup(ready[0].data.fd));
    const auto done = dialler.finish(ready[0].data.fd, events, now);
    REQUIRE(done);
    CHECK(done->socket.empty() == !answers);
    CHECK(events.wait(local_now()).empty());
  }
}

TEST_CASE("a dialler without a free descriptor tries again later", "[slab]") {
  const UniqueFd listening = listen_tcp(local(0));
  std::string lines;
  SlabDialler dialler({local_address(listening.get())}, [&](const auto& line) { lines += line; });
  EventSet events;
  LocalInstant now{100s};
  {
    const NoDescriptors none;
    dialler.step(events, now);
  }
  CHECK_THAT(lines, Catch::Contains("socket: Too many open files: tried again until it answers"));
  CHECK(dialler.due() == now + SlabDialler::shortest_pause);
  now = dialler.due();
  dialler.step(events, now);
  const auto ready = events.wait(local_now() + 5s);
  REQUIRE(ready.size() == 1);
  const auto done = dialler.finish(ready[0].data.fd, events, now);
  REQUIRE(done);
  CHECK_FALSE(done->socket.empty());
}

TEST_CASE("a server that failed has ended its sessions, and can be run again", "[slab]") {
  const UniqueFd requester = listen_tcp(local(0));
  Numbers numbers;
  SlabServerOptions options{local(0)};
  options.requesters = {local_address(requester.get())};
  std::atomic<bool> fails = true;
  options.log = [&](const std::string&) {
    if (fails.exchange(false)) throw JobError("no paper");
  };
  SlabServer server(options, numbers);
  const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  std::string thrown;
  std::thread thread([&] {
    try {
      server.run(stop.get());
    } catch (const JobError& error) {
      thrown = error.what();
      server.run(stop.get());
    }
  });
  RawPeer dialled(UniqueFd(::accept(requester.get(), nullptr, nullptr)));
  RawPeer stays(try_connect_tcp(local(server.port()), 5s));
  RawPeer wrong(try_connect_tcp(local(server.port()), 5s));
  for (RawPeer* const peer : {&dialled, &stays, &wrong}) CHECK(peer->next()["type"] == "challenge");
  wrong.stream.queue({"{}", {}});
  CHECK(wrong.stream.write_some() == StreamStatus::open);
  for (RawPeer* const peer : {&dialled, &stays, &wrong}) CHECK(ends(*peer));
  RawPeer dialled_again(UniqueFd(::accept(requester.get(), nullptr, nullptr)));
  CHECK(dialled_again.next()["type"] == "challenge");
  {
    SlabClient client(client_of(server.port(), SlabTransport::tcp));
    const auto slab = await(client, client.fetch(numbers_request(5, 100'000)));
    REQUIRE(slab);
    CHECK(is_right(*slab, 5, 100'000));
  }
  ::eventfd_write(stop.get(), 1);
  thread.join();
  CHECK(thrown == "no paper");
}

TEST_CASE("what an application does not say is quick, of unknown size, and anybody's", "[slab]") {
  Numbers numbers;
  SlabSource& source = numbers;
  CHECK_FALSE(source.is_slow_request({}));
  CHECK_FALSE(source.is_slow_question({}));
  CHECK(source.answer_bytes({}) == 0);
  CHECK(source.call_from(7, {{"type", "echo"}, {"word", "a"}}) == "a");
  CHECK_NOTHROW(source.session_ended(7));
}

TEST_CASE("whatever an application throws is a refusal, and its workers go on", "[slab]") {
  Thrower source;
  SlabServerOptions options{local(0)};
  options.workers = 1;
  RunningServer server(options, source);
  SlabClient client(client_of(server.port(), SlabTransport::udp));
  CHECK_THROWS_WITH(client.call({{"type", "throw"}}, 20s),
                    Catch::Contains("the application failed"));
  const auto slab = await(client, client.fetch(numbers_request(5, 100)));
  REQUIRE(slab);
  CHECK(slab->size() == 0);
  CHECK(client.call({{"type", "other"}}, 20s) == 1);
}
