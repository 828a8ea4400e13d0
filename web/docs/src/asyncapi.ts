// What is read here of the AsyncAPI document.
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema | Schema[];
  additionalItems?: Schema | false;
  additionalProperties?: Schema | false;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
}

interface Message {
  payload: Schema;
  examples?: { payload: unknown }[];
}

interface Operation {
  action: 'send' | 'receive';
  channel: { $ref: string };
  title: string;
  summary: string;
  description: string;
  security?: object[];
  tags: { name: string }[];
  'x-bourse-kind': string;
  'x-bourse-right'?: string;
  'x-bourse-limit'?: { requests: number; seconds: number };
  'x-bourse-maintenance'?: boolean;
  'x-bourse-errors'?: { code: number; message: string }[];
}

export interface Document {
  info: { description: string; tags: { name: string; description: string }[] };
  operations: Record<string, Operation>;
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> };
}

/** A method or a push, with all that the page shows of it. */
export interface Method {
  name: string;
  kind: string;
  channel: string;
  summary: string;
  text: string;
  isPrivate: boolean;
  right?: string;
  limit?: { requests: number; seconds: number };
  open: boolean;
  errors: { code: number; message: string }[];
  params?: Schema;
  result?: Schema;
  /** The frame that is sent, and the one that answers it or is pushed. */
  request?: unknown;
  answer?: unknown;
}

export interface Group {
  title: string;
  text: string;
  methods: Method[];
}

/** The methods by their groups, in the order of the document. */
export function groups(api: Document): Group[] {
  const all = api.info.tags.map(({ name, description }): Group => ({ title: name, text: description, methods: [] }));
  for (const [name, operation] of Object.entries(api.operations)) {
    all.find((group) => group.title === operation.tags[0]?.name)?.methods.push(method(api, name, operation));
  }
  return all;
}

function method(api: Document, name: string, o: Operation): Method {
  const { messages } = api.components;
  const example = (message?: Message) => message?.examples?.[0]?.payload;
  const own = messages[name];
  const pushed = o.action === 'send';
  const reply = messages[`${name}_reply`];
  return {
    name,
    kind: o['x-bourse-kind'],
    channel: o.channel.$ref.replace('#/channels/', ''),
    summary: o.summary,
    text: o.description,
    isPrivate: o.security !== undefined,
    right: o['x-bourse-right'],
    limit: o['x-bourse-limit'],
    open: o['x-bourse-maintenance'] ?? false,
    errors: o['x-bourse-errors'] ?? [],
    params: pushed ? undefined : own?.payload.properties?.params,
    result: pushed ? own?.payload.properties?.params : reply?.payload.properties?.result,
    request: pushed ? undefined : example(own),
    answer: pushed ? example(own) : example(reply),
  };
}

/** The schema that a reference leads to. */
export function resolved(api: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  return { ...api.components.schemas[name], title: name };
}
