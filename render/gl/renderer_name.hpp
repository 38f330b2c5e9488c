// Tells GPUs from software by the renderer's name.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tilewall::render {

/// Whether a GL_RENDERER is a program on the processor, not a GPU.
[[nodiscard]] inline bool is_software_renderer(std::string_view renderer) noexcept {
  constexpr std::string_view names[] = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer",
                                        "SwiftShader"};
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
    return renderer.find(name) != std::string_view::npos;
  });
}

}  // namespace tilewall::render
