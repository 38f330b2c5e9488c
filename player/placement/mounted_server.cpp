#include "player/placement/mounted_server.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace tilewall::placement {
namespace {

constexpr std::string_view address_option = "addr=";

int port_of(const std::string& file_system) {
  if (file_system == "nfs" || file_system == "nfs4") return 2049;
  return file_system == "cifs" || file_system == "smb3" ? 445 : 0;
}

/// The value of "addr=" among "a,b=c,addr=10.0.0.5".
std::string address_in(const std::string& options) {
  std::istringstream words(options);
  for (std::string word; std::getline(words, word, ',');)
    if (word.starts_with(address_option)) return word.substr(address_option.size());
  return "";
}

}  // namespace

// A line of the file, as in proc(5): "36 35 0:52 / /movies rw,relatime shared:1 - nfs4
// filer:/export rw,vers=4.2,addr=10.0.0.5".
std::string mounted_server_in(std::string_view mountinfo, std::string_view device) {
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string number;
    const auto dash = line.find(" - ");
    if (!(words >> id >> parent >> number) || number != device || dash == std::string::npos)
      continue;
    std::istringstream rest(line.substr(dash + 3));
    std::string file_system;
    std::string source;
    std::string options;
    rest >> file_system >> source >> options;
    const int port = port_of(file_system);
    const std::string address = address_in(options);
    if (port == 0 || address.empty()) return "";
    const bool is_v6 = address.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", address, is_v6 ? "]" : "", port);
  }
  return "";
}

std::string mounted_server(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return "";
  std::ifstream mountinfo("/proc/self/mountinfo");
  const std::string text{std::istreambuf_iterator<char>(mountinfo), {}};
  return mounted_server_in(text, fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev)));
}

}  // namespace tilewall::placement
