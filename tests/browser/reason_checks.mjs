// Every reason for a yellow or red light has advice of its own. The reasons are read from the sources
// of the director, so that a new one cannot be forgotten.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { check, expect } from './checks.mjs';

const literal = /"((?:[^"\\]|\\.)*)"/g;

/** The text of a C++ format string with something in each of its places. */
const filled = (text) => text.replace(/\{[^}]*\}/g, 'c1r1');

/** The literals within the parentheses of each call of `name`, as one text for each call. */
function textsOfCalls(source, name) {
  const texts = [];
  for (let at = source.indexOf(name); at >= 0; at = source.indexOf(name, at + 1)) {
    const call = source.slice(at, source.indexOf(';', at));
    const literals = [...call.matchAll(literal)].map(([, text]) => text);
    if (literals.length === 0) continue; // the reason is made elsewhere
    // A choice between a text and a format string is a choice between two reasons.
    texts.push(...(call.includes(': fmt::format') ? literals : [literals.join('')]).map(filled));
  }
  return texts;
}

function lateReasons(root) {
  const source = readFileSync(join(root, 'player/scene/late.cpp'), 'utf8');
  const list = source.slice(source.indexOf('causes[]'), source.indexOf('};'));
  const causes = [...list.matchAll(literal)].map(([, cause]) => cause);
  // Changes of detail and of shown ticks are in the log of late frames, and have none themselves.
  const of_frames = causes.filter((cause) => !/level|ticks/.test(cause));
  return of_frames.map((cause) => `3 of 240 frames late in 10 s on panel c1r1 (${cause})`);
}

/** All reasons that the director's sources have. */
function reasonsOfDirector(root) {
  const read = (file) => readFileSync(join(root, 'player/director', file), 'utf8');
  const failures = ['director.cpp', 'show_lifecycle.cpp', 'panel_role.cpp'].flatMap((file) =>
    textsOfCalls(read(file), 'notes_.fail(').concat(textsOfCalls(read(file), 'notes.fail('))
  );
  return [
    ...textsOfCalls(read('show_health.cpp'), 'found.add('),
    ...lateReasons(root),
    ...failures,
    ...textsOfCalls(read('content_watch.cpp'), 'fmt::format("content was'),
  ];
}

/** The advice of the page for each reason; null where it has only the general one. */
const advicesOf = (page, reasons) =>
  page.evaluate(async (all) => {
    const { adviceFor, general_advice } = await import('/advice.js');
    return all.map((reason) => (adviceFor(reason) === general_advice ? null : adviceFor(reason)));
  }, reasons);

export async function checkReasons(root, page) {
  await check('every reason for a yellow or red light has advice of its own', async () => {
    const own = await page.evaluate(async () => (await import('/advice.js')).away_reason);
    const reasons = [...reasonsOfDirector(root), own];
    const least = 25; // there are more; fewer were not read rightly
    expect(reasons.length >= least, `${least} reasons or more, found ${reasons.length}`);
    const advices = await advicesOf(page, reasons);
    const without = reasons.filter((_, i) => !advices[i]);
    expect(without.length === 0, `advice for ${without.map((reason) => `"${reason}"`).join(', ')}`);
  });
  await check('another failure has the general advice', async () => {
    expect((await advicesOf(page, ['nobody foresaw this']))[0] === null, 'the general advice');
  });
}
