// The methods and channels of the WebSocket, with frames to try.
import { groups, resolved, type Document, type Group, type Method, type Schema } from './asyncapi';
import { button, el, prose } from './dom';
import * as live from './live';
import * as panel from './panel';

// How many frames stay in sight below a method.
const kept = 20;

/** Shows all methods. */
export function show(at: Element, api: Document): void {
  at.replaceChildren(connection(), ...api.info.description.split('\n\n').map(prose), ...groups(api).map((group) => section(api, group)));
  const linked = document.getElementById(location.hash.slice(1));
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    linked.scrollIntoView();
  }
}

/** The line that says whether the socket is open. */
function connection(): HTMLElement {
  const state = el('output', { class: 'state' });
  const end = button('Close the socket', { class: 'small' }, live.close);
  live.watch((text) => {
    state.textContent = `Socket: ${text}`;
    end.hidden = text !== 'open';
  });
  return el('p', { class: 'connection' }, state, end);
}

function section(api: Document, group: Group): HTMLElement {
  return el(
    'section',
    { class: 'group' },
    el('h3', {}, group.title),
    prose(group.text),
    ...group.methods.map((method) => block(api, method)),
  );
}

/** One method: a line that opens. What is inside is made when it is opened first. */
function block(api: Document, method: Method): HTMLElement {
  const head = el(
    'summary',
    {},
    el('b', { class: `kind ${method.kind}` }, method.kind === 'update' ? 'push' : method.kind),
    el('code', { class: 'name' }, method.name),
    el('span', { class: 'what' }, method.summary),
    ...(method.isPrivate ? [el('b', { class: 'signed' }, 'private')] : []),
  );
  const made = el('details', { class: 'method', id: `ws-${method.name}`, 'data-method': method.name }, head);
  made.dataset.search = `${method.name} ${method.summary} ${method.text}`.toLowerCase();
  made.addEventListener('toggle', () => {
    if (made.open && made.childElementCount === 1) made.append(inside(api, method));
  });
  return made;
}

function inside(api: Document, method: Method): HTMLElement {
  const parts: Node[] = [prose(method.text)];
  const conditions = [
    method.right === undefined ? '' : `The API key needs the right to \`${method.right}\`.`,
    method.limit === undefined ? '' : `A connection may send ${method.limit.requests} such requests in ${method.limit.seconds} seconds.`,
    method.open ? 'Answers during maintenance of the platform, too.' : '',
  ].filter((text) => text !== '');
  if (conditions.length > 0) parts.push(prose(conditions.join(' ')));
  if (method.params !== undefined) parts.push(...table('Parameters', parameters(api, method.params), ['Name', 'Type', 'Meaning']));
  if (method.request !== undefined) parts.push(attempt(method));
  if (method.answer !== undefined) {
    parts.push(el('h4', {}, method.kind === 'update' ? 'Example of a push' : 'Example of a reply'), pre(JSON.stringify(method.answer, null, 2)));
  }
  if (method.result !== undefined) {
    const title = method.kind === 'update' ? 'params' : 'result';
    parts.push(...table(`Schema of ${title}`, outline(api, title, method.result, 0), ['Name', 'Type', 'Meaning']));
  }
  const rows = method.errors.map(({ code, message }) => [String(code), message]);
  parts.push(...table('Errors', rows, ['Code', 'Message']));
  return el('div', { class: 'inside' }, ...parts);
}

function pre(text: string): HTMLElement {
  return el('pre', { tabindex: '0' }, text);
}

function table(title: string, rows: string[][], names: string[]): Node[] {
  if (rows.length === 0) return [];
  const body = rows.map((row) => el('tr', {}, ...row.map((text, i) => el('td', {}, i === 0 ? el('code', {}, text) : text))));
  return [
    el('h4', {}, title),
    el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, ...names.map((name) => el('th', {}, name)))), el('tbody', {}, ...body))),
  ];
}

/** A type in words. */
function typeOf(api: Document, schema: Schema): string {
  if (schema.$ref !== undefined) return resolved(api, schema).title ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? 'any'].flat().filter((type) => type !== 'null');
  let text = types.join(' or ');
  if (schema.enum !== undefined) text += `: ${schema.enum.filter((value) => value !== null && value !== '').join(', ')}`;
  if (schema.minimum !== undefined || schema.maximum !== undefined) text += ` from ${schema.minimum ?? '…'} to ${schema.maximum ?? '…'}`;
  return text;
}

/** The parameters of a method as rows: name, type, meaning. */
function parameters(api: Document, params: Schema): string[][] {
  if (params.maxItems === 0) return [];
  const row = (schema: Schema, needed: boolean): string[] => [
    schema.title ?? '', typeOf(api, schema) + (needed ? '' : ', optional'), schema.description ?? '',
  ];
  const rows: string[][] = [];
  const places = Array.isArray(params.items) ? params.items : [];
  places.forEach((schema, i) => {
    if (schema.properties === undefined) {
      rows.push(row(schema, i < (params.minItems ?? 0)));
      return;
    }
    if (schema.title !== 'fields') rows.push(row(schema, i < (params.minItems ?? 0)));
    for (const [name, member] of Object.entries(schema.properties)) {
      rows.push(row({ ...member, title: name }, schema.required?.includes(name) ?? false));
    }
  });
  const rest = Array.isArray(params.items) ? params.additionalItems : params.items;
  if (rest && rest.title) rows.push(row({ ...rest, title: `${rest.title}, …` }, (params.minItems ?? 0) > 0));
  return rows;
}

// How deep an outline goes.
const deepest = 4;

/** What a result looks like, as rows: place, type, meaning. */
function outline(api: Document, name: string, given: Schema, depth: number): string[][] {
  const schema = resolved(api, given);
  const rows = [[name, typeOf(api, given), given.description ?? schema.description ?? '']];
  if (depth === deepest) return rows;
  if (schema.oneOf !== undefined) return [...rows, ...schema.oneOf.flatMap((part, i) => outline(api, `${name} (${i + 1})`, part, depth))];
  for (const [member, part] of Object.entries(schema.properties ?? {})) rows.push(...outline(api, `${name}.${member}`, part, depth + 1));
  if (Array.isArray(schema.items)) schema.items.forEach((part, i) => rows.push(...outline(api, `${name}[${i}]`, part, depth + 1)));
  else if (schema.items !== undefined) rows.push(...outline(api, `${name}[]`, schema.items, depth + 1));
  if (schema.additionalProperties) rows.push(...outline(api, `${name}.*`, schema.additionalProperties, depth + 1));
  return rows;
}

/** A frame to try: what is sent can be edited, and what comes back stands below it. */
function attempt(method: Method): HTMLElement {
  const frame = el('textarea', { 'aria-label': `Frame of ${method.name}`, spellcheck: 'false', rows: '4' });
  frame.value = JSON.stringify(method.request);
  const out = el('div', { class: 'frames', role: 'log', 'aria-label': `Frames of ${method.name}` });
  const line = (direction: string, text: string): void => {
    out.append(el('pre', { class: direction, tabindex: '0' }, text));
    while (out.childElementCount > kept) out.firstElementChild?.remove();
  };
  let waiting: unknown = null;
  live.hear(({ id, method: pushed, text }) => {
    const mine = waiting !== null && id === waiting;
    const pushes = method.kind === 'subscribe' && waiting !== null && pushed === `${method.channel}_update`;
    if (mine || pushes) line('in', text);
  });
  const send = async (): Promise<void> => {
    try {
      const request = JSON.parse(frame.value);
      if (method.isPrivate) await live.authorize(panel.credentials());
      waiting = request.id = live.freshID();
      const text = JSON.stringify(request);
      line('out', text);
      await live.send(text);
    } catch (error) {
      line('fault', error instanceof Error ? error.message : String(error));
    }
  };
  return el(
    'div',
    { class: 'attempt' },
    el('h4', {}, 'Try it'),
    frame,
    button('Send', { class: 'send' }, () => void send()),
    out,
  );
}
