import type { createDocument } from 'zod-openapi';
import { FIELD_DESCRIPTIONS } from './descriptions/field-descriptions.ts';
import { describeAbsence } from './openapi-optional.ts';

type OpenApiDocument = ReturnType<typeof createDocument>;

/** The parts of a JSON schema that can contain fields. */
interface Schema {
  $ref?: string;
  description?: string;
  format?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Schemas and operations that share the descriptions of another schema. */
const SAME_FIELDS: Readonly<Record<string, string>> = {
  AffiliateDetail: 'Affiliate',
  ProgramDetail: 'Program',
  ProgramUpdated: 'Program',
  updateMerchant: 'Merchant',
  createProgram: 'Program',
  updateProgram: 'Program',
  createLink: 'Link',
  updateLink: 'Link',
  createCoupon: 'Coupon',
  MyProgramDetail: 'MyProgram',
  updatePayoutInfo: 'PayoutInfo',
  PayoutResult: 'Payout',
  MyPayout: 'Payout',
  ConversionDetail: 'Conversion',
  ConversionEvent: 'Conversion',
  ConversionRefunded: 'Conversion',
  WebhookDeliveryDetail: 'WebhookDelivery',
  createWebhookEndpoint: 'WebhookEndpoint',
  updateWebhookEndpoint: 'WebhookEndpoint',
};

const MINOR_UNITS = 'Integer minor units (cents)';
const UTC = 'ISO 8601, UTC';

/** Descriptions that only state the unit, as `platform/http/schemas.ts` sets them. */
const UNITS: Readonly<Record<string, string>> = {
  UUID: '',
  Days: '',
  'ISO 4217, lower case': '',
  [MINOR_UNITS]: ' (integer minor units, such as cents)',
  [UTC]: ' (ISO 8601, UTC)',
  'ISO 8601 with offset or Z': ' (ISO 8601 with offset or Z)',
};

/** From the most specific scope, the innermost object, to the name alone. */
const findDescription = (scopes: readonly string[], name: string): string | undefined => {
  for (const scope of scopes) {
    const found = FIELD_DESCRIPTIONS[`${scope}.${name}`] ?? FIELD_DESCRIPTIONS[`${SAME_FIELDS[scope] ?? scope}.${name}`];
    if (found !== undefined) return found;
  }
  return FIELD_DESCRIPTIONS[name];
};

const AMOUNT = /([aA]mount|[tT]hreshold|^commission)$/;

/** A description of the schema itself replaces its unit, which is added again. */
const withUnit = (name: string, schema: Schema, own: string): string => {
  if (schema.format === 'date-time' && !own.includes('ISO 8601')) return own + UNITS[UTC];
  const isAmount = schema.type === 'integer' && AMOUNT.test(name) && !own.includes('minor units');
  return isAmount ? own + UNITS[MINOR_UNITS] : own;
};

const describe = (scopes: readonly string[], name: string, schema: Schema, own = schema.description): string | undefined => {
  if (own !== undefined && UNITS[own] === undefined) return withUnit(name, schema, own);
  const text = findDescription(scopes, name);
  if (text === undefined) return undefined;
  const unit = own ?? (schema.format === 'date-time' ? UTC : 'UUID');
  return text + (UNITS[unit] ?? '');
};

const describeFields = (scopes: readonly string[], schema: Schema): void => {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const description = describe(scopes, name, field);
    if (description !== undefined) field.description = description;
    else delete field.description;
    const [outer = ''] = scopes.slice(-1);
    describeFields([`${outer}.${name}`, name, ...scopes], field);
  }
  const { items, additionalProperties } = schema;
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  for (const part of [...(items ? [items] : []), ...inner, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    describeFields(scopes, part);
  }
};

interface Described {
  operationId?: string;
  parameters?: { name: string; description?: string; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

const describeOperation = (scope: string, operation: Described): void => {
  for (const parameter of operation.parameters ?? []) {
    const { name, schema = {} } = parameter;
    const description = describe([scope], name, schema, parameter.description ?? schema.description);
    if (description !== undefined) parameter.description = description;
    delete schema.description;
  }
  const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
  for (const { schema } of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
    if (schema) describeFields([scope], schema);
  }
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Completes the descriptions of all fields and parameters from the table. */
export const describeDocument = (document: OpenApiDocument): OpenApiDocument => {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) describeFields([name], schema as Schema);
  for (const item of Object.values(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method] as Described | undefined;
      if (!operation) continue;
      describeOperation(operation.operationId ?? '', operation);
      describeAbsence(method, operation);
    }
  }
  for (const item of Object.values(document.webhooks ?? {})) {
    if (item.post) describeOperation('WebhookEnvelope', item.post as Described);
  }
  return document;
};
