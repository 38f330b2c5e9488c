// What holds for the page by itself: its size, a browser whose clock is wrong, ten thousand cues, two
// fingers, and that every control tells at once that it was used.

import { check, expect, note, until } from './checks.mjs';
import { openView, views } from './pages.mjs';

const most_page_bytes = 300000;
const hour_ms = 3600 * 1000;

export async function checkSize(pages) {
  await check('the whole page has 300 KB at most', async () => {
    const bodies = [];
    const page = await pages.open({ name: 'Sam', onResponse: (response) => bodies.push(response.body()) });
    await page.waitForSelector('.panel[data-pictured]');
    const sizes = (await Promise.all(bodies)).map((body) => body.length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const paint_ms = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    );
    note(`${sizes.length} responses with ${total} bytes, first paint after ${Math.round(paint_ms)} ms`);
    expect(sizes.length > 40, `all files of the page, found ${sizes.length}`);
    expect(total <= most_page_bytes, `${most_page_bytes} bytes at most, found ${total}`);
    await page.context().close();
  });
}

/** "1:02:05" or "0:07" in seconds. */
const secondsOf = (text) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** Reads a number of the page between two of the wall's own, and expects it to lie between them. */
async function expectBetween(what, ask, read, slack = 1) {
  const before = await ask();
  const shown = await read();
  const after = await ask();
  const [least, most] = [Math.min(before, after) - slack, Math.max(before, after) + slack];
  expect(shown >= least && shown <= most, `${what} from ${least} to ${most}, found ${shown}`);
}

export async function checkWrongClock(show, pages) {
  await check('a browser whose clock is an hour off shows the right times', async () => {
    await show.ask('goto', { name: 'timed' });
    await show.when(({ presentation }) => presentation.name === 'timed', 'cue timed', 30);
    const page = await pages.open({ name: 'Ted', clock_off_ms: hour_ms });
    const off_ms = (await page.evaluate(() => Date.now())) - Date.now();
    expect(Math.abs(off_ms - hour_ms) < hour_ms / 10, 'the browser itself is an hour off');
    await openView(page, 'presenter');
    const shownS = async (id, words) => {
      const text = await until(
        async () => (await page.textContent(id)).match(words)?.[1] ?? null,
        `${words} in ${id}`
      );
      return secondsOf(text);
    };
    const presentation = async (key) => (await show.status()).presentation[key];
    // The page rounds up what is to go and down what has passed, and the status is some time on its way.
    await expectBetween(
      'seconds until the next cue',
      () => presentation('follows_in_s'),
      () => shownS('#presenter-follow', /follows in ([\d:]+)/),
      2
    );
    await expectBetween(
      'seconds on the wall',
      () => presentation('for_s'),
      () => shownS('#presenter-for', /for ([\d:]+)/),
      2
    );
    const minutes = (text) => secondsOf(text) % (24 * 60);
    const now = () => new Date().getHours() * 60 + new Date().getMinutes();
    const shown_minutes = async () => minutes(await page.textContent('#presenter-clock'));
    await expectBetween('minutes of the day', now, shown_minutes);
    await openView(page, 'health');
    // Other events may come after the command, where the machine is busy.
    const row = page.locator('#command-log li', { hasText: 'speed 0.9375' });
    const when_s = async () => secondsOf(await row.locator('time').textContent());
    const today_s = () => now() * 60 + new Date().getSeconds();
    await show.ask('speed', { speed: 0.9375 });
    await until(async () => (await row.count()) === 1, 'the command in the log');
    await expectBetween('time of a command', today_s, when_s, 60);
    await show.ask('speed', { speed: 1 });
    await page.context().close();
  });
}

/** [{column: text}] of a table of the health view. */
const rowsOf = (page, table) =>
  page.$eval(table, (box) => {
    const columns = [...box.querySelectorAll('thead th')].map((node) => node.textContent);
    return [...box.querySelectorAll('tbody tr')].map((row) =>
      Object.fromEntries([...row.cells].map((cell, i) => [columns[i], cell.textContent]))
    );
  });

const sumOf = (text) =>
  (text.match(/[\d,]+\b/g) ?? []).reduce((sum, number) => sum + Number(number.replaceAll(',', '')), 0);

export async function checkHealth(page) {
  await check('health has late frames by cause and the memory, per panel and per host', async () => {
    await openView(page, 'health');
    const panel_rows = await until(async () => {
      const rows = await rowsOf(page, '#panels-table');
      return rows.length === 15 && rows.every((row) => /MiB$/.test(row['Memory at most'])) ? rows : null;
    }, 'the memory of 15 panels');
    for (const { Panel, Late, 'Late by cause': causes } of panel_rows) {
      const late = sumOf(Late.replace(/ .*/, ''));
      expect(sumOf(causes) >= late, `${Panel}: causes of ${late} late frames, found "${causes}"`);
    }
    const host_rows = await rowsOf(page, '#hosts-table');
    expect(host_rows.length === 1 && /[MG]iB$/.test(host_rows[0].Memory), "the host's memory");
    const late = sumOf(host_rows[0].Late);
    expect(sumOf(host_rows[0]['Late by cause']) >= late, `causes of the host's ${late} late frames`);
  });
}

const cue_count = 10000;

/** The console's answer to `cues`, of a show with ten thousand of them. */
function manyCues(first, most) {
  const cues = [];
  for (let index = first; index < Math.min(first + most, cue_count); ++index)
    cues.push({
      index,
      name: `scene ${index}`,
      number: String(index),
      note: index === 7342 ? 'the needle in the haystack' : `light ${index % 13}`,
      section: `act ${Math.floor(index / 1000)}`,
      colour: '',
    });
  return { type: 'cues', cues, count: cue_count, current: 0 };
}

export async function checkManyCues(pages) {
  await check('a search in 10,000 cues finds the right one', async () => {
    const page = await pages.open({
      name: 'Cleo',
      prepare: (context) =>
        context.route('**/api/v1/cues', (route) => {
          const { first, most } = route.request().postDataJSON();
          return route.fulfill({ json: manyCues(first, most) });
        }),
    });
    await openView(page, 'show');
    const counted = (words) =>
      until(async () => (await page.textContent('#cue-count')) === words || null, `"${words}"`);
    await counted('10,000 cues');
    const rows = await page.locator('.cue').count();
    expect(rows > 0 && rows < 200, `elements for the seen cues alone, found ${rows}`);
    for (const [text, name] of [
      ['NEEDLE', 'scene 7342'],
      ['scene 9999', 'scene 9999'],
    ]) {
      await page.fill('#cue-search', text);
      await counted('1 of 10,000 cues');
      const found = await page.$$eval('.cue .cue-name', (nodes) => nodes.map((node) => node.textContent));
      expect(String(found) === name, `cue "${name}", found ${found}`);
    }
    await page.context().close();
  });
}

/** Moves two fingers apart over the middle of the wall. */
async function pinchOut(page) {
  const box = await page.locator('#stage').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = await page.context().newCDPSession(page);
  const fingers = (apart) => [
    { x: x - apart, y, id: 0 },
    { x: x + apart, y, id: 1 },
  ];
  const send = (type, touchPoints) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  await send('touchStart', fingers(20));
  for (let apart = 25; apart <= 60; apart += 5) await send('touchMove', fingers(apart));
  await send('touchEnd', []);
}

export async function checkPinch(show, pages) {
  await check('two fingers zoom the picture', async () => {
    await show.ask('goto', { name: 'movie' });
    await show.when(({ presentation }) => presentation.name === 'movie', 'cue movie', 30);
    await show.ask('view', { whole: true });
    const page = await pages.open({ name: 'Tina', width: 360, hasTouch: true });
    await pinchOut(page);
    const { canvas_px } = (await show.status()).wall;
    const isZoomed = (status) => status.scene.regions[0].view_px?.[2] < 0.6 * canvas_px[0];
    await show.when(isZoomed, 'a view of less than 0.6 of the canvas');
    await show.ask('view', { whole: true });
    await page.context().close();
  });
}

/**
 * Puts the test between page and console: requests stay here, so that the wall does nothing, and the
 * test answers them.
 */
async function holdRequests(context) {
  const held = { requests: [], socket: null };
  await context.routeWebSocket(/\/ws$/, (socket) => {
    const console_side = socket.connectToServer();
    held.socket = socket;
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'request') held.requests.push(message);
      else console_side.send(text);
    });
  });
  held.next = () => until(() => held.requests.shift() ?? null, 'a request');
  held.tell = (message) => held.socket.send(JSON.stringify(message));
  return held;
}

const sentOf = (page, selector) => page.$eval(selector, (node) => node.dataset.sent ?? 'none');

async function expectMark(page, selector, wanted) {
  const matches = async () => (await sentOf(page, selector)) === wanted || null;
  await until(matches, `the mark "${wanted}" on ${selector}, found "${await sentOf(page, selector)}"`, 5);
}

/** Uses a control, and expects its mark before the console has the request and before its answer. */
async function expectMarks(page, held, selector, use) {
  await use();
  await expectMark(page, selector, 'sent');
  const { id, verb } = await held.next();
  held.tell({ type: 'received', id });
  await expectMark(page, selector, 'received');
  held.tell({ type: 'answer', id, answer: { type: 'refused', error: 'held by the test' } });
  await expectMark(page, selector, 'none');
  const line = await page.textContent('#line');
  expect(line.endsWith('held by the test'), `the answer to ${verb} in the line, found "${line}"`);
}

// These open a dialog, or fetch something; checks of their own follow.
const not_at_once = ['show-note', 'restart-button', 'show-save', 'wall-snapshot-file'];

/** Selectors of the controls of a view that send a request and can be used now. */
async function usableControls(page) {
  const found = await page.$$eval('button[data-verb], select[data-verb], input[data-verb]', (nodes) =>
    nodes
      .filter((node) => !node.disabled && node.getClientRects().length > 0 && !node.closest('dialog'))
      .map((node) => {
        // The presenter's view and the bottom have a button "black" each.
        const place = node.closest('#bottom, #view-presenter')?.id;
        return [node.id ? `#${node.id}` : `#${place} [data-safety=${node.dataset.safety}]`, node.tagName];
      })
  );
  return found.filter(([selector]) => !not_at_once.includes(selector.slice(1)));
}

function useOf(page, selector, tag) {
  if (tag === 'BUTTON') return () => page.click(selector);
  if (tag === 'SELECT') return () => page.selectOption(selector, { index: 1 });
  return () => page.locator(selector).fill('40');
}

async function checkControls(page, held) {
  const used = new Set();
  for (const view of views) {
    await openView(page, view);
    if (view === 'show') await page.click('.cue[data-cue=two]');
    for (const [selector, tag] of await usableControls(page)) {
      if (used.has(selector)) continue;
      used.add(selector);
      await expectMarks(page, held, selector, useOf(page, selector, tag));
    }
  }
  note(`${used.size} controls`);
  const least = 28;
  expect(used.size >= least, `${least} controls or more, found ${[...used].join(', ')}`);
}

/** Controls whose work is fetched: their mark stays until the answer, which the test holds back. */
async function checkFetched(page, pattern, selector, use) {
  let letGo = null;
  const is_held = new Promise((resolve) => (letGo = resolve));
  await page.route(pattern, async (route) => {
    await is_held;
    await route.fulfill({ json: { lines: [] } }); // no lines of logs; the others need nothing
  });
  await use();
  await expectMark(page, selector, 'sent');
  letGo();
  await expectMark(page, selector, 'none');
  await page.unroute(pattern);
}

export async function checkFeedback(show, pages) {
  await show.ask('goto', { name: 'movie' });
  await show.when(({ presentation }) => presentation.name === 'movie', 'cue movie', 30);
  let held = null;
  const page = await pages.open({
    name: 'Fay',
    width: 1024,
    prepare: async (context) => (held = await holdRequests(context)),
  });
  await check('every control shows that it was used, before the wall answers', () =>
    checkControls(page, held)
  );
  await check('so do keys, the picture under a finger, and what is asked in a dialog', async () => {
    await openView(page, 'wall');
    const zoom = () => page.hover('#stage').then(() => page.mouse.wheel(0, -100));
    await expectMarks(page, held, '#stage', zoom);
    await page.focus('#stage');
    await page.keyboard.press('o');
    const { id } = await held.next();
    const line = await page.textContent('#line');
    expect(line === 'toggle overlay: sent', `"toggle overlay: sent", found "${line}"`);
    held.tell({ type: 'answer', id, answer: { type: 'done' } });
    await expectMarks(page, held, '#wall-snapshot-file', async () => {
      await page.click('#wall-snapshot-file');
      await page.click('#snapshot-form button[type=submit]');
    });
    await openView(page, 'health');
    await expectMarks(page, held, '#restart-button', async () => {
      await page.click('#restart-button');
      await page.click('#confirm-yes');
    });
  });
  await check('so do snapshots, tools and logs, which are fetched', async () => {
    await openView(page, 'wall');
    await checkFetched(page, '**/api/v1/snapshot', '#wall-snapshot', () => page.click('#wall-snapshot'));
    await openView(page, 'health');
    const logs = '#roles-form button';
    await checkFetched(page, '**/api/v1/logs', logs, () => page.click(logs));
    await page.click('#health-tools-button');
    for (const tool of ['save', 'reload', 'check', 'rehearse'])
      await checkFetched(page, `**/api/v1/tools/${tool}`, `#tool-${tool}`, () => page.click(`#tool-${tool}`));
  });
  await page.context().close();
}
