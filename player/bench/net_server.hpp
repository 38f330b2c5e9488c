// The slab server that `bench net` measures against on this machine: a process of its own.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>

#include "net/slab/slab_server.hpp"

namespace tilewall {

struct NetServerOptions {
  std::optional<AuthKey> key = {};
  double rate_gbit_s = 0;
};

class NetServer {
 public:
  /// `make_source` is called in the new process. Throws JobError where it does not start.
  /// @pre the calling process has one thread
  NetServer(const NetServerOptions& options,
            const std::function<std::unique_ptr<SlabSource>()>& make_source);
  ~NetServer();
  NetServer(const NetServer&) = delete;
  NetServer& operator=(const NetServer&) = delete;

  [[nodiscard]] SocketAddress address() const;

  /// Ends it; the CPU time that it has taken in all.
  double end();

 private:
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace tilewall
