// Orders of every kind, changes and cancels, transfers, codes. Each test has a market of its own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { changes, deal, has, main, minus, recent, refused, start, trade, world } from './exchange.mjs';

const bases = [
  'RESTS', 'MEETS', 'MAKER', 'IOC', 'STOCK', 'SELL', 'COST', 'THIN', 'STOPBUY', 'STOPSELL', 'STOPMBUY', 'STOPMSELL',
  'CLIENT', 'STP', 'BBO', 'EDIT', 'EDITSTOP', 'EDITCOST', 'ONE', 'ALL', 'OTHER', 'MANY', 'BULK', 'KILL', 'CODES',
];

let server;
let alice;
let bob;
let carol;

before(async () => {
  server = await start(world(bases, ['alice', 'bob', 'carol']));
  alice = server.connect('alice');
  bob = server.connect('bob');
  carol = server.connect('carol');
});

after(() => server?.stop());

const ids = (orders) => orders.map((order) => order.id).sort();

describe('balances', () => {
  test('trade and main', async () => {
    const spot = await carol.fetchBalance();
    assert.deepEqual(spot.USDT, { free: trade.USDT, used: 0, total: trade.USDT });
    assert.deepEqual(spot.RESTS, { free: trade.base, used: 0, total: trade.base });
    const funding = await carol.fetchBalance({ account: 'main' });
    assert.deepEqual(funding.USDT, { free: main.USDT, used: 0, total: main.USDT });
    assert.deepEqual(funding.RESTS, { free: main.base, used: 0, total: main.base });
    const raw = await carol.v4PrivatePostMainAccountBalance();
    assert.deepEqual(raw.USDT, { main_balance: String(main.USDT), pending_deposit_amount: '0' });
  });

  test('of one asset', async () => {
    assert.deepEqual(await carol.v4PrivatePostTradeAccountBalance({ ticker: 'USDT' }), {
      USDT: { available: String(trade.USDT), freeze: '0' },
    });
  });

  test('move between main and trade, and the moves are listed', async () => {
    const { changed } = await changes(carol, () => carol.transfer('USDT', 12.5, 'main', 'spot'));
    assert.deepEqual(changed, { USDT: { free: 12.5, used: 0 } });
    assert.equal((await carol.fetchBalance({ account: 'main' })).USDT.total, main.USDT - 12.5);

    const answer = await carol.transfer('ONE', 0.25, 'trade', 'funding');
    has(answer, { info: [], currency: 'ONE' });
    assert.equal((await carol.fetchBalance({ account: 'main' })).ONE.total, main.base + 0.25);
    assert.equal((await carol.fetchBalance()).ONE.total, trade.base - 0.25);

    // This endpoint is younger than ccxt's list of them.
    const history = (more) => carol.request('main-account/transfer/history', ['v4', 'private'], 'POST', more);
    const { data, limit, offset } = await history({ limit: 2 });
    assert.deepEqual([limit, offset], [2, 0]);
    assert.deepEqual(
      data.map(({ currency, amount, from_balance, to_balance }) => ({ currency, amount, from_balance, to_balance })),
      [
        { currency: 'ONE', amount: '0.25', from_balance: 'spot', to_balance: 'main' },
        { currency: 'USDT', amount: '12.5', from_balance: 'main', to_balance: 'spot' },
      ],
    );
    for (const { id, created_at } of data) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      recent(created_at * 1000);
    }
    assert.deepEqual((await history({ from_balance: 'spot' })).data.map(({ id }) => id), [data[0].id]);
  });
});

// ccxt has no methods for codes, but it knows their endpoints.
describe('a code', () => {
  const inMain = async (exchange, code) => (await exchange.fetchBalance({ account: 'main' }))[code].total;

  test('brings money from one account to another', async () => {
    const before = [await inMain(alice, 'CODES'), await inMain(bob, 'CODES')];
    const made = await alice.v4PrivatePostMainAccountCodes({ ticker: 'CODES', amount: '2.5', passphrase: 'sesame', description: 'for bob' });
    assert.match(made.code, /^WB[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}CODES$/);
    assert.equal(made.message, 'Code was successfully created');
    assert.equal(await inMain(alice, 'CODES'), before[0] - 2.5);

    const record = { code: made.code, status: 'Active', ticker: 'CODES', external_id: made.external_id };
    const my = await alice.v4PrivatePostMainAccountCodesMy({ limit: 1 });
    has(my, { total: 1, limit: 1, offset: 0 });
    has(my.data[0], { ...record, amount: '2.5' });
    recent(my.data[0].date * 1000);

    const apply = (passphrase) => bob.v4PrivatePostMainAccountCodesApply({ code: made.code, passphrase });
    await refused(apply('wrong'), ccxt.ExchangeError, { code: 0, errors: { code: ['Incorrect code or passphrase'] } });
    assert.deepEqual(await apply('sesame'), {
      message: 'Code was successfully applied', ticker: 'CODES', amount: '2.5', external_id: made.external_id,
    });
    assert.deepEqual([await inMain(alice, 'CODES'), await inMain(bob, 'CODES')], [before[0] - 2.5, before[1] + 2.5]);
    await refused(apply('sesame'), ccxt.ExchangeError, { code: 0, errors: { code: ['Code already applied'] } });

    for (const [exchange, amount] of [[alice, '-2.5'], [bob, '+2.5']]) {
      const { total, data: [moved] } = await exchange.v4PrivatePostMainAccountCodesHistory();
      assert.equal(total, 1);
      has(moved, { ...record, amount, status: 'Activated' });
      recent(moved.date * 1000);
    }
    assert.deepEqual(await bob.v4PrivatePostMainAccountCodesMy(), { total: 0, data: [], limit: 30, offset: 0 });
  });

  test('needs its money', async () => {
    const { errors } = await refused(carol.v4PrivatePostMainAccountCodes({ ticker: 'CODES', amount: String(main.base + 1) }), ccxt.ExchangeError, { code: 5 });
    assert.deepEqual(errors, { amount: [`Not enough money, CODES coin balance = ${main.base}`] });
  });
});

describe('a limit order', () => {
  test('rests and freezes money until it is cancelled', async () => {
    const { changed, result: order } = await changes(alice, () => alice.createLimitBuyOrder('RESTS/USDT', 0.5, 100));
    has(order, {
      symbol: 'RESTS/USDT',
      type: 'limit',
      side: 'buy',
      status: 'open',
      price: 100,
      amount: 0.5,
      filled: 0,
      remaining: 0.5,
      cost: 0,
      average: undefined,
      triggerPrice: undefined,
      timeInForce: undefined,
    });
    recent(order.timestamp);
    assert.match(order.clientOrderId, /^ccxt[0-9a-f]{16}$/);
    const { orderId, timestamp, clientOrderId, ...rest } = order.info;
    assert.ok(Number.isSafeInteger(orderId));
    assert.deepEqual(rest, {
      market: 'RESTS_USDT',
      side: 'buy',
      type: 'limit',
      dealMoney: '0',
      dealStock: '0',
      amount: '0.5',
      left: '0.5',
      dealFee: '0', feeAsset: 'RESTS',
      price: '100',
      ioc: false,
      status: 'OPEN',
      stp: 'no',
      rpi: false,
    });
    assert.deepEqual(changed, { USDT: { free: -50, used: 50 } });

    const { changed: freed, result: cancelled } = await changes(alice, () => alice.cancelOrder(order.id, 'RESTS/USDT'));
    has(cancelled, { id: order.id, status: 'canceled', filled: 0, remaining: 0.5, clientOrderId: order.clientOrderId });
    has(cancelled.info, { status: 'CANCELED', left: '0.5', reduceOnly: false });
    assert.deepEqual(freed, { USDT: { free: 50, used: -50 } });
  });

  test('meets another at the price of the one that was there; each pays its fee', async () => {
    const ask = await bob.createLimitSellOrder('MEETS/USDT', 0.5, 100);
    let bid;
    const sellers = await changes(bob, async () => {
      const buyers = await changes(alice, async () => {
        bid = await alice.createLimitBuyOrder('MEETS/USDT', 0.7, 101);
      });
      // 0.5 bought for 50, 0.2 % of it is the fee; 0.2 rest at 101.
      assert.deepEqual(buyers.changed, { MEETS: { free: 0.499, used: 0 }, USDT: { free: -70.2, used: 20.2 } });
    });
    // 50 received, 0.1 % of it is the fee.
    assert.deepEqual(sellers.changed, { MEETS: { free: 0, used: -0.5 }, USDT: { free: 49.95, used: 0 } });
    has(bid, { status: 'open', price: 101, amount: 0.7, filled: 0.5, remaining: 0.2, cost: 50, average: 100 });
    assert.equal(bid.fee.cost, 0.001);
    has(bid.info, { status: 'PARTIALLY_FILLED', dealStock: '0.5', dealMoney: '50', left: '0.2', dealFee: '0.001', feeAsset: 'MEETS' });

    const sold = await bob.fetchOrder(ask.id, 'MEETS/USDT');
    has(sold, { status: 'closed', filled: 0.5, cost: 50, average: 100, remaining: 0 });
    has(sold.info, { status: 'FILLED', dealFee: '0.05', feeAsset: 'USDT' });

    const cancelled = await alice.cancelOrder(bid.id, 'MEETS/USDT');
    has(cancelled, { status: 'canceled', filled: 0.5, remaining: 0.2, cost: 50 });
  });

  test('as a maker only', async () => {
    const first = await alice.createOrder('MAKER/USDT', 'limit', 'buy', 0.5, 100, { postOnly: true });
    has(first, { status: 'open', postOnly: true, timeInForce: 'PO' });
    assert.equal(first.info.postOnly, true);
    const second = await alice.createOrder('MAKER/USDT', 'limit', 'buy', 0.5, 99.5, { timeInForce: 'PO' });
    has(second, { status: 'open', postOnly: true });
    const third = await alice.createPostOnlyOrder('MAKER/USDT', 'limit', 'sell', 0.5, 101);
    has(third, { status: 'open', postOnly: true, side: 'sell' });
    assert.deepEqual(ids(await alice.fetchOpenOrders('MAKER/USDT')), ids([first, second, third]));
  });

  test('immediate or cancelled', async () => {
    const nothing = await alice.createOrder('IOC/USDT', 'limit', 'buy', 0.5, 100, { timeInForce: 'IOC' });
    has(nothing, { status: 'canceled', filled: 0, remaining: 0.5, timeInForce: 'IOC' });
    await bob.createLimitSellOrder('IOC/USDT', 0.3, 100);
    const { changed, result: part } = await changes(alice, () => (
      alice.createOrder('IOC/USDT', 'limit', 'buy', 0.5, 100, { timeInForce: 'IOC' })
    ));
    has(part, { status: 'canceled', filled: 0.3, remaining: 0.2, cost: 30, average: 100 });
    has(part.info, { status: 'CANCELED', ioc: true, left: '0.2' });
    assert.deepEqual(changed, { IOC: { free: 0.2994, used: 0 }, USDT: { free: -30, used: 0 } });
    await bob.createLimitSellOrder('IOC/USDT', 0.5, 100);
    const whole = await alice.createOrder('IOC/USDT', 'limit', 'buy', 0.5, 100, { timeInForce: 'IOC' });
    has(whole, { status: 'closed', filled: 0.5, remaining: 0 });
    assert.deepEqual(await alice.fetchOpenOrders('IOC/USDT'), []);
  });

  test('at the best price of the other side', async () => {
    await bob.createLimitSellOrder('BBO/USDT', 0.5, 103.5);
    const order = await alice.createOrder('BBO/USDT', 'limit', 'buy', 0.5, undefined, { bboRole: 2 });
    has(order, { status: 'closed', price: 103.5, filled: 0.5, average: 103.5 });
  });

  test('does not meet an order of its own account if it is told so', async () => {
    const own = await alice.createLimitSellOrder('STP/USDT', 0.5, 100);
    const order = await alice.createOrder('STP/USDT', 'limit', 'buy', 0.5, 100, { stp: 'cn' });
    has(order, { filled: 0, remaining: 0.5 });
    has(order.info, { status: 'CANCELED_STP', stp: 'cn' });
    assert.deepEqual(ids(await alice.fetchOpenOrders('STP/USDT')), [own.id]);
    const older = await alice.createOrder('STP/USDT', 'limit', 'buy', 0.5, 100, { stp: 'cancel_old' });
    has(older.info, { status: 'OPEN', stp: 'co' });
    assert.deepEqual(ids(await alice.fetchOpenOrders('STP/USDT')), [older.id]);
    assert.equal((await alice.fetchOrder(own.id, 'STP/USDT')).info.status, 'CANCELED_STP');
  });
});

describe('a market order', () => {
  test('buys an amount', async () => {
    await bob.createLimitSellOrder('STOCK/USDT', 0.5, 100);
    await bob.createLimitSellOrder('STOCK/USDT', 0.5, 102);
    const { changed, result: order } = await changes(alice, () => alice.createMarketBuyOrder('STOCK/USDT', 0.8));
    has(order, {
      type: 'market', side: 'buy', status: 'closed', amount: 0.8, filled: 0.8, remaining: 0, cost: 80.6, average: 100.75, price: 100.75,
    });
    has(order.info, { type: 'stock market', amount: '0.8', left: '0', status: 'FILLED', dealFee: '0.0016', feeAsset: 'STOCK' });
    assert.ok(!('price' in order.info));
    assert.deepEqual(changed, { STOCK: { free: 0.7984, used: 0 }, USDT: { free: -80.6, used: 0 } });
  });

  test('sells an amount', async () => {
    await bob.createLimitBuyOrder('SELL/USDT', 0.2, 100);
    await bob.createLimitBuyOrder('SELL/USDT', 0.5, 99);
    const { changed, result: order } = await changes(alice, () => alice.createMarketSellOrder('SELL/USDT', 0.3));
    has(order, { type: 'market', side: 'sell', status: 'closed', filled: 0.3, cost: 29.9 });
    has(order.info, { type: 'stock market', dealFee: '0.0598', feeAsset: 'USDT' });
    assert.deepEqual(changed, { SELL: { free: -0.3, used: 0 }, USDT: { free: 29.8402, used: 0 } });
  });

  test('buys for an amount of money', async () => {
    await bob.createLimitSellOrder('COST/USDT', 2, 100);
    const order = await alice.createMarketBuyOrderWithCost('COST/USDT', 50);
    has(order, { type: 'market', side: 'buy', status: 'closed', amount: 0.5, filled: 0.5, cost: 50, average: 100 });
    has(order.info, { type: 'market', amount: '50', left: '0', status: 'FILLED' });
    // What does not buy a whole step of 0.005 is not spent.
    const { changed, result: rest } = await changes(alice, () => alice.createMarketOrderWithCost('COST/USDT', 'buy', 50.3));
    has(rest, { status: 'closed', filled: 0.5, cost: 50 });
    has(rest.info, { amount: '50.3', left: '0.3' });
    assert.deepEqual(changed, { COST: { free: 0.499, used: 0 }, USDT: { free: -50, used: 0 } });
  });

  test('takes what there is and never rests', async () => {
    await bob.createLimitSellOrder('THIN/USDT', 0.2, 100);
    const order = await alice.createMarketBuyOrder('THIN/USDT', 0.5);
    has(order, { status: 'canceled', filled: 0.2, cost: 20 });
    has(order.info, { status: 'CANCELED', left: '0.3' });
    assert.deepEqual(await alice.fetchOpenOrders('THIN/USDT'), []);
  });
});

describe('a stop order', () => {
  test('to buy, limited', async () => {
    const symbol = 'STOPBUY/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const { changed, result: stop } = await changes(alice, () => alice.createStopLimitOrder(symbol, 'buy', 0.5, 110, 105));
    has(stop, { type: 'limit', side: 'buy', status: 'open', price: 110, triggerPrice: 105, amount: 0.5, filled: 0, remaining: 0.5 });
    has(stop.info, {
      type: 'stop limit', status: 'OPEN', activated: 0, activationCondition: 'gte', activation_price: '105', price: '110', left: '0.5',
    });
    assert.deepEqual(changed, { USDT: { free: -55, used: 55 } });
    const [waiting] = await alice.fetchOpenOrders(symbol);
    has(waiting, { id: stop.id, triggerPrice: 105 });
    assert.equal(waiting.info.activated, 0);

    await deal(bob, alice, symbol, 'buy', 0.1, 104.5);
    assert.equal((await alice.fetchOrder(stop.id, symbol)).info.activated, 0);
    await deal(bob, alice, symbol, 'buy', 0.1, 105);
    const active = await alice.fetchOrder(stop.id, symbol);
    has(active, { status: 'open', price: 110, remaining: 0.5 });
    has(active.info, { type: 'stop limit', activated: 1 });

    const sold = await bob.createMarketSellOrder(symbol, 0.5);
    has(sold, { status: 'closed', average: 110 });
    has(await alice.fetchOrder(stop.id, symbol), { status: 'closed', filled: 0.5, average: 110, type: 'limit' });
  });

  test('to sell, limited', async () => {
    const symbol = 'STOPSELL/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const stop = await alice.createOrder(symbol, 'limit', 'sell', 0.5, 90, { triggerPrice: 95 });
    has(stop, { side: 'sell', status: 'open', price: 90, triggerPrice: 95 });
    has(stop.info, { type: 'stop limit', activated: 0, activationCondition: 'lte' });
    const bid = await bob.createLimitBuyOrder(symbol, 0.5, 92);
    await deal(bob, alice, symbol, 'sell', 0.1, 95);
    has(await alice.fetchOrder(stop.id, symbol), { status: 'closed', filled: 0.5, average: 92 });
    has(await bob.fetchOrder(bid.id, symbol), { status: 'closed', filled: 0.5 });
  });

  test('to buy at the market, for an amount of money', async () => {
    const symbol = 'STOPMBUY/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const { changed, result: stop } = await changes(alice, () => alice.createStopMarketOrder(symbol, 'buy', 50, 105));
    has(stop, { type: 'market', side: 'buy', status: 'open', triggerPrice: 105, filled: 0, cost: 0 });
    has(stop.info, { type: 'stop market', amount: '50', left: '50', activated: 0, activationCondition: 'gte', activation_price: '105' });
    assert.ok(!('price' in stop.info));
    assert.deepEqual(changed, { USDT: { free: -50, used: 50 } });

    await deal(bob, alice, symbol, 'buy', 0.1, 104.5);
    await bob.createLimitSellOrder(symbol, 0.1, 105);
    await bob.createLimitSellOrder(symbol, 1, 106);
    const { changed: after } = await changes(alice, () => alice.createLimitBuyOrder(symbol, 0.1, 105));
    // 50 buy 0.47 at 106; 0.18 of the money are left and come back.
    const bought = await alice.fetchOrder(stop.id, symbol);
    has(bought, { status: 'closed', filled: 0.47, cost: 49.82, average: 106, type: 'market' });
    assert.deepEqual(after, {
      STOPMBUY: { free: minus(0.1 + 0.47, 0.0002 + 0.00094), used: 0 },
      USDT: { free: minus(0.18, 10.5), used: -50 },
    });
  });

  test('to sell at the market', async () => {
    const symbol = 'STOPMSELL/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const stop = await alice.createOrder(symbol, 'market', 'sell', 0.5, undefined, { triggerPrice: 95 });
    has(stop, { type: 'market', side: 'sell', status: 'open', triggerPrice: 95, amount: 0.5 });
    has(stop.info, { type: 'stop market', amount: '0.5', activated: 0, activationCondition: 'lte' });
    await bob.createLimitBuyOrder(symbol, 1, 94);
    await deal(bob, alice, symbol, 'sell', 0.1, 95);
    has(await alice.fetchOrder(stop.id, symbol), { status: 'closed', filled: 0.5, cost: 47, average: 94 });
  });
});

describe('a client order id', () => {
  test('names an order while it is open', async () => {
    const symbol = 'CLIENT/USDT';
    const clientOrderId = 'my-order.1_A';
    const order = await alice.createOrder(symbol, 'limit', 'buy', 0.5, 100, { clientOrderId });
    assert.equal(order.clientOrderId, clientOrderId);
    await alice.createOrder(symbol, 'limit', 'buy', 0.5, 99);
    const [found, ...others] = await alice.fetchOpenOrders(symbol, undefined, undefined, { clientOrderId });
    assert.equal(found.id, order.id);
    assert.deepEqual(others, []);

    const edited = await alice.editOrder(undefined, symbol, 'limit', 'buy', 0.25, 98, { clientOrderId });
    has(edited, { clientOrderId, amount: 0.25, price: 98, status: 'open' });
    assert.notEqual(edited.id, order.id);

    has(await alice.cancelOrderWithClientOrderId(clientOrderId, symbol), { id: edited.id, clientOrderId, status: 'canceled' });
    const again = await alice.createOrder(symbol, 'limit', 'buy', 0.5, 100, { clientOrderId });
    has(again, { clientOrderId, status: 'open' });
  });
});

describe('an edit', () => {
  test('of price and amount puts a new order in place of the old one', async () => {
    const symbol = 'EDIT/USDT';
    const order = await alice.createLimitBuyOrder(symbol, 0.5, 100);
    const { changed, result: edited } = await changes(alice, () => alice.editOrder(order.id, symbol, 'limit', 'buy', 0.25, 101));
    has(edited, { symbol, status: 'open', price: 101, amount: 0.25, remaining: 0.25, clientOrderId: order.clientOrderId });
    has(edited.info, { type: 'limit', reduceOnly: false, stp: 'no' });
    assert.ok(Number(edited.id) > Number(order.id));
    assert.deepEqual(changed, { USDT: { free: 24.75, used: -24.75 } });
    assert.deepEqual(ids(await alice.fetchOpenOrders(symbol)), [edited.id]);
    has(await alice.fetchOrder(order.id, symbol), { status: 'canceled', filled: 0, price: 100 });

    const cheaper = await alice.editOrder(edited.id, symbol, 'limit', 'buy', undefined, 99.5);
    has(cheaper, { price: 99.5, amount: 0.25 });
  });

  test('of a stop moves its trigger', async () => {
    const symbol = 'EDITSTOP/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const stop = await alice.createStopLimitOrder(symbol, 'buy', 0.5, 110, 105);
    const edited = await alice.editOrder(stop.id, symbol, 'limit', 'buy', undefined, undefined, { triggerPrice: 107.5 });
    has(edited, { status: 'open', triggerPrice: 107.5, price: 110, amount: 0.5 });
    assert.equal(edited.info.activated, 0);
    assert.deepEqual(ids(await alice.fetchOpenOrders(symbol)), [edited.id]);
  });

  test('of a stop market buy changes its money', async () => {
    const symbol = 'EDITCOST/USDT';
    await deal(bob, alice, symbol, 'buy', 0.1, 100);
    const stop = await alice.createStopMarketOrder(symbol, 'buy', 50, 105);
    const { changed, result: edited } = await changes(alice, () => alice.editOrder(stop.id, symbol, 'market', 'buy', 60));
    has(edited.info, { type: 'stop market', amount: '60', left: '60', activation_price: '105' });
    assert.deepEqual(changed, { USDT: { free: -10, used: 10 } });
  });
});

describe('cancelling', () => {
  test('one', async () => {
    const first = await alice.createLimitBuyOrder('ONE/USDT', 0.5, 100);
    const second = await alice.createLimitBuyOrder('ONE/USDT', 0.5, 99);
    has(await alice.cancelOrder(first.id, 'ONE/USDT'), { id: first.id, status: 'canceled', price: 100 });
    assert.deepEqual(ids(await alice.fetchOpenOrders('ONE/USDT')), [second.id]);
  });

  test('all of a market, then all', async () => {
    await carol.createLimitBuyOrder('ALL/USDT', 0.5, 100);
    await carol.createLimitSellOrder('ALL/USDT', 0.5, 101);
    const other = await carol.createLimitBuyOrder('OTHER/USDT', 0.5, 100);
    const { changed, result } = await changes(carol, () => carol.cancelAllOrders('ALL/USDT'));
    assert.deepEqual(result, []);
    assert.deepEqual(changed, { ALL: { free: 0.5, used: -0.5 }, USDT: { free: 50, used: -50 } });
    assert.deepEqual(ids(await carol.fetchOpenOrders()), [other.id]);
    assert.deepEqual(await carol.cancelAllOrders(undefined, { isMargin: true }), []);
    assert.deepEqual(ids(await carol.fetchOpenOrders()), [other.id]);
    assert.deepEqual(await carol.cancelAllOrders(), []);
    assert.deepEqual(await carol.fetchOpenOrders(), []);
  });

  test('many at once, each on its own', async () => {
    const symbol = 'MANY/USDT';
    const market = 'MANY_USDT';
    const first = await alice.createLimitBuyOrder(symbol, 0.5, 100);
    const second = await alice.createOrder(symbol, 'limit', 'buy', 0.5, 99, { clientOrderId: 'many-2' });
    const third = await alice.createLimitBuyOrder(symbol, 0.5, 98);
    const answer = await alice.v4PrivatePostOrderCancelBulk({
      orders: [
        { market, orderId: Number(first.id) },
        { market, clientOrderId: 'many-2' },
        { market, orderId: 1e15 },
        { market: 'NOPE_USDT', orderId: Number(third.id) },
        { market },
        { market, orderId: Number(third.id), clientOrderId: 'many-3' },
      ],
    });
    const refusal = (errors) => ({ result: null, error: { code: 30, message: 'Validation failed', errors } });
    assert.deepEqual(answer, [
      { result: { orderId: Number(first.id), clientOrderId: first.clientOrderId, market }, error: null },
      { result: { orderId: Number(second.id), clientOrderId: 'many-2', market }, error: null },
      {
        result: null,
        error: { code: 404, message: 'Order not found', errors: { orderId: ['Order does not exist or already cancelled'] } },
      },
      refusal({ market: ['validation.market_not_exist'] }),
      refusal({ request: ['validation.required'] }),
      refusal({ request: ['api.validation.order.chooseOneId'] }),
    ]);
    assert.deepEqual(ids(await alice.fetchOpenOrders(symbol)), [third.id]);
  });
});

test('many orders at once', async () => {
  const market = 'BULK_USDT';
  const order = (price, more) => ({ market, side: 'buy', amount: '0.5', price, ...more });
  const answer = await alice.v4PrivatePostOrderBulk({
    orders: [order('100', { clientOrderId: 'bulk-1' }), order('100.3'), order('99', { postOnly: true })],
  });
  assert.equal(answer.length, 3);
  has(answer[0].result, { clientOrderId: 'bulk-1', status: 'OPEN', price: '100' });
  assert.equal(answer[0].error, null);
  assert.deepEqual(answer[1], {
    result: null,
    error: { code: 1, message: 'Validation failed', errors: { price: ['Price must be a multiple of 0.5.'] } },
  });
  has(answer[2].result, { clientOrderId: '', status: 'OPEN', price: '99', postOnly: true });
  assert.deepEqual(
    ids(await alice.fetchOpenOrders('BULK/USDT')),
    [answer[0], answer[2]].map(({ result }) => String(result.orderId)).sort(),
  );

  const stopped = await alice.v4PrivatePostOrderBulk({ orders: [order('98'), order('98.3'), order('97')], stopOnFail: true });
  assert.deepEqual(stopped.map(({ error }) => error?.code), [undefined, 1]);
  assert.equal((await alice.fetchOpenOrders('BULK/USDT')).length, 3);
});

test('the kill switch is set, seen, set again and taken back', async () => {
  const symbol = 'KILL/USDT';
  const market = 'KILL_USDT';
  const status = () => alice.v4PrivatePostOrderKillSwitchStatus({ market });
  assert.deepEqual(await status(), []);

  const first = await alice.cancelAllOrdersAfter(60000, { symbol });
  has(first, { market, cancellationTime: first.startTime + 60, types: null });
  recent(first.startTime * 1000);
  assert.deepEqual(await status(), [first]);

  const second = await alice.cancelAllOrdersAfter(600000, { symbol, types: ['spot'] });
  has(second, { market, cancellationTime: second.startTime + 600, types: ['spot'] });
  assert.deepEqual(await status(), [second]);
  assert.deepEqual(await alice.v4PrivatePostOrderKillSwitchStatus(), [second]);

  assert.deepEqual(await alice.cancelAllOrdersAfter(0, { symbol }), []);
  assert.deepEqual(await status(), []);
  assert.deepEqual(await alice.cancelAllOrdersAfter(0, { symbol }), []);
});
