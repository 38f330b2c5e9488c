// Runs checks one after another, and prints one line for each.

const failures = []; // names
let count = 0;

export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Prints a figure below the line of its check; figures are for people, and no check depends on them. */
export const note = (text) => console.log(`        ${text}`);

/** Throws where the condition does not hold. */
export function expect(condition, what) {
  if (!condition) throw new Error(what);
}

/** Asks again and again until `ask` gives something other than false, null or undefined. */
export async function until(ask, what, limit_s = 20) {
  const end = Date.now() + limit_s * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`not within ${limit_s} s: ${what}`);
    await sleep(0.1);
  }
}

/** Runs one check; a failure is printed, and the next check goes on. */
export async function check(name, run) {
  const begin = Date.now();
  ++count;
  try {
    await run();
    console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(name);
    console.log(`failed  ${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
  }
}

/** Prints the sum, with the names of what failed, and returns the exit code. */
export function conclude() {
  const words = failures.length ? `${failures.length} failed: ${failures.join('; ')}` : 'all passed';
  console.log(`${count} checks, ${words}`);
  return failures.length ? 1 : 0;
}
