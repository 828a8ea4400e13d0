// The docs page in a real browser: people read what the API offers and try it, signed calls too.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { elsewhere, launch, watched } from './browser.mjs';
import { start, trade, world } from './exchange.mjs';

const balance = '/api/v4/trade-account/balance';
const time = '/api/v4/public/time';

let server;
let browser;
let page;
let requests;
let complaints;
let check;
let leave;

before(async () => {
  server = await start(world(['BTC'], ['alice']));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function enterPage() {
  ({ page, requests, complaints, check, leave } = await watched(browser));
}

// An operation that is open, with what was answered to it.
async function open(path) {
  const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
  const summary = block.locator('.opblock-summary-control');
  await summary.waitFor();
  if (await summary.getAttribute('aria-expanded') === 'false') await summary.click();
  const answer = block.locator('.live-responses-table');
  return {
    fill: (body) => block.locator('textarea').first().fill(body),
    async execute() {
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
      await block.getByRole('button', { name: 'Execute' }).click();
      await answered;
      await block.locator('.loading-container').waitFor({ state: 'detached' });
      return {
        status: await answer.locator('tbody .response-col_status').innerText(),
        body: JSON.parse(await answer.locator('.highlight-code code').first().innerText()),
      };
    },
    // Execute where nothing is sent; the panel says why.
    async executeInVain(why) {
      await block.getByRole('button', { name: 'Execute' }).click();
      await page.getByRole('alert').filter({ hasText: why }).waitFor();
      await answer.getByText('not sent').filter({ hasText: why }).waitFor();
      assert.ok(!requests.some((request) => new URL(request.url()).pathname === path), 'it was sent');
    },
  };
}

async function enter(key, secret) {
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Secret').fill(secret);
}

const owned = {
  USDT: { available: String(trade.USDT), freeze: '0' },
  BTC: { available: String(trade.base), freeze: '0' },
};

describe('the docs page', () => {
  beforeEach(enterPage);
  afterEach(() => leave());

  test('is where the bare address leads', async () => {
    const answer = await page.goto(server.url);
    assert.equal(page.url(), `${server.url}/docs`);
    assert.equal(answer.status(), 200);
    await page.locator(`[data-path="${balance}"]`).waitFor();
    assert.equal(await page.title(), 'Bourse API');
    assert.deepEqual(complaints, []);
  });

  test('keeps the key only when it is told to', async () => {
    const fields = async () => [await page.getByLabel('API key').inputValue(), await page.getByLabel('Secret').inputValue()];
    await page.goto(`${server.url}/docs`);
    await enter('alice-key', 'alice-secret');
    await page.reload();
    assert.deepEqual(await fields(), ['', '']);
    await enter('alice-key', 'alice-secret');
    await page.getByLabel('Keep until').check();
    await page.reload();
    assert.deepEqual(await fields(), ['alice-key', 'alice-secret']);
    await page.getByLabel('Keep until').uncheck();
    await page.reload();
    assert.deepEqual(await fields(), ['', '']);
  });

  test('signs where the browser has no cryptography', async () => {
    await page.goto(`${server.url.replace('127.0.0.1', elsewhere)}/docs`);
    assert.equal(await page.evaluate(() => globalThis.crypto.subtle === undefined), true);
    await enter('alice-key', 'alice-secret');
    const operation = await open(balance);
    await operation.fill('{}');
    assert.deepEqual(await operation.execute(), { status: '200', body: owned });
    assert.deepEqual(complaints, []);
  });

  test('fits a narrow screen', async () => {
    await page.setViewportSize({ width: 360, height: 700 });
    await page.goto(`${server.url}/docs`);
    await enter('alice-key', 'alice-secret');
    const operation = await open(balance);
    await operation.fill('{}');
    await operation.execute();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  });
});

// One page for all of them: what a call leaves there does not disturb the next.
describe('calls from the docs page', () => {
  before(async () => {
    await enterPage();
    await page.goto(`${server.url}/docs`);
  });
  afterEach(() => check());
  after(() => leave());

  test('makes public calls without a key', async () => {
    const operation = await open(time);
    const { status, body } = await operation.execute();
    assert.equal(status, '200');
    assert.ok(Math.abs(body.time * 1000 - Date.now()) < 60000, `${body.time} is not now`);
    const headers = await requests.find((request) => request.url().endsWith(time)).allHeaders();
    assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('x-txc')), []);
    assert.deepEqual(complaints, []);
  });

  test('signs private calls, each with a nonce of its own', async () => {
    await enter('alice-key', 'alice-secret');
    const operation = await open(balance);
    await operation.fill('{}');
    assert.deepEqual(await operation.execute(), { status: '200', body: owned });
    await operation.fill('{"ticker": "BTC", "request": "/another", "nonce": 1}');
    assert.deepEqual(await operation.execute(), { status: '200', body: { BTC: owned.BTC } });
    const bodies = requests.filter((request) => request.url().endsWith(balance)).map((request) => request.postDataJSON());
    assert.deepEqual(bodies.map(({ nonce, ...rest }) => rest), [{ request: balance }, { ticker: 'BTC', request: balance }]);
    assert.ok(bodies[1].nonce > bodies[0].nonce);
    assert.deepEqual(complaints, []);
  });

  test('shows what the exchange says of a wrong secret', async () => {
    await enter('alice-key', 'wrong-secret');
    const operation = await open(balance);
    await operation.fill('{}');
    assert.deepEqual(await operation.execute(), { status: '401', body: { code: 10, message: 'Unauthorized request.', errors: {} } });
    // The browser itself tells of every answer like this.
    assert.equal(complaints.length, 1);
    assert.match(complaints[0], /status of 401/);
  });

  test('says what is missing instead of sending it', async () => {
    await enter('', '');
    const operation = await open(balance);
    await operation.fill('{}');
    await operation.executeInVain(/enter the API key and the secret/);
    await page.getByLabel('API key').fill('alice-key');
    await operation.executeInVain(/enter the secret/);
    await enter('alice-key', 'alice-secret');
    await operation.fill('{"ticker": ');
    await operation.executeInVain(/not JSON/);
    await operation.fill('["BTC"]');
    await operation.executeInVain(/must be a JSON object/);
    await operation.fill('{}');
    assert.equal((await operation.execute()).status, '200');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(complaints, []);
  });
});
