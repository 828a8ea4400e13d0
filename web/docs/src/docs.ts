// The docs page: Swagger UI over our own description of the API, with a signer in front of its calls.
import SwaggerUI, { type Plugin, type Request } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import * as panel from './panel';
import { sign } from './sign';

interface Operation {
  security?: object[];
}

/** What is read here of an OpenAPI document. */
interface Description {
  security?: object[];
  paths: Record<string, Record<string, Operation>>;
}

/** Whether calls of a path are signed. Such paths have no parameters, so they are found as they are. */
function isSigned(api: Description, path: string, method: string): boolean {
  const operation = api.paths[path]?.[method.toLowerCase()];
  return operation !== undefined && (operation.security ?? api.security ?? []).length > 0;
}

/** The call as it is sent. One that cannot be signed is not sent, and the panel says why. */
function signed(api: Description, request: Request): Request {
  const path = new URL(request.url, location.href).pathname;
  if (!isSigned(api, path, request.method)) return request;
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

// Instead of its dialogs for keys, which know nothing of signatures, it shows which calls are signed.
const marks: Plugin = {
  wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: (_, system) => () => system.React.createElement('b', { className: 'signed' }, 'signed'),
  },
};

async function show(at: Element): Promise<void> {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  const api: Description = await answer.json();
  SwaggerUI({
    domNode: at,
    spec: api,
    plugins: [marks],
    requestInterceptor: (request) => signed(api, request),
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });
}

panel.open();
const operations = document.querySelector('#operations')!;
show(operations).catch((error: unknown) => {
  operations.textContent = `The description of the API at openapi.json cannot be shown: ${error instanceof Error ? error.message : error}`;
});
