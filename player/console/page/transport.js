// Play, scrub bar, speed, loop, played range and list of one region.

import { byId, element, icon, setAttribute, setText } from './elements.js';
import { Toggle } from './toggle.js';
import { count, duration, fileName } from './words.js';

const speeds = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
const speed_names = { 0.125: '1/8', 0.25: '1/4', 0.5: '1/2' };
const hold_after_scrub_ms = 700; // until the status can know of the last seek
const most_listed = 1000;
const endless_frames = 2 ** 40; // of a pattern, which has no last frame

const isEndless = (region) => (region?.frames ?? 1) >= endless_frames;

export class Transport {
  #state;
  #actions;
  #chosen = null; // the region's name; null: the first one
  #scrub;
  #held_until = 0;
  #nodes = {};
  #listed = '';
  #regions_listed = '';

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    for (const name of [
      'region',
      'region-part',
      'scrub',
      'range-part',
      'frame',
      'time',
      'speed',
      'loop',
      'items',
      'items-part',
      'source',
    ])
      this.#nodes[name] = byId(`transport-${name}`);
    this.#scrub = actions.stream('seek', (before, newest) => newest, {
      words: 'seek',
      quiet: true,
      button: this.#nodes.scrub,
    });
    this.#bindButtons();
    this.#bindFields();
  }

  get region() {
    return this.#state.region(this.#chosen);
  }

  #run(verb, fields, options) {
    const region = this.region;
    if (region) this.#actions.run(verb, { region: region.region, ...fields }, options);
  }

  #bindButtons() {
    const paused = new Toggle(() => this.region?.paused);
    const has_time = () => (this.region?.frames ?? 1) > 1;
    const has_end = () => has_time() && !isEndless(this.region);
    const frame_now = () => this.#state.frameNow(this.region);
    const buttons = {
      play: ['toggle_pause', () => this.#run(paused.flip() ? 'pause' : 'play', {}, this.#on('play'))],
      start: ['seek', () => this.#run('seek', { frame: this.region.range[0] }, this.#on('start'))],
      end: ['seek', () => this.#run('seek', { frame: this.region.range[1] }, this.#on('end'))],
      back: ['step', () => this.#run('step', { by: -1 }, this.#on('back'))],
      forward: ['step', () => this.#run('step', { by: 1 }, this.#on('forward'))],
      reverse: ['reverse', () => this.#run('reverse', {}, this.#on('reverse'))],
      in: ['range', () => this.#setRange(frame_now(), this.region.range[1], 'in')],
      out: ['range', () => this.#setRange(this.region.range[0], frame_now(), 'out')],
      all: ['range', () => this.#run('range', {}, { ...this.#on('all'), words: 'whole range' })],
    };
    for (const [name, [verb, act]] of Object.entries(buttons)) {
      const button = byId(`transport-${name}`);
      const drawing = button.dataset.icon;
      if (drawing) button.append(icon(drawing));
      const when = { play: () => Boolean(this.region), end: has_end }[name] ?? has_time;
      this.#actions.bind(button, verb, when).addEventListener('click', act);
    }
  }

  #on(name) {
    return { button: byId(`transport-${name}`) };
  }

  #setRange(first, last, name) {
    const words = name === 'in' ? 'in point' : 'out point';
    this.#run('range', { first, last }, { ...this.#on(name), words });
  }

  #bindFields() {
    const { scrub, region, speed, loop, items } = this.#nodes;
    this.#actions.bind(scrub, 'seek', () => (this.region?.frames ?? 1) > 1 && !isEndless(this.region));
    scrub.addEventListener('input', () => {
      this.#held_until = performance.now() + hold_after_scrub_ms;
      this.#tellPlace(this.region, Number(scrub.value));
      this.#scrub.push({ region: this.region.region, frame: Number(scrub.value) });
    });
    // The keys of the wall stay those of the wall while the bar has the focus.
    scrub.addEventListener('change', () => scrub.blur());
    region.addEventListener('change', () => {
      this.#chosen = region.value;
      this.update();
      this.#actions.refresh();
    });
    for (const value of speeds) speed.append(element('option', { value }, `${speed_names[value] ?? value}×`));
    this.#actions.bind(speed, 'speed', () => Boolean(this.region));
    speed.addEventListener('change', () => {
      const is_backwards = (this.region?.direction ?? 1) < 0;
      const fields = { speed: Number(speed.value) * (is_backwards ? -1 : 1) };
      this.#run('speed', fields, { button: speed });
    });
    this.#actions.bind(loop, 'loop', () => Boolean(this.region));
    loop.addEventListener('change', () => this.#run('loop', { mode: loop.value }, { button: loop }));
    this.#actions.bind(items, 'goto', () => !this.#state.presentation);
    items.addEventListener('change', () => {
      const words = `go to item ${Number(items.value) + 1}`;
      this.#run('goto', { item: Number(items.value) }, { button: items, words });
    });
  }

  update() {
    const region = this.region;
    this.#listRegions();
    if (!region) return;
    const { scrub, speed, loop, source } = this.#nodes;
    const last = Math.max(0, (region.frames ?? 1) - 1);
    setAttribute(scrub, 'max', last);
    setText(source, region.volume ? `volume ${fileName(region.path)}` : fileName(region.path));
    source.title = region.path ?? '';
    const play = byId('transport-play');
    const drawing = region.paused ? 'play' : 'pause';
    if (play.dataset.icon !== drawing) {
      play.dataset.icon = drawing;
      play.replaceChildren(icon(drawing));
    }
    setAttribute(play, 'aria-label', region.paused ? 'Play' : 'Pause');
    setAttribute(byId('transport-reverse'), 'aria-pressed', region.direction < 0);
    if (document.activeElement !== speed) this.#showSpeed(speed, Math.abs(region.speed ?? 1));
    if (document.activeElement !== loop) loop.value = region.loop ?? 'once';
    this.#showRange(region, last);
    this.#listItems(region);
    this.draw();
  }

  #showSpeed(select, value) {
    const known = [...select.options].some((option) => Number(option.value) === value);
    if (!known) select.append(element('option', { value }, `${value}×`));
    select.value = String(value);
  }

  /** Moves the scrub bar's hand; called for every picture of the browser while the view is seen. */
  draw() {
    const region = this.region;
    if (!region || performance.now() < this.#held_until) return;
    const frame = this.#state.frameNow(region);
    if (Number(this.#nodes.scrub.value) !== frame) this.#nodes.scrub.value = frame;
    this.#tellPlace(region, frame);
  }

  #tellPlace(region, frame) {
    const last = (region.frames ?? 1) - 1;
    // "12 / 99" where there is a last frame
    const place = (words) => (isEndless(region) ? words(frame) : `${words(frame)} / ${words(last)}`);
    setText(this.#nodes.frame, last > 0 ? place(count) : 'a still');
    const fps = region.base_fps > 0 ? region.base_fps : 0;
    setText(this.#nodes.time, fps && last > 0 ? place((at) => duration(at / fps)) : '');
    setAttribute(this.#nodes.scrub, 'aria-valuetext', `frame ${place(String)}`);
  }

  #showRange(region, last) {
    const [first, end] = region.range ?? [0, last];
    const part = this.#nodes['range-part'];
    part.style.left = `${last ? (first / last) * 100 : 0}%`;
    part.style.right = `${last ? 100 - (end / last) * 100 : 0}%`;
    setAttribute(part, 'data-partial', first > 0 || end < last);
  }

  #listRegions() {
    const names = this.#state.regions.map((region) => [region.region, region.group ?? '']);
    const wanted = JSON.stringify(names);
    if (wanted === this.#regions_listed) return;
    this.#regions_listed = wanted;
    const select = this.#nodes.region;
    const options = names.map(([name, group]) =>
      element('option', { value: name }, group ? `${name} (group ${group})` : name)
    );
    select.replaceChildren(...options);
    if (!names.some(([name]) => name === this.#chosen)) this.#chosen = null;
    if (names.length) select.value = this.#chosen ?? names[0][0];
    this.#nodes['region-part'].hidden = names.length < 2;
  }

  #listItems(region) {
    const list = region.playlist?.list?.slice(0, most_listed) ?? [];
    this.#nodes['items-part'].hidden = list.length === 0;
    if (!list.length) return;
    const wanted = JSON.stringify(list.map(({ item, name, title }) => [item, name, title]));
    const select = this.#nodes.items;
    if (wanted !== this.#listed) {
      this.#listed = wanted;
      const options = list.map(({ item, name, title }) =>
        element('option', { value: item }, `${item + 1}. ${title || name}`)
      );
      select.replaceChildren(...options);
    }
    if (document.activeElement !== select) select.value = String(region.playlist.item);
  }
}
