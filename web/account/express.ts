// The page on which a customer pays a partner who sent him here with a token. The token leaves the address bar at once.
import { el } from '../docs/src/dom';
import { byFactor, type Factor } from './again';
import { call, type Session } from './call';
import { action, wake } from './form';

interface Asked { partner: string; ticker: string; amount: string; expires: number }

let token = '';

/** Takes the token out of the address bar. */
export function takeToken(): void {
  token = new URLSearchParams(location.search).get('token') ?? '';
  history.replaceState(null, '', location.pathname);
}

export async function express(page: HTMLElement, session: Session): Promise<void> {
  page.classList.add('narrow');
  const home = el('p', {}, el('a', { href: 'account' }, 'To your account'));
  const over = (heading: string, text: string): void => page.replaceChildren(el('h1', {}, heading), el('p', { role: 'status' }, text), home);
  if (token === '') {
    over('Payment', 'Open the link of your payment once more.');
    return;
  }
  let asked: Asked;
  try {
    asked = await call<Asked>('POST', 'express', { token });
  } catch (reason) {
    over('Payment', (reason as Error).message);
    return;
  }
  const { partner, ticker, amount } = asked;
  const left = el('span', {});
  const count = (): void => {
    const seconds = Math.max(0, Math.ceil(asked.expires - Date.now() / 1000));
    left.textContent = seconds > 0 ? `${seconds} seconds are left.` : 'The time is over: ask for another link.';
  };
  count();
  const clock = window.setInterval(count, 1000);
  const pay = action('Pay', async () => {
    await byFactor(session, (factor?: Factor) => call('POST', 'express/pay', { token, partner, ticker, amount, factor }));
    clearInterval(clock);
    over('Paid', `You paid ${amount} ${ticker} to ${partner}.`);
  }, { class: 'main' });
  const leave = action('Do not pay', async () => {
    clearInterval(clock);
    token = '';
    over('Not paid', 'Nothing was paid.');
  });
  const buttons = el('div', { class: 'row', id: 'answers' }, pay, leave);
  page.replaceChildren(
    el('h1', {}, `Pay ${partner}?`),
    el('dl', {}, el('dt', {}, 'To'), el('dd', {}, partner), el('dt', {}, 'Amount'), el('dd', { id: 'amount' }, `${amount} ${ticker}`),
      el('dt', {}, 'From'), el('dd', {}, `the main balance of ${session.account ?? ''}`)),
    el('p', { class: 'note' }, 'It is paid at once, without a fee, and cannot be taken back. ', left),
    buttons,
  );
  wake(buttons);
}
