// The annex of an audit: no script, no requests, nothing sticks out on a screen; and on paper every page is A4 and
// nothing is wider than what can be printed.

import { pathToFileURL } from 'node:url';
import { assert, assertNoOverflow, open, picture, withBrowser } from './harness.mjs';

// The width of A4 less the margins of the sheet, in pixels of 1/96 inch.
const PRINTED = Math.round((210 - 2 * 16) / 25.4 * 96);

async function soundOnScreens(browser, file) {
  for (const width of [1280, 390]) {
    const { page, context, troubles, requests } = await open(browser, file, { width });
    assert.equal(await page.locator('h1').count(), 1);
    assert.equal(await page.locator('section').count(), 13);
    assert.equal(await page.locator('script, details').count(), 0);
    assert.match(await page.locator('header').innerText(), /not a statement of\s+compliance/);
    await assertNoOverflow(page);
    await picture(page, `annex-${width}`);
    assert.deepEqual(troubles, []);
    assert.deepEqual(requests, [pathToFileURL(file).href]);
    await context.close();
  }
}

async function fitsOnPaper(browser, file) {
  const { page, context } = await open(browser, file, { width: PRINTED });
  await page.emulateMedia({ media: 'print' });
  const wide = await page.evaluate(() => [...document.querySelectorAll('table, p, dl, figure, .drawing')]
    .filter((one) => one.scrollWidth > document.documentElement.clientWidth + 1)
    .map((one) => `${one.closest('section')?.id}: ${one.tagName} ${one.scrollWidth}`));
  assert.deepEqual(wide, []);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const boxes = [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)];
  assert.ok(boxes.length > 3, `${boxes.length} pages`);
  for (const [, width, height] of boxes) {
    assert.ok(Math.abs(width - 595) < 2 && Math.abs(height - 842) < 2, `${width} × ${height}`);
  }
  await context.close();
}

await withBrowser(async (browser) => {
  for (const file of process.argv.slice(2)) {
    await soundOnScreens(browser, file);
    await fitsOnPaper(browser, file);
  }
});
