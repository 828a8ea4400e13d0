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
    React: { createElement(type: string, properties: object, ...children: string[]): unknown };
  }
  export interface Plugin {
    wrapComponents: Record<string, (original: unknown, system: System) => () => unknown>;
  }
  export interface Options {
    domNode: Element;
    spec: object;
    plugins: Plugin[];
    requestInterceptor(request: Request): Request;
    deepLinking: boolean;
    tryItOutEnabled: boolean;
    displayRequestDuration: boolean;
    defaultModelsExpandDepth: number;
    validatorUrl: null;
  }
  export default function SwaggerUI(options: Options): void;
}
