#include "player/cli/play/placement_options.hpp"

#include <algorithm>

#include "net/slab/remote_url.hpp"
#include "player/placement/mounted_server.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

namespace tilewall::cli {
namespace {

std::vector<placement::PlaceEntry> place_entries(const std::vector<std::string>& texts) {
  std::vector<placement::PlaceEntry> entries;
  for (const std::string& text : texts)
    for (placement::PlaceEntry& entry : placement::parse_place_option(text))
      entries.push_back(std::move(entry));
  return entries;
}

bool concerns(const placement::PlaceEntry& entry, const wall::Panel& panel) {
  return entry.who.empty() || entry.who == panel.name || entry.who == panel.host;
}

}  // namespace

void add_place_option(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option("--place", texts,
                  "instead of the plan (play --plan): [WHO:]WORD=VALUE;... or a file of such "
                  "lines. WHO: a panel or host; presenter=, receivers=, decoders=CPUS as taskset "
                  "-c takes them, memory=NODE, interface=NAME")
      ->allow_extra_args(false);
}

std::vector<placement::PlaceRequest> place_requests(const std::vector<std::string>& texts,
                                                    const wall::Wall& wall) {
  std::vector<placement::PlaceRequest> requests(wall.panels.size());
  for (const placement::PlaceEntry& entry : place_entries(texts)) {
    bool concerns_any = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!concerns(entry, wall.panels[i])) continue;
      requests[i] = placement::merged(std::move(requests[i]), entry.request);
      concerns_any = true;
    }
    if (!concerns_any)
      throw InputError({entry.where}, "", "a panel or host of the wall before the colon",
                       "\"" + entry.who + "\"");
  }
  return requests;
}

bool is_this_machine(const wall::Wall& wall, const std::string& host) {
  if (host.empty()) return true;
  const wall::Host* const known = wall.find_host(host);
  const std::string& address = known == nullptr ? host : known->address;
  return address == host_name() || address == "localhost" || address == "127.0.0.1";
}

void check_places(const std::vector<std::string>& texts, const wall::Wall& wall,
                  const std::string& host, const placement::HostTopology& topology) {
  for (const placement::PlaceEntry& entry : place_entries(texts)) {
    const bool is_of_host = std::ranges::any_of(wall.panels, [&](const wall::Panel& panel) {
      return panel.host == host && concerns(entry, panel);
    });
    if (is_of_host) placement::check_place(entry.request, topology, entry.where);
  }
}

scene::PictureServer first_server(const scene::SourceSpec& source) {
  if (source.kind == scene::SourceKind::remote_movie)
    return {net::parse_remote_url(source.path).servers.front(), false};
  if (source.kind == scene::SourceKind::volume)
    if (const std::string path = volume::volume_job_of(source.path).path; net::is_remote(path))
      return {net::parse_remote_url(path).servers.front(), false};
  std::filesystem::path file;
  if (source.kind == scene::SourceKind::wall_movie || source.kind == scene::SourceKind::movie)
    file = source.path;
  if (source.kind == scene::SourceKind::images && !source.files.empty())
    file = std::filesystem::path(source.path) / source.files.front();
  if (std::string address = placement::mounted_server(file); !address.empty())
    return {address, true};
  for (const scene::PlaylistItem& item : source.items)
    if (scene::PictureServer server = first_server(*item.source); !server.address.empty())
      return server;
  return {};
}

}  // namespace tilewall::cli
