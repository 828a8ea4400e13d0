// The example for ccxt runs as it stands; only a copy of it, where ccxt can be found.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { start, world } from './exchange.mjs';

let venue, directory, program;

before(async () => {
  venue = await start(world(['BTC', 'ETH'], ['alice', 'bob']));
  directory = await mkdtemp(fileURLToPath(new URL('example-', import.meta.url)));
  program = join(directory, 'trade.mjs');
  await copyFile(new URL('../examples/trade.mjs', import.meta.url), program);
  const bob = venue.connect('bob');
  await bob.createOrder('BTC/USDT', 'limit', 'buy', 0.5, 59000);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60000);
});

after(async () => {
  await rm(directory, { recursive: true, force: true });
  await venue.stop();
});

function run(variables, ...args) {
  const env = { ...process.env, BOURSE_URL: '', BOURSE_API_KEY: '', BOURSE_API_SECRET: '', ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: directory, env }, (error, said, errors) => {
      resolve({ code: error === null ? 0 : error.code, said, errors });
    });
  });
}

const alice = () => ({ BOURSE_URL: venue.url, BOURSE_API_KEY: 'alice-key', BOURSE_API_SECRET: 'alice-secret' });

function traded({ code, said, errors }) {
  assert.equal(code, 0, errors);
  const [, id] = /^Placed order (\d+):/m.exec(said);
  assert.equal(said, [
    'Balance: 500 BTC, 500000 USDT',
    'Book of BTC/USDT: best bid 59000, best ask 60000',
    `Placed order ${id}: buy 0.005 BTC at 59000.5 USDT`,
    `Order ${id} is open`,
    `Canceled order ${id}: 0.005 BTC left`,
    '',
  ].join('\n'));
}

test('the example trades with a key in variables', async () => traded(await run(alice())));

test('the example trades with the first account of a demo', async () => {
  await mkdir(join(directory, 'data'));
  const demo = { rest: venue.url, accounts: [{ name: 'alice', apiKey: 'alice-key', secret: 'alice-secret' }] };
  await writeFile(join(directory, 'data', 'demo.json'), JSON.stringify(demo));
  traded(await run({}));
  await rm(join(directory, 'data'), { recursive: true });
});

test('the example says what went wrong', async () => {
  for (const [variables, symbol, says] of [
    [{}, 'BTC/USDT', /set BOURSE_URL/],
    [{ ...alice(), BOURSE_API_SECRET: 'wrong' }, 'BTC/USDT', /Unauthorized request/],
    [alice(), 'ETH/USDT', /needs a bid and an ask/],
    [alice(), 'BTC/GOLD', /BTC\/GOLD/],
  ]) {
    const { code, said, errors } = await run(variables, symbol);
    assert.equal(code, 1, said);
    assert.match(errors, says);
  }
});
