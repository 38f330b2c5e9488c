// Who draws behind an OpenGL context, by the name that it gives itself.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tilewall::render {

/// Of GL_RENDERER: no GPU, but a program on the processor.
[[nodiscard]] inline bool is_software_renderer(std::string_view renderer) noexcept {
  constexpr std::string_view names[] = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer",
                                        "SwiftShader"};
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
    return renderer.find(name) != std::string_view::npos;
  });
}

}  // namespace tilewall::render
