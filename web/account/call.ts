// Requests to the door for browsers. What changes something carries the token that only pages of ours can read.
export interface Passkey { id: string; title: string; created: number }

export interface Session {
  signed_in: boolean;
  account?: string;
  login?: string;
  csrf?: string;
  fresh?: boolean;
  expires?: number;
  factors?: { password: boolean; totp: boolean; passkeys: Passkey[] };
  restricted_until?: number;
  demo: string[];
  passkeys: boolean;
}

/** What the exchange said instead of doing what was asked. */
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: number, message: string, readonly field = '') {
    super(message);
  }

  /** Whether it is about a factor that was given. */
  get ofFactor(): boolean {
    return ['code', 'password', 'passkey'].includes(this.field) || this.status === 401 || this.status === 429;
  }

  /** Whether it asks for the second factor once more. */
  get again(): boolean {
    return this.status === 412 && this.code === 2;
  }
}

let csrf = '';

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {};
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    headers['X-Bourse-CSRF'] = csrf;
    headers['Idempotency-Key'] = crypto.randomUUID();
  }
  let response: Response;
  try {
    response = await fetch(`web/${path}`, { method, headers, body: method === 'GET' ? undefined : JSON.stringify(body ?? {}), credentials: 'same-origin' });
  } catch {
    throw new Refusal(0, 0, 'The exchange cannot be reached. Please try again.');
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { code, message, errors } = answer as { code?: number; message?: string; errors?: Record<string, string | string[]> };
    const [field, texts] = Object.entries(errors ?? {})[0] ?? ['', []];
    throw new Refusal(response.status, code ?? 0, [texts].flat()[0] ?? message ?? `The exchange answered ${response.status}.`, field);
  }
  return answer as T;
}

/** An account that who is signed in looks after: the own one has no id. */
export interface Account { id: string; name: string }

/** A session that was answered: its token goes with what follows. */
export function keep(session: Session): Session {
  csrf = session.csrf ?? '';
  return session;
}

export async function current(): Promise<Session> {
  return keep(await call<Session>('GET', 'session'));
}
