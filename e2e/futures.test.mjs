// Futures, traded from the collateral balance. ccxt cannot do all that the exchange can: it sends stop-limit orders of swaps
// to the endpoint of spot, bounds leverage at 20 itself, takes `pnl` of a position, which is the realized one, for the
// unrealized, looks for marks under another name, and names the market of fetchPosition in a field that is none. What it
// has no method for is called by its path.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { crypto, account, has, market, recent, refused, start } from './exchange.mjs';

const bases = ['LIMIT', 'TAKE', 'STOPS', 'BULK', 'REDUCE', 'CLOSE', 'HEDGE', 'OCO', 'OTO', 'EXIT'];
const perp = (base) => `${base}/USDT:USDT`;

const future = (name, more = {}) => market(name, {
  type: 'futures', step_size: '0.001', stock_prec: 4, fee_prec: 6, maker_fee: '0.02', taker_fee: '0.05', bracket_100: '50000', ...more,
});

let server;
let alice;
let bob;
let carol;

before(async () => {
  server = await start({
    assets: [crypto('USDT', { precision: 6 }), ...[...bases, 'AAPL', 'USD'].map((base) => crypto(base))],
    markets: [
      ...bases.map((base) => future(`${base}_PERP`)), market('USD_USDT'), future('AAPL_USD', { type: 'tradfiFutures', tick_size: '0.01' }),
    ],
    collateral: [...bases, 'AAPL', 'USD', 'USDT'].map((asset) => ({ asset, weight: asset === 'USDT' ? '1' : '0', index_max_age: 3600 })),
    accounts: ['alice', 'bob', 'carol'].map((name) => account(name, [], { tradfi: name !== 'carol' })),
  });
  const prices = { USD_USDT: '0.9995', AAPL_USD: '230' };
  for (const base of bases) prices[`${base}_PERP`] = '50000';
  for (const [name, price] of Object.entries(prices)) await server.operate('PUT', `/v1/markets/${name}/index`, { price, source: 0 });
  [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => server.connect(name));
  for (const trader of [alice, bob, carol]) await trader.transfer('USDT', 400000, 'main', 'collateral');
});

after(() => server?.stop());

// A deal at the price, between alice, who buys, and bob.
async function meet(base, amount, price) {
  await bob.createOrder(perp(base), 'limit', 'sell', amount, price);
  const order = await alice.createOrder(perp(base), 'limit', 'buy', amount, price);
  assert.equal(order.status, 'closed');
  return order;
}

describe('the market', () => {
  test('is a linear swap', async () => {
    const markets = await alice.loadMarkets();
    has(markets[perp('LIMIT')], {
      id: 'LIMIT_PERP', type: 'swap', swap: true, spot: false, contract: true, linear: true, settle: 'USDT', contractSize: 1, taker: 0.0005, maker: 0.0002,
    });
  });

  test('has a funding rate', async () => {
    const rate = await alice.fetchFundingRate(perp('LIMIT'));
    has(rate, { symbol: perp('LIMIT'), fundingRate: 0 });
    has(rate.info, { mark_price: '50000', index_price: '50000', funding_cap: '0.0003' });
    assert.ok(rate.fundingTimestamp > Date.now());
  });
});

describe('the account', () => {
  test('has a collateral balance of its own', async () => {
    const balance = await carol.fetchBalance({ type: 'swap' });
    assert.equal(balance.total.USDT, 400000);
    await carol.transfer('USDT', 1000, 'collateral', 'main');
    assert.deepEqual(await carol.v4PrivatePostCollateralAccountBalance({ ticker: 'USDT' }), { USDT: '399000' });
  });

  test('sets its leverage', async () => {
    assert.deepEqual(await alice.setLeverage(20), { leverage: 20 });
    has(await alice.v4PrivatePostCollateralAccountSummary(), { leverage: 20, margin: '0', equity: '400000', freeMargin: '400000' });
    await refused(alice.setLeverage(4), ccxt.ExchangeError, { code: 30 });
    assert.deepEqual(await alice.v4PrivatePostCollateralAccountLeverage({ leverage: 100 }), { leverage: 100 });
    assert.deepEqual(await alice.setLeverage(10), { leverage: 10 });
  });
});

describe('orders', () => {
  test('a limit order rests, is changed and canceled', async () => {
    const order = await alice.createOrder(perp('LIMIT'), 'limit', 'buy', 0.5, 49000, { clientOrderId: 'rests', postOnly: true });
    has(order, {
      symbol: perp('LIMIT'), type: 'limit', side: 'buy', status: 'open', price: 49000, amount: 0.5, filled: 0, remaining: 0.5, clientOrderId: 'rests',
    });
    has(order.info, { positionSide: 'BOTH', reduceOnly: false });
    recent(order.timestamp);
    const [open] = await alice.fetchOpenOrders(perp('LIMIT'));
    has(open, { id: order.id, symbol: perp('LIMIT'), status: 'open' });
    const changed = await alice.editOrder(order.id, perp('LIMIT'), 'limit', 'buy', 0.4, 49100);
    has(changed, { price: 49100, amount: 0.4, clientOrderId: 'rests' });
    has(await alice.cancelOrder(changed.id, perp('LIMIT')), { status: 'canceled' });
    assert.deepEqual(await alice.fetchOpenOrders(perp('LIMIT')), []);
  });

  test('a market order counts base when it buys', async () => {
    await bob.createOrder(perp('TAKE'), 'limit', 'sell', 1, 50000);
    const order = await alice.createOrder(perp('TAKE'), 'market', 'buy', 0.5);
    has(order, { type: 'market', side: 'buy', status: 'closed', amount: 0.5, filled: 0.5, cost: 25000, average: 50000 });
    assert.deepEqual(order.fee, { cost: 12.5, currency: 'USDT' });
    const [trade] = await alice.fetchMyTrades(perp('TAKE'));
    has(trade, { symbol: perp('TAKE'), side: 'buy', amount: 0.5, price: 50000, takerOrMaker: 'taker', order: order.id });
    const [closed] = await alice.fetchClosedOrders(perp('TAKE'));
    has(closed, { id: order.id, type: 'market', status: 'closed', filled: 0.5 });
  });

  test('stops wait', async () => {
    await meet('STOPS', 0.1, 50000);
    const trigger = await alice.createOrder(perp('STOPS'), 'market', 'sell', 0.1, undefined, { triggerPrice: 49000 });
    has(trigger, { type: 'market', side: 'sell', status: 'open', triggerPrice: 49000 });
    assert.equal(trigger.info.type, 'stop market');
    await refused(alice.createOrder(perp('STOPS'), 'limit', 'sell', 0.1, 48900, { triggerPrice: 49000 }), ccxt.ExchangeError, { code: 31 });
    has(await alice.v4PrivatePostOrderCollateralStopLimit({
      market: 'STOPS_PERP', side: 'sell', amount: '0.1', price: '48900', activation_price: '49000', reduceOnly: true, stp: 'cancel_both',
    }), { type: 'stop limit', activated: 0, activationCondition: 'lte', activation_price: '49000', reduceOnly: true, stp: 'cb', status: 'OPEN' });
    assert.equal((await alice.fetchOpenOrders(perp('STOPS'))).length, 2);
    await alice.cancelAllOrders(perp('STOPS'));
    assert.deepEqual(await alice.fetchOpenOrders(perp('STOPS')), []);
  });

  test('several at once', async () => {
    const item = { market: 'BULK_PERP', side: 'buy', amount: '0.1', price: '49000' };
    const [good, bad] = await alice.v4PrivatePostOrderCollateralBulk({ orders: [item, { ...item, price: '1' }] });
    has(good.result, { status: 'OPEN', price: '49000', positionSide: 'BOTH' });
    assert.deepEqual([bad.result, bad.error.code], [null, 250]);
  });

  test('reduce-only is cut to the position', async () => {
    await refused(alice.createOrder(perp('REDUCE'), 'limit', 'sell', 1, 50500, { reduceOnly: true }), ccxt.ExchangeError, { code: 116 });
    await meet('REDUCE', 0.3, 50000);
    const order = await alice.createOrder(perp('REDUCE'), 'limit', 'sell', 1, 50500, { reduceOnly: true });
    has(order, { amount: 0.3, remaining: 0.3 });
    assert.equal(order.info.reduceOnly, true);
  });
});

describe('positions', () => {
  test('open, are shown and closed', async () => {
    await meet('CLOSE', 0.3, 49900);
    const [position] = await alice.fetchPositions([perp('CLOSE')]);
    has(position, { symbol: perp('CLOSE'), entryPrice: 49900, percentage: 2, collateral: 1500 });
    has(position.info, { amount: '0.3', unrealizedPnl: '30', pnl: '0', margin: '1500', liquidationState: null, positionSide: 'BOTH', tpsl: null });
    recent(position.timestamp);
    assert.equal((await alice.fetchPosition(perp('CLOSE'), { market: 'CLOSE_PERP' })).id, position.id);
    await bob.createOrder(perp('CLOSE'), 'limit', 'buy', 0.3, 49950);
    const close = (more) => alice.request('collateral-account/position/close', ['v4', 'private'], 'POST', more);
    assert.deepEqual(await close({ market: 'CLOSE_PERP', positionId: position.id }), []);
    assert.deepEqual(await alice.fetchPositions([perp('CLOSE')]), []);
  });

  test('stand side by side in hedge mode', async () => {
    const post = (path, more) => carol.request(path, ['v4', 'private'], 'POST', more);
    assert.deepEqual(await post('collateral-account/hedge-mode/update', { hedgeMode: true }), { hedgeMode: true });
    await bob.createOrder(perp('HEDGE'), 'limit', 'sell', 0.2, 50000);
    await bob.createOrder(perp('HEDGE'), 'limit', 'buy', 0.1, 49990);
    await refused(carol.createOrder(perp('HEDGE'), 'market', 'buy', 0.2), ccxt.ExchangeError, { code: 114 });
    await carol.createOrder(perp('HEDGE'), 'market', 'buy', 0.2, undefined, { positionSide: 'LONG' });
    await carol.createOrder(perp('HEDGE'), 'market', 'sell', 0.1, undefined, { positionSide: 'SHORT' });
    const positions = await carol.fetchPositions();
    assert.deepEqual(positions.map(({ info }) => [info.positionSide, info.amount]), [['LONG', '0.2'], ['SHORT', '-0.1']]);
    assert.deepEqual(await post('collateral-account/adl-quantile'), [{ market: 'HEDGE_PERP', long: 4, short: 1 }]);
  });
});

describe('groups of orders', () => {
  test('of an OCO the first fill ends the other', async () => {
    await meet('OCO', 0.3, 50000);
    const oco = await alice.v4PrivatePostOrderCollateralOco({
      market: 'OCO_PERP', side: 'sell', amount: '0.3', price: '51000', activation_price: '49000', stop_limit_price: '48900', clientOrderId: 'profit',
    });
    has(oco.take_profit, { type: 'limit', price: '51000', left: '0.3', status: 'OPEN', clientOrderId: 'profit' });
    has(oco.stop_loss, { type: 'stop limit', price: '48900', activation_price: '49000', activation_condition: 'lte', status: 'OPEN' });
    assert.deepEqual((await alice.v4PrivatePostOcoOrders({ market: 'OCO_PERP' })).map(({ id }) => id), [oco.id]);
    assert.equal((await alice.fetchOpenOrders(perp('OCO'))).length, 2);
    await refused(alice.cancelOrder(oco.take_profit.orderId, perp('OCO')), ccxt.ExchangeError, { code: 2 });
    await refused(alice.editOrder(oco.take_profit.orderId, perp('OCO'), 'limit', 'sell', 0.3, 52000), ccxt.ExchangeError, { code: 155 });
    await bob.createOrder(perp('OCO'), 'limit', 'buy', 0.1, 51000);
    const [left, ...others] = await alice.fetchOpenOrders(perp('OCO'));
    has(left, { id: String(oco.take_profit.orderId), filled: 0.1, remaining: 0.2 });
    assert.deepEqual(others, []);
    has(await alice.cancelOrder(left.id, perp('OCO')), { status: 'canceled' });

    const again = await alice.v4PrivatePostOrderCollateralOco({
      market: 'OCO_PERP', side: 'sell', amount: '0.2', price: '52000', activation_price: '49000', stop_limit_price: '48900', reduceOnly: true,
    });
    has((await alice.v4PrivatePostOrderOcoCancel({ market: 'OCO_PERP', orderId: again.id })).stop_loss, { status: 'CANCELED' });
    assert.deepEqual(await alice.fetchOpenOrders(perp('OCO')), []);
  });

  test('an order brings its take profit and stop loss', async () => {
    const prices = { stopLoss: '49000', takeProfit: '51000' };
    await refused(alice.createOrder(perp('OTO'), 'limit', 'buy', 0.2, 50000, { ...prices, stopLoss: '50000' }), ccxt.ExchangeError, { code: 106 });
    const primary = await alice.createOrder(perp('OTO'), 'limit', 'buy', 0.2, 50000, prices);
    has(primary, { status: 'open', amount: 0.2 });
    has(primary.info.oto, prices);
    const { records } = await alice.v4PrivatePostConditionalOrders({ market: 'OTO_PERP' });
    assert.deepEqual(records.map(({ id, type }) => [id, type]), [[primary.info.oto.otoId, 'oto']]);
    await refused(alice.cancelOrder(primary.id, perp('OTO')), ccxt.ExchangeError, { code: 2 });
    await bob.createOrder(perp('OTO'), 'limit', 'sell', 0.2, 50000);
    const open = await alice.fetchOpenOrders(perp('OTO'));
    assert.deepEqual(open.map((o) => [o.type, o.side, o.triggerPrice, o.info.activationCondition]).sort(), [
      ['market', 'sell', 49000, 'lte'], ['market', 'sell', 51000, 'gte'],
    ]);
    await refused(alice.editOrder(open[0].id, perp('OTO'), 'market', 'sell', undefined, undefined, { triggerPrice: 48000 }), ccxt.ExchangeError, { code: 160 });

    // A trade at 51000 wakes the take profit, which sells to the bid below it, and the stop loss is gone.
    await bob.createOrder(perp('OTO'), 'limit', 'buy', 0.2, 50900);
    await bob.createOrder(perp('OTO'), 'limit', 'sell', 0.1, 51000);
    await alice.createOrder(perp('OTO'), 'market', 'buy', 0.1);
    assert.deepEqual(await alice.fetchOpenOrders(perp('OTO')), []);
    const [position] = await alice.fetchPositions([perp('OTO')]);
    assert.equal(position.info.amount, '0.1');
  });

  test('a protection is canceled alone, or with its group', async () => {
    await meet('EXIT', 0.1, 50000);
    await bob.createOrder(perp('EXIT'), 'limit', 'sell', 0.2, 50000);
    const primary = await alice.createOrder(perp('EXIT'), 'market', 'buy', 0.2, undefined, { stopLoss: '49000', takeProfit: '52000' });
    has(primary, { status: 'closed', filled: 0.2 });
    const [one] = await alice.fetchOpenOrders(perp('EXIT'));
    has(await alice.cancelOrder(one.id, perp('EXIT')), { status: 'canceled' });
    assert.equal((await alice.fetchOpenOrders(perp('EXIT'))).length, 1);
    assert.deepEqual(await alice.v4PrivatePostOrderOtoCancel({ market: 'EXIT_PERP', otoId: primary.info.oto.otoId }), []);
    assert.deepEqual(await alice.fetchOpenOrders(perp('EXIT')), []);
  });
});

// What ccxt takes for the asset that is paid is USD, the quote; the exchange pays USDT.
describe('a TradFi future', () => {
  const symbol = 'AAPL/USD:USD';

  test('is a swap in USD', async () => {
    const markets = await carol.loadMarkets();
    has(markets[symbol], { id: 'AAPL_USD', type: 'swap', swap: true, contract: true, linear: true, base: 'AAPL', quote: 'USD', active: true, taker: 0.0005 });
    has(markets[symbol].info, { type: 'tradfiFutures', isTradFiFutures: true, isCollateral: true });
  });

  test('is traded by who is enabled for it', async () => {
    const resting = await bob.createOrder(symbol, 'limit', 'sell', 2, 230.01);
    has(resting, { symbol, type: 'limit', side: 'sell', status: 'open', price: 230.01, amount: 2 });
    await refused(carol.createOrder(symbol, 'limit', 'buy', 1, 230.01), ccxt.ExchangeError, { code: 10011 });
    has(await alice.createOrder(symbol, 'market', 'buy', 0.5), { symbol, status: 'closed', filled: 0.5, average: 230.01 });
    const [position] = await alice.fetchPositions([symbol]);
    has(position, { symbol, entryPrice: 230.01 });
    assert.equal(position.info.amount, '0.5');
    has(await bob.cancelOrder(resting.id, symbol), { status: 'canceled', filled: 0.5, remaining: 1.5 });
  });
});
