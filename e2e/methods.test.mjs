// The docs page for those who read: methods of the WebSocket with frames to try, search, colors.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { launch, watched } from './browser.mjs';
import { start, trade, world } from './exchange.mjs';

const balance = '/api/v4/trade-account/balance';
const time = '/api/v4/public/time';

let server;
let browser;
let page;
let complaints;
let leave;

before(async () => {
  server = await start(world(['BTC'], ['alice']));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  ({ page, complaints, leave } = await watched(browser));
  await page.goto(`${server.url}/docs`);
  await page.locator('#ws-ping').waitFor();
  await page.locator(`[data-path="${balance}"]`).waitFor();
});

afterEach(() => leave());

async function enter(key, secret) {
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Secret').fill(secret);
}

describe('the docs page', () => {
  test('shows every operation and every method', async () => {
    const { operations } = await (await fetch(`${server.url}/asyncapi.json`)).json();
    const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
    const shown = await page.locator('.method').evaluateAll((all) => all.map((method) => method.dataset.method));
    assert.deepEqual(shown, Object.keys(operations));
    assert.equal(await page.locator('.opblock').count(), Object.keys(paths).length);
    for (const name of ['depth_subscribe', 'order_limit_place', 'ordersExecuted_request', 'candles_update']) {
      await page.locator(`#ws-${name} summary`).click();
      await page.locator(`#ws-${name} .inside`).waitFor();
    }
    assert.deepEqual(complaints, []);
  });

  // Sends the frame that stands in a method and returns what comes back.
  async function sent(name, count = 1) {
    const method = page.locator(`#ws-${name}`);
    await method.locator('summary').click();
    await method.getByRole('button', { name: 'Send' }).click();
    await method.locator('.frames .in').nth(count - 1).waitFor();
    return (await method.locator('.frames .in').allInnerTexts()).map((text) => JSON.parse(text));
  }

  test('sends frames on a live socket', async () => {
    const [pong] = await sent('ping');
    assert.deepEqual({ error: pong.error, result: pong.result }, { error: null, result: 'pong' });
    const [reply, push] = await sent('depth_subscribe', 2);
    assert.deepEqual(reply.result, { status: 'success' });
    assert.deepEqual([push.method, push.params[0], push.params[2]], ['depth_update', true, 'BTC_USDT']);
    await enter('alice-key', 'alice-secret');
    const [owns] = await sent('balanceSpot_request');
    assert.deepEqual(owns.result, { USDT: { available: String(trade.USDT), freeze: '0' } });
    assert.equal(await page.locator('.state').innerText(), 'Socket: open');
    await page.getByRole('button', { name: 'Close the socket' }).click();
    await page.locator('.state').getByText('closed').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('says what a private method needs', async () => {
    const method = page.locator('#ws-balanceSpot_request');
    await method.locator('summary').click();
    await method.getByRole('button', { name: 'Send' }).click();
    await method.locator('.frames .fault').getByText('enter the API key').waitFor();
  });

  test('finds operations and methods', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('trade-account/balance');
    await page.locator(`[data-path="${time}"]`).waitFor({ state: 'detached' });
    assert.deepEqual(await page.locator('.opblock-summary-path').evaluateAll((all) => all.map((at) => at.dataset.path)), [balance]);
    assert.equal(await page.locator('.method:visible').count(), 0);
    await page.getByLabel('Search').fill('candles_');
    assert.deepEqual(
      await page.locator('.method:visible').evaluateAll((all) => all.map((method) => method.dataset.method)),
      ['candles_request', 'candles_subscribe', 'candles_unsubscribe', 'candles_update'],
    );
    await page.getByLabel('Search').fill('');
    await page.locator(`[data-path="${time}"]`).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('is dark where the system is, or where the reader wants it', async () => {
    const shows = (color) => page.waitForFunction((want) => getComputedStyle(document.body).backgroundColor === want, color);
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(28, 32, 34)'];
    await page.emulateMedia({ colorScheme: 'light' });
    await shows(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shows(dark);
    await page.getByLabel('Colors').selectOption('light');
    await page.reload();
    await shows(light);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByLabel('Colors').selectOption('dark');
    await page.reload();
    await shows(dark);
    await page.getByLabel('Colors').selectOption('system');
    await shows(light);
  });

  test('offers no accounts where there is no demo, and shows no secret in code', async () => {
    await enter('alice-key', 'alice-secret');
    const operation = page.locator('.opblock', { has: page.locator(`[data-path="${balance}"]`) });
    await operation.locator('.opblock-summary-control').click();
    const code = await operation.locator('.code pre').innerText();
    assert.match(code, /alice-key/);
    assert.doesNotMatch(code, /alice-secret/);
    assert.equal(await page.getByRole('button', { name: /^Use / }).count(), 0);
    assert.deepEqual(complaints, []);
  });
});
