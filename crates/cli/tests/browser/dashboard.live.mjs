// A run that is started from its page: its bar moves, and the verdict comes without a reload.

import { assert, open, picture, withBrowser } from './harness.mjs';

const address = process.argv[2];

/** Remembers every value at which the bar of the run stood. */
function watchBar() {
  window.stood = new Set();
  const look = () => {
    const bar = document.querySelector('[data-progress="live"] progress');
    if (bar) window.stood.add(bar.value);
  };
  const everything = { subtree: true, childList: true, attributes: true };
  new MutationObserver(look).observe(document, everything);
}

/** Remembers that the list showed the run while it ran. */
function watchRunning() {
  const look = () => { window.ran ||= document.querySelector('#running [data-progress="live"]') !== null; };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
  look();
}

await withBrowser(async (browser) => {
  const { page, troubles } = await open(browser, new URL('/audits/live/', address).href);
  const list = await open(browser, address);
  // Watched from within: a busy machine may look too late for a bar that comes and goes.
  await list.page.evaluate(watchRunning);
  await page.addInitScript(watchBar); // the button leads to a fresh page
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForFunction(() => window.stood?.size >= 2, null, { timeout: 120_000 });
  await picture(page, 'dashboard-live-1280');
  await page.waitForFunction(() => window.stood?.size >= 3, null, { timeout: 120_000 });
  await list.page.waitForFunction(() => window.ran, null, { timeout: 30_000 });
  await picture(list.page, 'dashboard-list-live-1280');
  await page.getByRole('link', { name: 'Full report' }).waitFor({ timeout: 120_000 });
  await list.page.locator('table a[href="/audits/live/"]').waitFor({ timeout: 30_000 });
  assert.deepEqual([...troubles, ...list.troubles], []);
});
