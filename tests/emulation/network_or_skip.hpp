// The emulated hosts of a test, where this user may make them.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/emulation/emulated_network.hpp"

namespace tilewall::test {

/// A network of such hosts. `folder` is a new one, for its files. Null where this user may make
/// none, which skips the test.
inline std::unique_ptr<EmulatedNetwork> network_or_skip(const std::vector<HostSpec>& hosts,
                                                        const std::filesystem::path& folder,
                                                        const PathOptions& path = {}) {
  std::string reason;
  auto network = EmulatedNetwork::try_make(hosts, path, folder, reason);
  if (!network) WARN("skipped: " << reason);
  return network;
}

}  // namespace tilewall::test
