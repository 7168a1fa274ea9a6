// The dashboard's pages, over the folder that dashboard.rs makes.

import { assert, assertNoOverflow, eventually, open, picture, withBrowser } from './harness.mjs';

const address = process.argv[2];
const at = (path) => new URL(path, address).href;

await withBrowser(async (browser) => {
  const { page, troubles, requests } = await open(browser, address);
  const rows = () => page.locator('table:has(caption:text-is("Audits")) tbody tr');
  const are = (places, count) => eventually(async () => assert.equal(await places.count(), count));
  const says = (place, words) => eventually(async () => assert.match(await place.innerText(), words));
  await page.waitForFunction(() => document.querySelector('.tally').textContent === '6 audits', null, { timeout: 30_000 });

  // The list: search, filters, order; what is damaged says so.
  await are(rows(), 6);
  assert.match(await rows().filter({ hasText: 'damaged' }).first().innerText(), /old[\s\S]*damaged/);
  await page.getByLabel('Search').fill('vision');
  await page.getByLabel('Search').press('Enter');
  await page.waitForURL(/search=vision/);
  await are(rows(), 3);
  await page.goto(address);
  await page.getByLabel('Verdict').selectOption('damaged');
  await page.waitForURL(/verdict=damaged/);
  await are(rows(), 1);
  await page.goto(address);
  await page.getByRole('link', { name: /^AUC/ }).click();
  await page.waitForURL(/sort=auc/);
  await says(rows().first(), /tabular\/april/);
  await are(page.locator('th[aria-sort="descending"]'), 1);
  await page.getByRole('link', { name: /^AUC/ }).click();
  await page.waitForURL(/order=asc/);
  await says(page.locator('th[aria-sort="ascending"]'), /AUC/);

  // Keyboard: the first stop skips to the content, and what has the focus can be seen.
  await page.goto(address);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash === '#content');
  const reached = new Set();
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.getAttribute('href') ?? document.activeElement.name));
  }
  for (const stop of ['search', 'verdict', 'kind', '/audits/vision/may/', 'run']) assert.ok(reached.has(stop), stop);

  // Two ticks make a comparison.
  const compare = page.getByRole('button', { name: 'Compare two' });
  assert.ok(await compare.isDisabled());
  await page.getByLabel('compare vision/march').check();
  await page.getByLabel('compare tabular/april').check();
  await eventually(async () => assert.ok(await page.getByLabel('compare vision/may').isDisabled()));
  await compare.click();
  await page.waitForURL(/compare/);
  await picture(page, 'dashboard-compare-1280');
  await says(page.locator('main'), /Did leakage rise\?/);
  await says(page.locator('main'), /a rise/);

  // The trend: marks say what they are, by pointer and by keyboard.
  await page.goto(at('/trend'));
  assert.equal(await page.locator('.chart a').count(), 5);
  await page.locator('.chart a').nth(1).hover();
  await says(page.locator('.tip'), /vision\/april: 0\.\d{4}, 0\.\d{4} to [01]\.\d{4}/);
  await picture(page, 'dashboard-trend-1280');
  await page.keyboard.press('Escape');
  await page.locator('.tip').waitFor({ state: 'hidden' });
  await page.locator('.chart a').first().focus();
  await says(page.locator('.tip'), /vision\/march/);
  await page.locator('select[name=measure]').selectOption('tpr@0.01');
  await page.waitForURL(/measure=tpr/);
  await are(page.locator('tbody tr'), 5);

  // An audit, its records, one of them; hostile answers stay text.
  await page.goto(at('/audits/tabular/april/'));
  await picture(page, 'dashboard-audit-1280');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'scores.parquet' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'scores.parquet');
  await page.getByRole('link', { name: 'Records' }).click();
  await page.waitForURL(/records/);
  await says(page.locator('.tally'), /Rows 0 to 99 of 260/);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  await says(page.locator('.tally'), /Rows 100 to 199 of 260/);
  await page.getByLabel('Order').selectOption('exposed');
  await page.waitForURL(/sort=exposed/);
  await says(page.locator('.tally'), /most exposed by/);
  await picture(page, 'dashboard-records-1280');
  await page.goto(at('/audits/tabular/april/records/0'));
  await picture(page, 'dashboard-record-1280');
  assert.match(await page.locator('.exchanges').innerText(), /<script>window\.acted = 3<\/script>/);
  assert.equal(await page.evaluate(() => window.acted), undefined);
  assert.equal(await page.locator('main script, main img, a[href^="javascript"]').count(), 0);

  // The report, under its own policy.
  await page.goto(at('/audits/tabular/april/report'));
  assert.match(await page.locator('body').innerText(), /lira/);

  // Narrow and dark.
  for (const [width, dark] of [[390, false], [390, true], [1280, true]]) {
    const other = await open(browser, address, { width, dark });
    for (const [name, path] of [
      ['list', '/'], ['trend', '/trend'], ['compare', '/compare?a=/vision/march&b=/tabular/april'],
      ['audit', '/audits/tabular/april/'], ['records', '/audits/tabular/april/records'],
      ['record', '/audits/tabular/april/records/0'],
    ]) {
      await other.page.goto(at(path));
      await assertNoOverflow(other.page);
      await picture(other.page, `dashboard-${name}-${width}${dark ? '-dark' : ''}`);
    }
    const ground = await other.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground === 'rgb(255, 255, 255)', !dark);
    troubles.push(...other.troubles);
    requests.push(...other.requests);
    await other.context.close();
  }

  assert.deepEqual(troubles, []);
  assert.deepEqual(requests.filter((place) => !place.startsWith(address) && !place.startsWith('data:')), []);
});
