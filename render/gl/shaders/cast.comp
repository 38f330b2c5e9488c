// Pictures of a volume: one ray a thread, the formulas of render/volume/scalar_caster.cpp.
//
// In: MODE 0 composite, 1 maximum, 2 average, 3 isosurface; LIT 1: headlight (of composites; of
// isosurfaces always); FLOATS 1: texels may be no numbers; KEYED 1: the table has equal steps of a key
// (render/volume/value_curve.hpp); REFINED_SAMPLES above 1: refined by REFINED_REACH and
// REFINED_CHANGE (render/volume/refinement.hpp). All places are in voxel coordinates,
// k counts samples from the eye. Values are texels, as the texture gives them.
// Out: rows of B, G, R, 255, and how many samples were taken. Movies that are rendered by parts have
// all of them from one revision: see player/rendering/flight_identity.cpp.
layout(local_size_x = 8, local_size_y = 8) in;

layout(std140, binding = 0) uniform Picture {
  vec4 eye;              // rays, see PixelRays; w: 1 of a perspective
  vec4 ahead;            // w: slope
  vec4 right;            // w: the centre's x, in pixels of the whole picture
  vec4 down;             // w: y
  vec4 box_min;          // of the clip; w: the rays' stretch
  vec4 box_max;          // w: their skew
  vec4 planes[6];        // normal, offset
  vec4 along_scale;      // spacing / step; w: ambient
  vec4 gradient_scale;   // least spacing / spacing, by the range of values; w: diffuse
  vec4 atlas_scale;      // x, y: 1 / texels of a layer; z: iso value; w: specular
  vec4 table;            // x: texel of the first entry; y: entries a texel, by their count; z: flat, squared
  vec4 curve;            // of KEYED: v' = x * texel + y; z: added to its size; w: least v', not included
  vec4 iso_colour;
  vec4 background;
  ivec4 size;            // of the volume; w: planes
  ivec4 part;            // x, y of its first pixel in the whole picture, width, height of what is drawn
  ivec4 cells;           // x: cell side = 2^x; y: halvings of the step that crosses an isosurface
};
layout(std430, binding = 1) buffer Pixels {
  uint samples;
  uint pixels[];
};
layout(binding = 0) uniform sampler2DArray atlas;
layout(binding = 1) uniform usampler3D brick_index;
layout(binding = 2) uniform usampler3D skip_map;
layout(binding = 3) uniform sampler1D colours;     // w: opacity of a step
layout(binding = 4) uniform sampler1D refinement;  // x: opacity of a refined sample; y: changes up to a place

const int brick_shift = 5;
const float stored_side = 35.0;
const uint needed_bit = 0x80u;
const float opaque_enough = 1.0 - 1.0 / 512.0;

shared uint group_samples;

struct Ray {
  vec3 start;
  vec3 advance;
};

// Where in the atlas voxel (0, 0, 0) would lie, were all bricks stored like this one: texels and layer.
vec3 brick_offset(ivec3 voxel) {
  ivec3 brick = voxel >> brick_shift;
  uint slot = texelFetch(brick_index, brick, 0).r;
  vec3 first = stored_side * vec3(slot & 1023u, (slot >> 10) & 1023u, slot >> 20);
  return first + 1.0 - vec3(brick << brick_shift);
}

vec3 inside(vec3 at) { return clamp(at, vec3(0), vec3(size.xyz - 1)); }
ivec3 voxel_below(vec3 at) { return min(ivec3(at), size.xyz - 2); }

// Trilinear in single precision: texture units' own filters know 256 places between two texels.
// False: a corner is empty.
bool sample_at(vec3 at, vec3 offset, out float texel) {
  vec3 below = vec3(voxel_below(at));
  vec3 part = at - below;
  vec3 first = below + offset;
  vec2 between = (first.xy + 1.0) * atlas_scale.xy;  // in the middle of the four
  vec4 near = textureGather(atlas, vec3(between, first.z));
  vec4 far = textureGather(atlas, vec3(between, first.z + 1.0));
#if FLOATS
  uvec4 bits = max(floatBitsToUint(near) & 0x7fffffffu, floatBitsToUint(far) & 0x7fffffffu);
  if (max(max(bits.x, bits.y), max(bits.z, bits.w)) >= 0x7f800000u) {
    texel = 0.0;
    return false;
  }
#endif
  vec4 square = near + part.z * (far - near);
  vec2 row = square.wx + part.x * (square.zy - square.wx);
  texel = row.x + part.y * (row.y - row.x);
  return true;
}

vec3 place(Ray ray, float k) { return inside(ray.start + k * ray.advance); }

// Where texels have no place on the scale of values, they are empty.
bool has_place(float texel) {
#if KEYED
  return texel * curve.x + curve.y > curve.w;
#else
  return true;
#endif
}

float table_place(float texel) {
#if KEYED
  float v = texel * curve.x + curve.y;
  float key = float(floatBitsToInt(abs(v) + curve.z) - 0x3f800000);
  texel = v < 0.0 ? -key : key;
#endif
  return clamp((texel - table.x) * table.y, 0.0, 1.0) * (4096.0 / 4097.0) + 0.5 / 4097.0;
}
vec4 of_value(float texel) {
  vec4 entry = texture(colours, table_place(texel));
  return vec4(entry.rgb * entry.a, entry.a);
}

// |n v| of Lighting.
float facing(vec3 at, vec3 offset, vec3 advance) {
  vec3 before, behind;
  bvec3 low, high;
  low.x = sample_at(inside(at - vec3(1, 0, 0)), offset, before.x);
  high.x = sample_at(inside(at + vec3(1, 0, 0)), offset, behind.x);
  low.y = sample_at(inside(at - vec3(0, 1, 0)), offset, before.y);
  high.y = sample_at(inside(at + vec3(0, 1, 0)), offset, behind.y);
  low.z = sample_at(inside(at - vec3(0, 0, 1)), offset, before.z);
  high.z = sample_at(inside(at + vec3(0, 0, 1)), offset, behind.z);
  if (!(all(low) && all(high))) return 0.0;
  vec3 gradient = (behind - before) * gradient_scale.xyz;
  return abs(dot(gradient, advance * along_scale.xyz)) *
         inversesqrt(dot(gradient, gradient) + table.z);
}

vec3 lit(vec3 colour, vec3 at, vec3 offset, vec3 advance) {
  float towards = facing(at, offset, advance);
  float squared = towards * towards;
  float fourth = squared * squared;
  float sixteenth = fourth * fourth * fourth * fourth;
  return colour * (along_scale.w + gradient_scale.w * towards) + atlas_scale.w * sixteenth;
}

// Narrows near and far to where value + k * slope >= 0. A slope of about 0 counts as a small one.
void keep_above(float value, float slope, inout float near, inout float far) {
  float safe = abs(slope) < 1e-20 ? 1e-20 : slope;
  float at = -value / safe;
  if (safe > 0.0)
    near = max(near, at);
  else
    far = min(far, at);
}

// The ray's first and last sample inside of the clip.
ivec2 span_of(Ray ray) {
  float near = 0.0;
  float far = 16777216.0;
  for (int axis = 0; axis < 3; ++axis) {
    keep_above(ray.start[axis] - box_min[axis], ray.advance[axis], near, far);
    keep_above(box_max[axis] - ray.start[axis], -ray.advance[axis], near, far);
  }
  for (int i = 0; i < size.w; ++i)
    keep_above(dot(planes[i].xyz, ray.start) + planes[i].w, dot(planes[i].xyz, ray.advance), near,
               far);
  if (!(near <= far)) return ivec2(0, -1);
  return ivec2(ceil(near), floor(far));
}

Ray ray_of(ivec2 pixel) {
  vec2 from_centre = vec2(pixel) + 0.5 - vec2(right.w, down.w);
  vec3 across = from_centre.x * right.xyz + from_centre.y * down.xyz;
  if (eye.w == 0.0) return Ray(eye.xyz + across, ahead.xyz);
  float askew = from_centre.x * dot(from_centre, vec2(box_min.w, box_max.w));
  float longer = sqrt(1.0 + dot(from_centre, from_centre) * ahead.w * ahead.w + askew);
  return Ray(eye.xyz, (ahead.xyz + across) / longer);
}

#if MODE == 0
// Adds a sample behind those in the sum. `entry` is its colour, and its opacity.
void add(vec4 entry, vec3 at, vec3 offset, vec3 advance, inout vec4 sum) {
  if (entry.a <= 0.0 || sum.a >= opaque_enough) return;
#if LIT
  entry.rgb = lit(entry.rgb, at, offset, advance);
#endif
  float weight = (1.0 - sum.a) * entry.a;
  sum += vec4(weight * entry.rgb, weight);
}
#endif

#if REFINED_SAMPLES > 1
bool changes_much(float before, float here, float left) {
  float reach = REFINED_REACH * abs(here - before);
  float low = texture(refinement, table_place(min(before, here) - reach)).y;
  float high = texture(refinement, table_place(max(before, here) + reach)).y;
  return (high - low) * left > REFINED_CHANGE;
}

// Adds the samples between samples k - 1 and k, and returns their number. In cells that are not
// needed nothing is to be seen, and their bricks may not be stored.
uint add_between(Ray ray, int k, inout vec4 sum) {
  uint count = 0u;
  for (int i = 1; i < REFINED_SAMPLES && sum.a < opaque_enough; ++i) {
    vec3 at = place(ray, float(k - 1) + float(i) / float(REFINED_SAMPLES));
    ivec3 voxel = voxel_below(at);
    if ((texelFetch(skip_map, voxel >> cells.x, 0).r & needed_bit) == 0u) continue;
    vec3 offset = brick_offset(voxel);
    float texel;
    ++count;
    if (!sample_at(at, offset, texel)) continue;
    float where = table_place(texel);
    vec4 entry = vec4(texture(colours, where).rgb, texture(refinement, where).x);
    add(entry, at, offset, ray.advance, sum);
  }
  return count;
}
#endif

#if MODE == 3
// Of the surface between samples k and k + 1.
vec4 surface(Ray ray, float k, float low_value, float high_value) {
  float iso = atlas_scale.z;
  float low = k;
  float high = k + 1.0;
  bool below = low_value < iso;
  for (int i = 0; i < cells.y; ++i) {
    float middle = 0.5 * (low + high);
    vec3 at = place(ray, middle);
    float here;
    bool there = sample_at(at, brick_offset(voxel_below(at)), here);
    if ((there && here < iso) == below) {
      low = middle;
      low_value = here;
    } else {
      high = middle;
      high_value = here;
    }
  }
  float share = (iso - low_value) / (high_value - low_value);
  vec3 at = place(ray, low + (high - low) * share);
  return vec4(lit(iso_colour.rgb, at, brick_offset(voxel_below(at)), ray.advance), 1.0);
}
#endif

void main() {
  if (gl_LocalInvocationIndex == 0u) group_samples = 0u;
  barrier();
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  bool wanted = pixel.x < part.z && pixel.y < part.w;
  Ray ray = ray_of(part.xy + pixel);
  ivec2 span = wanted ? span_of(ray) : ivec2(0, -1);

  bvec3 rising = greaterThanEqual(ray.advance, vec3(0));
  vec3 steep = mix(min(ray.advance, vec3(-1e-20)), max(ray.advance, vec3(1e-20)), rising);
  vec3 inverse = 1.0 / steep;

  vec4 sum = vec4(0);
  float best = 0.0;    // of maximum; of average the sum
  uint count = 0u;     // of samples that are there
  uint taken = 0u;
#if MODE == 3 || REFINED_SAMPLES > 1
  bool had = false;    // whether the sample before this one was taken, and is there
  float before = 0.0;
#endif
#if MODE == 2
  // Sums of small differences round less.
  float mean_from = KEYED == 1 ? 0.0 : table.x;
#endif
  // One loop for cells and samples: rays that are done with a cell wait for their neighbours for one
  // sample, and not until these have left theirs.
  int end = span.x;  // the first sample that is not in this cell's cube
  vec3 offset = vec3(0);
  for (int k = span.x; k <= span.y; ++k) {
    if (k == end) {
      ivec3 voxel = voxel_below(place(ray, float(k)));
      uint cell = texelFetch(skip_map, voxel >> cells.x, 0).r;
      // Up to the wall through which the ray leaves the cell's cube.
      int shift = cells.x + int(cell & ~needed_bit);
      ivec3 corner = (voxel >> shift) << shift;
      vec3 wall = vec3(corner + (ivec3(rising) << shift));
      vec3 leaves = (wall - ray.start) * inverse;
      float leave = min(min(leaves.x, leaves.y), leaves.z);
      end = int(min(max(ceil(leave), float(k + 1)), float(span.y + 1)));
      if ((cell & needed_bit) == 0u) {
#if MODE == 3 || REFINED_SAMPLES > 1
        had = false;
#endif
        k = end - 1;
        continue;
      }
      offset = brick_offset(voxel);
    }
    vec3 at = place(ray, float(k));
    float texel;
    bool there = sample_at(at, offset, texel);
    ++taken;
#if MODE == 0
#if REFINED_SAMPLES > 1
    bool is_fine = had && there && changes_much(before, texel, 1.0 - sum.a);
    if (is_fine) taken += add_between(ray, k, sum);
    before = texel;
    had = there;
#endif
    if (!there || !has_place(texel)) continue;
    float where = table_place(texel);
    vec4 entry = texture(colours, where);
#if REFINED_SAMPLES > 1
    if (is_fine) entry.a = texture(refinement, where).x;
#endif
    add(entry, at, offset, ray.advance, sum);
    if (sum.a >= opaque_enough) break;
#elif MODE == 1
    if (!there || !has_place(texel)) continue;
    best = count == 0u ? texel : max(best, texel);
    count = 1u;
#elif MODE == 2
    if (!there || !has_place(texel)) continue;
    best += texel - mean_from;
    ++count;
#else
    if (had && there && (before < atlas_scale.z) != (texel < atlas_scale.z)) {
      sum = surface(ray, float(k - 1), before, texel);
      break;
    }
    before = texel;
    had = there;
#endif
  }
#if MODE == 1
  if (count > 0u) sum = of_value(best);
#elif MODE == 2
  if (count > 0u) sum = of_value(best / float(count) + mean_from);
#endif

  atomicAdd(group_samples, taken);
  barrier();
  if (gl_LocalInvocationIndex == 0u) atomicAdd(samples, group_samples);
  if (!wanted) return;
  vec3 rgb = clamp((sum.rgb + (1.0 - sum.a) * background.rgb) * 255.0 + 0.5, 0.0, 255.0);
  uvec3 level = uvec3(rgb);
  pixels[pixel.y * part.z + pixel.x] = level.b | level.g << 8 | level.r << 16 | 0xff000000u;
}
