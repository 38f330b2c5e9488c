#include "net/network_namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

UniqueFd current_namespace() {
  return UniqueFd(check_sys(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC),
                            "open /proc/thread-self/ns/net"));
}

}  // namespace

std::optional<NetworkNamespace> NetworkNamespace::try_make() {
  const UniqueFd before = current_namespace();
  if (::unshare(CLONE_NEWNET) != 0) return std::nullopt;
  NetworkNamespace made(current_namespace());
  check_sys(::setns(before.get(), CLONE_NEWNET), "setns");
  return made;
}

std::string NetworkNamespace::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_.get());
}

NetworkNamespace::Visit::Visit(const NetworkNamespace& to) : before_(current_namespace()) {
  check_sys(::setns(to.fd_.get(), CLONE_NEWNET), "setns");
}

// This cannot fail: the namespace was the thread's own, and whoever could enter the other one may
// return.
NetworkNamespace::Visit::~Visit() { static_cast<void>(::setns(before_.get(), CLONE_NEWNET)); }

}  // namespace tilewall::net
