#include "player/movie/frames/zimg_graph.hpp"

#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr double hdr_white_nits = 203;  // ITU-R BT.2408: diffuse white of HDR programmes

}  // namespace

std::string zimg_error_text() {
  char text[256] = {};
  zimg_get_last_error(text, sizeof text);
  return text;
}

void check_zimg(zimg_error_code_e error, const char* call) {
  if (error != ZIMG_ERROR_SUCCESS) throw JobError(std::string(call) + ": " + zimg_error_text());
}

zimg_graph_builder_params zimg_scaling_params(ZimgInstructions instructions) {
  zimg_graph_builder_params params;
  zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
  params.resample_filter = params.resample_filter_uv = ZIMG_RESIZE_BICUBIC;
  params.filter_param_a = params.filter_param_a_uv = 0;
  params.filter_param_b = params.filter_param_b_uv = 0.5;
  params.nominal_peak_luminance = hdr_white_nits;
  params.allow_approximate_gamma = 1;
  if (instructions == ZimgInstructions::common) params.cpu_type = ZIMG_CPU_NONE;
  return params;
}

std::size_t zimg_scratch_bytes(const ZimgGraph& graph) {
  std::size_t bytes = 0;
  check_zimg(zimg_filter_graph_get_tmp_size(graph.get(), &bytes), "zimg tmp_size");
  return bytes;
}

}  // namespace tilewall::movie
