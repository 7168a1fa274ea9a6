// A run that is started from its page: its bar moves, and the verdict comes without a reload.

import { assert, open, picture, withBrowser } from './harness.mjs';

const address = process.argv[2];

await withBrowser(async (browser) => {
  const { page, troubles } = await open(browser, new URL('/audits/live/', address).href);
  const list = await open(browser, address);
  await page.getByRole('button', { name: 'Run' }).click();
  const bar = page.locator('[data-progress="live"] progress');
  await bar.waitFor({ timeout: 60_000 });
  const done = () => bar.evaluate((one) => one.value).catch(() => null);
  const seen = new Set();
  const started = Date.now();
  while (seen.size < 3 && Date.now() - started < 90_000) {
    const value = await done();
    if (value !== null) seen.add(value);
    if (seen.size === 2) await picture(page, 'dashboard-live-1280');
    await page.waitForTimeout(100);
  }
  assert.ok(seen.size >= 3, `the bar stood at ${[...seen]} only`);
  await list.page.locator('#running [data-progress="live"]').waitFor({ timeout: 30_000 });
  await picture(list.page, 'dashboard-list-live-1280');
  await page.getByRole('link', { name: 'Full report' }).waitFor({ timeout: 120_000 });
  await list.page.locator('table.audits a[href="/audits/live/"]').waitFor({ timeout: 30_000 });
  assert.deepEqual([...troubles, ...list.troubles], []);
});
