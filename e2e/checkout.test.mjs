// The page on which people pay an invoice, in a real browser. In a demo they say there themselves whether they paid.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, watched } from './browser.mjs';
import { demo, has } from './exchange.mjs';

describe('the page of an invoice', () => {
  let venue;
  let browser;
  let alice;

  before(async () => {
    venue = await demo();
    browser = await launch();
    alice = venue.connect('alice');
    await alice.loadMarkets();
  });

  after(async () => {
    await browser?.close();
    await venue?.stop();
  });

  const euros = async () => (await alice.v4PrivatePostMainAccountBalance({ ticker: 'EUR' })).EUR.main_balance;

  // An invoice of 25.5 EUR by SEPA, its page, and its record of the history.
  async function invoice(uniqueId) {
    const { address } = await alice.fetchDepositAddress('EUR', { provider: 'SEPA', amount: '25.5', uniqueId });
    const watch = await watched(browser);
    const answer = await watch.page.goto(venue.url + new URL(address).pathname);
    assert.equal(answer.status(), 200);
    const record = async () => (await alice.fetchDeposits('EUR')).find(({ info }) => info.uniqueId === uniqueId);
    return { ...watch, record };
  }

  for (const [what, button, title, status, credited] of [
    ['is paid', 'Pay 25.5 EUR', 'Payment received', 'ok', '25.5'],
    ['fails', 'Let the payment fail', 'Payment failed', 'canceled', '0'],
  ]) {
    test(`${what} by a button, and the history has it`, async () => {
      const before = await euros();
      const { page, complaints, record, leave } = await invoice(`order ${what}`);
      assert.equal(await page.title(), 'Payment');
      assert.equal(await page.locator('.amount').innerText(), '25.5 EUR');
      assert.deepEqual(await page.locator('dd').allInnerTexts().then((texts) => texts.slice(0, 2)), ['SEPA', `order ${what}`]);
      has(await record(), { type: 'deposit', currency: 'EUR', amount: 25.5, status: 'pending' });

      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { name: title }).waitFor();
      assert.equal(await page.getByRole('button').count(), 0);
      has(await record(), { type: 'deposit', currency: 'EUR', amount: 25.5, status, network: 'SEPA' });
      assert.equal(Number(await euros()) - Number(before), Number(credited));
      assert.deepEqual(complaints, []);
      await leave();
    });
  }
});
