// The page on which a person lets a program of somebody else act for an account, and the list of such programs.
import { el } from '../docs/src/dom';
import { byFactor, type Factor } from './again';
import { call, type Session } from './call';
import { action, box, wake } from './form';

interface Group { name: string; title: string; urls: { url: string }[] }

interface Request {
  title: string; host: string; account: string; scopes: string[]; addresses: string[];
  issues: boolean; groups: Group[]; exits: string[]; life: number; ticket: string; problem?: string;
}

interface Grant { client: string; title: string; key: boolean; urls: string[]; until: number }

const span = (seconds: number): string => (seconds >= 86400 ? `${seconds / 86400} days` : `${seconds / 3600} hours`);

export async function consent(page: HTMLElement, session: Session): Promise<void> {
  const asked = await call<Request>('POST', 'oauth/request', { query: location.search });
  const go = ({ location: to }: { location: string }): void => location.assign(to);
  const back = action('Deny', async () => go(await call('POST', 'oauth/deny', { ticket: asked.ticket })));
  page.classList.remove('narrow');
  const about = [
    el('h1', {}, `${asked.title} asks for access`),
    el('p', {}, 'To account ', el('b', {}, asked.account), '. You are sent back to ', el('b', { id: 'host' }, asked.host), '.'),
  ];
  if (asked.problem) {
    page.replaceChildren(...about, el('p', { class: 'error', role: 'alert' }, asked.problem), el('div', { class: 'row' }, back));
    return;
  }
  const boxes: { url: string; exit: boolean; input: HTMLInputElement }[] = [];
  const warning = box(`I know that ${asked.title} can then move money out of my account.`, 'confirmed');
  const sure = warning.querySelector('input')!;
  warning.hidden = true;
  const show = (): void => { warning.hidden = !boxes.some((one) => one.exit && one.input.checked); };
  const offer = (group: Group, url: string): HTMLElement => {
    const made = box(url, url);
    const input = made.querySelector('input')!;
    boxes.push({ url, exit: asked.exits.includes(group.name), input });
    input.addEventListener('change', show);
    return made;
  };
  const allow = action('Allow', async () => {
    const urls = boxes.filter((one) => one.input.checked).map((one) => one.url);
    go(await byFactor(session, (factor?: Factor) => call<{ location: string }>('POST', 'oauth/approve', { ticket: asked.ticket, urls, confirmed: sure.checked, factor })));
  });
  const buttons = el('div', { class: 'row', id: 'answers' }, allow, back);
  page.replaceChildren(
    ...about,
    el('h2', {}, 'What it is given'),
    el('ul', {}, ...asked.scopes.map((scope) => el('li', {}, scope))),
    el('p', {}, `It may come back for that during ${span(asked.life)}, from ${asked.addresses.join(', ')}.`),
    ...(asked.issues ? [
      el('h2', {}, 'What its API key may call'),
      el('p', { class: 'note' }, 'The key works until you or the program delete it. What it may call cannot be changed later.'),
      ...asked.groups.map((group) => el('fieldset', {}, el('legend', {}, group.title), ...group.urls.map(({ url }) => offer(group, url)))),
      warning,
    ] : []),
    buttons,
  );
  wake(buttons);
}

/** The programs that have access to the account. */
export async function grants(changed: () => Promise<void>): Promise<HTMLElement> {
  const list = await call<Grant[]>('GET', 'oauth/grants');
  const row = (grant: Grant): HTMLElement => el('li', {}, `${grant.title}${grant.key ? `, with an API key for ${grant.urls.length} endpoint${grant.urls.length === 1 ? '' : 's'}` : ''} `,
    action('End', async () => {
      await call('DELETE', 'oauth/grants', { client: grant.client });
      await changed();
    }, { 'aria-label': `End the access of ${grant.title}` }));
  return el('section', { 'aria-labelledby': 'programs' },
    el('h2', { id: 'programs' }, 'Programs with access'),
    list.length > 0 ? el('ul', {}, ...list.map(row)) : el('p', {}, 'None.'));
}
