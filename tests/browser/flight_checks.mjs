// The flight path of a show of a volume: key frames, the preview, and a rendering that runs beside it.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { check, expect, until } from './checks.mjs';
import { findings, isTooWide, smallTargets } from './look_checks.mjs';
import { openView, Pages, resultOf, sizes } from './pages.mjs';
import { Show } from './show.mjs';

const volume = 'tests/data/volumes/knot.nrrd';
const drawing = ['--caster', 'cpu', '--memory', '77', '--stretch', '1,1,0.5'];
const eye = ({ scene }) => String(scene.regions[0].volume.camera.eye);

const textOf = (page, selector) => page.locator(selector).textContent();

function countIs(page, words) {
  return until(async () => (await textOf(page, '#flight-count')).startsWith(words) || null, words);
}

async function checkKeys(show, page) {
  await check('key frames are taken from the wall, and the page lists them', async () => {
    await openView(page, 'wall');
    await page.waitForSelector('#flight-part', { state: 'visible' });
    expect(await page.isDisabled('#flight-preview'), 'no preview of an empty path');
    await page.click('#flight-add');
    await countIs(page, '1 key in flight.toml');
    const { text } = await resultOf(page, 'keyframe: number 1');
    expect(text.endsWith('flight.toml'), `the file in "${text}"`);
    await show.ask('camera', { orbit_deg: [60, 0, 0] });
    await page.focus('#main');
    await page.keyboard.press('e');
    await countIs(page, '2 keys in flight.toml');
    const keys = await page.$$eval('#flight-keys li b', (nodes) => nodes.map((node) => node.textContent));
    expect(String(keys) === '1,2', `keys 1 and 2, found ${keys}`);
  });
  await check('the nearest key frame goes, and the log tells it', async () => {
    await page.click('#flight-remove');
    await countIs(page, '1 key in flight.toml');
    await openView(page, 'health');
    const told = async () => (await textOf(page, '#command-log')).includes('keyframe: 1 left in');
    await until(async () => (await told()) || null, 'the line in the log');
    await openView(page, 'wall');
    await page.click('#flight-add');
    await countIs(page, '2 keys in flight.toml');
  });
}

async function checkPreview(show, page) {
  await check('a preview flies the path until it is stopped', async () => {
    const before = eye(await show.status());
    await page.click('#flight-preview');
    await until(async () => (await textOf(page, '#flight-preview')) === 'Stop preview' || null, 'a flight');
    await show.when((status) => eye(status) !== before, 'another camera');
    await page.click('#flight-preview');
    await resultOf(page, 'preview: stopped');
    expect((await textOf(page, '#flight-preview')) === 'Preview', 'no flight any more');
  });
}

async function checkFlightRoles(pages) {
  await check('viewers have no buttons of the flight path, and presenters only the preview', async () => {
    const viewer = await pages.open({ name: 'Vera', role: 'viewer' });
    await viewer.waitForSelector('.panel[data-pictured]');
    expect(!(await viewer.isVisible('#flight-part')), 'none for a viewer');
    await viewer.context().close();
    const presenter = await pages.open({ name: 'Pia', role: 'presenter' });
    await presenter.waitForSelector('#flight-part', { state: 'visible' });
    expect(await presenter.isDisabled('#flight-add'), 'no key frames for a presenter');
    expect(await presenter.isDisabled('#flight-render'), 'no rendering for a presenter');
    expect(await presenter.isEnabled('#flight-preview'), 'the preview for a presenter');
    await presenter.context().close();
  });
}

async function checkRendering(root, show, page, folder) {
  await check('a rendering that runs is seen with its frames and the time left', async () => {
    const words = ['render', join(show.folder, 'flight.toml'), '-o', join(show.folder, 'fly')];
    const options = ['--wall', 'wallconfigs/mini-5x3.toml', '--fps', '60', '--samples', '16', '--local'];
    const rendering = spawn(Show.program(root), [...words, ...options], { cwd: root, stdio: 'ignore' });
    try {
      await page.waitForSelector('#movies-part', { state: 'visible', timeout: 60000 });
      const words_now = () => textOf(page, '#movies li');
      await until(async () => /of \d+ frames, .* left/.test(await words_now()) || null, 'the progress', 60);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: sizes[width] ?? 800 });
        await page.locator('#movies-part').scrollIntoViewIfNeeded();
        await page.screenshot({ path: `${folder}/flight-${width}.png` });
        expect(!(await isTooWide(page)), `nothing wider than ${width} px`);
      }
      const small = await smallTargets(page);
      expect(small.length === 0, `targets of 44 px, found ${small.join(', ')}`);
      const found = await findings(page);
      expect(found.length === 0, `nothing serious for axe, found ${found.join('; ')}`);
    } finally {
      rendering.kill('SIGINT');
    }
    await page.waitForSelector('#movies-part', { state: 'hidden', timeout: 30000 });
  });
}

async function checkRenderButton(show, page, folder) {
  const state = () => textOf(page, '#flight-rendered');
  const stateIs = (word) => until(async () => (await state()).startsWith(`Render ${word}`) || null, word, 60);
  await check('an operator renders the path, sees its newest frame, and stops it', async () => {
    const file = join(show.folder, 'flight.toml');
    const path = readFileSync(file, 'utf8');
    writeFileSync(file, `duration_s = 3600\n${path}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click('#flight-render');
    await stateIs('is running');
    expect((await textOf(page, '#flight-render')) === 'Stop render', 'a button that stops it');
    const width = () => page.$eval('#movies img', (image) => (image.hidden ? 0 : image.naturalWidth)).catch(() => 0);
    await until(async () => (await width()) > 0 || null, 'the newest frame', 60);
    for (const pixels of [1280, 360]) {
      await page.setViewportSize({ width: pixels, height: sizes[pixels] ?? 800 });
      await page.locator('#movies-part').scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${folder}/flight-rendering-${pixels}.png` });
      expect(!(await isTooWide(page)), `nothing wider than ${pixels} px`);
    }
    const found = await findings(page);
    expect(found.length === 0, `nothing serious for axe, found ${found.join('; ')}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click('#flight-render');
    await stateIs('stopped');
    expect((await textOf(page, '#flight-render')) === 'Render', 'a button that goes on');
    await page.waitForSelector('#movies-part', { state: 'hidden', timeout: 30000 });
  });
}

/** The words of the command that renders the show's path now; '' where none runs. */
function renderingWords(show) {
  const wordsOf = (id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').join(' ');
    } catch {
      return ''; // it has ended
    }
  };
  const begin = ` render ${join(show.folder, 'flight.toml')} `;
  const ids = readdirSync('/proc').filter((id) => /^\d+$/.test(id));
  return ids.map(wordsOf).find((words) => words.includes(begin)) ?? '';
}

async function checkRenderedLook(root, show, page) {
  const state = () => textOf(page, '#flight-rendered');
  const stateIs = (word) => until(async () => (await state()).startsWith(`Render ${word}`) || null, word, 60);
  /** Begins the rendering and ends it, and returns its command. */
  const rendered = async () => {
    await page.click('#flight-render');
    await stateIs('is running');
    const words = await until(() => renderingWords(show) || null, 'the command', 60);
    await page.click('#flight-render');
    await stateIs('stopped');
    return words;
  };
  const folderIn = (words) => / -o (\S+)/.exec(words)[1];
  await check('a rendering draws the volume as the show does, in a folder by that', async () => {
    const { scene } = await show.status();
    const words = await rendered();
    const wanted = [drawing.join(' '), `--volume ${join(root, volume)}`, `--bezels ${scene.bezels}`];
    for (const option of [...wanted, `--content ${scene.content}`])
      expect(`${words} `.includes(` ${option} `), `"${option}" in "${words}"`);
    expect(folderIn(await rendered()) === folderIn(words), 'the same folder for the same rendering');
    const mode = scene.bezels === 'show' ? 'hide' : 'show';
    await show.ask('bezels', { mode });
    await show.when((status) => status.scene.bezels === mode, 'another bezel mode');
    const other = await until(
      async () => {
        const words_then = await rendered();
        return words_then.includes(`--bezels ${mode}`) ? words_then : null; // once the console knows it
      },
      'a rendering in that mode',
      60
    );
    expect(folderIn(other) !== folderIn(words), 'another folder for another look');
  });
}

async function checkFault(show, page, folder) {
  await check('a path that cannot be read, and an order that fails for it, are told', async () => {
    const file = join(show.folder, 'flight.toml');
    writeFileSync(file, '[[key]]\neye = 5\n');
    const fault = `${file}:2: key`;
    await until(async () => (await textOf(page, '#flight-answer')).startsWith(fault) || null, 'the fault');
    await page.click('#flight-add');
    const { text, kind } = await resultOf(page, fault);
    expect(kind === 'refused', `a failure, found "${text}"`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.screenshot({ path: `${folder}/flight-fault.png` });
  });
}

/** Starts a show of its own. Screenshots come to `folder`. */
export async function checkFlight(root, browser, folder) {
  const show = await Show.startView(root, volume, drawing);
  const pages = new Pages(browser, show);
  try {
    const page = await pages.open();
    await checkKeys(show, page);
    await checkPreview(show, page);
    await checkFlightRoles(pages);
    await checkRendering(root, show, page, folder);
    await checkRenderButton(show, page, folder);
    await checkRenderedLook(root, show, page);
    await checkFault(show, page, folder);
  } finally {
    await pages.close();
    await show.end();
    show.clean();
  }
}
