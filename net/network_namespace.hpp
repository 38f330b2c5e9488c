// A network of this process's own: for benchmarks and tests that need several hosts on one machine.
//
// It has no name and is gone with its last user, however that ends. Making and entering one needs
// CAP_SYS_ADMIN and CAP_NET_ADMIN. Threads: entering concerns the calling thread alone, and the
// threads and processes that it starts meanwhile; sockets stay where they were opened.
#pragma once

#include <optional>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::net {

class NetworkNamespace {
 public:
  /// Makes a namespace that has nothing but a loopback interface, which is down. Empty where the
  /// kernel forbids this to the user.
  [[nodiscard]] static std::optional<NetworkNamespace> try_make();

  /// A path for `ip ... netns PATH` and `nsenter --net=PATH`. Valid while this process lives.
  [[nodiscard]] std::string path() const;

  /// Puts the calling thread into the namespace while this lives. Throws JobError.
  class Visit {
   public:
    explicit Visit(const NetworkNamespace& to);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    UniqueFd before_;
  };

 private:
  explicit NetworkNamespace(UniqueFd fd) noexcept : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace tilewall::net
