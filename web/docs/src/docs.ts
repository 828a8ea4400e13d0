// The docs page: the operations of REST and the methods of the WebSocket, a search over both, and a
// signer for what is private.
import type { Document } from './asyncapi';
import * as methods from './methods';
import * as operations from './operations';
import * as panel from './panel';
import { search } from './search';
import { redraw } from './snippets';
import { choose, chosen, type Theme } from './theme';

async function read<T>(name: string): Promise<T> {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  return answer.json();
}

function failed(at: Element, name: string): (error: unknown) => void {
  return (error) => {
    at.textContent = `The description of the API at ${name} cannot be shown: ${error instanceof Error ? error.message : error}`;
  };
}

const theme = document.querySelector<HTMLSelectElement>('#theme')!;
theme.value = chosen();
theme.addEventListener('change', () => choose(theme.value as Theme));

panel.open(redraw);
const rest = document.querySelector('#operations')!;
const socket = document.querySelector('#methods')!;
const shownREST = read<operations.Description>('openapi.json').then((api) => {
  rest.replaceChildren();
  return new Promise<(phrase: string) => void>((resolve) => {
    const find = operations.show(rest, api, () => resolve((phrase) => find(phrase)));
  });
});
shownREST.catch(failed(rest, 'openapi.json'));
const shownSocket = read<Document>('asyncapi.json').then((api) => methods.show(socket, api));
shownSocket.catch(failed(socket, 'asyncapi.json'));
search(document.querySelector<HTMLInputElement>('#search')!, socket, shownREST, shownSocket);
