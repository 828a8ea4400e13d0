// The streams, as ccxt's `whitebit` of ccxt.pro watches them. Each test has a market and watchers of
// its own; a watcher also places its orders, since two clients must not share a key.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { deal, has, minus, recent, start, trade, world } from './exchange.mjs';

const bases = ['BOOK', 'TICK', 'DEALT', 'CANDLE', 'MINE', 'OWN', 'MONEY', 'WAIT', 'LATER'];
const people = ['maker', 'taker', 'booker', 'ticker', 'dealer', 'candles', 'orders', 'trades', 'balance', 'pinger', 'guest'];

let server;
let maker;
let taker;
const watchers = [];

before(async () => {
  server = await start(world(bases, people));
  maker = server.connect('maker');
  taker = server.connect('taker');
});

after(async () => {
  await Promise.all(watchers.map((watcher) => watcher.close()));
  await server?.stop();
});

async function watch(name) {
  const watcher = server.stream(name);
  watchers.push(watcher);
  await watcher.loadHttpProxyAgent(); // ccxt wants that before any ws:// address, proxy or not
  return watcher;
}

// Watches until what is seen is as wanted. Every look waits for a push.
async function seen(look, wanted) {
  for (;;) {
    const got = await look();
    if (wanted(got)) return got;
  }
}

// Waits until a private subscription holds. ccxt hears of that only by its first push; but requests
// of one connection are done in their order, so what is asked afterwards is answered afterwards: a
// book, which comes at once.
async function holds(watcher, subscription) {
  const client = () => watcher.clients[watcher.urls.api.ws];
  while (client()?.subscriptions[subscription] === undefined) await setImmediate();
  await watcher.watchOrderBook('WAIT/USDT');
}

// The levels of a book. ccxt keeps them in lists of its own kind.
function levels({ asks, bids }) {
  return [asks, bids].map((side) => Array.from(side, ([price, amount]) => [price, amount]));
}

describe('the public side', () => {
  test('a book follows orders', async () => {
    const watcher = await watch('booker');
    const symbol = 'BOOK/USDT';
    await maker.createLimitSellOrder(symbol, 2, 102);
    await maker.createLimitBuyOrder(symbol, 1, 99);
    const first = await watcher.watchOrderBook(symbol);
    assert.deepEqual(levels(first), [[[102, 2]], [[99, 1]]]);

    const better = await maker.createLimitSellOrder(symbol, 0.5, 101);
    const grown = await seen(() => watcher.watchOrderBook(symbol), (book) => book.asks.length === 2);
    assert.deepEqual(levels(grown), [[[101, 0.5], [102, 2]], [[99, 1]]]);
    recent(grown.timestamp); // ccxt reads it from changes only

    await maker.cancelOrder(better.id, symbol);
    await taker.createLimitBuyOrder(symbol, 0.75, 102);
    const last = await seen(() => watcher.watchOrderBook(symbol), (book) => book.asks[0]?.[1] === 1.25);
    assert.deepEqual(levels(last), [[[102, 1.25]], [[99, 1]]]);
    const fetched = await watcher.fetchOrderBook(symbol);
    assert.deepEqual(levels(last), levels(fetched));
  });

  test('a ticker', async () => {
    const watcher = await watch('ticker');
    const symbol = 'TICK/USDT';
    await deal(maker, taker, symbol, 'buy', 1, 100);
    has(await watcher.watchTicker(symbol), { symbol, open: 100, last: 100, baseVolume: 1, quoteVolume: 100 });
    await deal(maker, taker, symbol, 'sell', 0.5, 90);
    const ticker = await seen(() => watcher.watchTicker(symbol), ({ last }) => last === 90);
    has(ticker, { symbol, open: 100, high: 100, low: 90, close: 90, baseVolume: 1.5, quoteVolume: 145 });

    // The next market is asked for with the first one: a subscription replaces the one before.
    await deal(maker, taker, 'LATER/USDT', 'buy', 1, 50);
    assert.equal((await watcher.watchTicker('LATER/USDT')).last, 50);
    assert.equal((await watcher.watchTicker(symbol)).last, 90);
  });

  test('trades, those before and those that come', async () => {
    const watcher = await watch('dealer');
    const symbol = 'DEALT/USDT';
    await deal(maker, taker, symbol, 'buy', 0.25, 100);
    const before = await watcher.watchTrades(symbol);
    assert.equal(before.length, 1);
    has(before[0], { symbol, side: 'buy', price: 100, amount: 0.25, cost: 25 });
    const coming = watcher.watchTrades(symbol);
    await deal(maker, taker, symbol, 'sell', 0.5, 99);
    const [next, ...more] = await coming;
    assert.deepEqual(more, []);
    has(next, { symbol, side: 'sell', price: 99, amount: 0.5, cost: 49.5 });
    recent(next.timestamp);
    const fetched = await watcher.fetchTrades(symbol);
    assert.deepEqual(fetched.map(({ id }) => id).sort(), [before[0].id, next.id].sort());
  });

  test('candles', async () => {
    const watcher = await watch('candles');
    const symbol = 'CANDLE/USDT';
    await deal(maker, taker, symbol, 'buy', 1, 100);
    const [[time, , , , close]] = await watcher.watchOHLCV(symbol, '1m');
    recent(time);
    assert.deepEqual([time % 60000, close], [0, 100]);
    await deal(maker, taker, symbol, 'buy', 2, 104);
    const candles = await seen(() => watcher.watchOHLCV(symbol, '1m'), (list) => list.at(-1)[4] === 104);
    const [later, open, high, low, , volume] = candles.at(-1);
    assert.deepEqual([high, open === 104 || open === 100, low === open], [104, true, true]);
    assert.equal(volume, later === time ? 3 : 2);
  });
});

describe('the private side', () => {
  test('orders, from beginning to end', async () => {
    const watcher = await watch('orders');
    const symbol = 'MINE/USDT';
    await watcher.loadMarkets();
    let coming = watcher.watchOrders(symbol);
    await holds(watcher, 'ordersPending_subscribe');

    const placed = await watcher.createLimitBuyOrder(symbol, 2, 100, { clientOrderId: 'stream-1' });
    const [open] = await coming;
    has(open, { id: placed.id, clientOrderId: 'stream-1', symbol, type: 'limit', side: 'buy', status: 'open', price: 100, amount: 2, filled: 0, remaining: 2 });
    recent(open.timestamp);

    coming = watcher.watchOrders(symbol);
    await taker.createLimitSellOrder(symbol, 0.5, 100);
    const [part] = await coming;
    has(part, { id: placed.id, status: 'open', filled: 0.5, remaining: 1.5, cost: 50 });

    coming = watcher.watchOrders(symbol);
    await watcher.cancelOrder(placed.id, symbol);
    const [ended] = await coming;
    has(ended, { id: placed.id, status: 'canceled', filled: 0.5, remaining: 1.5 });

    // One that is filled, and one of somebody else, which is not seen.
    await taker.createLimitSellOrder(symbol, 1, 101);
    coming = seen(() => watcher.watchOrders(symbol), (list) => list.some(({ status }) => status === 'closed'));
    const met = await watcher.createLimitBuyOrder(symbol, 1, 101);
    const closed = (await coming).find(({ status }) => status === 'closed');
    has(closed, { id: met.id, filled: 1, remaining: 0, cost: 101 });
    assert.deepEqual([...new Set(watcher.orders.map(({ id }) => id))].sort(), [placed.id, met.id].sort());
  });

  test('own trades', async () => {
    const watcher = await watch('trades');
    const symbol = 'OWN/USDT';
    await watcher.loadMarkets();
    const coming = watcher.watchMyTrades(symbol);
    await holds(watcher, 'deals_subscribe');
    await deal(maker, taker, symbol, 'buy', 1, 100); // not the watcher's
    const { resting } = await deal(watcher, taker, symbol, 'sell', 0.5, 100);
    const [mine, ...more] = await coming;
    assert.deepEqual(more, []);
    has(mine, { symbol, order: resting.id, side: 'buy', takerOrMaker: 'maker', price: 100, amount: 0.5, cost: 50 });
    recent(mine.timestamp);
    const [fetched] = await watcher.fetchMyTrades(symbol);
    assert.deepEqual([mine.id, mine.fee.cost, mine.fee.currency], [fetched.id, fetched.fee.cost, fetched.fee.currency]);
  });

  test('the balance', async () => {
    const watcher = await watch('balance');
    const symbol = 'MONEY/USDT';
    await watcher.loadMarkets();
    let coming = seen(() => watcher.watchBalance(), ({ USDT }) => USDT.used === 150);
    await holds(watcher, 'wallet:spot');
    const order = await watcher.createLimitBuyOrder(symbol, 1.5, 100);
    const frozen = await coming;
    assert.deepEqual(frozen.USDT, { free: minus(trade.USDT, 150), used: 150, total: trade.USDT });

    coming = seen(() => watcher.watchBalance(), ({ USDT }) => USDT.used === 0);
    await watcher.cancelOrder(order.id, symbol);
    const thawed = await coming;
    assert.deepEqual(thawed.USDT, { free: trade.USDT, used: 0, total: trade.USDT });
    assert.deepEqual(thawed.USDT, (await watcher.fetchBalance()).USDT);
  });
});

describe('the connection itself', () => {
  test('authorizes once for many who ask at once', async () => {
    const watcher = await watch('pinger');
    assert.deepEqual(await Promise.all([watcher.authenticate(), watcher.authenticate()]), [1, 1]);
    assert.equal(await watcher.authenticate(), 1);
    assert.equal(Object.keys(watcher.clients).length, 1);
  });

  test('answers the ping of ccxt', async () => {
    const watcher = await watch('guest');
    await watcher.authenticate();
    const client = watcher.clients[watcher.urls.api.ws];
    const ponged = new Promise((resolve) => {
      const { handlePong } = watcher;
      watcher.handlePong = (...args) => resolve(handlePong.apply(watcher, args));
    });
    await client.send(watcher.ping(client));
    has(await ponged, { error: null, result: 'pong', id: 0 });
  });
});
