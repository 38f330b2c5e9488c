// The bird's-eye view: the wall to scale, with what each panel swapped last and what is wrong with it.

import { element, setAttribute, setText } from './elements.js';
import { count } from './words.js';

const margin_share = 0.02; // of the wall's width, around it
// An older picture of another frame than the panel's is marked as old. Pictures share one budget, and
// so those of a large wall come less often.
const picture_age_limit_s = 3;
const picture_age_per_panel_s = 0.02;

/** The smallest rectangle around rectangles [x, y, width, height]. */
function boundsOf(rectangles) {
  const left = Math.min(...rectangles.map(([x]) => x));
  const top = Math.min(...rectangles.map(([, y]) => y));
  const right = Math.max(...rectangles.map(([x, , width]) => x + width));
  const bottom = Math.max(...rectangles.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}

export class WallView {
  #stage;
  #caption;
  #troubles;
  #conditions;
  #bounds_mm = [0, 0, 1, 1];
  #panels = new Map(); // name -> {node, canvas, frame, mark, place, picture}
  #laid_out = ''; // the wall that the elements were made for
  #shown_troubles = '';

  /** `stage` holds the panels; `caption` and `troubles` are below it. */
  constructor(stage, caption, troubles, conditions) {
    this.#stage = stage;
    this.#caption = caption;
    this.#troubles = troubles;
    this.#conditions = conditions;
    new ResizeObserver(() => this.#fit()).observe(stage.parentElement);
    addEventListener('resize', () => this.#fit());
  }

  update(state) {
    if (!state.wall) return;
    const wanted = JSON.stringify(state.wall);
    if (wanted !== this.#laid_out) this.#layOut(state.wall);
    this.#laid_out = wanted;
    this.draw(state);
  }

  /** Tells what is wrong now; called also between two states, since silence tells of itself. */
  draw(state) {
    if (!state.wall) return;
    const troubles = [];
    const figures = state.status.per_panel ?? {};
    for (const [name, shown] of this.#panels)
      troubles.push(...this.#updatePanel(name, shown, figures[name] ?? {}, state));
    this.#tellTroubles(troubles);
    this.#tellStage(troubles, state);
  }

  #updatePanel(name, shown, panel, state) {
    const conditions = this.#conditions.of(name, panel, state, shown.damage);
    const worst = conditions[0];
    setAttribute(shown.node, 'data-light', worst?.light);
    setText(shown.mark, worst?.word ?? '');
    this.#tellFrame(shown, panel, worst?.word === 'stalled');
    const words = conditions.map(({ text }) => text).join(', ') || 'all is well';
    setAttribute(shown.node, 'title', `${name} on ${panel.host ?? shown.place.host}: ${words}`);
    return conditions.map((condition) => ({ name, ...condition }));
  }

  /** The frame of the picture; where the panel has gone on without a newer one, both frames. */
  #tellFrame(shown, panel, is_stalled) {
    const picture_age_s = (performance.now() - shown.picture_at) / 1000;
    const limit_s = Math.max(picture_age_limit_s, this.#panels.size * picture_age_per_panel_s);
    const is_new = picture_age_s < limit_s && !is_stalled;
    const is_current = shown.has_picture && (is_new || shown.picture_frame === panel.frame);
    const is_old = shown.has_picture && (!panel.connected || !is_current);
    setAttribute(shown.node, 'data-old', is_old);
    const frame = panel.frame ?? '';
    const both = `${frame} (picture of ${shown.picture_frame})`;
    setText(shown.frame, is_current ? shown.picture_frame : is_old && panel.connected ? both : frame);
  }

  #tellTroubles(troubles) {
    const wanted = JSON.stringify(troubles);
    if (wanted === this.#shown_troubles) return;
    this.#shown_troubles = wanted;
    const order = { red: 0, yellow: 1 };
    troubles.sort((a, b) => order[a.light] - order[b.light]);
    const rows = troubles.map(({ name, light, word, text }) =>
      element(
        'li',
        { data: { light } },
        element('b', {}, name),
        element('span', { class: 'mark' }, word),
        element('span', {}, text)
      )
    );
    this.#troubles.replaceChildren(...rows);
  }

  #tellStage(troubles, state) {
    const names = new Set(troubles.map(({ name }) => name));
    const well = `${count(this.#panels.size)} panels, `;
    const words = names.size ? `${count(names.size)} with trouble, listed below` : 'all well';
    setAttribute(this.#stage, 'aria-label', `The wall ${state.wall.name}: ${well}${words}`);
    const [width, height] = state.wall.lit_mm;
    const size = `${(width / 1000).toFixed(2)} × ${(height / 1000).toFixed(2)} m`;
    const [canvas_width, canvas_height] = state.wall.canvas_px;
    const arc = state.wall.arc
      ? `, an arc of ${(state.wall.arc.radius_mm / 1000).toFixed(1)} m, unrolled`
      : '';
    setText(this.#caption, `${well}${size}, canvas ${canvas_width} × ${canvas_height} px${arc}`);
  }

  /** Takes a picture from the console; it is drawn once it is decoded. */
  async showPicture(picture) {
    const shown = this.#panels.get(picture.panel);
    if (!shown) return;
    // Ticks begin anew with each change of time, and so the order of arrival decides.
    const turn = ++shown.newest;
    let bitmap;
    try {
      bitmap = await createImageBitmap(new Blob([picture.data], { type: 'image/jpeg' }));
    } catch {
      return; // The next one follows within a second.
    }
    if (turn === shown.newest) {
      const { canvas } = shown;
      if (canvas.width !== bitmap.width) canvas.width = bitmap.width;
      if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      shown.has_picture = true;
      shown.picture_at = performance.now();
      shown.picture_frame = picture.frame;
      shown.damage = picture.damage;
      setAttribute(shown.node, 'data-pictured', true);
      setText(shown.frame, picture.frame);
    }
    bitmap.close();
  }

  #layOut(wall) {
    const bounds = boundsOf(wall.panels.map((panel) => panel.frame_mm));
    const margin = bounds[2] * margin_share;
    this.#bounds_mm = [
      bounds[0] - margin,
      bounds[1] - margin,
      bounds[2] + 2 * margin,
      bounds[3] + 2 * margin,
    ];
    const before = this.#panels;
    this.#panels = new Map();
    const nodes = [];
    for (const hole of wall.holes ?? []) nodes.push(this.#placed('div', 'hole', hole.mm));
    for (const place of wall.panels) nodes.push(this.#placed('div', 'bezel', place.frame_mm));
    for (const place of wall.panels) {
      const shown = before.get(place.panel) ?? this.#makePanel(place);
      shown.place = place;
      this.#setPlace(shown.node, place.mm);
      this.#panels.set(place.panel, shown);
      nodes.push(shown.node);
    }
    this.#stage.replaceChildren(...nodes);
    this.#fit();
  }

  #makePanel(place) {
    const canvas = element('canvas', { width: 1, height: 1 });
    const frame = element('span', { class: 'panel-frame' });
    const mark = element('span', { class: 'mark' });
    const turned = place.rotation_deg ? ` \u21bb ${place.rotation_deg}°` : '';
    const label = element('span', { class: 'panel-name' }, place.panel + turned);
    const foot = element('span', { class: 'panel-foot' }, label, frame);
    const node = element('div', { class: 'panel', data: { panel: place.panel } }, canvas, mark, foot);
    return {
      node,
      canvas,
      frame,
      mark,
      place,
      newest: 0,
      has_picture: false,
      picture_at: 0,
      picture_frame: 0,
      damage: 'none',
    };
  }

  #placed(tag, name, mm) {
    return this.#setPlace(element(tag, { class: name }), mm);
  }

  #setPlace(node, [x, y, width, height]) {
    const [left, top, all_width, all_height] = this.#bounds_mm;
    node.style.left = `${((x - left) / all_width) * 100}%`;
    node.style.top = `${((y - top) / all_height) * 100}%`;
    node.style.width = `${(width / all_width) * 100}%`;
    node.style.height = `${(height / all_height) * 100}%`;
    return node;
  }

  /** Gives the stage the greatest size that the wall's shape allows in the room around it. */
  #fit() {
    const [, , width, height] = this.#bounds_mm;
    const room = this.#stage.parentElement;
    const most_height = parseFloat(getComputedStyle(room).getPropertyValue('max-height')) || 1e6;
    const scale = Math.min(room.clientWidth / width, most_height / height);
    this.#stage.style.width = `${Math.floor(width * scale)}px`;
    this.#stage.style.height = `${Math.floor(height * scale)}px`;
  }

  /**
   * How far right a column of the canvas is on the stage, in percent of its width: the place on the
   * panel that shows it, or beside the nearest one. Null before the wall is known.
   */
  stagePercentOf(canvas_x) {
    let best = null;
    let least_px = Infinity;
    for (const { place } of this.#panels.values()) {
      const [x, , width] = place.canvas_px;
      const away_px = Math.max(x - canvas_x, 0, canvas_x - x - width);
      if (away_px < least_px) [best, least_px] = [place, away_px];
    }
    if (!best) return null;
    const [left, , all_width] = this.#bounds_mm;
    const mm_per_px = best.mm[2] / best.canvas_px[2];
    return ((best.mm[0] + (canvas_x - best.canvas_px[0]) * mm_per_px - left) / all_width) * 100;
  }

  /** The panel at a place of the screen, or the nearest one: over a bezel there is none. */
  #panelAt(x_mm, y_mm) {
    let best = null;
    let least = Infinity;
    for (const { place } of this.#panels.values()) {
      const [x, y, width, height] = place.mm;
      const across = Math.max(x - x_mm, 0, x_mm - x - width);
      const down = Math.max(y - y_mm, 0, y_mm - y - height);
      if (across + down < least) [best, least] = [place, across + down];
    }
    return best;
  }

  /** A place of the screen on the canvas: {x, y, canvas_px_per_px}, or null before the wall is known. */
  canvasPoint(client_x, client_y) {
    const box = this.#stage.getBoundingClientRect();
    const [left, top, width, height] = this.#bounds_mm;
    const mm_per_px = width / box.width;
    const x_mm = left + (client_x - box.left) * mm_per_px;
    const y_mm = top + ((client_y - box.top) / box.height) * height;
    const place = this.#panelAt(x_mm, y_mm);
    if (!place) return null;
    const across = place.canvas_px[2] / place.mm[2];
    const down = place.canvas_px[3] / place.mm[3];
    const x = place.canvas_px[0] + (x_mm - place.mm[0]) * across;
    const y = place.canvas_px[1] + (y_mm - place.mm[1]) * down;
    return { x, y, canvas_px_per_px: across * mm_per_px };
  }
}
