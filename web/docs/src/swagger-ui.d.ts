// What is used of Swagger UI, whose bundle comes without types.
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface Request {
    url: string;
    method: string;
    headers: Record<string, string>;
    body?: unknown;
    /** Sends it instead of the browser. */
    userFetch?(): Promise<Response>;
  }
  export interface System {
    React: { Fragment: unknown; createElement(type: unknown, properties: object | null, ...children: unknown[]): unknown };
    layoutActions: { updateFilter(phrase: string): void };
  }
  /** What is used of the collections that Swagger UI keeps its state in. */
  export interface Collection {
    get(name: string): Collection;
    getIn(path: string[]): unknown;
    set(name: string, value: Collection): Collection;
    map(change: (part: Collection) => Collection): Collection;
    filter(keep: (part: Collection, name: string) => boolean): Collection;
    keySeq(): { toArray(): string[] };
    readonly size: number;
  }
  /** What components are shown with. Summaries have the path and the method in a record, and lists what selects their operations. */
  export interface Properties {
    path: string;
    method: string;
    operationProps?: { get(name: 'path' | 'method'): string };
    specSelectors?: { taggedOperations(): Collection };
  }
  export interface Plugin {
    fn?: { opsFilter(tagged: Collection, phrase: string): Collection };
    wrapComponents: Record<string, (original: unknown, system: System) => (properties: Properties) => unknown>;
  }
  export interface Options {
    domNode: Element;
    spec: object;
    plugins: Plugin[];
    requestInterceptor(request: Request): Request;
    onComplete(): void;
    deepLinking: boolean;
    tryItOutEnabled: boolean;
    displayRequestDuration: boolean;
    defaultModelsExpandDepth: number;
    validatorUrl: null;
  }
  export default function SwaggerUI(options: Options): System;
}
