#include "net/source/source_address.hpp"

#include <algorithm>
#include <string>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr std::string_view listen_word = "listen:";

/// The address with the port, where it has none.
std::string with_default_port(std::string_view address, std::uint16_t port) {
  const bool is_v6 = address.starts_with('[');
  const std::size_t colon = address.rfind(':');
  const bool has_port = is_v6 ? colon != std::string_view::npos && address[colon - 1] == ']'
                              : colon != std::string_view::npos;
  return has_port ? std::string(address) : std::string(address) + ":" + std::to_string(port);
}

}  // namespace

SourcePlaces parse_source_places(std::string_view where) {
  SourcePlaces places;
  const auto number = static_cast<std::size_t>(std::ranges::count(where, ',')) + 1;
  if (number > most_source_addresses)
    throw InputError({"where"}, "", "16 addresses at most", std::to_string(number));
  for (std::size_t begin = 0; begin <= where.size();) {
    const std::size_t end = std::min(where.find(',', begin), where.size());
    std::string_view one = where.substr(begin, end - begin);
    begin = end + 1;
    const bool listens = one.starts_with(listen_word);
    if (listens) one.remove_prefix(listen_word.size());
    if (one.empty())
      throw InputError({"where"}, "", "HOST[:PORT] or listen:ADDRESS[:PORT]", std::string(where));
    const SocketAddress address =
        resolve(with_default_port(one, listens ? default_source_port : default_wall_port), "where");
    if (!listens) {
      if (address.port() == 0)
        throw InputError({"where"}, "", "a wall's port from 1 to 65535", std::string(one));
      places.walls.push_back(address);
    } else if (std::exchange(places.listen, address)) {
      throw InputError({"where"}, "", "at most one listen:ADDRESS", std::string(where));
    }
  }
  return places;
}

}  // namespace tilewall::net
