// Draws the outline box of a volume as the camera sees it. The edges go first, under all other
// annotations, and the numbers last, where those leave room.
//
// Threads: any; pure functions beside the sheet and the thread's own glyphs (render/font.hpp).
#pragma once

#include "player/volume/caster/annotation_sheet.hpp"
#include "player/volume/caster/annotations.hpp"
#include "render/volume/cast_style.hpp"

namespace tilewall::volume {

/// Draws the edges that bound the box in the picture, and faintly those behind it. The three at the
/// corner nearest to the eye are left out, because they would lie before the volume. Throws
/// InputError for a camera without a meaning.
void draw_box_edges(const AnnotationSheet& sheet, const render::CastView& view,
                    const Annotations& annotations);

/// Writes numbers and a name along one bounding edge of each axis, the lowest and leftmost. Throws
/// as above.
void draw_box_numbers(AnnotationSheet& sheet, const render::CastView& view,
                      const Annotations& annotations);

}  // namespace tilewall::volume
