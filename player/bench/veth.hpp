// Two networks of the benchmark's own, joined by a virtual cable: a real path between two hosts'
// network stacks on one machine, whose clocks are one clock.
#pragma once

#include <memory>
#include <string>

#include "net/network_namespace.hpp"

namespace tilewall {

struct VethPair {
  static constexpr const char* server_address = "10.201.77.1";
  static constexpr const char* client_address = "10.201.77.2";

  NetworkNamespace server;
  NetworkNamespace client;
};

/// Empty, and why in `reason`, where this user may not make networks or there is no `ip`.
[[nodiscard]] std::unique_ptr<VethPair> try_make_veth_pair(std::string& reason);

}  // namespace tilewall
