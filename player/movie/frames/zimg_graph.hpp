// zimg's graph with one owner, and its errors as ours.
#pragma once

#include <zimg.h>

#include <cstddef>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct ZimgGraphTraits {
  using Raw = zimg_filter_graph*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { zimg_filter_graph_free(raw); }
};
using ZimgGraph = UniqueHandle<ZimgGraphTraits>;

/// zimg's own words for this thread's last error.
[[nodiscard]] std::string zimg_error_text();

/// Throws JobError naming the call where `error` is one.
void check_zimg(zimg_error_code_e error, const char* call);

/// The filter all pictures are scaled with: Catmull-Rom.
[[nodiscard]] zimg_graph_builder_params zimg_scaling_params();

/// Bytes of scratch memory the graph wants.
[[nodiscard]] std::size_t zimg_scratch_bytes(const ZimgGraph& graph);

}  // namespace tilewall::movie
