#include "player/bench/veth.hpp"

#include <chrono>
#include <vector>

#include "sync/base/child_process.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::seconds ip_limit{5};

/// Whether `ip WORDS` succeeds inside `where`.
bool ip(const NetworkNamespace& where, std::vector<std::string> words) {
  const NetworkNamespace::Visit visit(where);
  words.insert(words.begin(), "ip");
  return wait_for(start_program(words, {{}, "/dev/null"}), ip_limit).exit_code == 0;
}

bool bring_up(const NetworkNamespace& where, const std::string& device, const char* address) {
  return ip(where, {"address", "add", std::string(address) + "/24", "dev", device}) &&
         ip(where, {"link", "set", device, "up"}) && ip(where, {"link", "set", "lo", "up"});
}

}  // namespace

std::unique_ptr<VethPair> try_make_veth_pair(std::string& reason) {
  auto server = NetworkNamespace::try_make();
  auto client = NetworkNamespace::try_make();
  if (!server || !client) {
    reason = "this user may not make network namespaces (CAP_NET_ADMIN, CAP_SYS_ADMIN)";
    return nullptr;
  }
  auto pair = std::make_unique<VethPair>(VethPair{*std::move(server), *std::move(client)});
  if (ip(pair->server, {"link", "add", "veth0", "type", "veth", "peer", "name", "veth1", "netns",
                        pair->client.path()}) &&
      bring_up(pair->server, "veth0", VethPair::server_address) &&
      bring_up(pair->client, "veth1", VethPair::client_address))
    return pair;
  reason = "no virtual cable can be made (is iproute2 installed?)";
  return nullptr;
}

}  // namespace tilewall
