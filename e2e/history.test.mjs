// What an account can read back about its orders and deals.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { deal, has, recent, refused, start, world } from './exchange.mjs';

const bases = ['OPEN', 'OPENTOO', 'DONE', 'DONETOO', 'ORDER', 'BOTH', 'DEALS', 'DEALSTOO', 'PARTS', 'WINDOW'];

let server;
let alice;
let bob;
let carol;
let dave;

before(async () => {
  server = await start(world(bases, ['alice', 'bob', 'carol', 'dave']));
  alice = server.connect('alice');
  bob = server.connect('bob');
  carol = server.connect('carol');
  dave = server.connect('dave');
});

after(() => server?.stop());

const ids = (orders) => orders.map((order) => order.id).sort();

describe('open orders', () => {
  test('of a market, of all, no more than a limit', async () => {
    const here = await carol.createLimitBuyOrder('OPEN/USDT', 0.5, 100);
    const half = await carol.createLimitBuyOrder('OPEN/USDT', 1, 101);
    await bob.createLimitSellOrder('OPEN/USDT', 0.25, 101);
    const there = await carol.createLimitSellOrder('OPENTOO/USDT', 0.5, 100);

    const orders = await carol.fetchOpenOrders('OPEN/USDT');
    assert.deepEqual(ids(orders), ids([here, half]));
    const partly = orders.find((order) => order.id === half.id);
    has(partly, {
      symbol: 'OPEN/USDT', type: 'limit', side: 'buy', status: 'open', price: 101, amount: 1, filled: 0.25, remaining: 0.75, cost: 25.25, average: 101,
    });
    has(partly.info, { status: 'PARTIALLY_FILLED', left: '0.75', dealFee: '0.00025', feeAsset: 'OPEN', reduceOnly: false });
    assert.equal(orders.find((order) => order.id === here.id).info.status, 'OPEN');

    assert.deepEqual(ids(await carol.fetchOpenOrders()), ids([here, half, there]));
    assert.equal((await carol.fetchOpenOrders(undefined, undefined, 2)).length, 2);
    const first = await carol.fetchOpenOrders('OPEN/USDT', undefined, 1);
    const second = await carol.fetchOpenOrders('OPEN/USDT', undefined, 1, { offset: 1 });
    assert.deepEqual(ids([...first, ...second]), ids([here, half]));
    assert.deepEqual(await carol.fetchOpenOrders('DONE/USDT'), []);
  });

  test('are seen by their owner only', async () => {
    assert.deepEqual(await dave.fetchOpenOrders(), []);
  });
});

describe('closed orders', () => {
  test('filled and cancelled ones, of a market and of all', async () => {
    const { resting, meeting } = await deal(bob, dave, 'DONE/USDT', 'buy', 0.5, 100);
    const cancelled = await dave.createLimitBuyOrder('DONE/USDT', 0.5, 50);
    await dave.cancelOrder(cancelled.id, 'DONE/USDT');
    const { meeting: other } = await deal(bob, dave, 'DONETOO/USDT', 'sell', 0.5, 100);

    const orders = await dave.fetchClosedOrders('DONE/USDT');
    assert.deepEqual(ids(orders), ids([meeting, cancelled]));
    const bought = orders.find((order) => order.id === meeting.id);
    has(bought, {
      symbol: 'DONE/USDT',
      clientOrderId: meeting.clientOrderId,
      type: 'limit',
      side: 'buy',
      price: 100,
      amount: 0.5,
      filled: 0.5,
      remaining: 0,
      cost: 50,
      average: 100,
    });
    has(bought.info, { status: 'FILLED', dealFee: '0.001', feeAsset: 'DONE', dealStock: '0.5', dealMoney: '50', ioc: false, postOnly: false });
    recent(bought.timestamp);
    assert.ok(bought.info.ftime >= bought.info.ctime);
    has(orders.find((order) => order.id === cancelled.id).info, { status: 'CANCELED', dealStock: '0', price: '50' });

    assert.deepEqual(ids(await dave.fetchClosedOrders()), ids([meeting, cancelled, other]));
    // The newest come first from the server.
    assert.deepEqual(ids(await dave.fetchClosedOrders('DONE/USDT', undefined, 1)), [cancelled.id]);
    assert.deepEqual(ids(await dave.fetchClosedOrders('DONE/USDT', undefined, undefined, { status: 'FILLED' })), [meeting.id]);
    assert.deepEqual(ids(await bob.fetchClosedOrders('DONE/USDT')), [resting.id]);
    assert.deepEqual(await dave.fetchClosedOrders('ORDER/USDT'), []);
  });

  test('market orders and stops tell what they were', async () => {
    const symbol = 'ORDER/USDT';
    await deal(bob, carol, symbol, 'buy', 0.1, 100);
    await bob.createLimitSellOrder(symbol, 0.5, 100);
    const bought = await carol.createMarketBuyOrder(symbol, 0.5);
    const stop = await carol.createStopLimitOrder(symbol, 'sell', 0.5, 90, 95);
    await carol.cancelOrder(stop.id, symbol);
    const orders = await carol.fetchClosedOrders(symbol);
    const market = orders.find((order) => order.id === bought.id);
    has(market, { type: 'market', amount: 0.5, filled: 0.5, cost: 50, average: 100, price: 100 });
    has(market.info, { type: 'stock market', price: '0', status: 'FILLED' });
    const stopped = orders.find((order) => order.id === stop.id);
    has(stopped, { type: 'limit', price: 90, filled: 0 });
    has(stopped.info, { type: 'stop limit', status: 'CANCELED', activationPrice: '95', activationCondition: '<=' });
  });
});

describe('one order', () => {
  test('open, filled, cancelled, with and without its market', async () => {
    const symbol = 'ORDER/USDT';
    const open = await alice.createLimitBuyOrder(symbol, 0.5, 50);
    for (const order of [await alice.fetchOrder(open.id, symbol), await alice.fetchOrder(open.id)]) {
      has(order, { id: open.id, symbol, status: 'open', price: 50, amount: 0.5, timestamp: open.timestamp });
    }
    const { resting, meeting } = await deal(bob, alice, symbol, 'buy', 0.5, 60);
    for (const order of [await alice.fetchOrder(meeting.id, symbol), await alice.fetchOrder(meeting.id)]) {
      has(order, { id: meeting.id, symbol, status: 'closed', price: 60, filled: 0.5, remaining: 0 });
    }
    has(await bob.fetchOrder(resting.id, symbol), { status: 'closed', side: 'sell', filled: 0.5 });
    await alice.cancelOrder(open.id, symbol);
    has(await alice.fetchOrder(open.id, symbol), { status: 'canceled', filled: 0, remaining: 0.5 });
  });

  test('of somebody else is not there', async () => {
    const order = await alice.createLimitBuyOrder('ORDER/USDT', 0.5, 50);
    await refused(bob.fetchOrder(order.id, 'ORDER/USDT'), ccxt.OrderNotFound);
  });
});

test('open and closed orders together', async () => {
  const { meeting } = await deal(bob, alice, 'BOTH/USDT', 'buy', 0.5, 100);
  const open = await alice.createLimitBuyOrder('BOTH/USDT', 0.5, 50);
  const orders = await alice.fetchOrders('BOTH/USDT');
  assert.deepEqual(orders.map(({ id, status }) => ({ id, status })), [
    { id: open.id, status: 'open' },
    { id: meeting.id, status: 'closed' },
  ]);
});

describe('own deals', () => {
  test('of a market and of all', async () => {
    const { resting, meeting } = await deal(bob, dave, 'DEALS/USDT', 'buy', 0.5, 100);
    const { resting: later } = await deal(dave, bob, 'DEALS/USDT', 'sell', 0.2, 90);
    await deal(bob, dave, 'DEALSTOO/USDT', 'sell', 0.3, 100);

    const [taken, made] = await dave.fetchMyTrades('DEALS/USDT');
    has(taken, {
      symbol: 'DEALS/USDT', order: meeting.id, side: 'buy', takerOrMaker: 'taker', price: 100, amount: 0.5, cost: 50,
    });
    assert.deepEqual(taken.fee, { cost: 0.001, currency: 'DEALS' });
    has(taken.info, { role: 2, clientOrderId: meeting.clientOrderId, deal: '50', feeAsset: 'DEALS' });
    recent(taken.timestamp);
    has(made, { order: later.id, side: 'buy', takerOrMaker: 'maker', price: 90, amount: 0.2, cost: 18 });
    assert.deepEqual(made.fee, { cost: 0.0002, currency: 'DEALS' });

    const [sold] = await bob.fetchMyTrades('DEALS/USDT');
    has(sold, { id: taken.id, order: resting.id, side: 'sell', takerOrMaker: 'maker' });
    assert.deepEqual(sold.fee, { cost: 0.05, currency: 'USDT' });

    const all = await dave.fetchMyTrades();
    assert.deepEqual(
      all.filter(({ symbol }) => symbol.startsWith('DEALS')).map(({ symbol, side, amount }) => ({ symbol, side, amount })),
      [
        { symbol: 'DEALS/USDT', side: 'buy', amount: 0.5 },
        { symbol: 'DEALS/USDT', side: 'buy', amount: 0.2 },
        { symbol: 'DEALSTOO/USDT', side: 'sell', amount: 0.3 },
      ],
    );
    const [newest, ...more] = await dave.fetchMyTrades('DEALS/USDT', undefined, undefined, { limit: 1 });
    assert.equal(newest.id, made.id);
    assert.deepEqual(more, []);
    const named = await dave.fetchMyTrades('DEALS/USDT', undefined, undefined, { clientOrderId: meeting.clientOrderId });
    assert.deepEqual(ids(named), [taken.id]);
    assert.deepEqual(await dave.fetchMyTrades('BOTH/USDT'), []);
  });

  test('of one order', async () => {
    const symbol = 'PARTS/USDT';
    const first = await bob.createLimitSellOrder(symbol, 0.5, 100);
    const second = await bob.createLimitSellOrder(symbol, 0.5, 101);
    const order = await alice.createLimitBuyOrder(symbol, 0.75, 101);
    const deals = await alice.fetchOrderTrades(order.id, symbol);
    deals.sort((a, b) => Number(a.id) - Number(b.id));
    // ccxt shows the order on the other side.
    assert.deepEqual(
      deals.map(({ order: other, price, amount, cost, takerOrMaker }) => ({ other, price, amount, cost, takerOrMaker })),
      [
        { other: first.id, price: 100, amount: 0.5, cost: 50, takerOrMaker: 'taker' },
        { other: second.id, price: 101, amount: 0.25, cost: 25.25, takerOrMaker: 'taker' },
      ],
    );
    assert.deepEqual(deals[0].fee, { cost: 0.001, currency: 'PARTS' });
    has(deals[0].info, { clientOrderId: order.clientOrderId, rpi: false });
    const [made] = await bob.fetchOrderTrades(first.id, symbol);
    has(made, { id: deals[0].id, order: order.id, takerOrMaker: 'maker' });
    assert.equal((await alice.fetchOrderTrades(order.id, symbol, undefined, 1)).length, 1);
    assert.deepEqual(await bob.fetchOrderTrades(order.id, symbol), []);
  });
});

test('requests in any order, with nonces in the window', async () => {
  const window = { nonceWindow: true };
  const placed = await Promise.all([50, 51, 52].map((price) => (
    alice.createOrder('WINDOW/USDT', 'limit', 'buy', 0.5, price, window)
  )));
  assert.deepEqual(ids(await alice.fetchOpenOrders('WINDOW/USDT', undefined, undefined, window)), ids(placed));
});
