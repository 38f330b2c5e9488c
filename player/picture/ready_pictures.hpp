// Pictures that a decoder process has ready.
#pragma once

#include <cstdint>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::picture {

/// A picture that fills the frames [first, end). `since` is the instant at which it was ready.
struct ReadyPicture {
  std::int64_t first = 0;
  std::int64_t end = 0;
  LocalInstant since;
};

/// The pictures that draw() would have at once.
struct ReadyPictures {
  bool lost = false;  ///< The frame asked for will never come
  std::vector<ReadyPicture> pictures;
};

}  // namespace tilewall::picture
