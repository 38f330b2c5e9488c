// What a user asks for in place of the plan: `play --place 'receivers=0-1;decoders=2-7;memory=0'`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/placement/host_topology.hpp"

namespace tilewall::placement {

/// What is not given stays as planned.
struct PlaceRequest {
  using Cpus = std::optional<std::vector<int>>;  ///< an empty list: all of the host
  Cpus presenter;
  Cpus receivers;
  Cpus decoders;
  std::optional<int> memory;  ///< a node, or any
  std::string interface;      ///< that the receivers are to be near; "" = as the route says
  bool operator==(const PlaceRequest&) const = default;

  [[nodiscard]] bool empty() const { return *this == PlaceRequest{}; }
};

/// One of them, and for whom.
struct PlaceEntry {
  std::string who;    ///< a panel's name or a host's; "" = all
  std::string where;  ///< it was given, for messages: "--place" or "FILE:LINE"
  PlaceRequest request;
};

/// "WORD=VALUE;...": presenter, receivers and decoders take CPUs as `taskset -c` does, memory a
/// node's number, each of them also "all"; interface a name. "" asks for nothing. Throws InputError
/// naming `where` and the word.
[[nodiscard]] PlaceRequest parse_place(const std::string& text, const std::string& where);

/// The same form.
[[nodiscard]] std::string to_string(const PlaceRequest& request);

/// What --place takes: "[WHO:]WORD=VALUE;...", or a file with one of these a line, "#" beginning a
/// comment. Throws InputError naming --place, or the file and line.
[[nodiscard]] std::vector<PlaceEntry> parse_place_option(const std::string& text);

/// `over` where it says something, else `under`.
[[nodiscard]] PlaceRequest merged(PlaceRequest under, const PlaceRequest& over);

/// Throws InputError naming `where` and the word that asks for what the host does not have.
void check_place(const PlaceRequest& request, const HostTopology& host, const std::string& where);

}  // namespace tilewall::placement
