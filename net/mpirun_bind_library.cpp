// The library that mpirun runs with (mpirun_bind.hpp). A socket that is to be bound to all
// addresses of the machine is bound to the one that the variable names, or to loopback for the
// other family. Where this machine does not have that address, which is so for daemons that mpirun
// starts elsewhere with its environment, the program has its way.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "net/mpirun_bind.hpp"

namespace {

using Bind = int (*)(int, const sockaddr*, socklen_t);

/// Replaces "all addresses of IPv4" in `address`. Returns whether it did.
bool replace_any(sockaddr_in& address, const char* wanted) {
  if (address.sin_addr.s_addr != htonl(INADDR_ANY)) return false;
  if (inet_pton(AF_INET, wanted, &address.sin_addr) != 1)
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return true;
}

/// The same for IPv6.
bool replace_any(sockaddr_in6& address, const char* wanted) {
  if (!IN6_IS_ADDR_UNSPECIFIED(&address.sin6_addr)) return false;
  if (inet_pton(AF_INET6, wanted, &address.sin6_addr) != 1) address.sin6_addr = in6addr_loopback;
  return true;
}

/// Binds to the wanted address. Returns -1 and EADDRNOTAVAIL where the machine does not have it, or
/// `given` is not "all addresses".
template <typename Address>
int bind_to_wanted(Bind bind_by_libc, int socket, const sockaddr* given, const char* wanted) {
  Address address = {};
  std::memcpy(&address, given, sizeof address);
  if (replace_any(address, wanted))
    return bind_by_libc(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  errno = EADDRNOTAVAIL;
  return -1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int bind(int socket, const sockaddr* address,
                                                           socklen_t length) noexcept {
  static const auto bind_by_libc = reinterpret_cast<Bind>(dlsym(RTLD_NEXT, "bind"));
  const char* const wanted = std::getenv(tilewall::net::mpirun_bind_variable);
  const bool is_v4 = address->sa_family == AF_INET && length >= sizeof(sockaddr_in);
  const bool is_v6 = address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6);
  if (wanted == nullptr || (!is_v4 && !is_v6)) return bind_by_libc(socket, address, length);
  const int result = is_v4 ? bind_to_wanted<sockaddr_in>(bind_by_libc, socket, address, wanted)
                           : bind_to_wanted<sockaddr_in6>(bind_by_libc, socket, address, wanted);
  return result == 0 || errno != EADDRNOTAVAIL ? result : bind_by_libc(socket, address, length);
}
