// What the server refuses, and the exceptions that ccxt makes of it. Texts that ccxt does not know
// become a plain ExchangeError; the code and the key are checked then.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { account, deal, has, refused, start, world } from './exchange.mjs';

const {
  AuthenticationError, BadRequest, BadSymbol, ExchangeError, InsufficientFunds, InvalidOrder, NotSupported, OrderNotFound, PermissionDenied,
} = ccxt;

const bases = ['KEYS', 'FUNDS', 'RULES', 'TAKEN', 'STOPS', 'LOST', 'QUIET'];
const setup = world(bases, ['alice', 'bob']);
setup.accounts.push(
  account('poor', [], { deposits: { USDT: '20' }, trade: { USDT: '10' } }),
  account('eva', bases, { region: 'eu' }),
  account('locked', bases, { blocked: true }),
  account('kate', bases, {
    keys: [
      { key: 'kate-key', secret: 'kate-secret', enabled: true },
      { key: 'off-key', secret: 'off-secret', enabled: false },
      { key: 'far-key', secret: 'far-secret', enabled: true, addresses: ['203.0.113.7'] },
      { key: 'near-key', secret: 'near-secret', enabled: true, addresses: ['127.0.0.1'] },
      { key: 'look-key', secret: 'look-secret', enabled: true, urls: ['/api/v4/trade-account/balance'] },
    ],
  }),
);

let server;
let alice;
let bob;
let poor;

before(async () => {
  server = await start(setup);
  alice = server.connect('alice');
  bob = server.connect('bob');
  poor = server.connect('poor');
});

after(() => server?.stop());

describe('keys', () => {
  test('a wrong secret', async () => {
    await refused(server.connect('kate', { secret: 'wrong' }).fetchBalance(), AuthenticationError, {
      code: 10, message: 'Unauthorized request.',
    });
  });

  test('an unknown key', async () => {
    await refused(server.connect('nobody').fetchBalance(), PermissionDenied, { code: 0, message: 'This action is unauthorized.' });
  });

  test('a key that is switched off', async () => {
    await refused(server.connect('off').fetchBalance(), PermissionDenied, {
      code: 2, message: 'This action is unauthorized. Enable your key in API settings',
    });
  });

  test('a key of another address', async () => {
    await refused(server.connect('far').fetchBalance(), PermissionDenied, { code: 2 });
    assert.equal((await server.connect('near').fetchBalance()).KEYS.used, 0);
  });

  test('a key of a blocked account', async () => {
    await refused(server.connect('locked').fetchBalance(), PermissionDenied);
  });

  test('a key that may not do this', async () => {
    const look = server.connect('look');
    assert.equal((await look.fetchBalance()).KEYS.used, 0);
    await refused(look.createLimitBuyOrder('KEYS/USDT', 0.5, 100), PermissionDenied, {
      code: 4, message: 'This API Key is not authorized to perform this action.',
    });
    await refused(look.fetchOpenOrders(), PermissionDenied, { code: 4 });
  });
});

describe('nonces', () => {
  test('must grow', async () => {
    const kate = server.connect('kate');
    await kate.fetchOpenOrders();
    await refused(kate.fetchOpenOrders(undefined, undefined, undefined, { nonce: '1' }), ExchangeError, {
      code: 0, message: 'Too many requests.', errors: {},
    });
    assert.deepEqual(await kate.fetchOpenOrders(), []);
  });

  test('in the window must be of now and new', async () => {
    const window = (nonce) => bob.fetchOpenOrders(undefined, undefined, undefined, { nonceWindow: true, nonce });
    const answer = await refused(window(String(Date.now() - 60000)), ExchangeError, { code: 0 });
    assert.match(answer.message, /^Your nonce is more than 5 seconds lesser than the current nonce/);
    const now = String(Date.now() - 100);
    assert.deepEqual(await window(now), []);
    await refused(window(now), ExchangeError, { code: 0, message: 'Too many requests.' });
  });

  test('the window is true or false', async () => {
    await refused(bob.fetchOpenOrders(undefined, undefined, undefined, { nonceWindow: 'yes' }), ExchangeError, {
      message: 'Invalid nonceWindow.',
    });
  });
});

describe('money', () => {
  const balance = { errors: { amount: ['Not enough balance.'] } };

  test('that is not there cannot be traded', async () => {
    const symbol = 'FUNDS/USDT';
    await refused(poor.createLimitBuyOrder(symbol, 0.5, 100), InsufficientFunds, balance);
    await refused(poor.createLimitSellOrder(symbol, 0.5, 100), InsufficientFunds, balance);
    await bob.createLimitSellOrder(symbol, 1, 100);
    await refused(poor.createMarketBuyOrder(symbol, 0.5), InsufficientFunds, balance);
    await refused(poor.createMarketBuyOrderWithCost(symbol, 50), InsufficientFunds, balance);
    await deal(bob, alice, symbol, 'buy', 0.1, 99);
    await refused(poor.createStopLimitOrder(symbol, 'buy', 0.5, 110, 105), InsufficientFunds, balance);
    await refused(poor.createStopMarketOrder(symbol, 'buy', 50, 105), InsufficientFunds, balance);
    await refused(poor.createStopMarketOrder(symbol, 'sell', 0.5, 95), InsufficientFunds, balance);
    const order = await poor.createLimitBuyOrder(symbol, 0.1, 90);
    assert.equal(order.status, 'open');
    await refused(poor.createLimitBuyOrder(symbol, 0.1, 90), InsufficientFunds, balance);
    await refused(poor.editOrder(order.id, symbol, 'limit', 'buy', 0.15, 90), InsufficientFunds, balance);
    assert.deepEqual((await poor.fetchBalance()).USDT, { free: 1, used: 9, total: 10 });
  });

  test('that is not there cannot be moved', async () => {
    const { errors } = await refused(poor.transfer('USDT', 11, 'main', 'spot'), InsufficientFunds, { code: 3, message: 'Inner validation failed' });
    assert.match(errors.amount[0], /^You don't have such amount for transfer \(available 10, in amount: 11\)$/);
  });

  test('moves between known balances', async () => {
    await refused(alice.transfer('USDT', 1, 'nowhere', 'spot'), BadRequest, {
      code: 0, message: 'Validation failed', errors: { from: ['The selected from is invalid.'] },
    });
    await refused(alice.transfer('USDT', 1, 'main', 'funding'), ExchangeError, {
      code: 0, errors: { to: ['The to and from must be different.'] },
    });
    const { errors } = await refused(alice.transfer('USDT', 1, 'spot', 'margin'), ExchangeError, { code: 0 });
    assert.deepEqual(Object.keys(errors), ['to']);
    await refused(alice.transfer('USDT', 1, 'main', 'spot', { ticker: 'NOPE' }), ExchangeError, {
      code: 0, errors: { ticker: ['The selected ticker is invalid.'] },
    });
  });
});

describe('an order against the rules', () => {
  const symbol = 'RULES/USDT';
  const limit = (amount, price, params) => alice.createOrder(symbol, 'limit', 'buy', amount, price, params);

  test('is too small', async () => {
    await refused(limit(0.0005, 100000), InvalidOrder, {
      code: 32, message: 'Validation failed', errors: { amount: ['Given amount is less than min amount 0.001'] },
    });
    await refused(limit(0.05, 100), ExchangeError, {
      code: 30, errors: { total: ['Total (amount * price) is less than 5.05'] },
    });
    const { errors } = await refused(alice.createMarketBuyOrderWithCost(symbol, 5), ExchangeError, { code: 32 });
    assert.match(errors.amount[0], /^Total amount should be no less than 5\.05/);
    await refused(limit(1, 100, { amount: '0' }), ExchangeError, {
      code: 32, errors: { amount: ['Amount should be greater than 0.'] },
    });
    await refused(limit(1, 100, { price: '0' }), ExchangeError, {
      code: 33, errors: { price: ['Price should be greater than 0.'] },
    });
  });

  test('has too many decimals', async () => {
    const amount = await refused(limit(1, 100, { amount: '0.1234567' }), InvalidOrder, { code: 32 });
    assert.match(amount.errors.amount[0], /^Min amount step = 0\.\d+$/);
    const price = await refused(limit(1, 100, { price: '100.001' }), ExchangeError, { code: 33 });
    assert.match(price.errors.price[0], /^Min price step = 0\.\d+$/);
  });

  test('is beside the step', async () => {
    const message = 'Validation failed';
    await refused(limit(0.502, 100), ExchangeError, { code: 1, message, errors: { amount: ['Amount must be a multiple of 0.005.'] } });
    await refused(limit(0.5, 100.25), ExchangeError, { code: 1, message, errors: { price: ['Price must be a multiple of 0.5.'] } });
    await refused(alice.createMarketSellOrder(symbol, 0.502), ExchangeError, { code: 1 });
    const order = await limit(0.5, 100);
    await refused(alice.editOrder(order.id, symbol, 'limit', 'buy', 0.5, 100.3), ExchangeError, {
      code: 1, errors: { price: ['Price must be a multiple of 0.5.'] },
    });
    has(await alice.cancelOrder(order.id, symbol), { status: 'canceled', price: 100 });
  });

  test('says nonsense', async () => {
    await refused(alice.createOrder(symbol, 'limit', 'sideways', 0.5, 100), ExchangeError, {
      code: 30, errors: { side: ["Side field should contain only 'buy' or 'sell' values."] },
    });
    await refused(limit(0.5, 100, { amount: 'much' }), ExchangeError, {
      code: 32, errors: { amount: ['Amount field should be numeric string or number.'] },
    });
    await refused(alice.v4PrivatePostOrderNew({}), ExchangeError, {
      code: 30,
      message: 'Validation failed',
      errors: {
        market: ['Market field is required.'],
        side: ['Side field is required.'],
        amount: ['Amount field is required.'],
        price: ['Price field is required.'],
      },
    });
  });

  test('has flags that do not go together', async () => {
    await refused(limit(0.5, 100, { timeInForce: 'IOC', postOnly: true }), InvalidOrder);
    await refused(limit(0.5, 100, { ioc: true, postOnly: true }), ExchangeError, {
      code: 37, errors: { ioc: ['Either IOC or PostOnly flag in true state is allowed.'] },
    });
    await refused(limit(0.5, 100, { ioc: true, rpi: true }), ExchangeError, { code: 40 });
    await refused(limit(0.5, 100, { retail: true }), ExchangeError, {
      code: 42, errors: { retail: ['api.validation.retail.not_allowed'] },
    });
    await refused(limit(0.5, 100, { rpi: true }), ExchangeError, { code: 43 });
  });

  test('would take although it must not', async () => {
    const ask = await bob.createLimitSellOrder(symbol, 0.5, 200);
    await refused(limit(0.5, 200, { postOnly: true }), ExchangeError, {
      code: 13,
      message: 'Inner validation failed',
      errors: { postOnly: ["This order couldn't be executed as a maker order and was canceled."] },
    });
    has(await bob.cancelOrder(ask.id, symbol), { filled: 0 });
  });

  test('is not offered in the region', async () => {
    const eva = server.connect('eva');
    await refused(eva.createLimitBuyOrder(symbol, 0.5, 100), ExchangeError, {
      code: 30, message: 'Validation failed', errors: { orderType: ['This order type is not available'] },
    });
    await refused(eva.createStopLimitOrder(symbol, 'buy', 0.5, 110, 105), ExchangeError, { code: 30 });
    await bob.createLimitSellOrder(symbol, 0.5, 300);
    has(await eva.createMarketBuyOrder(symbol, 0.5), { status: 'closed', average: 300 });
  });

  test('has a client order id that is taken or cannot be one', async () => {
    const clientOrderId = 'taken';
    await alice.createOrder('TAKEN/USDT', 'limit', 'buy', 0.5, 100, { clientOrderId });
    await refused(alice.createOrder('TAKEN/USDT', 'limit', 'buy', 0.5, 99, { clientOrderId }), ExchangeError, {
      code: 36, errors: { clientOrderId: ['This client order id is already used by the current account.'] },
    });
    const elsewhere = await limit(0.5, 100, { clientOrderId });
    assert.equal(elsewhere.clientOrderId, clientOrderId);
    const others = await bob.createOrder('TAKEN/USDT', 'limit', 'buy', 0.5, 99, { clientOrderId });
    assert.equal(others.clientOrderId, clientOrderId);
    await refused(limit(0.5, 100, { clientOrderId: 'a b' }), ExchangeError, {
      code: 36, errors: { clientOrderId: ['ClientOrderId field should contain only latin letters, numbers and dashes.'] },
    });
    await refused(limit(0.5, 100, { clientOrderId: 'x'.repeat(65) }), ExchangeError, { code: 36 });
  });

  test('is not one that ccxt sends', async () => {
    await refused(limit(0.5, 100, { timeInForce: 'FOK' }), NotSupported);
    await refused(alice.createMarketOrderWithCost(symbol, 'sell', 50), InvalidOrder);
    await refused(alice.cancelOrders(['1'], symbol), NotSupported);
  });
});

describe('a stop', () => {
  test('needs a last price, and another one than its own', async () => {
    await refused(alice.createStopLimitOrder('QUIET/USDT', 'buy', 0.5, 110, 105), ExchangeError, {
      code: 30, errors: { activationPrice: ['Empty history'] },
    });
    await deal(bob, alice, 'STOPS/USDT', 'buy', 0.1, 100);
    await refused(alice.createStopLimitOrder('STOPS/USDT', 'buy', 0.5, 110, 100), ExchangeError, {
      code: 30, errors: { activationPrice: ['Activation price should not be equal to the last price'] },
    });
  });

  test('triggers on a tick, also when its amount is money', async () => {
    await deal(bob, alice, 'STOPS/USDT', 'buy', 0.1, 101);
    const text = 'Activation price must be a multiple of 0.5.';
    const { errors } = await refused(alice.createStopMarketOrder('STOPS/USDT', 'buy', 50.01, 105.25), ExchangeError, { code: 1 });
    assert.deepEqual(errors, { activation_price: [text], activationPrice: [text] });
    has(await alice.createStopMarketOrder('STOPS/USDT', 'buy', 50.01, 105.5), { status: 'open', triggerPrice: 105.5 });
  });
});

describe('an order that is not there', () => {
  const gone = { code: 2, message: 'Inner validation failed', errors: { orderId: ['Unexecuted order was not found.'] } };
  const symbol = 'LOST/USDT';

  test('is not cancelled', async () => {
    await refused(alice.cancelOrder('1000000000000000', symbol), OrderNotFound, gone);
    const order = await alice.createLimitBuyOrder(symbol, 0.5, 100);
    await refused(bob.cancelOrder(order.id, symbol), OrderNotFound, gone);
    await refused(alice.cancelOrder(order.id, 'RULES/USDT'), OrderNotFound, gone);
    await alice.cancelOrder(order.id, symbol);
    await refused(alice.cancelOrder(order.id, symbol), OrderNotFound, gone);
    const { meeting } = await deal(bob, alice, symbol, 'buy', 0.5, 100);
    await refused(alice.cancelOrder(meeting.id, symbol), OrderNotFound, gone);
  });

  test('is not edited', async () => {
    await refused(alice.editOrder('1000000000000000', symbol, 'limit', 'buy', 0.5, 100), OrderNotFound, gone);
  });

  test('is not found', async () => {
    await refused(alice.fetchOrder('1000000000000000', symbol), OrderNotFound);
    await refused(alice.fetchMyTrades(symbol, undefined, undefined, { clientOrderId: 'never' }), ExchangeError, {
      code: 30, errors: { orderHistory: ['OrderHistory was not found.'] },
    });
    await refused(alice.fetchClosedOrders(symbol, undefined, undefined, { clientOrderId: 'never' }), ExchangeError, {
      code: 30, errors: { orderHistory: ['OrderHistory was not found.'] },
    });
  });

  test('is named in one way', async () => {
    await refused(alice.cancelOrder('1', symbol, { clientOrderId: 'one' }), ExchangeError, { code: 30 });
    await refused(alice.v4PrivatePostOrderCancel({ market: 'LOST_USDT' }), ExchangeError, {
      code: 30, errors: { orderId: ['OrderId field is required.'] },
    });
  });
});

describe('a market that is not there', () => {
  const dot = { success: false, market: ['Market is not available.'] };

  test('has no orders', async () => {
    await refused(alice.createLimitBuyOrder('NOPE/USDT', 0.5, 100), BadSymbol);
    await refused(alice.v4PrivatePostOrders({ market: 'NOPE_USDT' }), BadSymbol, {
      code: 31, errors: { market: ['Market is not available'] },
    });
    await refused(alice.createLimitBuyOrder('RULES/USDT', 0.5, 100, { market: 'NOPE_USDT' }), ExchangeError, {
      code: 31, message: 'Validation failed', errors: { market: ['Market is not available.'] },
    });
    await refused(alice.v4PrivatePostMarketFeeSingle({ market: 'NOPE_USDT' }), ExchangeError, { code: 31 });
  });

  test('has no data', async () => {
    await refused(alice.fetchOrderBook('RULES/USDT', undefined, { market: 'NOPE_USDT' }), ExchangeError, dot);
    await refused(alice.fetchTrades('RULES/USDT', undefined, undefined, { market: 'NOPE_USDT' }), ExchangeError, dot);
    await refused(alice.fetchOHLCV('RULES/USDT', '1m', undefined, undefined, { market: 'NOPE_USDT' }), ExchangeError, {
      success: false, message: { market: ['Market is not available.'] }, result: null,
    });
    await refused(alice.fetchTicker('RULES/USDT', { market: 'NOPE_USDT' }), ExchangeError, { success: false });
  });
});

describe('parameters', () => {
  test('out of bounds', async () => {
    await refused(alice.fetchOpenOrders(undefined, undefined, undefined, { limit: 101 }), ExchangeError, {
      code: 30, errors: { limit: ['The limit may not be greater than 100.'] },
    });
    await refused(alice.cancelAllOrdersAfter(4000, { symbol: 'RULES/USDT' }), ExchangeError, {
      code: 30, errors: { timeout: ['Timeout should be at least 5.'] },
    });
    await refused(alice.cancelAllOrders('RULES/USDT', { type: 'swap', market: 'NOPE_USDT' }), ExchangeError, { code: 31 });
    await refused(alice.v4PrivatePostOrderCancelBulk({}), ExchangeError, {
      code: 30, message: 'Validation failed', errors: { orders: ['validation.required'] },
    });
    await refused(alice.v4PrivatePostOrderCancelBulk({ orders: new Array(101).fill({ market: 'RULES_USDT', orderId: 1 }) }), ExchangeError, {
      code: 30, errors: { orders: ['validation.between'] },
    });
    await refused(alice.fetchOHLCV('RULES/USDT', '1m', undefined, undefined, { start: 1700000000, end: 1600000000 }), ExchangeError, {
      success: false, message: { end: ['End field must be greater then start.'] },
    });
    await refused(alice.fetchTrades('RULES/USDT', undefined, undefined, { type: 'both' }), ExchangeError, {
      success: false, type: ["Type should be 'sell' or 'buy'."],
    });
    await refused(alice.fetchOrderBook('RULES/USDT', undefined, { level: 'high' }), ExchangeError, {
      success: false, level: ['The level must be an integer.'],
    });
  });

  test('for nobody', async () => {
    const error = await refused(alice.request('no-such-thing', ['v4', 'public']), ExchangeError);
    assert.match(error.message, /404/);
    await refused(alice.request('no/such/thing', ['v4', 'private'], 'POST'), ExchangeError);
  });
});
