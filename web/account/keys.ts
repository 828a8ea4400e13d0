// The API keys of an account and of its sub-accounts.
import { el } from '../docs/src/dom';
import { byFactor, withFactor, type Factor } from './again';
import { call, type Account, type Session } from './call';
import { action, box, choice, field, form, grave } from './form';
import { chooser, moment, once, type Pair } from './show';

interface Group { name: string; title: string; type: number; urls: string[] }

interface Key {
  id: string; key: string; title: string; type: number; enabled: boolean; created: number; last_used: number;
  urls: string[]; addresses: string[]; program?: string; editable: boolean; deletable: boolean; unseen: boolean;
}

interface Keys { accounts: Account[]; types: number[]; most_keys: number; most_addresses: number; groups: Group[]; exits: string[]; keys: Key[] }

const types = ['chosen by the operators', 'Info + Trading', 'Info + Trading + Deposit + Withdraw'];

/** Shows the keys of an account. */
export async function keys(session: Session, account: string): Promise<HTMLElement> {
  const section = el('section', { 'aria-labelledby': 'keys' });
  const opened = new Set<string>(); // which keys are unfolded
  const path = `keys?account=${encodeURIComponent(account)}`;

  const draw = async (pair?: Pair): Promise<void> => {
    const all = await call<Keys>('GET', path);
    section.replaceChildren(
      el('h2', { id: 'keys' }, 'API keys'),
      ...chooser(all.accounts, account, 'keys'),
      ...(pair ? [once(pair, 'Keep the secret now: it is not shown again.', () => void draw())] : []),
      ...(all.keys.length > 0 ? all.keys.map((key) => one(all, key)) : [el('p', {}, 'There are none.')]),
      el('h3', {}, 'New key'),
      el('p', { class: 'note' }, `A new key may call nothing until you allow it. There can be ${all.most_keys} keys.`),
      form([
        field('Label', 'title', { maxlength: '100' }),
        ...(all.types.length > 1 ? [choice('Type', 'type', all.types.map((type) => ({ value: String(type), text: types[type]! })))] : []),
      ], 'Make a key', async (values) => {
        const made = await withFactor(session, () => call<Pair & { id: string }>('POST', 'keys', { account, title: values['title'], type: Number(values['type'] ?? all.types[0]) }));
        opened.add(made.id);
        await draw(made);
      }),
    );
    section.querySelector<HTMLElement>('.once')?.focus();
  };

  const one = (all: Keys, key: Key): HTMLElement => {
    const about = el('div', { class: 'about' });
    const fold = el('details', { class: 'key' },
      el('summary', {}, el('b', {}, key.title || 'No label'), el('span', { class: 'note' }, `${state(key)}${key.program ? `, issued for ${key.program}` : ''}`)),
      about);
    const fill = (): void => { if (about.childElementCount === 0) about.append(...details(all, key)); };
    fold.addEventListener('toggle', () => {
      if (fold.open) {
        opened.add(key.id);
        fill();
      } else {
        opened.delete(key.id);
      }
    });
    if (key.unseen) opened.add(key.id);
    if (key.id !== '' && opened.has(key.id)) {
      fold.open = true;
      fill();
    }
    return fold;
  };

  const details = (all: Keys, key: Key): Node[] => {
    const name = key.title || key.key;
    const parts: Node[] = [facts(key)];
    if (key.unseen) {
      parts.push(el('p', {}, 'This key was reset by a program. Its new secret can be shown once.'),
        action('Show the new secret', async () => {
          await draw(await byFactor(session, (factor?: Factor) => call<Pair>('POST', 'keys/secret', { id: key.id, factor })));
        }));
    }
    if (key.editable) parts.push(rights(all, key), addresses(all, key));
    else parts.push(el('h4', {}, 'What it may call'), el('ul', { class: 'urls' }, ...key.urls.map((url) => el('li', {}, url === '*' ? 'everything' : url))));
    const buttons: Node[] = [];
    if (key.editable) {
      buttons.push(grave('Reset', `Give ${name} another pair? The present one ends at once.`, async () => {
        await draw(await byFactor(session, (factor?: Factor) => call<Pair>('POST', 'keys/reset', { id: key.id, factor })));
      }, { 'aria-label': `Reset ${name}` }));
    }
    if (key.deletable) {
      buttons.push(grave('Delete', `Delete ${name}? It ends at once, with all that is connected by it.`, async () => {
        await withFactor(session, () => call('DELETE', 'keys', { id: key.id }));
        await draw();
      }, { 'aria-label': `Delete ${name}` }));
    }
    if (buttons.length > 0) parts.push(el('div', { class: 'row' }, ...buttons));
    else parts.push(el('p', { class: 'note' }, key.id === '' ? 'The operators of the exchange look after this key.' : 'Your main account looks after this key.'));
    return parts;
  };

  const rights = (all: Keys, key: Key): HTMLElement => {
    const inputs: HTMLInputElement[] = [];
    const groups = all.groups.filter(({ type }) => type <= key.type).map((group) => {
      const whole = box(`All of ${group.title}`, '');
      const every = whole.querySelector('input')!;
      const boxes = group.urls.map((url) => box(url, url, key.urls.includes(url)));
      const own = boxes.map((label) => label.querySelector('input')!);
      const look = (): void => {
        const on = own.filter((input) => input.checked).length;
        every.checked = on === own.length;
        every.indeterminate = on > 0 && on < own.length;
      };
      every.addEventListener('change', () => own.forEach((input) => { input.checked = every.checked; }));
      own.forEach((input) => input.addEventListener('change', look));
      look();
      inputs.push(...own);
      return el('fieldset', {}, el('legend', {}, group.title),
        ...(all.exits.includes(group.name) ? [el('p', { class: 'note' }, 'With these the key can move money out of the account.')] : []),
        ...(boxes.length > 1 ? [whole] : []), ...boxes);
    });
    return form([
      el('h4', {}, 'What it may call'),
      field('Label', 'title', { maxlength: '100', value: key.title }),
      ...groups,
    ], 'Save', async (values) => {
      const enable = inputs.filter((input) => input.checked && !key.urls.includes(input.name)).map((input) => input.name);
      const disable = inputs.filter((input) => !input.checked && key.urls.includes(input.name)).map((input) => input.name);
      await byFactor(session, (factor?: Factor) => call('POST', 'keys/edit', { id: key.id, title: values['title'], enable, disable, factor }));
      await draw();
    });
  };

  const addresses = (all: Keys, key: Key): HTMLElement => {
    const change = (address: string, remove: boolean) => async (): Promise<void> => {
      await withFactor(session, () => call('POST', 'keys/addresses', { id: key.id, address, remove }));
      await draw();
    };
    return el('div', {},
      el('h4', {}, 'Addresses it may be used from'),
      key.addresses.length > 0
        ? el('ul', {}, ...key.addresses.map((address) => el('li', { class: 'row' }, el('span', {}, address), action('Remove', change(address, true), { 'aria-label': `Remove ${address}` }))))
        : el('p', {}, 'From everywhere.'),
      ...(key.addresses.length < all.most_addresses ? [form([field('IP address, version 4 or 6', 'ip', { required: '', spellcheck: 'false', autocapitalize: 'off' })], 'Add the address',
        (values) => change(values['ip']!, false)())] : []));
  };

  await draw();
  return section;
}

const state = (key: Key): string => `${key.enabled ? 'on' : 'off'}, ${key.last_used ? `last used ${moment(key.last_used)}` : 'not used yet'}`;

function facts(key: Key): HTMLElement {
  const rows: [string, string][] = [
    ['Public part', key.key], ['Type', types[key.type]!], ['Made', moment(key.created)], ['Last used', key.last_used ? moment(key.last_used) : 'never, as far as is known'],
    ['State', key.enabled ? 'on' : 'off'],
  ];
  if (key.id !== '') rows.unshift(['Id', key.id]);
  if (!key.editable) rows.push(['Addresses', key.addresses.length > 0 ? key.addresses.join(', ') : 'from everywhere']);
  if (key.program) rows.push(['Issued for', `${key.program}. What it may call is fixed, and the addresses are the program's.`]);
  return el('dl', {}, ...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}
