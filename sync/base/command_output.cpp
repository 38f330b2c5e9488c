#include "sync/base/command_output.hpp"

#include <cstdio>
#include <memory>

namespace tilewall {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string output;
  char part[4096];
  while (pipe) {
    const std::size_t got = std::fread(part, 1, sizeof part, pipe.get());
    if (got == 0) break;
    output.append(part, got);
  }
  return output;
}

}  // namespace tilewall
