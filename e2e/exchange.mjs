// Starts the real program with a setup of its own and connects ccxt's `whitebit` to it. The class
// is used as it is shipped; only the hosts in its addresses are replaced.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ccxt from 'ccxt';

const program = process.env.BOURSE ?? fileURLToPath(new URL('../bin/bourse', import.meta.url));

// Every account begins with this much of USDT and of each base asset.
export const main = { USDT: 500000, base: 500 };
export const trade = { USDT: 500000, base: 500 };

export function crypto(ticker, more = {}) {
  return {
    ticker,
    name: `${ticker} coin`,
    class: 'crypto',
    scale: 18,
    precision: 8,
    can_deposit: true,
    can_withdraw: true,
    codes: true,
    networks: [
      {
        name: ticker,
        default: true,
        can_deposit: true,
        can_withdraw: true,
        confirmations: 2,
        confirmations_for_trading: 1,
      },
    ],
    ...more,
  };
}

export function market(name, more = {}) {
  return {
    name,
    type: 'spot',
    tick_size: '0.5',
    step_size: '0.005',
    stock_prec: 6,
    money_prec: 2,
    fee_prec: 8,
    min_amount: '0.001',
    min_total: '5.05',
    max_total: '0',
    maker_fee: '0.1',
    taker_fee: '0.2',
    enabled: true,
    ...more,
  };
}

export function account(name, bases, more = {}) {
  const deposits = { USDT: String(main.USDT + trade.USDT) };
  const toTrade = { USDT: String(trade.USDT) };
  for (const base of bases) {
    deposits[base] = String(main.base + trade.base);
    toTrade[base] = String(trade.base);
  }
  return {
    name,
    region: 'global',
    retail: false,
    keys: [{ key: `${name}-key`, secret: `${name}-secret`, enabled: true }],
    deposits,
    trade: toTrade,
    ...more,
  };
}

// A market for each base asset, against USDT, and accounts that own some of everything.
export function world(bases, names) {
  return {
    assets: [crypto('USDT', { precision: 6 }), ...bases.map((base) => crypto(base))],
    markets: bases.map((base) => market(`${base}_USDT`)),
    accounts: names.map((name) => account(name, bases)),
  };
}

// Starts a server with a setup. The answer has its address, `connect`, `stream` (a client that also
// has a WebSocket), `operate` (what its operator does) and `stop`.
export async function start(setup) {
  const directory = await mkdtemp(join(tmpdir(), 'bourse-e2e-'));
  const file = join(directory, 'setup.json');
  await writeFile(file, JSON.stringify(setup, null, 2));
  const { url, operate, stop } = await launch(directory, ['--setup', file]);
  const keys = (name) => ({ apiKey: `${name}-key`, secret: `${name}-secret` });
  return {
    url,
    connect: (name, more = {}) => connect(ccxt.whitebit, url, { ...keys(name), ...more }),
    stream: (name, more = {}) => connect(ccxt.pro.whitebit, url, { ...keys(name), ...more }),
    operate,
    stop,
  };
}

// Starts a demo. Its clients have the keys that it wrote.
export async function demo() {
  const directory = await mkdtemp(join(tmpdir(), 'bourse-e2e-'));
  const { url, data, operate, stop, said } = await launch(directory, ['--demo']);
  await said(/\/docs$/); // the end of the banner, which comes after demo.json
  const { accounts } = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'));
  const keys = (name) => accounts.find((a) => a.name === name);
  return {
    url,
    connect: (name, more = {}) => connect(ccxt.whitebit, url, { apiKey: keys(name).apiKey, secret: keys(name).secret, ...more }),
    operate,
    stop,
  };
}

// Runs the program in a directory until `stop`; `said` waits for a line.
async function launch(directory, flags) {
  const data = join(directory, 'data');
  const child = spawn(
    program,
    ['serve', ...flags, '--data', data, '--listen', '127.0.0.1:0', '--operator', '127.0.0.1:0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { complaints += text; });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  const lines = [];
  const waiting = new Set();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const said = (form) => Promise.race([
    new Promise((resolve) => {
      const look = () => {
        const found = lines.map((line) => form.exec(line)).find((match) => match !== null);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    }),
    ended.then((how) => { throw new Error(`${program} ended before it said ${form} (${how}):\n${complaints}`); }),
  ]);
  const [, url] = await said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/);
  const [, operators] = await said(/^operators on (http:\/\/127\.0\.0\.1:\d+)$/);
  const operate = async (method, path, body) => {
    const token = (await readFile(join(data, 'operators', 'operator.token'), 'utf8')).trim();
    const answer = await fetch(operators + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const stop = async () => {
    child.kill('SIGTERM');
    const how = await ended;
    await rm(directory, { recursive: true, force: true });
    assert.equal(how, 0, `${program} ended with ${how}:\n${complaints}`);
  };
  return { url, data, operate, stop, said };
}

// One client for each key: ccxt takes the time in milliseconds as nonce and relies on its own
// throttle, per client, to keep two requests out of the same millisecond. Without the burst that
// its bucket allows after a pause of the process, that holds always.
function connect(Class, url, credentials) {
  const exchange = new Class({ ...credentials, tokenBucket: { capacity: 0 } });
  const { ws, ...versions } = exchange.urls.api;
  if (ws !== undefined) exchange.urls.api.ws = url.replace(/^http/, 'ws') + new URL(ws).pathname;
  for (const version of Object.values(versions)) {
    for (const [part, address] of Object.entries(version)) {
      version[part] = url + new URL(address).pathname;
    }
  }
  return exchange;
}

// Checks the error that ccxt makes of a refusal: its class exactly, and what the server said.
export async function refused(request, Class, body = {}) {
  const error = await request.then(
    (answer) => assert.fail(`accepted: ${JSON.stringify(answer)}`),
    (reason) => reason,
  );
  assert.equal(error.constructor.name, Class.name, error.stack);
  const said = /^whitebit (\{.*\})$/s.exec(error.message);
  if (said === null) {
    assert.deepEqual(body, {}, `not an answer of the server: ${error.message}`);
    return error;
  }
  const answer = JSON.parse(said[1]);
  for (const [field, value] of Object.entries(body)) {
    assert.deepEqual(answer[field], value, said[1]);
  }
  return answer;
}

// The fields of `want` are in `got`, with these values.
export function has(got, want) {
  const picked = {};
  for (const field of Object.keys(want)) picked[field] = got[field];
  assert.deepEqual(picked, want);
}

// a - b, of decimals with at most 8 digits after the point.
export function minus(a, b) {
  return Number((a - b).toFixed(8));
}

// What changed in the trade balance of an account while `act` ran: { ticker: { free, used } }.
export async function changes(exchange, act) {
  const before = await exchange.fetchBalance();
  const result = await act();
  const after = await exchange.fetchBalance();
  const changed = {};
  for (const code of new Set([...Object.keys(before.total), ...Object.keys(after.total)])) {
    const free = minus(after.free[code] ?? 0, before.free[code] ?? 0);
    const used = minus(after.used[code] ?? 0, before.used[code] ?? 0);
    if (free !== 0 || used !== 0) changed[code] = { free, used };
  }
  return { changed, result };
}

// A deal at the price: the maker's order rests, the taker's meets it.
export async function deal(maker, taker, symbol, takerSide, amount, price) {
  const makerSide = takerSide === 'buy' ? 'sell' : 'buy';
  const resting = await maker.createOrder(symbol, 'limit', makerSide, amount, price);
  const meeting = await taker.createOrder(symbol, 'limit', takerSide, amount, price);
  assert.equal(meeting.status, 'closed');
  return { resting, meeting };
}

// The time of an event of this test: no more than a minute ago.
export function recent(timestamp) {
  assert.ok(Number.isInteger(timestamp), `${timestamp} is not a time in milliseconds`);
  assert.ok(Math.abs(Date.now() - timestamp) < 60000, `${new Date(timestamp).toISOString()} is not now`);
}
