#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>

#include "sync/base/handle.hpp"

namespace tilewall::test {

/// A TCP port that nobody listens on.
inline int unused_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

}  // namespace tilewall::test
