#include "player/cli/cache_folder.hpp"

#include <cstdlib>

namespace tilewall {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "tilewall";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "tilewall";
  return fs::temp_directory_path() / "tilewall-cache";
}

}  // namespace tilewall
