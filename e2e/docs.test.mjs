// The docs page in a real browser: people read what the API offers and try it, signed calls too.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { demo, start, trade, world } from './exchange.mjs';

const balance = '/api/v4/trade-account/balance';
const time = '/api/v4/public/time';
// A name of this machine that browsers do not trust as they trust localhost.
const elsewhere = 'exchange.test';

let server;
let browser;
let page;
let requests;
let complaints;

before(async () => {
  server = await start(world(['BTC'], ['alice']));
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', `--host-resolver-rules=MAP ${elsewhere} 127.0.0.1`,
    ],
  });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

beforeEach(async () => {
  page = await browser.newPage();
  requests = [];
  complaints = [];
  page.on('request', (request) => requests.push(request));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterEach(async () => {
  const { origin } = new URL(page.url());
  for (const request of requests) {
    const url = new URL(request.url());
    assert.ok(url.origin === origin || url.protocol === 'data:', `the page asked ${url}`);
    const sent = request.url() + JSON.stringify(request.headers()) + request.postData();
    assert.ok(!sent.includes('-secret'), `the secret was sent to ${url}`);
  }
  await page.close();
});

// An operation that is open, with what was answered to it.
async function open(path) {
  const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
  await block.locator('.opblock-summary-control').click();
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
  test('is where the bare address leads', async () => {
    const answer = await page.goto(server.url);
    assert.equal(page.url(), `${server.url}/docs`);
    assert.equal(answer.status(), 200);
    await page.locator(`[data-path="${balance}"]`).waitFor();
    assert.equal(await page.title(), 'Bourse API');
    assert.deepEqual(complaints, []);
  });

  test('makes public calls without a key', async () => {
    await page.goto(`${server.url}/docs`);
    const operation = await open(time);
    const { status, body } = await operation.execute();
    assert.equal(status, '200');
    assert.ok(Math.abs(body.time * 1000 - Date.now()) < 60000, `${body.time} is not now`);
    const headers = await requests.find((request) => request.url().endsWith(time)).allHeaders();
    assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('x-txc')), []);
    assert.deepEqual(complaints, []);
  });

  test('signs private calls, each with a nonce of its own', async () => {
    await page.goto(`${server.url}/docs`);
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
    await page.goto(`${server.url}/docs`);
    await enter('alice-key', 'wrong-secret');
    const operation = await open(balance);
    await operation.fill('{}');
    assert.deepEqual(await operation.execute(), { status: '401', body: { code: 10, message: 'Unauthorized request.', errors: {} } });
    // The browser itself tells of every answer like this.
    assert.equal(complaints.length, 1);
    assert.match(complaints[0], /status of 401/);
  });

  test('says what is missing instead of sending it', async () => {
    await page.goto(`${server.url}/docs`);
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

  test('shows every operation and every method', async () => {
    await page.goto(`${server.url}/docs`);
    await page.locator('#ws-ping').waitFor();
    await page.locator(`[data-path="${balance}"]`).waitFor();
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
    await page.goto(`${server.url}/docs`);
    const [pong] = await sent('ping');
    assert.deepEqual({ error: pong.error, result: pong.result }, { error: null, result: 'pong' });
    const [reply, push] = await sent('depth_subscribe', 2);
    assert.deepEqual(reply.result, { status: 'success' });
    assert.deepEqual([push.method, push.params[0], push.params[2]], ['depth_update', true, 'BTC_USDT']);
    await enter('alice-key', 'alice-secret');
    const [owns] = await sent('balanceSpot_request');
    assert.deepEqual(owns.result, { USDT: owned.USDT });
    assert.equal(await page.locator('.state').innerText(), 'Socket: open');
    await page.getByRole('button', { name: 'Close the socket' }).click();
    await page.locator('.state').getByText('closed').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('says what a private method needs', async () => {
    await page.goto(`${server.url}/docs`);
    const method = page.locator('#ws-balanceSpot_request');
    await method.locator('summary').click();
    await method.getByRole('button', { name: 'Send' }).click();
    await method.locator('.frames .fault').getByText('enter the API key').waitFor();
  });

  test('finds operations and methods', async () => {
    await page.goto(`${server.url}/docs`);
    await page.locator('#ws-ping').waitFor();
    await page.locator(`[data-path="${balance}"]`).waitFor();
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
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(28, 32, 34)'];
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${server.url}/docs`);
    assert.equal(await background(), light);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await background(), dark);
    await page.getByLabel('Colors').selectOption('light');
    await page.reload();
    assert.equal(await background(), light);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByLabel('Colors').selectOption('dark');
    await page.reload();
    assert.equal(await background(), dark);
    await page.getByLabel('Colors').selectOption('system');
    assert.equal(await background(), light);
  });

  test('offers no accounts where there is no demo, and shows no secret in code', async () => {
    await page.goto(`${server.url}/docs`);
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

describe('the docs page of a demo', () => {
  let venue;
  let directory;

  before(async () => {
    venue = await demo();
    directory = await mkdtemp(join(tmpdir(), 'bourse-code-'));
  });

  after(async () => {
    await venue?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const run = promisify(execFile);
  const programs = {
    curl: ['bash', 'request.sh'], Python: ['python3', 'request.py'], JavaScript: ['node', 'request.mjs'], Go: ['go', 'request.go'],
  };

  test('fills in the key of alice, and its code runs as it is shown', async () => {
    await page.goto(`${venue.url}/docs`);
    await page.getByRole('button', { name: 'Use alice' }).click();
    for (const [path, answer] of [[balance, /"USDT":\{"available":"/], ['/api/v4/public/ping', /\["pong"\]/]]) {
      const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
      await block.locator('.opblock-summary-control').click();
      for (const [language, [program, file]] of Object.entries(programs)) {
        await block.getByRole('button', { name: language, exact: true }).click();
        const at = join(directory, file);
        await writeFile(at, await block.locator('.code pre').textContent());
        const { stdout } = await run(program, program === 'go' ? ['run', at] : [at]);
        assert.match(stdout, answer, language);
      }
    }
    assert.deepEqual(complaints, []);
  });

  test('hands out its accounts on this machine only', async () => {
    const ask = (headers) => run('curl', ['-sS', ...headers.flatMap((header) => ['-H', header]), `${venue.url}/docs/guests.json`]);
    const here = JSON.parse((await ask([])).stdout);
    assert.deepEqual(here.map(({ name }) => name), ['alice', 'bob', 'carol']);
    assert.equal((await ask(['Host: exchange.example'])).stdout, '[]');
    assert.equal((await ask(['X-Forwarded-For: 10.1.2.3'])).stdout, '[]');
  });
});
