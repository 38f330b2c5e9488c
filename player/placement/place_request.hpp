// Placement that a user requests in place of the plan: `play --place
// 'receivers=0-1;decoders=2-7;memory=0'`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/placement/host_topology.hpp"

namespace tilewall::placement {

/// Fields that are not given stay as planned.
struct PlaceRequest {
  using Cpus = std::optional<std::vector<int>>;  ///< An empty list means all CPUs of the host
  Cpus presenter;
  Cpus receivers;
  Cpus decoders;
  std::optional<int> memory;  ///< Number of a node, or any_node
  std::string interface;  ///< Interface that receivers are placed near; "": the one of the route
  bool operator==(const PlaceRequest&) const = default;

  [[nodiscard]] bool empty() const { return *this == PlaceRequest{}; }
};

/// A request and the panels that it is for.
struct PlaceEntry {
  std::string who;    ///< Name of a panel or a host; "": all
  std::string where;  ///< Source for messages: "--place" or "FILE:LINE"
  PlaceRequest request;
};

/// Parses "WORD=VALUE;...". presenter, receivers and decoders have CPUs as `taskset -c` does,
/// memory the number of a node, each of them also "all"; interface has a name. "" is an empty
/// request. Throws InputError naming `where` and the word.
[[nodiscard]] PlaceRequest parse_place(const std::string& text, const std::string& where);

/// Text in the form that parse_place() reads.
[[nodiscard]] std::string to_string(const PlaceRequest& request);

/// Parses the argument of --place: "[WHO:]WORD=VALUE;...", or a file with one of these a line,
/// where "#" begins a comment. Throws InputError naming --place, or the file and line.
[[nodiscard]] std::vector<PlaceEntry> parse_place_option(const std::string& text);

/// Fields of `over` where they are given, else those of `under`.
[[nodiscard]] PlaceRequest merged(PlaceRequest under, const PlaceRequest& over);

/// Throws InputError naming `where` and the word that asks for what the host does not have.
void check_place(const PlaceRequest& request, const HostTopology& host, const std::string& where);

}  // namespace tilewall::placement
