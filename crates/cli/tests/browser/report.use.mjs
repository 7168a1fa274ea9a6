// What a reader does with a report: point, step, search, sort, change the theme, print.

import { assert, eventually, open, withBrowser } from './harness.mjs';

const file = process.argv[2];
const tip = (page) => page.locator('#tip');

/** Brings an element into view, and waits until scrolling is over: tips go while a page scrolls. */
async function inView(page, element) {
  await element.scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise((over) => {
    let before = NaN;
    const look = () => {
      if (scrollY === before) return requestAnimationFrame(over);
      before = scrollY;
      return requestAnimationFrame(look);
    };
    look();
  }));
}

async function pointing(page) {
  const curve = page.locator('#figure-roc path[data-points]').last();
  await inView(page, curve);
  const place = await curve.evaluate((path) => {
    const pairs = path.dataset.points.split(';');
    const middle = Math.floor(pairs.length / 2);
    const [x, y] = pairs[middle].split(',').map(Number);
    const at = new DOMPoint(x, y).matrixTransform(path.ownerSVGElement.getScreenCTM());
    return { x: at.x, y: at.y, text: path.dataset.tips.split('|')[middle] };
  });
  await page.mouse.move(place.x, place.y);
  await eventually(async () => {
    assert.ok(await tip(page).isVisible(), 'a tip shows');
    assert.match(await tip(page).innerText(), /\d/);
  });
  await page.mouse.move(2, 2);
  await eventually(async () => assert.equal(await tip(page).isVisible(), false, 'it goes when the pointer goes'));
}

async function fullDigits(page) {
  const number = page.locator('#verdict data').first();
  await inView(page, number);
  await number.hover();
  const digits = await number.getAttribute('value');
  await eventually(async () => assert.equal(await tip(page).innerText(), digits));
}

async function stepping(page) {
  const figure = page.locator('#figure-roc svg');
  await page.mouse.move(2, 2);
  await inView(page, figure);
  await figure.focus();
  await inView(page, figure);
  let before = '';
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) {
    await page.keyboard.press(key);
    before = await otherTip(page, before, key);
  }
  await page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await tip(page).isVisible(), false));
}

/** The tip once it says something else. */
const otherTip = (page, before, key) => eventually(async () => {
  assert.ok(await tip(page).isVisible(), key);
  const now = await tip(page).innerText();
  assert.notEqual(now, before, `${key} goes to another value`);
  return now;
});

const shownRows = (page, table) => page.locator(`#${table} tbody tr:visible`);
const firstCell = (page, table, column) =>
  shownRows(page, table).first().locator(':scope > *').nth(column).innerText();

async function searching(page) {
  const tools = page.locator('.tools[data-for="record-table"]');
  const all = await shownRows(page, 'record-table').count();
  const name = (await firstCell(page, 'record-table', 0)).trim();
  await tools.locator('input').fill(name);
  const output = tools.locator('output');
  assert.equal(await output.getAttribute('aria-live'), 'polite');
  await eventually(async () => {
    const found = await shownRows(page, 'record-table').count();
    assert.ok(found >= 1 && found < all, `${found} of ${all}`);
    assert.ok((await output.innerText()).startsWith(`${found} of ${all}`), await output.innerText());
  });
  await tools.locator('input').fill('nothing has this name');
  await eventually(async () => assert.equal(await shownRows(page, 'record-table').count(), 0));
  await tools.locator('input').fill('');
  await tools.locator('select').selectOption('above');
  await eventually(async () => {
    const found = await page.locator('#record-table tbody tr:visible td:nth-child(4)').allInnerTexts();
    assert.ok(found.length > 0 && found.every((word) => word === 'above the cut'), String(found));
  });
  await tools.locator('select').selectOption('');
  await eventually(async () => assert.equal(await shownRows(page, 'record-table').count(), all));
}

/** The numbers of a column, as they stand. */
const column = (page, table, place) => page.locator(`#${table} tbody tr > :nth-child(${place}) data:first-child`)
  .evaluateAll((cells) => cells.map((cell) => Number(cell.value)));
const isSorted = (values, sign) => values.every((value, place) => place === 0 || sign * (value - values[place - 1]) >= 0);

async function sorting(page) {
  for (const [place, sign] of [[1, 1], [2, -1]]) {
    const head = page.locator('#record-table thead th').nth(place - 1);
    const [first, second] = sign > 0 ? ['ascending', 'descending'] : ['descending', 'ascending'];
    await head.locator('button').click();
    await sorted(page, head, place, first, sign);
    await head.locator('button').focus();
    await page.keyboard.press('Enter');
    await sorted(page, head, place, second, -sign);
    assert.equal(await page.locator('#record-table [aria-sort]').count(), 1);
  }
}

const sorted = (page, head, place, word, sign) => eventually(async () => {
  assert.equal(await head.getAttribute('aria-sort'), word);
  const values = await column(page, 'record-table', place);
  assert.ok(values.length > 1 && isSorted(values, sign), `${word}: ${values}`);
});

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function themes(page) {
  const light = await ground(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await eventually(async () => {
    const now = await ground(page);
    assert.notEqual(now, light);
    return now;
  });
  const is = (colour, why) => eventually(async () => assert.equal(await ground(page), colour, why));
  const button = page.locator('#theme');
  await button.click();
  await is(light, 'light although the system is dark');
  await eventually(async () => assert.equal(await button.innerText(), 'Theme: light'));
  await button.click();
  await page.emulateMedia({ colorScheme: 'light' });
  await is(dark, 'dark although the system is light');
  await button.click();
  await is(light, 'as the system is');
}

/** Tab reaches everything that can be used, in order, and shows where it is. */
async function tabbing(page) {
  const wanted = await page.evaluate(() => {
    const usable = 'a[href], button, input, select, summary, [tabindex="0"]';
    const seen = [...document.querySelectorAll(usable)].filter((one) => one.checkVisibility() && !one.disabled);
    seen.forEach((one, place) => { one.dataset.place = place; });
    return seen.length;
  });
  await page.evaluate(() => { document.activeElement?.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); });
  const reached = new Set();
  const invisible = [];
  for (let step = 0; step < wanted + 3; step += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return { place: document.activeElement.dataset.place, outline: style.outlineStyle, name: document.activeElement.outerHTML.slice(0, 80) };
    });
    if (at.place !== undefined) {
      reached.add(at.place);
      if (at.outline === 'none') invisible.push(at.name);
    }
  }
  assert.equal(reached.size, wanted, 'Tab reaches everything');
  assert.deepEqual(invisible, [], 'focus is seen');
}

/** The button says what became of it once the clipboard has answered, and only for a while: it is heard. */
async function copying(page) {
  const button = page.locator('[data-copy]');
  const said = button.evaluate((one) => new Promise((heard) => {
    new MutationObserver(() => heard(one.textContent)).observe(one, { childList: true });
  }));
  await button.click();
  assert.equal(await said, 'Copied');
  const command = await page.locator(`#${await button.getAttribute('data-copy')}`).innerText();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually(async () => assert.equal(await clipboard(), command.trim()));
}

async function printing(page) {
  const open = () => page.locator('details.print-open[open]').count();
  const before = await open();
  const are = (count, why) => eventually(async () => assert.equal(await open(), count, why));
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await are(await page.locator('details.print-open').count(), 'all open on paper');
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await are(before, 'as before');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await eventually(async () => {
    assert.equal(await ground(page), 'rgb(255, 255, 255)', 'paper is white');
    assert.equal(await page.locator('#theme').isVisible(), false);
  });
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
}

await withBrowser(async (browser) => {
  const { page, troubles } = await open(browser, file, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
  for (const part of [pointing, fullDigits, stepping, searching, sorting, themes, copying, printing, tabbing]) {
    try {
      await part(page);
    } catch (error) {
      throw new Error(`${part.name}: ${error.message}`, { cause: error });
    }
  }
  assert.deepEqual(troubles, []);
});
