// The sub-accounts of an account, and the links by which their users come.
import { el } from '../docs/src/dom';
import { withFactor } from './again';
import { call, type Session } from './call';
import { action, field, form } from './form';
import { moment } from './show';

interface Sub { id: string; name: string; status: string; email: string; user: boolean; invited: number; invitable: boolean; named: boolean }

interface Link { account: string; name: string; login: string; link: string; expires: number }

/** Shows the sub-accounts of who is signed in. */
export async function subs(session: Session): Promise<HTMLElement> {
  const section = el('section', { 'aria-labelledby': 'subs' });

  const draw = async (made?: Link): Promise<void> => {
    const all = await call<{ subs: Sub[] }>('GET', 'subs');
    section.replaceChildren(
      el('h2', { id: 'subs' }, 'Sub-accounts'),
      ...(all.subs.length > 0 ? all.subs.map((sub) => one(sub, made?.account === sub.id ? made : undefined)) : [el('p', {}, 'There are none.')]),
    );
    section.querySelector<HTMLElement>('.once')?.focus();
  };

  const one = (sub: Sub, made?: Link): HTMLElement => el('article', { class: 'sub' },
    el('h3', {}, sub.name),
    facts(sub),
    ...(made ? [shown(made, () => void draw())] : sub.invitable ? invitation(sub) : []));

  /** What makes a link: a button where it is known by what the person signs in. */
  const invitation = (sub: Sub): HTMLElement[] => {
    const text = sub.invited ? 'Make another link' : 'Invite';
    const send = async (login?: string): Promise<void> => {
      await draw(await withFactor(session, () => call<Link>('POST', 'invite', { account: sub.id, login })));
    };
    return [
      ...(sub.invited ? [el('p', { class: 'note' }, 'Another link ends the present one.')] : []),
      sub.named
        ? action(text, () => send(), { 'aria-label': `${text}: ${sub.name}` })
        : form([field('Login of the person', 'login', { required: '', maxlength: '254', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off' })], text,
          (values) => send(values['login'])),
    ];
  };

  await draw();
  return section;
}

/** Shows a link until a person says that it is kept. */
const shown = (made: Link, saved: () => void): HTMLElement => el('div', { class: 'once', role: 'status', tabindex: '-1' },
  el('p', {}, el('b', {}, 'Give this link to the person: it is not shown again.')),
  el('p', { class: 'secret', id: 'link' }, made.link),
  el('p', {}, 'It is for ', el('b', {}, made.login), ` to use ${made.name}. It is good once, until ${moment(made.expires)}. Whoever has it can become the user.`),
  action('I saved it', async () => saved()));

function facts(sub: Sub): HTMLElement {
  const person = sub.user ? 'signs in' : sub.invited ? `invited, until ${moment(sub.invited)}` : 'nobody yet';
  const rows: [string, string][] = [['Status', sub.status], ...(sub.email ? [['E-mail', sub.email] as [string, string]] : []), ['User', person]];
  return el('dl', {}, ...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}
