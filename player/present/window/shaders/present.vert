// One triangle that covers the viewport; no vertex inputs.
// Out: pos_picture, 0..1 across the picture as the viewer sees it, x right, y down.
#version 450 core

// Frame buffer position (0..1, x right, y down, 1) -> picture position; turns by the panel's rotation.
layout(location = 0) uniform mat3x2 picture_from_frame_buffer;
// 1 where row 0 of the target is its top (a texture read back), -1 where it is its bottom (a window).
layout(location = 1) uniform float y_down;

out vec2 pos_picture;

void main() {
  vec2 pos_ndc = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  vec2 pos_frame_buffer = 0.5 + 0.5 * pos_ndc * vec2(1.0, y_down);
  pos_picture = picture_from_frame_buffer * vec3(pos_frame_buffer, 1.0);
  gl_Position = vec4(pos_ndc, 0.0, 1.0);
}
