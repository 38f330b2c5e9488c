// The bird's-eye view and the transport, checked by what the wall did.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { check, expect, note, sleep, until } from './checks.mjs';
import { openView, resultOf } from './pages.mjs';

const region = (status) => status.scene.regions[0];

const panel_count = 15;

/** Waits until the page has a picture of each panel, and each picture is of this frame. */
function panelsShow(page, frame) {
  const shown = () =>
    page.$$eval('.panel[data-pictured]:not([data-old]) .panel-frame', (nodes) =>
      nodes.map((node) => node.textContent)
    );
  return until(
    async () => {
      const frames = await shown();
      return (frames.length === panel_count && frames.every((text) => text === String(frame))) || null;
    },
    `pictures of frame ${frame} on all ${panel_count} panels of the page`
  );
}

async function dragOver(page, dx, dy, options = {}) {
  const box = await page.locator('#stage').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  if (options.key) await page.keyboard.down(options.key);
  await page.mouse.down();
  for (let i = 1; i <= 8; ++i) {
    await page.mouse.move(x + (dx * i) / 8, y + (dy * i) / 8);
    await sleep(0.03);
  }
  await page.mouse.up();
  if (options.key) await page.keyboard.up(options.key);
}

/** The wall's own time in nanoseconds; the wall is paused already, so that this changes nothing. */
const pausedNowNs = async (show) => (await show.ask('pause', {})).now_ns;

/** Returns the span of the wall's own time within which it showed the sought frame 24. */
export async function checkTransport(show, page) {
  await openView(page, 'wall');
  const sought = {};
  await check('pause stops the wall', async () => {
    await page.click('#transport-play');
    await show.when((status) => region(status).paused, 'the region is paused');
    await resultOf(page, 'pause');
  });
  await check('the scrub bar seeks on all panels', async () => {
    sought.from_ns = await pausedNowNs(show);
    await page.locator('#transport-scrub').fill('24');
    const { text } = await resultOf(page, 'seek');
    expect(text === 'seek: frame 24', `"seek: frame 24", found "${text}"`);
    const status = await show.when(
      ({ per_panel }) => per_panel.every(({ frame }) => frame === 24),
      'frame 24 on all panels'
    );
    expect(region(status).frame === 24, 'the region has frame 24');
  });
  await check("every picture has its own panel's frame", async () => {
    await panelsShow(page, 24);
    sought.to_ns = await pausedNowNs(show);
  });
  await check('a step shows the next frame', async () => {
    await page.click('#transport-forward');
    await show.when((status) => region(status).frame === 25, 'frame 25');
    await panelsShow(page, 25);
  });
  await check('in and out points, loop and speed', async () => {
    await page.click('#transport-in');
    await show.when((status) => region(status).range[0] === 25, 'the range begins at frame 25');
    await page.click('#transport-all');
    await show.when((status) => region(status).range[0] === 0, 'the whole range');
    await page.selectOption('#transport-loop', 'ping_pong');
    await show.when((status) => region(status).loop === 'ping_pong', 'ping-pong');
    await page.selectOption('#transport-speed', '2');
    await show.when((status) => region(status).speed === 2, 'double speed');
    await page.selectOption('#transport-speed', '1');
    await page.selectOption('#transport-loop', 'loop');
  });
  await check("the sound's volume and mute", async () => {
    await page.locator('#sound-volume').fill('50');
    await show.when((status) => Math.abs(status.scene.volume - 0.5) < 0.01, 'half the volume');
    await page.click('#sound-mute');
    await show.when((status) => status.scene.muted, 'muted');
    await page.click('#sound-mute');
    await show.when((status) => !status.scene.muted, 'no longer muted');
  });
  return sought;
}

export async function checkPointer(show, page) {
  await openView(page, 'wall');
  const whole = region(await show.status());
  await check('the wheel zooms at the pointer', async () => {
    const box = await page.locator('#stage').boundingBox();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -100);
    await show.when(
      (status) => region(status).view_px?.[2] < 0.6 * (whole.view_px?.[2] ?? 1e9),
      'a smaller view'
    );
  });
  await check('a drag moves the picture with the hand', async () => {
    await sleep(0.4);
    const before = region(await show.status()).view_px;
    await dragOver(page, 80, 0);
    const after = await show.when(
      (status) => region(status).view_px[0] < before[0] - 1,
      'a view further left'
    );
    expect(Math.abs(region(after).view_px[2] - before[2]) < 1, 'the view has kept its size');
  });
  await check("a key of the panels' windows shows the whole picture again", async () => {
    await sleep(0.6); // the last part of the drag is on its way
    await page.focus('#stage');
    await page.keyboard.press('z');
    await resultOf(page, 'view whole');
    await show.when((status) => !region(status).view_px, 'the whole picture');
  });
  await check('space pauses or goes on', async () => {
    const { paused } = region(await show.status());
    await page.keyboard.press(' ');
    await show.when((status) => region(status).paused !== paused, paused ? 'the region plays' : 'a pause');
  });
}

export async function checkSnapshot(show, page, folder) {
  await check('a snapshot of the wall is downloaded as PNG', async () => {
    await openView(page, 'wall');
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 30000 }),
      page.click('#wall-snapshot'),
    ]);
    const file = `${folder}/snapshot.png`;
    await download.saveAs(file);
    const data = readFileSync(file);
    expect(data.subarray(1, 4).toString() === 'PNG', 'a PNG file');
    const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
    expect(width === 1280 && height === 480, `1280x480 px, found ${width}x${height}`);
  });
  await check("a snapshot is written on the director's machine", async () => {
    const file = join(show.folder, 'by hand.png');
    await page.click('#wall-snapshot-file');
    const suggested = await page.inputValue('#snapshot-file');
    expect(suggested.startsWith(`${show.folder}/`), `a file beside the show file, found ${suggested}`);
    await page.fill('#snapshot-file', file);
    await page.click('#snapshot-form button[type=submit]');
    const { text, kind } = await resultOf(page, 'snapshot', 30);
    expect(kind === 'done' && text.includes(file), `the file in the line, found "${text}"`);
    expect(readFileSync(file).subarray(1, 4).toString() === 'PNG', 'a PNG file');
  });
  await check('a snapshot into a folder that does not exist is refused in words', async () => {
    await page.click('#wall-snapshot-file');
    await page.fill('#snapshot-file', '/no/such/folder/wall.png');
    await page.click('#snapshot-form button[type=submit]');
    const { text, kind } = await resultOf(page, 'snapshot: ', 30);
    expect(kind === 'refused' && text.includes('/no/such/folder'), `the folder, found "${text}"`);
  });
}

export async function checkEndless(show, page) {
  await check('a pattern, which has no last frame, shows none', async () => {
    await openView(page, 'wall');
    await show.ask('goto', { name: 'timed' });
    await show.when(({ presentation }) => presentation.name === 'timed', 'cue timed', 30);
    const place = () => page.textContent('#transport-frame');
    await until(async () => /^[\d,]+$/.test(await place()) || null, 'the frame alone');
    for (const control of ['scrub', 'end'])
      expect(await page.isDisabled(`#transport-${control}`), `${control} is disabled`);
  });
}

/** A tab of the browser in which some panels' volumes are drawn from a coarser level. */
async function holdAtOverview(context, panels, level) {
  await context.routeWebSocket(/\/ws$/, (socket) => {
    const console_side = socket.connectToServer();
    console_side.onMessage((data) => {
      if (typeof data !== 'string') return socket.send(data);
      const message = JSON.parse(data);
      const { status } = message.state ?? message.patch ?? {};
      for (const panel of status ? panels : []) {
        status.per_panel ??= {};
        status.per_panel[panel] = { ...status.per_panel[panel], volume: { level } };
      }
      return socket.send(JSON.stringify(message));
    });
  });
}

export async function checkOverview(show, pages) {
  await check('panels of a host that is held at its overview are marked, with their frames', async () => {
    await show.ask('goto', { name: 'volume' });
    await show.when(({ presentation }) => presentation.name === 'volume', 'cue volume', 30);
    await show.ask('pause', {});
    const held = ['c3r0', 'c3r1', 'c3r2'];
    const page = await pages.open({ name: 'Olga', prepare: (context) => holdAtOverview(context, held, 2) });
    const marked = async () => String((await panelsMarked(page, 'coarse')).sort());
    await until(async () => (await marked()) === String(held) || null, `"coarse" on ${held}`);
    const words = await page.textContent('#troubles');
    expect(words.includes('2 levels coarser than on other panels'), `the levels, found "${words}"`);
    const showsAll = async () => {
      for (const { panel, frame } of (await show.status()).per_panel)
        if (!isFrame(frame, await frameShown(page, panel))) return null;
      return true;
    };
    await until(showsAll, 'the frames that panels have by now', 5);
    await page.context().close();
  });
}

export async function checkSwipe(show, page) {
  await openView(page, 'wall');
  await show.ask('goto', { name: 'compare' });
  await show.when(({ presentation }) => presentation.name === 'compare', 'cue compare', 30);
  const { canvas_px } = (await show.status()).wall;
  const line = ({ scene }) => scene.regions.find(({ region: name }) => name === 'compare')?.clip_px?.[0];
  const lineAt = (share) => (status) => Math.abs(line(status) - share * canvas_px[0]) < 0.02 * canvas_px[0];
  await check('there is a line where the wall has a swipe', async () => {
    expect(!(await page.isVisible('#swipe-line')), 'none side by side');
    await show.ask('compare', { mode: 'swipe', line: 0.5 });
    await page.waitForSelector('#swipe-line', { state: 'visible' });
    await until(async () => (await page.inputValue('#swipe-line')) === '50' || null, 'the line in the middle');
  });
  await check('the slider moves the line of the wall', async () => {
    await page.locator('#swipe-line').fill('25');
    await show.when(lineAt(0.25), 'the line at a quarter');
    const { text } = await resultOf(page, 'swipe line');
    expect(text === 'swipe line: at 25 %', `"swipe line: at 25 %", found "${text}"`);
  });
  await check('a drag of the line on the wall moves it', async () => {
    const stage = await page.locator('#stage').boundingBox();
    const box = await page.locator('.swipe-line').boundingBox();
    const x = box.x + box.width / 2;
    expect(Math.abs(x - (stage.x + stage.width / 4)) < 0.04 * stage.width, 'the line at a quarter');
    const y = stage.y + stage.height * 0.3;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(stage.x + stage.width * 0.6, y, { steps: 5 });
    await page.mouse.up();
    await show.when(lineAt(0.6), 'the line at six tenths');
    expect(region(await show.status()).view_px === null, 'the picture itself stays');
  });
  await show.ask('compare', { mode: 'off' });
}

const frameShown = (page, panel) => page.textContent(`.panel[data-panel=${panel}] .panel-frame`);

/** Whether the page's words are this frame, perhaps beside that of an older picture. */
const isFrame = (frame, text) => text === String(frame) || text.startsWith(`${frame} (`);

function showsFrame(page, panel, frame) {
  return until(async () => isFrame(frame, await frameShown(page, panel)) || null, `frame ${frame} of ${panel}`, 5);
}

export async function checkStalledPanel(show, page) {
  await check('a panel that is stopped is marked as stalled, with its own last frame', async () => {
    await openView(page, 'wall');
    await show.ask('goto', { name: 'movie' });
    const playing = ({ presentation, scene }) => presentation.name === 'movie' && !scene.regions[0].paused;
    await show.when(playing, 'cue movie, which plays', 30);
    const panelNow = async (wanted) =>
      (await show.status()).per_panel.find(({ panel: name }) => name === wanted);
    const { pid } = await panelNow('c2r1');
    const begin = Date.now();
    process.kill(pid, 'SIGSTOP');
    try {
      // Its picture may be called frozen for a moment before the panel has been silent for 1.5 s.
      const mark = page.locator('.panel[data-panel=c2r1] .mark');
      await until(async () => (await mark.textContent()) === 'stalled' || null, '"stalled"', 6);
      note(`after ${((Date.now() - begin) / 1000).toFixed(1)} s`);
      const { frame } = await panelNow('c2r1');
      await showsFrame(page, 'c2r1', frame);
      const others = () => frameShown(page, 'c0r0');
      await until(async () => Number(await others()) !== frame || null, 'another frame on another panel', 5);
      const words = await page.textContent('#troubles');
      expect(words.includes('c2r1'), 'the list below names the panel');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await page.waitForSelector('.panel[data-panel=c2r1]:not([data-light=red])', { timeout: 20000 });
  });
}

/** Names of the panels of the page that have this mark. */
const panelsMarked = (page, word) =>
  page.$$eval(
    '.panel',
    (nodes, wanted) =>
      nodes
        .filter((node) => node.querySelector('.mark').textContent === wanted)
        .map((node) => node.dataset.panel),
    word
  );

export async function checkDamage(show, page) {
  await check('panels with a damaged block are marked, and no others', async () => {
    await openView(page, 'show');
    const before = new Map(
      (await show.status()).per_panel.map((panel) => [panel.panel, panel.damaged_frames])
    );
    await page.click('.cue[data-cue=damaged]');
    await page.click('#show-goto');
    await resultOf(page, 'go to damaged');
    await openView(page, 'wall');
    await until(
      async () => {
        const { per_panel } = await show.status();
        const damaged = per_panel.filter((panel) => panel.damaged_frames > before.get(panel.panel));
        const names = damaged.map(({ panel }) => panel).sort();
        const marked = (await panelsMarked(page, 'damaged')).sort();
        return (names.length > 0 && names.length < 15 && String(marked) === String(names)) || null;
      },
      'the mark "damaged" on the panels with damage, and on no others',
      10
    );
    const { per_panel } = await show.when(
      (status) => status.per_panel.every(({ frame }) => frame === 0),
      "the movie's only frame on all panels"
    );
    for (const { panel } of per_panel) await showsFrame(page, panel, 0);
    await show.ask('goto', { name: 'two' });
    await show.when(({ presentation }) => presentation.name === 'two', 'cue two', 30);
  });
}

export async function checkRestart(show, page) {
  await check('a panel is restarted after a question', async () => {
    await openView(page, 'health');
    const { pid } = (await show.status()).per_panel.find(({ panel }) => panel === 'c1r1');
    await page.selectOption('#restart-what', 'panel c1r1');
    await page.click('#restart-button');
    await page.click('#confirm-yes');
    const isAnother = ({ per_panel }) =>
      per_panel.some((panel) => panel.panel === 'c1r1' && panel.connected && panel.pid !== pid);
    await show.when(isAnother, 'another process of panel c1r1', 20);
  });
}
