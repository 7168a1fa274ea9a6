// The harness itself: what it must notice, it notices.

import { createServer } from 'node:http';
import { assert, assertNoOverflow, eventually, open, withBrowser } from './harness.mjs';

const page = `<!doctype html><title>t</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-a'">
<img src="/missing.png" alt=""><p style="width: 3000px">wide</p>
<script nonce="a">console.error('said'); alert('hello'); throw new Error('thrown');</script>
<script>window.ran = true</script>`;
const server = createServer((request, response) => {
  response.statusCode = request.url === '/' ? 200 : 404;
  response.setHeader('content-type', 'text/html');
  response.end(request.url === '/' ? page : '');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

try {
  await withBrowser(async (browser) => {
    const address = `http://127.0.0.1:${server.address().port}/`;
    const { page, troubles, requests } = await open(browser, address);
    for (const expected of ['console: said', 'exception: thrown', 'dialog: hello', '404', 'Content Security Policy']) {
      await eventually(() =>
        assert.ok(troubles.some((trouble) => trouble.includes(expected)), `${expected}: ${troubles}`));
    }
    await eventually(() => assert.ok(requests.includes(`${address}missing.png`)));
    assert.equal(await page.evaluate(() => window.ran), undefined);
    await assert.rejects(assertNoOverflow(page));
    let tries = 0;
    await eventually(() => { tries += 1; assert.equal(tries, 3); });
    await assert.rejects(eventually(() => assert.fail('never'), 50), /never/);
  });
} finally {
  server.close();
}
