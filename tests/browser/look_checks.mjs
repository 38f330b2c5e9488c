// Every view in both themes: no serious finding of axe, and screenshots at three widths.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { check, expect, sleep } from './checks.mjs';
import { openView, sizes, views } from './pages.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** "rule: n times, first element" of each serious or critical finding. */
async function findings(page) {
  // The page's own policy forbids inline scripts, so axe is put in beside it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0].target} ${nodes[0].failureSummary}`);
}

/** Whether something is wider than the window, so that the page would move sideways. */
const isTooWide = (page) =>
  page.evaluate(
    () =>
      document.documentElement.scrollWidth > innerWidth ||
      document.querySelector('#main').scrollWidth > document.querySelector('#main').clientWidth
  );

/** Targets smaller than 44 px; links in running text would be exempt, but there are none. */
const smallTargets = (page) =>
  page.$$eval('button, a[href], select, input', (nodes) =>
    nodes
      .filter((node) => node.checkVisibility() && !node.closest('.skip') && !node.classList.contains('skip'))
      .map((node) => [node.id || node.textContent, node.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(([name, box]) => `${name} ${Math.round(box.width)}x${Math.round(box.height)}`)
  );

export async function checkLooks(pages, folder) {
  for (const theme of ['dark', 'light']) {
    for (const width of Object.keys(sizes).map(Number)) {
      const page = await pages.open({ name: 'Ada', width, theme });
      for (const view of views) {
        await check(`${view} at ${width} px, ${theme}`, async () => {
          await openView(page, view);
          await sleep(0.4);
          await page.screenshot({ path: `${folder}/${view}-${width}-${theme}.png` });
          expect(!(await isTooWide(page)), 'nothing is wider than the window');
          const small = await smallTargets(page);
          expect(small.length === 0, `targets of 44 px, found ${small.join(', ')}`);
          const found = await findings(page);
          expect(found.length === 0, found.join('; '));
        });
      }
      await check(`the keys at ${width} px, ${theme}`, async () => {
        await page.keyboard.press('?');
        await page.waitForSelector('#keys-dialog[open]');
        await page.screenshot({ path: `${folder}/keys-${width}-${theme}.png` });
        const found = await findings(page);
        expect(found.length === 0, found.join('; '));
        await page.keyboard.press('Escape');
      });
      await page.context().close();
    }
  }
}
