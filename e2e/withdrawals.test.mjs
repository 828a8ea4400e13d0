// Withdrawals, which the blocks of sandboxes pay.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { account, crypto, has, market, recent, refused, start } from './exchange.mjs';

const network = (name, chain, more = {}) => ({
  name, chain, default: false, can_deposit: true, can_withdraw: true, confirmations: 3, confirmations_for_trading: 1, ...more,
});
const chain = (name, family) => ({ name, driver: 'sandbox', family, net: 'mainnet', interval: '0', paused: false });
const far = { eth: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', xrp: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh' };

let server;
let alice;
let bob;

before(async () => {
  server = await start({
    chains: [chain('ETH', 'evm'), chain('TRX', 'tron'), chain('XRP', 'xrp')],
    assets: [
      crypto('USDT', { precision: 6, networks: [network('ERC20', 'ETH', { default: true, min_withdraw: '10' }), network('TRC20', 'TRX')] }),
      crypto('XRP', { deposit_memo: true, payout_memo: true, networks: [network('XRP', 'XRP')] }),
    ],
    markets: [market('XRP_USDT')],
    accounts: ['alice', 'bob'].map((name) => account(name, [], { deposits: { USDT: '1000', XRP: '1000' }, trade: {} })),
  });
  alice = server.connect('alice');
  bob = server.connect('bob');
});

after(() => server?.stop());

const mines = (name, blocks) => server.operate('POST', `/v1/chains/${name}/blocks`, { blocks });
const main = async (who, code) => (await who.v4PrivatePostMainAccountBalance({ ticker: code }))[code].main_balance;

describe('withdrawals', () => {
  test('are sent and confirmed', async () => {
    has(await alice.withdraw('USDT', 100, far.eth, undefined, { uniqueId: 'rent' }), { id: 'rent' });
    assert.equal(await main(alice, 'USDT'), '900');
    const [queued, ...others] = await alice.fetchWithdrawals('USDT');
    assert.deepEqual(others, []);
    has(queued, { id: 'rent', type: 'withdrawal', currency: 'USDT', amount: 100, status: 'pending', address: far.eth, network: 'ERC20' });
    recent(queued.timestamp);
    await mines('ETH', 1);
    const [sent] = await alice.fetchWithdrawals('USDT');
    has(sent, { status: 'pending' });
    assert.match(sent.info.transactionHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(sent.info.confirmations, { actual: 1, required: 3 });
    await mines('ETH', 2);
    const [done] = await alice.fetchWithdrawals('USDT');
    has(done, { status: 'ok', txid: sent.txid, amount: 100 });
    assert.equal(await main(alice, 'USDT'), '900');
  });

  test('to customers are there at once', async () => {
    const to = await bob.fetchDepositAddress('XRP');
    await alice.withdraw('XRP', 25, to.address, to.tag);
    assert.deepEqual([await main(alice, 'XRP'), await main(bob, 'XRP')], ['975', '1025']);
    has((await alice.fetchWithdrawals('XRP'))[0], { status: 'ok', amount: 25, tag: to.tag });
    has((await bob.fetchDeposits('XRP'))[0], { status: 'ok', amount: 25, tag: to.tag });
  });

  test('are listed with all that comes and goes', async () => {
    const all = await alice.fetchTransactions();
    // Times are in seconds: which comes first is not known of two in the same.
    assert.deepEqual(all.map((one) => [one.currency, one.type, one.amount]).sort(), [['USDT', 'withdrawal', 100], ['XRP', 'withdrawal', 25]]);
    assert.deepEqual((await bob.fetchDepositsWithdrawals()).map((one) => one.type), ['deposit']);
    const fees = await alice.fetchDepositWithdrawFees(['USDT', 'XRP']);
    assert.deepEqual([fees.USDT.withdraw.fee, fees.XRP.withdraw.fee], [undefined, undefined]);
  });

  test('are refused', async () => {
    const inner = (code, field, text) => ({ code, message: 'Inner validation failed', errors: { [field]: [text] } });
    const outer = (field, text) => ({ code: 0, message: 'Validation failed', errors: { [field]: [text] } });
    await refused(alice.withdraw('USDT', 100, far.eth, undefined, { uniqueId: 'rent' }), ccxt.ExchangeError, outer('uniqueId', 'The unique id has already been taken.'));
    await refused(alice.withdraw('USDT', 100, far.eth, undefined, { network: 'TRC20' }), ccxt.ExchangeError, inner(2, 'address', 'The address is invalid'));
    await refused(alice.withdraw('USDT', 9, far.eth), ccxt.ExchangeError, inner(3, 'amount', 'The amount is too small: at least 10 can be withdrawn.'));
    await refused(alice.withdraw('USDT', 901, far.eth), ccxt.ExchangeError, inner(5, 'amount', 'Not enough money, USDT coin balance = 900'));
    await refused(alice.withdraw('XRP', 1, far.xrp), ccxt.ExchangeError, outer('memo', 'The memo field is required.'));
    assert.deepEqual([await main(alice, 'USDT'), await main(alice, 'XRP')], ['900', '975']);
  });
});
