// The live socket of the page. It is opened with the first frame, and closed when the page is left.
import { sign, type Credentials } from './sign';

/** A frame as it came, with what is read of it here. */
export interface Frame {
  text: string;
  id: unknown;
  method?: string;
}

type Listener = (frame: Frame) => void;

const tokenPath = '/api/v4/profile/websocket_token';

let socket: WebSocket | null = null;
let opened: Promise<WebSocket> | null = null;
let authorized = '';
let last = 0;
const listeners = new Set<Listener>();
const watchers = new Set<(state: string) => void>();

/** Hears every frame of the server; what it returns ends that. */
export function hear(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hears whether the socket is open. */
export function watch(watcher: (state: string) => void): void {
  watchers.add(watcher);
  watcher(socket === null ? 'closed' : 'open');
}

function tell(state: string): void {
  for (const watcher of watchers) watcher(state);
}

function open(): Promise<WebSocket> {
  opened ??= new Promise((resolve, reject) => {
    const address = new URL('ws', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const made = new WebSocket(address);
    tell('opening');
    made.addEventListener('open', () => {
      socket = made;
      tell('open');
      resolve(made);
    });
    made.addEventListener('close', (event) => {
      socket = null;
      opened = null;
      authorized = '';
      tell(event.reason === '' ? 'closed' : `closed: ${event.reason}`);
      reject(new Error('The socket was closed.'));
    });
    made.addEventListener('message', ({ data }) => {
      const { id, method } = JSON.parse(data);
      for (const listener of listeners) listener({ text: data, id, method });
    });
  });
  return opened;
}

/** Closes the socket, and with it all subscriptions. */
export function close(): void {
  socket?.close();
}

/** An id that no request had. */
export function freshID(): number {
  last = Math.max(Date.now(), last + 1);
  return last;
}

/** Sends a frame. */
export async function send(text: string): Promise<void> {
  (await open()).send(text);
}

/** Sends a request and waits for the reply. */
async function ask(method: string, params: unknown[]): Promise<{ error: { message: string } | null }> {
  const id = freshID();
  const made = await open();
  return new Promise((resolve, reject) => {
    const stop = hear((frame) => {
      if (frame.id !== id) return;
      stop();
      resolve(JSON.parse(frame.text));
    });
    made.addEventListener('close', () => reject(new Error('The socket was closed.')), { once: true });
    made.send(JSON.stringify({ id, method, params }));
  });
}

/** Authorizes the socket with a key, unless it is already. */
export async function authorize(by: Credentials): Promise<void> {
  const made = await open();
  if (authorized === by.key) return;
  if (authorized !== '') {
    // Another account needs another connection.
    const closed = new Promise((resolve) => made.addEventListener('close', resolve, { once: true }));
    made.close();
    await closed;
  }
  const { body, headers } = sign(tokenPath, {}, by);
  const answer = await fetch(new URL(tokenPath.slice(1), location.href), {
    method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers },
  });
  const { websocket_token: token, message } = await answer.json();
  if (!answer.ok) throw new Error(`No token: ${message}`);
  const { error } = await ask('authorize', [token, 'docs']);
  if (error !== null) throw new Error(`Not authorized: ${error.message}`);
  authorized = by.key;
}
