#include "net/slab/remote_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "net/show_keys.hpp"
#include "net/slab/stripe.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {

namespace {

constexpr std::size_t most_servers = 16;
constexpr std::size_t longest_url = 2048;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string with_port(std::string_view host) {
  const auto bracket = host.rfind(']');
  const auto colon = host.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? std::string(host) : fmt::format("{}:{}", host, default_serve_port);
}

void take_option(RemoteUrl& url, std::string_view option, const std::string& place) {
  const auto equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
  const auto refuse = [&](std::string_view expected) {
    throw InputError({place}, key, expected, fmt::format("\"{}\"", value));
  };
  if (key == "transport") {
    if (value != "udp" && value != "tcp") refuse("udp or tcp");
    url.transport = value == "udp" ? SlabTransport::udp : SlabTransport::tcp;
  } else if (key == "streams") {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), url.streams);
    if (error != std::errc{} || end != value.data() + value.size() || url.streams < 1 ||
        url.streams > most_stripes)
      refuse(fmt::format("1 to {}", most_stripes));
  } else if (key == "encrypt") {
    if (value != "yes" && value != "no") refuse("yes or no");
    url.encrypt = value == "yes";
  } else if (key == "interfaces") {
    url.interfaces = parse_interfaces(value, place, key);
  } else {
    throw InputError({place}, "", "transport, streams, encrypt or interfaces",
                     fmt::format("\"{}\"", key));
  }
}

/// Checks `interfaces` against the other options, and sets the default of `streams`.
void settle_interfaces(RemoteUrl& url, const std::string& place) {
  if (url.interfaces.empty()) return;
  if (url.transport != SlabTransport::tcp)
    throw InputError({place}, "interfaces", "transport=tcp", "udp");
  const auto count = static_cast<int>(url.interfaces.size());
  if (url.streams == 0) url.streams = count;
  if (url.streams < count)
    throw InputError({place}, "streams", fmt::format("at least {}, one for each interface", count),
                     std::to_string(url.streams));
}

}  // namespace

bool is_remote(std::string_view input) noexcept { return input.starts_with(remote_scheme); }

RemoteUrl parse_remote_url(std::string_view text) {
  const std::string place(text.substr(0, 200));
  if (!is_remote(text) || text.size() > longest_url)
    throw InputError({place}, "", "tilewall://HOST[:PORT]/NAME", "another address");
  text.remove_prefix(remote_scheme.size());
  RemoteUrl url;
  url.streams = 0;  // not given yet
  const auto query = text.find('?');
  if (query != std::string_view::npos)
    for (const std::string_view option : split(text.substr(query + 1), '&'))
      take_option(url, option, place);
  settle_interfaces(url, place);
  url.streams = std::max(url.streams, 1);
  text = text.substr(0, query);
  const auto slash = text.find('/');
  for (const std::string_view host : split(text.substr(0, slash), ',')) {
    if (host.empty()) throw InputError({place}, "host", "HOST or HOST:PORT", "none");
    url.servers.push_back(with_port(host));
  }
  if (url.servers.size() > most_servers)
    throw InputError({place}, "host", fmt::format("at most {} servers", most_servers),
                     std::to_string(url.servers.size()));
  if (slash != std::string_view::npos) url.name = text.substr(slash + 1);
  while (url.name.ends_with('/')) url.name.pop_back();
  return url;
}

std::string to_string(const RemoteUrl& url) {
  std::string text = fmt::format("{}{}/{}?transport={}&streams={}&encrypt={}", remote_scheme,
                                 fmt::join(url.servers, ","), url.name,
                                 url.transport == SlabTransport::udp ? "udp" : "tcp", url.streams,
                                 url.encrypt ? "yes" : "no");
  if (!url.interfaces.empty()) text += "&interfaces=" + to_string(url.interfaces);
  return text;
}

std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url, const RemoteConnection& how) {
  SlabClientOptions options;
  for (const std::string& server : url.servers) options.servers.push_back(resolve(server, server));
  if (how.party == ServerParty::show)
    options.session.key = key_of(Protocol::stream);
  else
    options.session.key = outer_key_of(Protocol::stream);
  options.session.transport = url.transport;
  options.session.stripes = url.streams;
  options.session.encrypt = url.encrypt;
  options.session.interfaces = url.interfaces;
  options.keep_bytes = how.keep_bytes;
  options.connect_limit = how.limit;
  options.placement = how.receiver;
  return std::make_shared<SlabClient>(std::move(options));
}

}  // namespace tilewall::net
