#include "net/mpirun_bind.hpp"

#include <cstdlib>
#include <string_view>

namespace tilewall::net {
namespace {

constexpr const char* preload_variable = "LD_PRELOAD";
constexpr char between_preloads = ':';

std::string text_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// "127.0.0.1", "fd00::1"
std::string without_port(const SocketAddress& address) {
  std::string text = to_string(address);
  text.erase(text.rfind(':'));
  return text.starts_with('[') ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> mpirun_bind_environment(
    const SocketAddress& address, const std::filesystem::path& library) {
  const std::string others = text_of(preload_variable);
  std::vector<std::pair<std::string, std::string>> variables = {
      {preload_variable, library.string() + (others.empty() ? "" : between_preloads + others)},
      {mpirun_bind_variable, without_port(address)}};
  // mpirun passes this on to its daemons elsewhere, whose interfaces have other names.
  if (address.loopback()) variables.emplace_back("OMPI_MCA_oob_tcp_if_include", "lo");
  return variables;
}

void leave_mpirun_bind() {
  ::unsetenv(mpirun_bind_variable);
  const std::string preloads = text_of(preload_variable);
  const auto end = preloads.find(between_preloads);
  if (!std::string_view(preloads).substr(0, end).ends_with(mpirun_bind_library)) return;
  if (end == std::string::npos)
    ::unsetenv(preload_variable);
  else
    ::setenv(preload_variable, preloads.substr(end + 1).c_str(), 1);
}

}  // namespace tilewall::net
