// Looks at money and book, places a limit order inside the spread, finds it among the open orders
// and cancels it, with ccxt's `whitebit` class as it is shipped; only the address is changed:
// (cd examples && npm install) && node examples/trade.mjs [SYMBOL]
//
// The exchange is that of BOURSE_URL, with BOURSE_API_KEY and BOURSE_API_SECRET, or else the one that
// wrote data/demo.json, with its first account.
import { readFileSync } from 'node:fs';
import ccxt, { Precise } from 'ccxt';

const symbol = process.argv[2] ?? 'BTC/USDT';

try {
  await trade(connect());
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

function connect() {
  const { url, apiKey, secret } = credentials();
  const exchange = new ccxt.whitebit({ apiKey, secret });
  for (const version of Object.values(exchange.urls.api)) {
    for (const [part, address] of Object.entries(version)) version[part] = url + new URL(address).pathname;
  }
  return exchange;
}

function credentials() {
  const { BOURSE_URL: url, BOURSE_API_KEY: apiKey, BOURSE_API_SECRET: secret } = process.env;
  if (url) return { url, apiKey, secret };
  let file;
  try {
    file = readFileSync('data/demo.json', 'utf8');
  } catch (error) {
    throw new Error(`No exchange: ${error.message}; set BOURSE_URL, BOURSE_API_KEY and BOURSE_API_SECRET.`);
  }
  const demo = JSON.parse(file);
  return { url: demo.rest, apiKey: demo.accounts[0].apiKey, secret: demo.accounts[0].secret };
}

async function trade(exchange) {
  await exchange.loadMarkets();
  const { base, quote, info } = exchange.market(symbol);

  const { free } = await exchange.fetchBalance();
  console.log(`Balance: ${free[base]} ${base}, ${free[quote]} ${quote}`);

  const book = await exchange.fetchOrderBook(symbol);
  if (book.bids.length === 0 || book.asks.length === 0) {
    throw new Error(`The book of ${symbol} needs a bid and an ask; put orders there with examples/order.sh.`);
  }
  // ccxt counts in floating-point numbers; its Precise counts in texts, and those are exact.
  const bid = exchange.numberToString(book.bids[0][0]);
  const ask = exchange.numberToString(book.asks[0][0]);
  console.log(`Book of ${symbol}: best bid ${bid}, best ask ${ask}`);

  const price = Precise.stringMin(Precise.stringAdd(bid, info.tickSize), Precise.stringSub(ask, info.tickSize));
  const least = Precise.stringMax(info.minAmount, Precise.stringDiv(info.minTotal, price));
  const amount = roundUp(least, info.stepSize);
  const order = await exchange.createOrder(symbol, 'limit', 'buy', amount, price, { postOnly: true });
  console.log(`Placed order ${order.id}: buy ${amount} ${base} at ${price} ${quote}`);

  const open = await exchange.fetchOpenOrders(symbol);
  if (!open.some((o) => o.id === order.id)) throw new Error(`Order ${order.id} is not open.`);
  console.log(`Order ${order.id} is open`);

  const canceled = await exchange.cancelOrder(order.id, symbol);
  console.log(`Canceled order ${order.id}: ${canceled.remaining} ${base} left`);
}

// The smallest multiple of a step that is no less than an amount.
function roundUp(amount, step) {
  const down = Precise.stringSub(amount, Precise.stringMod(amount, step));
  return Precise.stringGe(down, amount) ? down : Precise.stringAdd(down, step);
}
