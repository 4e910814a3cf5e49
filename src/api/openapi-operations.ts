import type { createDocument } from 'zod-openapi';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The parts of a JSON schema that a text about a field needs. */
export interface FieldSchema {
  $ref?: string;
  const?: unknown;
  type?: string | string[];
  format?: string;
  enum?: readonly unknown[];
  description?: string;
  required?: string[];
  properties?: Record<string, FieldSchema>;
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  oneOf?: FieldSchema[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: readonly unknown[];
}

interface Content {
  schema?: FieldSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** An operation as the document describes it. */
export interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: unknown[];
  'x-key-types'?: string[];
  'x-codeSamples'?: CodeSample[];
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema?: FieldSchema }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

export interface DocumentedRequest {
  method: string;
  /** From the origin of the server, with parameters as `{id}`. */
  path: string;
  operation: DocumentedOperation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** All operations of a document, in its order, with those outside `/api/v1`. */
export const requestsOf = (document: OpenApiDocument): DocumentedRequest[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const [server = { url: '' }] = item.servers ?? document.servers ?? [];
      const operation = item[method] as DocumentedOperation | undefined;
      return operation ? [{ method: method.toUpperCase(), path: server.url.replace(/\/$/, '') + path, operation }] : [];
    }),
  );

/** Without examples under a name, the first of them. */
export const exampleBody = ({ requestBody }: DocumentedOperation): unknown => {
  const content = requestBody?.content['application/json'];
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
};

/** The successful response that has a body; undefined for a redirect. */
export const successOf = ({ responses }: DocumentedOperation): { type: string; content: Content } | undefined => {
  const [found] = ['201', '200'].flatMap((status) => Object.entries(responses[status]?.content ?? {}));
  return found && { type: found[0], content: found[1] };
};
