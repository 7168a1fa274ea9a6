// Answers that would like to be a program stay words: no dialog, no script, no link, no request.

import { pathToFileURL } from 'node:url';
import { assert, assertNoOverflow, open, withBrowser } from './harness.mjs';

const file = process.argv[2];

await withBrowser(async (browser) => {
  for (const width of [1280, 390]) {
    const { page, troubles, requests } = await open(browser, file, { width });
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
    // What it would like to fetch, it would be fetching by now.
    await page.waitForLoadState('networkidle');
    assert.equal(await page.evaluate(() => window.ran), undefined);
    const answer = page.locator('#service .said').last();
    assert.match(await answer.innerText(), /<script>window\.ran = 1; alert\(1\)<\/script>/);
    await answer.click();
    assert.match(await answer.innerText(), /\\u\{202e\}txt\.exe/, 'marks that turn words around are seen');
    assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.ok(links.every((link) => link.startsWith('#')), String(links));
    assert.equal(await page.locator('script').count(), 1);
    await assertNoOverflow(page);
    assert.deepEqual(troubles, []);
    assert.deepEqual(requests, [pathToFileURL(file).href]);
  }
});
