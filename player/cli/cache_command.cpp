// tilewall cache: lists and cleans the cache of imported movies and images, and sets its limit.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "player/cli/commands.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

struct CacheArguments {
  std::vector<std::string> names;
  std::string limit;
  std::string to;
  bool json = false;
};

/// Parses a size such as "20GiB", "500M" or "1.5T", in binary units; returns bytes. Throws
/// InputError that names `what`.
std::uint64_t size_of(const std::string& what, const std::string& text) {
  constexpr std::string_view units = "KMGT";
  constexpr double most_bytes = 1e18;
  double value = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string unit(stop, end);
  const auto power = unit.empty() ? std::string_view::npos : units.find(unit.front());
  const bool has_unit =
      power != std::string_view::npos && (unit.size() == 1 || unit.substr(1) == "iB");
  const double bytes = has_unit ? value * std::pow(1024.0, static_cast<double>(power + 1)) : value;
  const bool zero = unit.empty() && value == 0;
  if (error != std::errc{} || !(has_unit || zero) || !(bytes >= 0 && bytes <= most_bytes))
    throw InputError({what}, "", "a size such as 20GiB or 500M", '"' + text + '"');
  return static_cast<std::uint64_t>(bytes);
}

std::string shown_size(std::uintmax_t bytes) {
  constexpr double mib = 1 << 20;
  constexpr double gib = 1 << 30;
  const auto size = static_cast<double>(bytes);
  return size < gib ? fmt::format("{:.1f} MiB", size / mib) : fmt::format("{:.2f} GiB", size / gib);
}

std::chrono::system_clock::time_point used_at(const movie::CacheEntry& entry) {
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      std::chrono::file_clock::to_sys(entry.used_at));
}

/// The movie that an entry was imported from; "" if that is not known, as for the demo's files.
std::string source_of(const movie::CacheEntry& entry) {
  try {
    return scene::is_wall_movie(entry.path) ? movie::load_manifest(entry.path).source : "";
  } catch (const InputError&) {
    return "";  // an import that was interrupted
  }
}

OrderedJson json_of(const std::vector<movie::CacheEntry>& entries) {
  OrderedJson list = OrderedJson::array();
  const auto now = std::chrono::system_clock::now();
  for (const movie::CacheEntry& entry : entries)
    list.push_back({{"name", entry.path.filename().string()},
                    {"path", entry.path.string()},
                    {"source", source_of(entry)},
                    {"size_bytes", entry.bytes},
                    {"unused_s", std::chrono::duration<double>(now - used_at(entry)).count()},
                    {"in_use", entry.in_use}});
  return list;
}

std::uintmax_t total_bytes(const std::vector<movie::CacheEntry>& entries) {
  return std::accumulate(
      entries.begin(), entries.end(), std::uintmax_t{0},
      [](std::uintmax_t sum, const movie::CacheEntry& entry) { return sum + entry.bytes; });
}

void print_entry(const movie::CacheEntry& entry) {
  print_line(stdout, "{:>11}  {:%Y-%m-%d %H:%M}  {}{}", shown_size(entry.bytes),
             fmt::localtime(std::chrono::system_clock::to_time_t(used_at(entry))),
             entry.path.filename().string(), entry.in_use ? ", in use" : "");
}

int run_list(const CacheArguments& arguments) {
  const fs::path cache = movie::cache_folder();
  const std::vector<movie::CacheEntry> entries = movie::cache_entries(cache);
  const std::uint64_t limit = movie::cache_limit_bytes(cache);
  if (arguments.json) {
    const OrderedJson report = {{"folder", cache.string()},
                                {"size_bytes", total_bytes(entries)},
                                {"limit_bytes", limit},
                                {"entries", json_of(entries)}};
    fmt::print("{}\n", json_text(report));
    return exit_done;
  }
  print_line(stdout, "{}: {} of {} at most, {} entries{}", cache.string(),
             shown_size(total_bytes(entries)), shown_size(limit), entries.size(),
             entries.empty() ? "" : ", the least recently used first");
  for (const movie::CacheEntry& entry : entries) print_entry(entry);
  return exit_done;
}

int report_cleaning(const movie::CacheCleaning& cleaning, const CacheArguments& arguments) {
  if (arguments.json) {
    const OrderedJson report = {{"removed_bytes", total_bytes(cleaning.removed)},
                                {"size_bytes", cleaning.left_bytes},
                                {"in_use_bytes", cleaning.in_use_bytes},
                                {"removed", json_of(cleaning.removed)}};
    fmt::print("{}\n", json_text(report));
    return exit_done;
  }
  for (const movie::CacheEntry& entry : cleaning.removed)
    print_line(stdout, "removed {}, {}", entry.path.filename().string(), shown_size(entry.bytes));
  print_line(stdout, "{} left{}", shown_size(cleaning.left_bytes),
             cleaning.in_use_bytes > 0
                 ? fmt::format(", {} of it in use", shown_size(cleaning.in_use_bytes))
                 : "");
  return exit_done;
}

int run_clean(const CacheArguments& arguments) {
  if (!arguments.names.empty() && !arguments.to.empty())
    throw InputError({"cache clean"}, "", "names or --to", "both");
  if (!arguments.names.empty())
    return report_cleaning(movie::remove_from_cache(movie::cache_folder(), arguments.names),
                           arguments);
  const std::uint64_t to = arguments.to.empty() ? 0 : size_of("--to", arguments.to);
  return report_cleaning(movie::clean_cache(movie::cache_folder(), to), arguments);
}

int run_limit(const CacheArguments& arguments) {
  const fs::path cache = movie::cache_folder();
  if (!arguments.limit.empty())
    movie::set_cache_limit(cache, size_of("cache limit", arguments.limit));
  const std::uint64_t limit = movie::cache_limit_bytes(cache);
  if (arguments.json)
    fmt::print("{}\n", OrderedJson{{"limit_bytes", limit}}.dump());
  else
    print_line(stdout, "{}", shown_size(limit));
  return exit_done;
}

}  // namespace

void add_cache_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<CacheArguments>();
  CLI::App* cache = app.add_subcommand(
      "cache", "Lists, limits and cleans the cache of imported movies and images");
  cache->require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* help, int (*what)(const CacheArguments&)) {
    CLI::App* command = cache->add_subcommand(name, help);
    command->add_flag("--json", arguments->json, "print one JSON object");
    command->callback(
        [what, arguments, &run] { run = [what, arguments] { return what(*arguments); }; });
    return command;
  };
  cache->add_flag("--json", arguments->json, "print one JSON object");
  cache->callback([cache, arguments, &run] {
    if (cache->get_subcommands().empty()) run = [arguments] { return run_list(*arguments); };
  });
  add("list", "prints the entries, their sizes and when each was used last (the default)", run_list)
      ->footer("Example: tilewall cache list --json");
  CLI::App* limit =
      add("limit",
          "prints or sets the size above which an import removes the least recently used entries",
          run_limit);
  limit->footer("Example: tilewall cache limit 50GiB");
  limit->add_option("SIZE", arguments->limit, "the new limit, such as 20GiB (the default) or 500M");
  CLI::App* clean = add("clean", "removes entries that no show uses", run_clean);
  clean->footer("Example: tilewall cache clean --to 5GiB");
  clean->add_option("NAME", arguments->names, "only these entries");
  clean->add_option("--to", arguments->to,
                    "remove only the least recently used, until the others take at most this size");
  cache->footer(
      "The cache is $XDG_CACHE_HOME/tilewall, or ~/.cache/tilewall. Entries that a running show or "
      "an\n"
      "import uses are never removed.\n"
      "Examples: tilewall cache; tilewall cache limit 50GiB; tilewall cache clean --to 5GiB");
}

}  // namespace tilewall::cli
