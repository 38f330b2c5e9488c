#include "sync/base/host_name.hpp"

#include <unistd.h>

namespace tilewall {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace tilewall
