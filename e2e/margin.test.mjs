// Margin on spot markets: orders that are paid from the collateral balance and from what is lent, in one book with the
// orders of trade balances.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { crypto, account, has, market, refused, start } from './exchange.mjs';

let server;
let alice; // who trades with margin
let bob; // who trades with what he has

const margin = { marginMode: 'cross' };

before(async () => {
  server = await start({
    assets: [crypto('USDT', { precision: 6 }), crypto('BTC')],
    markets: [market('BTC_USDT', { taker_fee: '0.1', max_leverage: 10 })],
    collateral: [
      { asset: 'USDT', weight: '1', pool_cap: '1000000', account_cap: '100000', index_max_age: 3600 },
      { asset: 'BTC', weight: '0.95', pool_cap: '10', account_cap: '1', index_max_age: 3600 },
    ],
    funds: { lending: { USDT: '1000000', BTC: '10' } },
    accounts: ['alice', 'bob'].map((name) => account(name, ['BTC'])),
  });
  await server.operate('PUT', '/v1/markets/BTC_USDT/index', { price: '50000', source: 0 });
  [alice, bob] = ['alice', 'bob'].map((name) => server.connect(name));
  await alice.transfer('USDT', 10000, 'main', 'collateral');
  await alice.setLeverage(10);
});

after(() => server?.stop());

describe('a spot market with margin', () => {
  test('is listed as such', async () => {
    const markets = await alice.loadMarkets(true);
    has(markets['BTC/USDT'], { type: 'spot', spot: true, margin: true });
    assert.deepEqual(await alice.v4PublicGetCollateralMarkets(), { success: true, message: null, result: ['BTC_USDT'] });
  });

  test('lends what a buyer does not have', async () => {
    await bob.createOrder('BTC/USDT', 'limit', 'sell', 1.9, 50000);
    await refused(alice.createOrder('BTC/USDT', 'limit', 'buy', 2, 50000, margin), ccxt.InsufficientFunds, { code: 10 });
    const order = await alice.createOrder('BTC/USDT', 'limit', 'buy', 1.9, 50000, margin);
    has(order, { status: 'closed', filled: 1.9, cost: 95000 });
    has(order.info, { dealFee: '95', feeAsset: 'USDT' });
    const [usdt] = await alice.v4PrivatePostCollateralAccountBalanceSummary({ ticker: 'USDT' });
    has(usdt, { asset: 'USDT', balance: '0', borrow: '85095' });
    has(await alice.v4PrivatePostCollateralAccountSummary(), { equity: '9905', margin: '9500', pnl: '0' });
  });

  test('shows the position', async () => {
    const [position] = await alice.v4PrivatePostCollateralAccountPositionsOpen();
    has(position, { market: 'BTC_USDT', amount: '1.9', basePrice: '50000', positionSide: 'BOTH' });
    const trades = await alice.fetchMyTrades('BTC/USDT');
    has(trades[0].info, { fee: '95', feeAsset: 'USDT' });
  });

  test('repays with what a sale brings', async () => {
    await bob.createOrder('BTC/USDT', 'limit', 'buy', 1.9, 51000);
    await alice.createOrder('BTC/USDT', 'market', 'sell', 1.9, undefined, margin);
    assert.deepEqual(await alice.v4PrivatePostCollateralAccountPositionsOpen(), []);
    assert.deepEqual(await alice.v4PrivatePostCollateralAccountBalance({ ticker: 'USDT' }), { USDT: '11708.1' });
  });

  test('lends no more than the account may borrow', async () => {
    await refused(alice.createOrder('BTC/USDT', 'limit', 'sell', 1.5, 50000, margin), ccxt.ExchangeError, { code: 15 });
    const order = await alice.createOrder('BTC/USDT', 'limit', 'sell', 1, 52000, margin);
    assert.equal(order.status, 'open');
    await alice.cancelOrder(order.id, 'BTC/USDT');
  });
});
