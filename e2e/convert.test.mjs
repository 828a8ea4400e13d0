// Conversions: quotes and their confirmation, in one step, and what was converted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { changes, has, refused, start, world } from './exchange.mjs';

let server;
let alice;
let bob;

before(async () => {
  server = await start({
    ...world(['BTC'], ['alice', 'bob']),
    collateral: [{ asset: 'BTC', weight: '0', index_max_age: 3600 }],
    conversion: { on: true },
    funds: { convert: { USDT: '1000000', BTC: '100' } },
  });
  alice = server.connect('alice');
  bob = server.connect('bob');
  await server.operate('PUT', '/v1/markets/BTC_USDT/index', { price: '10000' });
  await bob.createOrder('BTC/USDT', 'limit', 'buy', 1, 9990);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 1, 10010);
});

after(() => server?.stop());

describe('a conversion', () => {
  let id;

  test('is quoted', async () => {
    const { result: quote, changed } = await changes(alice, () => alice.fetchConvertQuote('BTC', 'USDT', 0.1));
    has(quote, { fromCurrency: 'BTC', toCurrency: 'USDT', fromAmount: 0.1, toAmount: 997.002, price: 9970.02 });
    assert.ok(Number(quote.id) > 0);
    assert.deepEqual(changed, {});
    id = quote.id;
  });

  test('is done as it was quoted, once', async () => {
    const { changed } = await changes(alice, async () => {
      const done = await alice.createConvertTrade(id, 'BTC', 'USDT');
      has(done.info, { finalGive: '0.1', finalReceive: '997.002' });
    });
    assert.deepEqual(changed, { BTC: { free: -0.1, used: 0 }, USDT: { free: 997.002, used: 0 } });
    await refused(alice.createConvertTrade(id, 'BTC', 'USDT'), ccxt.ExchangeError, { code: 0 });
    await refused(bob.createConvertTrade(id, 'BTC', 'USDT'), ccxt.ExchangeError, { code: 0 });
  });

  test('is listed', async () => {
    const [one] = await alice.fetchConvertTradeHistory(undefined, undefined, undefined, { quoteId: id });
    has(one, { id, fromCurrency: 'BTC', toCurrency: 'USDT', fromAmount: 0.1, toAmount: 997.002 });
    const auto = await alice.fetch2('convert/auto-confirm', ['v4', 'private'], 'POST', {
      from: 'USDT', to: 'BTC', direction: 'to', amount: '0.01', idempotencyKey: 'e2e conversion',
    });
    has(auto, { finalGive: '100.300602', finalReceive: '0.01' });
    const all = await alice.fetchConvertTradeHistory();
    assert.deepEqual(all.map((c) => c.id).sort(), [id, auto.id].sort());
    assert.deepEqual(await bob.fetchConvertTradeHistory(), []);
  });

  test('is refused where there is no price, or too little to give', async () => {
    await refused(alice.fetchConvertQuote('BTC', 'BTC', 0.1), ccxt.ExchangeError, { code: 0 });
    await refused(alice.fetchConvertQuote('BTC', 'USDT', 5), ccxt.ExchangeError, { code: 32 });
  });
});
