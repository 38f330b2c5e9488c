// Drag, wheel, pinch and double click on the bird's-eye view, with the same meaning as in a panel's
// window: a drag moves the picture or turns a volume, a drag with the middle button or with shift
// moves a volume too, and one with the right button zooms.

const wheel_zoom = 1.25; // factor for each notch of a wheel
const notch_px = 100;
const drag_glide_s = 0.15; // longer than the time between two changes, so that the picture does not stop
const click_glide_s = 0.3;
const drag_zoom_per_px = 1.005;
const least_drag_px = 4; // a shaky finger is no drag
const double_tap_ms = 350;

const contains = ([x, y, width, height], at) =>
  at.x >= x && at.x < x + width && at.y >= y && at.y < y + height;

/** The topmost region at that place; the first one where none is there. */
function regionAt(regions, at) {
  const found = regions.findLast?.(
    ({ canvas_px, clip_px }) => contains(canvas_px, at) && (!clip_px || contains(clip_px, at))
  );
  return found ?? regions[0] ?? null;
}

const sameRegion = (a, b) => a.region === b.region;

export class WallPointer {
  #view;
  #state;
  #actions;
  #pointers = new Map(); // id -> {x, y} on the screen
  #drag = null;
  #tapped = { at: 0, x: 0, y: 0 };
  #pan;
  #zoom;
  #turn;

  constructor(stage, view, state, actions) {
    this.#view = view;
    this.#state = state;
    this.#actions = actions;
    const quiet = { quiet: true, button: stage };
    this.#pan = actions.stream(
      'pan',
      (a, b) => (sameRegion(a, b) ? { ...b, dx: a.dx + b.dx, dy: a.dy + b.dy } : b),
      quiet
    );
    this.#zoom = actions.stream(
      'zoom',
      (a, b) => (sameRegion(a, b) ? { ...b, factor: a.factor * b.factor } : b),
      quiet
    );
    this.#turn = actions.stream(
      'camera',
      (a, b) => {
        if (!sameRegion(a, b)) return b;
        return { ...b, orbit_deg: b.orbit_deg.map((angle, i) => angle + a.orbit_deg[i]) };
      },
      quiet
    );
    stage.addEventListener('pointerdown', (event) => this.#down(event, stage));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    for (const name of ['pointerup', 'pointercancel'])
      stage.addEventListener(name, (event) => this.#up(event));
    stage.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  #mayMove() {
    return this.#actions.isOpen && this.#actions.may('pan');
  }

  #down(event, stage) {
    if (!this.#mayMove()) return;
    event.preventDefault();
    stage.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size > 1) {
      this.#drag = this.#pinchNow();
      return;
    }
    const at = this.#view.canvasPoint(event.clientX, event.clientY);
    const region = at && regionAt(this.#state.regions, at);
    if (!region) return;
    const kind = event.button === 2 ? 'zoom' : event.button === 1 || event.shiftKey ? 'slide' : 'drag';
    this.#drag = { kind, region, at, from: { x: event.clientX, y: event.clientY }, has_moved: false };
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before || !this.#drag) return;
    if (this.#drag.kind === 'pinch') {
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.#pinch();
      return;
    }
    const { from } = this.#drag;
    const way_px = Math.hypot(event.clientX - from.x, event.clientY - from.y);
    if (!this.#drag.has_moved && way_px < least_drag_px) return;
    this.#drag.has_moved = true;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#apply(event.clientX - before.x, event.clientY - before.y);
  }

  #apply(dx_px, dy_px) {
    const { kind, region, at } = this.#drag;
    const fields = { region: region.region, glide_s: drag_glide_s };
    const [dx, dy] = [dx_px * at.canvas_px_per_px, dy_px * at.canvas_px_per_px];
    if (kind === 'zoom') {
      this.#zoom.push({ ...fields, factor: drag_zoom_per_px ** -dy_px, x: at.x, y: at.y });
    } else if (kind === 'drag' && region.volume) {
      const deg_per_px = 180 / region.canvas_px[3]; // a drag over the region's height is half a turn
      this.#turn.push({ ...fields, orbit_deg: [dx * deg_per_px, dy * deg_per_px, 0] });
    } else {
      this.#pan.push({ ...fields, dx, dy });
    }
  }

  #up(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const drag = this.#drag;
    this.#drag = null;
    const is_tap = event.type === 'pointerup' && drag && drag.kind === 'drag' && !drag.has_moved;
    if (!is_tap || this.#pointers.size > 0) return;
    const now = performance.now();
    const is_near = Math.hypot(event.clientX - this.#tapped.x, event.clientY - this.#tapped.y) < 30;
    if (is_near && now - this.#tapped.at < double_tap_ms) this.#doubleClick(drag);
    else this.#tapped = { at: now, x: event.clientX, y: event.clientY };
  }

  #doubleClick({ region, at }) {
    this.#tapped = { at: 0, x: 0, y: 0 };
    const fields = { region: region.region, glide_s: click_glide_s };
    if (region.view_px || region.volume) this.#actions.run('view', { ...fields, whole: true });
    else this.#actions.run('one_to_one', { ...fields, x: at.x, y: at.y });
  }

  #pinchNow() {
    const [a, b] = [...this.#pointers.values()];
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    const at = this.#view.canvasPoint(middle.x, middle.y);
    const region = at && regionAt(this.#state.regions, at);
    if (!region) return null;
    return { kind: 'pinch', region, at, middle, apart_px: Math.max(20, Math.hypot(a.x - b.x, a.y - b.y)) };
  }

  #pinch() {
    const before = this.#drag;
    const now = this.#pinchNow();
    if (!now) return;
    const fields = { region: before.region.region, glide_s: drag_glide_s };
    const factor = now.apart_px / before.apart_px;
    if (Math.abs(factor - 1) > 1e-3) this.#zoom.push({ ...fields, factor, x: now.at.x, y: now.at.y });
    const dx = (now.middle.x - before.middle.x) * now.at.canvas_px_per_px;
    const dy = (now.middle.y - before.middle.y) * now.at.canvas_px_per_px;
    if (dx || dy) this.#pan.push({ ...fields, dx, dy });
    this.#drag = { ...now, region: before.region };
  }

  #wheel(event) {
    if (!this.#mayMove()) return;
    const at = this.#view.canvasPoint(event.clientX, event.clientY);
    const region = at && regionAt(this.#state.regions, at);
    if (!region) return;
    event.preventDefault();
    const notches = event.deltaMode === 0 ? event.deltaY / notch_px : event.deltaY / 3;
    const factor = wheel_zoom ** -Math.max(-4, Math.min(4, notches));
    this.#zoom.push({ region: region.region, factor, x: at.x, y: at.y, glide_s: drag_glide_s });
  }
}
