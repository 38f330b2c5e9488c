// Cues, the buttons that are always at hand, notes and the presenter's view.

import { check, expect, until } from './checks.mjs';
import { openView, resultOf } from './pages.mjs';

const cueIs = (name) => (status) => status.presentation.name === name;

export async function checkCues(show, page) {
  await openView(page, 'show');
  await check('the list has the cues of the show file', async () => {
    const names = () => page.$$eval('.cue .cue-name', (nodes) => nodes.map((node) => node.textContent));
    const wanted = ['movie', 'two', 'volume', 'turn', 'compare', 'black', 'timed', 'damaged'];
    await until(
      async () => (String(await names()) === String(wanted) ? true : null),
      'all cues in their order'
    );
  });
  await check('go goes to the next cue, and the list follows', async () => {
    await page.click('#show-go');
    const status = await show.when(cueIs('two'), 'cue two', 30);
    expect(status.presentation.show === 'Tour', 'the show Tour');
    await page.waitForSelector('.cue[data-cue=two][data-place=on-the-wall]');
    await page.waitForSelector('.cue[data-cue=volume][data-place=next]');
  });
  await check('go to a cue from the list', async () => {
    await page.fill('#cue-search', 'side by side');
    await until(
      async () => ((await page.locator('.cue').count()) === 1 ? true : null),
      'one cue that was searched for'
    );
    await page.click('.cue[data-cue=compare]');
    await page.fill('#cue-search', '');
    await page.click('#show-goto');
    await show.when(cueIs('compare'), 'cue compare', 30);
  });
  await check('a number and enter go to a cue', async () => {
    await page.focus('#main');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await show.when(cueIs('movie'), 'cue movie', 30);
  });
  await check('an unknown number is refused in words', async () => {
    await page.keyboard.type('77');
    await page.keyboard.press('Enter');
    const { text, kind } = await resultOf(page, 'no cue');
    expect(text === 'no cue 77' && kind === 'refused', `"no cue 77", found "${text}"`);
  });
  await check("panels' readiness for the next cue is told", async () => {
    const badge = page.locator('#next-armed');
    await until(async () => (/^armed/.test(await badge.textContent()) ? true : null), 'armed', 30);
    const hosts = await page.textContent('#next-hosts');
    expect(hosts.includes('15 panels'), `15 panels, found "${hosts}"`);
  });
  await check('a note is kept by the show', async () => {
    await page.click('.cue[data-cue=two]');
    await page.click('#show-note');
    await page.fill('#note-text', 'Wait <b>for</b> the applause.');
    await page.click('#note-form button[type=submit]');
    const { kind } = await resultOf(page, 'note of two');
    expect(kind === 'done', 'the note is taken');
    const { cues } = await show.ask('cues', {});
    expect(
      cues.find(({ name }) => name === 'two').note === 'Wait <b>for</b> the applause.',
      'the note as it was typed'
    );
    const shown = page.locator('.cue[data-cue=two] .cue-note');
    await until(
      async () => ((await shown.textContent()) === 'Wait <b>for</b> the applause.' ? true : null),
      'the note in the list, as text'
    );
    await page.waitForSelector('#show-unsaved:not([hidden])');
  });
}

export async function checkSafety(show, page) {
  await check('panic makes the wall black at once, and resume ends it', async () => {
    await page.click('#bottom [data-safety=panic]');
    await show.when((status) => status.scene.panic, 'panic', 5);
    await page.waitForSelector('#hold:not([hidden])');
    await page.click('#bottom [data-safety=resume]');
    await show.when((status) => !status.scene.panic, 'no panic', 5);
    await page.waitForSelector('#hold', { state: 'hidden' });
  });
  await check('freeze and resume', async () => {
    await page.click('#bottom [data-safety=freeze]');
    await show.when((status) => status.scene.frozen, 'frozen', 5);
    await page.click('#bottom [data-safety=resume]');
    await show.when((status) => !status.scene.frozen, 'no longer frozen', 5);
  });
}

export async function checkPresenter(show, page) {
  await openView(page, 'presenter');
  await check("the presenter's view has the next cue and its note", async () => {
    await show.ask('goto', { name: 'movie' });
    await show.when(cueIs('movie'), 'cue movie', 30);
    await until(
      async () => (/two/.test(await page.textContent('#presenter-next')) ? true : null),
      'the next cue'
    );
    const { cues } = await show.ask('cues', {});
    const { note } = cues.find(({ name }) => name === 'two');
    expect(note.length > 0, 'a cue with a note');
    const shown = await page.textContent('#presenter-note');
    expect(shown === note, `its note, found "${shown}"`);
  });
  await check('a clicker goes on, back, and makes the wall black', async () => {
    await page.keyboard.press('PageDown');
    await show.when(cueIs('two'), 'cue two', 30);
    await page.keyboard.press('b');
    await show.when((status) => status.scene.blank, 'black');
    await page.keyboard.press('.');
    await show.when((status) => !status.scene.blank, 'no longer black');
    await page.keyboard.press('PageUp');
    await show.when(cueIs('movie'), 'cue movie', 30);
  });
  await check('the timer runs', async () => {
    await page.click('#timer-run');
    await until(
      async () => ((await page.textContent('#presenter-timer')) !== '0:00' ? true : null),
      'a second on the timer'
    );
    await page.click('#timer-run');
    await page.click('#timer-reset');
  });
}
