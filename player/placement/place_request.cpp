#include "player/placement/place_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "net/interfaces.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::placement {
namespace {

constexpr const char* option = "--place";
constexpr std::string_view all = "all";
constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

struct CpuWord {
  const char* name;
  PlaceRequest::Cpus PlaceRequest::*cpus;
};
constexpr std::array cpu_words = {CpuWord{"presenter", &PlaceRequest::presenter},
                                  CpuWord{"receivers", &PlaceRequest::receivers},
                                  CpuWord{"decoders", &PlaceRequest::decoders}};
constexpr const char* memory_word = "memory";
constexpr const char* interface_word = "interface";

[[noreturn]] void refuse(const std::string& where, std::string_view word,
                         const std::string& expected, std::string_view found) {
  throw InputError({where}, word, expected,
                   found.empty() ? "nothing" : fmt::format("\"{}\"", found));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<int> parse_cpu_set(const std::string& where, std::string_view word,
                               std::string_view text) {
  if (text == all) return {};
  const auto cpus = parse_cpus(text);
  if (!cpus) refuse(where, word, "CPUs such as 0-3,8, or all", text);
  return *cpus;
}

int parse_node(const std::string& where, std::string_view text) {
  if (text == all) return any_node;
  int node = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, node);
  if (error != std::errc{} || stop != end || node < 0 || node >= max_nodes)
    refuse(where, memory_word, "a NUMA node's number, or all", text);
  return node;
}

void add_word(PlaceRequest& request, std::string_view clause, const std::string& where) {
  const auto equals = clause.find('=');
  const std::string_view word = trimmed(clause.substr(0, equals));
  const std::string_view value =
      equals == std::string_view::npos ? "" : trimmed(clause.substr(equals + 1));
  const auto once = [&](bool is_given) {
    if (is_given) refuse(where, word, "once", "twice");
  };
  for (const CpuWord& known : cpu_words) {
    if (word != known.name) continue;
    once((request.*known.cpus).has_value());
    request.*known.cpus = parse_cpu_set(where, word, value);
    return;
  }
  if (word == memory_word) {
    once(request.memory.has_value());
    request.memory = parse_node(where, value);
  } else if (word == interface_word) {
    once(!request.interface.empty());
    if (value.empty()) refuse(where, word, "an interface's name", value);
    request.interface = value;
  } else {
    refuse(where, "", "presenter, receivers, decoders, memory or interface, with = and a value",
           clause);
  }
}

PlaceEntry parse_entry(std::string_view text, const std::string& where) {
  const auto colon = text.find(':');
  PlaceEntry entry;
  entry.where = where;
  if (colon < text.find('=')) {
    entry.who = trimmed(text.substr(0, colon));
    if (entry.who.empty()) refuse(where, "", "a panel or a host before the colon", text);
    text.remove_prefix(colon + 1);
  }
  entry.request = parse_place(std::string(text), where);
  if (entry.request.empty()) refuse(where, "", "WORD=VALUE, such as decoders=2-7", text);
  return entry;
}

std::vector<PlaceEntry> parse_file(const std::string& file) {
  std::istringstream lines(read_text_file(file, max_file_bytes));
  std::vector<PlaceEntry> entries;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty()) entries.push_back(parse_entry(text, fmt::format("{}:{}", file, number)));
  }
  if (entries.empty()) throw InputError({file}, "", "[WHO:]WORD=VALUE;... a line", "none");
  return entries;
}

void check_cpus(const std::vector<int>& cpus, const HostTopology& host, const std::string& where,
                const char* word) {
  std::vector<int> beyond;
  std::ranges::set_difference(cpus, host.cpus, std::back_inserter(beyond));
  if (!beyond.empty())
    refuse(where, word, "CPUs of " + format_cpus(host.cpus), format_cpus(beyond));
}

/// Checks an interface's name, as far as the interfaces of the host are known.
void check_interface(const std::string& name, const HostTopology& host, const std::string& where) {
  std::vector<std::string> names;
  if (host.is_this_host) names = net::interface_names();
  for (const HostDevice& device : host.devices)
    if (device.kind == HostDevice::Kind::network && !host.is_this_host)
      names.push_back(device.name);
  if (names.empty() || std::ranges::find(names, name) != names.end()) return;
  refuse(where, interface_word, fmt::format("one of {}", fmt::join(names, ", ")), name);
}

}  // namespace

PlaceRequest parse_place(const std::string& text, const std::string& where) {
  PlaceRequest request;
  if (trimmed(text).empty()) return request;
  std::istringstream clauses(text);
  for (std::string clause; std::getline(clauses, clause, ';');)
    if (!trimmed(clause).empty()) add_word(request, trimmed(clause), where);
  return request;
}

std::string to_string(const PlaceRequest& request) {
  std::vector<std::string> clauses;
  for (const CpuWord& word : cpu_words)
    if (const PlaceRequest::Cpus& cpus = request.*word.cpus)
      clauses.push_back(
          fmt::format("{}={}", word.name, cpus->empty() ? std::string(all) : format_cpus(*cpus)));
  if (request.memory)
    clauses.push_back(*request.memory == any_node
                          ? fmt::format("{}={}", memory_word, all)
                          : fmt::format("{}={}", memory_word, *request.memory));
  if (!request.interface.empty())
    clauses.push_back(fmt::format("{}={}", interface_word, request.interface));
  return fmt::format("{}", fmt::join(clauses, ";"));
}

std::vector<PlaceEntry> parse_place_option(const std::string& text) {
  if (text.find('=') != std::string::npos) return {parse_entry(text, option)};
  if (trimmed(text).empty() || !std::filesystem::is_regular_file(text))
    refuse(option, "", "WORD=VALUE;..., or a file of such lines", text);
  return parse_file(text);
}

PlaceRequest merged(PlaceRequest under, const PlaceRequest& over) {
  for (const CpuWord& word : cpu_words)
    if (over.*word.cpus) under.*word.cpus = over.*word.cpus;
  if (over.memory) under.memory = over.memory;
  if (!over.interface.empty()) under.interface = over.interface;
  return under;
}

void check_place(const PlaceRequest& request, const HostTopology& host, const std::string& where) {
  if (host.cpus.empty()) return;  // nothing is known
  for (const CpuWord& word : cpu_words)
    if (const PlaceRequest::Cpus& cpus = request.*word.cpus)
      check_cpus(*cpus, host, where, word.name);
  if (request.memory && *request.memory != any_node &&
      std::ranges::find(host.memory_nodes, *request.memory) == host.memory_nodes.end())
    refuse(where, memory_word, "a node of " + format_cpus(host.memory_nodes),
           std::to_string(*request.memory));
  if (!request.interface.empty()) check_interface(request.interface, host, where);
}

}  // namespace tilewall::placement
