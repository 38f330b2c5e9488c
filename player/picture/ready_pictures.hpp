// Pictures that another process has decoded already.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::picture {

/// A picture that fills the frames [first, end), and since when it is there.
struct ReadyPicture {
  std::int64_t first = 0;
  std::int64_t end = 0;
  LocalInstant since;
};

/// Of a source whose pictures another process decodes: what draw() would have at once.
struct ReadyPictures {
  bool lost = false;  ///< the frame asked for never comes
  std::vector<ReadyPicture> pictures;
};

}  // namespace tilewall::picture
