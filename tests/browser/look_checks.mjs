// Every view in both themes: no serious finding of axe, and screenshots at three widths.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { check, expect, sleep } from './checks.mjs';
import { openView, sizes, views } from './pages.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const axe_width = 1024; // the colours and names are the same at each width
const least_width = 360;
const pause_s = 0.25; // until a view has its pictures

/** "rule: n times, first element" of each serious or critical finding. */
export async function findings(page) {
  // The page's own policy forbids inline scripts, so axe is put in beside it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0].target} ${nodes[0].failureSummary}`);
}

/** Whether something is wider than the window, so that the page would move sideways. */
export const isTooWide = (page) =>
  page.evaluate(
    () =>
      document.documentElement.scrollWidth > innerWidth ||
      document.querySelector('#main').scrollWidth > document.querySelector('#main').clientWidth
  );

/** Targets smaller than 44 px; links in running text would be exempt, but there are none. */
export const smallTargets = (page) =>
  page.$$eval('button, a[href], select, input', (nodes) =>
    nodes
      .filter((node) => node.checkVisibility() && !node.closest('.skip') && !node.classList.contains('skip'))
      .map((node) => [node.id || node.textContent, node.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(([name, box]) => `${name} ${Math.round(box.width)}x${Math.round(box.height)}`)
  );

async function checkNothingSerious(page, view, theme) {
  await check(`axe finds nothing serious in ${view}, ${theme}`, async () => {
    const found = await findings(page);
    expect(found.length === 0, found.join('; '));
  });
}

async function checkView(page, view, width, theme, folder) {
  await openView(page, view);
  await sleep(pause_s);
  await page.screenshot({ path: `${folder}/${view}-${width}-${theme}.png` });
  expect(!(await isTooWide(page)), `${view}: nothing is wider than the window`);
  if (width !== least_width) return;
  const small = await smallTargets(page);
  expect(small.length === 0, `${view}: targets of 44 px, found ${small.join(', ')}`);
}

/** Every view and dialog at the width of axe. */
async function checkTheme(page, theme, folder) {
  for (const view of views) {
    await check(`${view}, ${theme}`, () => checkView(page, view, axe_width, theme, folder));
    await checkNothingSerious(page, view, theme);
  }
  await openView(page, 'show');
  await page.click('.cue[data-cue=two]');
  for (const [button, dialog] of [
    ['#show-note', '#note-dialog'],
    ['#tools-button', '#tools-dialog'],
    ['#keys-button', '#keys-dialog'],
  ])
    await checkDialog(page, button, dialog, theme, folder);
  await openView(page, 'wall');
  await checkDialog(page, '#wall-snapshot-file', '#snapshot-dialog', theme, folder);
  await openView(page, 'health');
  await checkDialog(page, '#restart-button', '#confirm-dialog', theme, folder);
}

async function checkDialog(page, button, dialog, theme, folder) {
  await page.click(button);
  await page.waitForSelector(`${dialog}[open]`);
  await page.screenshot({ path: `${folder}/${dialog.slice(1)}-${axe_width}-${theme}.png` });
  await checkNothingSerious(page, dialog.slice(1), theme);
  await page.keyboard.press('Escape');
}

/** The form of somebody who has no session yet. */
async function checkLoginForm(pages, folder) {
  const page = await pages.openLogin({ width: axe_width });
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: `${folder}/login-${axe_width}-${theme}.png` });
    await checkNothingSerious(page, 'the login', theme);
  }
  await page.setViewportSize({ width: least_width, height: sizes[least_width] });
  await page.screenshot({ path: `${folder}/login-${least_width}-dark.png` });
  await check(`the login at ${least_width} px`, async () => {
    expect(!(await isTooWide(page)), 'nothing is wider than the window');
    const small = await smallTargets(page);
    expect(small.length === 0, `targets of 44 px, found ${small.join(', ')}`);
  });
  await page.context().close();
}

export async function checkLooks(pages, folder) {
  await checkLoginForm(pages, folder);
  const page = await pages.open({ name: 'Ada', width: axe_width });
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await checkTheme(page, theme, folder);
  }
  for (const width of Object.keys(sizes).map(Number)) {
    if (width === axe_width) continue;
    await page.setViewportSize({ width, height: sizes[width] });
    await check(`every view at ${width} px`, async () => {
      for (const view of views) await checkView(page, view, width, 'dark', folder);
    });
  }
  await page.context().close();
}
