// The operations of REST: Swagger UI over our own description of the API, with a signer in front of its
// calls and code below them.
import SwaggerUI, { type Collection, type Plugin, type Request, type System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { Call } from './code';
import * as panel from './panel';
import { sign } from './sign';
import { box } from './snippets';

interface Operation {
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: { 'application/json': { examples?: Record<string, { value: Record<string, unknown> }> } } };
}

/** What is read here of an OpenAPI document. */
export interface Description {
  security?: object[];
  paths: Record<string, Record<string, Operation>>;
}

/** Whether calls of a path need a scheme. Paths of calls that are not public have no parameters, so they are found as they are. */
function needs(api: Description, path: string, method: string, scheme: 'signature' | 'token'): boolean {
  const operation = api.paths[path]?.[method.toLowerCase()];
  return operation !== undefined && (operation.security ?? api.security ?? []).some((way) => scheme in way);
}

/** The call as it is sent. One that cannot be signed is not sent, and the panel says why. */
function signed(api: Description, request: Request): Request {
  const path = new URL(request.url, location.href).pathname;
  if (!needs(api, path, request.method, 'signature')) return request;
  try {
    const { body, headers } = sign(path, members(request.body), panel.credentials());
    return { ...request, body, headers: { ...request.headers, 'Content-Type': 'application/json', ...headers } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    panel.tell(why);
    // A failure at this point is not foreseen by Swagger UI; one of the network is.
    return { ...request, userFetch: () => Promise.reject(new Error(`not sent. ${why}`)) };
  }
}

/** The members of a body, which must be a JSON object. */
function members(body: unknown): object {
  const value = typeof body === 'string' ? parsed(body) : (body ?? {});
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The body must be a JSON object: {"market": "BTC_USDT"}, or {} to say nothing.');
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() || '{}');
  } catch (error) {
    throw new Error(`The body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** The call that the code of an operation makes: its first example. */
function example(api: Description, path: string, method: string): Call {
  const operation = api.paths[path]?.[method] ?? {};
  const at = (path: string): string => new URL(path.slice(1), location.href).href;
  const byToken = needs(api, path, method, 'token');
  if (byToken || needs(api, path, method, 'signature')) {
    const first = Object.values(operation.requestBody?.content['application/json'].examples ?? {})[0]?.value ?? {};
    const { request: _, nonce: __, ...fields } = first;
    return { method, url: at(path), path, members: fields, byToken };
  }
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of operation.parameters ?? []) {
    const value = String(parameter.example ?? 'BTC_USDT');
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.required || parameter.example !== undefined) query.set(parameter.name, value);
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { method, url: at(filled) + search, path: filled, members: null, byToken };
}

/** Finds operations by their path and what is said about them. */
function opsFilter(tagged: Collection, phrase: string): Collection {
  const wanted = phrase.toLowerCase();
  const fits = (operation: Collection): boolean =>
    [['path'], ['operation', 'summary'], ['operation', 'description']].some((place) =>
      String(operation.getIn(place) ?? '').toLowerCase().includes(wanted),
    );
  return tagged.map((tag) => tag.set('operations', tag.get('operations').filter(fits))).filter((tag) => tag.get('operations').size > 0);
}

function plugin(api: Description): Plugin {
  return {
    fn: { opsFilter },
    wrapComponents: {
      // Instead of its dialogs for keys, which know nothing of signatures, it shows which calls are signed.
      authorizeBtn: () => () => null,
      authorizeOperationBtn: (_, system) => () => system.React.createElement('b', { className: 'signed' }, 'signed'),
      // Calls by access token are not marked as signed: the page has no tokens, which are for programs on servers.
      OperationSummary: (original, { React }) => (properties) =>
        React.createElement(
          'div',
          { className: needs(api, properties.operationProps!.get('path'), properties.operationProps!.get('method'), 'token') ? 'by-token' : '' },
          React.createElement(original, properties),
        ),
      FilterContainer: () => () => null, // the search of the page is for methods, too
      // Each group is a list of its own: of a list of 150 rows or more Swagger UI keeps only those in the document that are in sight, and neither
      // links nor the search of a browser would find the others.
      operations: (original, { React }) => (properties) => {
        const groups = properties.specSelectors!.taggedOperations();
        return React.createElement(
          React.Fragment,
          null,
          ...groups.keySeq().toArray().map((name) => {
            const own = { ...properties.specSelectors!, taggedOperations: () => groups.filter((_, other) => other === name) };
            return React.createElement(original, { ...properties, key: name, specSelectors: own });
          }),
        );
      },
      responses: (original, { React }) => (properties) =>
        React.createElement(
          React.Fragment,
          null,
          React.createElement('div', {
            ref: (at: Element | null) => {
              if (at?.childElementCount === 0) at.append(box(example(api, properties.path, properties.method)));
            },
          }),
          React.createElement(original, properties),
        ),
    },
  };
}

/** Shows all operations. What it returns searches them. */
export function show(at: Element, api: Description, shown: () => void): (phrase: string) => void {
  const system: System = SwaggerUI({
    domNode: at,
    spec: api,
    plugins: [plugin(api)],
    requestInterceptor: (request) => signed(api, request),
    onComplete: shown,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });
  return (phrase) => system.layoutActions.updateFilter(phrase);
}
