// A browser for the scripts beside this one: opens pages, and remembers what went wrong in them.
// GUESTLIST_CHROMIUM is the browser, GUESTLIST_PLAYWRIGHT the package that drives it,
// GUESTLIST_SCREENSHOTS a folder for pictures, where somebody wants to look at them.

import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const needed = (name) => {
  assert.ok(process.env[name], `${name} is not set; cargo xtask test sets it`);
  return process.env[name];
};

// The whole script must end by itself.
const limit = setTimeout(() => {
  console.error('the script took more than three minutes');
  process.exit(1);
}, 180_000);
limit.unref();

/** Starts a browser, hands it to `work`, and ends it whatever happens. */
export async function withBrowser(work) {
  const index = pathToFileURL(join(needed('GUESTLIST_PLAYWRIGHT'), 'index.mjs'));
  const { chromium } = await import(index);
  const browser = await chromium.launch({
    executablePath: which(needed('GUESTLIST_CHROMIUM')),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

function which(program) {
  if (program.includes('/')) return program;
  const places = process.env.PATH.split(delimiter).map((folder) => join(folder, program));
  return places.find(runs);
}

function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens an address or a file. `troubles` gathers errors on the console, exceptions, dialogs and
 * violations of the content security policy; `requests` every address that was asked for.
 */
export async function open(browser, place, options = {}) {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    ...options.context,
  });
  const page = await context.newPage();
  const troubles = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`exception: ${error.message}`));
  page.on('dialog', async (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  const address = /^[a-z]+:/.test(place) ? place : pathToFileURL(place).href;
  await page.goto(address, { waitUntil: 'load', timeout: 30_000 });
  return { page, context, troubles, requests };
}

/**
 * What follows an action takes a moment, longer on a busy machine: `check` is tried until it throws
 * nothing. What it last threw comes out when patience ends.
 */
export async function eventually(check, patience = 30_000) {
  const end = Date.now() + patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((again) => { setTimeout(again, 20); });
  }
}

/** A picture of the whole page, where GUESTLIST_SCREENSHOTS says so. */
export async function picture(page, name) {
  const folder = process.env.GUESTLIST_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Nothing sticks out of the page to the right. */
export async function assertNoOverflow(page) {
  const [wide, room] = await page.evaluate(() =>
    [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= room, `the page is ${wide} px wide in a window of ${room}`);
}

export { assert };
