// Takes the pictures of the README: node scripts/pictures.mjs FOLDER NOTEBOOK.html
// FOLDER holds what `guestlist demo KIND --out FOLDER/KIND` left for classifier and source, and what
// `guestlist serve FOLDER` shows at ADDRESS (http://127.0.0.1:7878 unless the variable says otherwise);
// NOTEBOOK.html is the executed notebook of examples/notebook as nbconvert writes it.
// CONTRIBUTING.md says where the browser comes from.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, withBrowser } from '../crates/cli/tests/browser/harness.mjs';

const [folder, notebook] = process.argv.slice(2);
const address = process.env.ADDRESS ?? 'http://127.0.0.1:7878';
const images = new URL('../docs/images/', import.meta.url).pathname;
mkdirSync(images, { recursive: true });

/** The verdict, the first curves and the most exposed records, without what stands between them. */
async function report(browser, name, options) {
  const { page, context } = await open(browser, join(folder, 'classifier/report.html'), options);
  await page.evaluate(() => {
    const between = ['nav', '#reading', '#guardrails', '#attacks > :not(h2, .gallery)',
      '#attacks figure:nth-of-type(n + 3)', 'figcaption', '.verdict figure', '#records .gallery', 'figure details'];
    for (const element of document.querySelectorAll(between.join())) element.remove();
  });
  await page.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
}

async function whole(browser, place, name, options, selector) {
  const { page, context } = await open(browser, place, options);
  const target = selector ? page.locator(selector).first() : page;
  if (options.scroll) await page.locator(options.scroll).first().scrollIntoViewIfNeeded();
  await target.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
}

await withBrowser(async (browser) => {
  await report(browser, 'report', { width: 1180, height: 1085 });
  await report(browser, 'report-dark', { width: 1180, height: 1085, dark: true });
  await whole(browser, join(folder, 'classifier/report.html'), 'report-phone', { width: 390, height: 844 });
  await whole(browser, `${address}/`, 'dashboard', { width: 1100, height: 620 });
  await source(browser);
  await whole(browser, notebook, 'notebook', { width: 1100, height: 760, scroll: 'iframe' });
});

/** The first text of every source. */
async function source(browser) {
  const { page, context } = await open(browser, join(folder, 'source/report.html'), { width: 900, height: 700 });
  const box = await page.evaluate(() => {
    const documents = [...document.querySelectorAll('.document')];
    const seen = new Set();
    for (const one of documents) {
      const kind = one.dataset.marks ?? one.querySelector('p')?.textContent;
      one.hidden = seen.has(kind) || seen.size >= 3;
      seen.add(kind);
    }
    const shown = documents.filter((one) => !one.hidden);
    const [first, last] = [shown[0].getBoundingClientRect(), shown.at(-1).getBoundingClientRect()];
    return { x: 0, y: first.top + scrollY - 12, width: 900, height: last.bottom - first.top + 24 };
  });
  await page.screenshot({ path: join(images, 'source.png'), fullPage: true, clip: box });
  await context.close();
}
