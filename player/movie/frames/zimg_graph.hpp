// An owning handle for zimg's filter graphs, and zimg's errors as exceptions.
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

/// zimg's text for this thread's last error.
[[nodiscard]] std::string zimg_error_text();

/// Throws JobError naming the call if `error` is not ZIMG_ERROR_SUCCESS.
void check_zimg(zimg_error_code_e error, const char* call);

/// Instructions that zimg uses: the best that the processor has, or only those that every one has.
/// Their results differ by rounding.
enum class ZimgInstructions { best, common };

/// The parameters with which all pictures are scaled: Catmull-Rom, and SDR white of 203 cd/m2.
[[nodiscard]] zimg_graph_builder_params zimg_scaling_params(
    ZimgInstructions instructions = ZimgInstructions::best);

/// Bytes of scratch memory that the graph needs. Throws JobError if zimg fails.
[[nodiscard]] std::size_t zimg_scratch_bytes(const ZimgGraph& graph);

}  // namespace tilewall::movie
