// The picture's pixel under this one of the panel, colour-matched, darkened where panels overlap.
// In: pos_picture (0..1). Out: the panel's own display values, 0..1.
#version 450 core

layout(binding = 0) uniform sampler2D picture;       // nearest
layout(binding = 1) uniform sampler2D color_tables;  // 256 x 1; the matched value per channel
layout(binding = 2) uniform sampler2D edge_factors;  // nearest; of the picture's size
layout(location = 2) uniform bool match_colors;
layout(location = 3) uniform bool blend_edges;

in vec2 pos_picture;
out vec4 color;

void main() {
  vec3 rgb = texture(picture, pos_picture).rgb;
  if (match_colors) {
    ivec3 value = ivec3(rgb * 255.0 + 0.5);
    rgb = vec3(texelFetch(color_tables, ivec2(value.r, 0), 0).r,
               texelFetch(color_tables, ivec2(value.g, 0), 0).g,
               texelFetch(color_tables, ivec2(value.b, 0), 0).b);
  }
  if (blend_edges) rgb *= texture(edge_factors, pos_picture).r;
  color = vec4(rgb, 1.0);
}
