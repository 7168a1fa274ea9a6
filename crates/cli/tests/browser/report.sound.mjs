// A report's page, wide and narrow, light and dark: no errors, no requests, nothing sticks out; it
// prints, and can be read without its script.

import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert, assertNoOverflow, open, picture, withBrowser } from './harness.mjs';

const looks = [
  { width: 1280, dark: false }, { width: 1280, dark: true },
  { width: 390, dark: false }, { width: 390, dark: true },
];

async function looksSound(browser, file, look) {
  const { page, context, troubles, requests } = await open(browser, file, look);
  assert.equal(await page.locator('h1').count(), 1);
  assert.match(await page.locator('h1').innerText(), /✔ PASS|✘ FAIL|\? INCONCLUSIVE/);
  assert.ok(await page.locator('svg.figure').count() > 1, 'there are figures');
  await assertNoOverflow(page);
  const kind = basename(dirname(file));
  await picture(page, `${kind}-${look.width}-${look.dark ? 'dark' : 'light'}`);
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
  await assertNoOverflow(page);
  assert.deepEqual(troubles, []);
  assert.deepEqual(requests, [pathToFileURL(file).href]);
  await context.close();
}

// The verdict's mark is in sight without scrolling sideways, with letters that can be read.
async function markShows(browser, file) {
  const { page, context } = await open(browser, file, { width: 390 });
  const seen = await page.evaluate(() => {
    const canvas = [...document.querySelectorAll('#verdict .canvas')].find((one) => one.getClientRects().length > 0);
    const marks = [...canvas.querySelectorAll('[data-tip] path')].map((mark) => mark.getBoundingClientRect());
    const text = canvas.querySelector('text').getBoundingClientRect();
    return { marks: marks.map((mark) => [mark.left, mark.right]), text: text.height, wide: window.innerWidth };
  });
  assert.ok(seen.marks.length > 0 && seen.text >= 9, JSON.stringify(seen));
  for (const [left, right] of seen.marks) assert.ok(left >= 0 && right <= seen.wide, JSON.stringify(seen));
  await context.close();
}

// At 1280 pixels no column of the tables of attacks and records is cut off; tables of figures' numbers scroll in
// boxes of their own.
async function noColumnIsCutOff(browser, file) {
  const { page, context } = await open(browser, file, { width: 1280 });
  const cut = await page.evaluate(() => [...document.querySelectorAll('.box')]
    .filter((box) => box.getClientRects().length > 0 && box.scrollWidth > box.clientWidth + 12)
    .filter((box) => box.querySelector('#attack-table, #record-table'))
    .map((box) => `${box.getAttribute('aria-label')}: ${box.scrollWidth} in ${box.clientWidth}`));
  assert.deepEqual(cut, []);
  await context.close();
}

async function opensWithWhatMatters(browser, file) {
  const { page, context } = await open(browser, file);
  const words = await page.locator('#verdict').innerText();
  assert.match(words, /Membership audit of .*\d{4}-\d{2}-\d{2}/);
  assert.match(words, /What to do next/);
  await context.close();
}

async function ids(page) {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll('[id]')].map((element) => element.id);
    return all.filter((id, place) => all.indexOf(id) !== place);
  });
}

async function structureIsSound(browser, file) {
  const { page, context } = await open(browser, file);
  assert.deepEqual(await ids(page), [], 'no id stands twice');
  const levels = await page.evaluate(() =>
    [...document.querySelectorAll('h1, h2, h3, h4')].map((heading) => Number(heading.tagName[1])));
  levels.forEach((level, place) => assert.ok(place === 0 || level <= levels[place - 1] + 1, 'no level is left out'));
  const broken = await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
    .filter((link) => !document.getElementById(link.hash.slice(1))).map((link) => link.hash));
  assert.deepEqual(broken, [], 'links lead somewhere');
  const nameless = await page.evaluate(() => [...document.querySelectorAll('svg.figure')].filter((svg) =>
    svg.getAttribute('aria-labelledby').split(' ').some((id) => !document.getElementById(id)?.textContent)).length);
  assert.equal(nameless, 0, 'every figure has a name and words');
  const paper = await page.pdf({ format: 'A4' });
  const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  assert.ok(pages >= 2, `${pages} pages on paper`);
  await context.close();
}

async function readsWithoutScript(browser, file) {
  const { page, context } = await open(browser, file, { context: { javaScriptEnabled: false } });
  for (const control of ['#theme', '.tools', '[data-copy]']) {
    for (const one of await page.locator(control).all()) assert.equal(await one.isVisible(), false, control);
  }
  assert.ok(await page.locator('#attack-table tbody tr').count() > 0);
  assert.ok(await page.locator('#provenance').isVisible());
  await context.close();
}

await withBrowser(async (browser) => {
  const file = process.argv[2];
  for (const look of looks) await looksSound(browser, file, look);
  await markShows(browser, file);
  await noColumnIsCutOff(browser, file);
  await opensWithWhatMatters(browser, file);
  await structureIsSound(browser, file);
  await readsWithoutScript(browser, file);
});
