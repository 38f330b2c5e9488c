// A server in the test's own process.
#pragma once

#include <sys/eventfd.h>

#include <string>
#include <thread>

#include "net/slab/slab_server.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::test {

/// Gives what a source has, which outlives it, on a port of its own, or the one that is given.
class ServedSource {
 public:
  explicit ServedSource(SlabSource& source, int port = 0)
      : server_(SlabServerOptions{resolve("127.0.0.1:" + std::to_string(port), "test")}, source),
        thread_([this] { server_.run(stop_.get()); }) {}
  ~ServedSource() { ::eventfd_write(stop_.get(), 1); }
  ServedSource(const ServedSource&) = delete;
  ServedSource& operator=(const ServedSource&) = delete;

  [[nodiscard]] int port() const { return server_.port(); }
  [[nodiscard]] std::string url(const std::string& name) const {
    return "tilewall://127.0.0.1:" + std::to_string(port()) + "/" + name;
  }

 private:
  SlabServer server_;
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::jthread thread_;
};

}  // namespace tilewall::test
