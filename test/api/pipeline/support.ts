import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import type { Runtime } from '../../../src/runtime.ts';
import type { CallOptions, TestApi, TestResponse } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { makeApprovals, makePendingChange } from '../../support/approvals.ts';
import { makeDifference } from '../../support/differences.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeKey,
  makeMerchant,
  makePayable,
  makeProgram,
  sendSale,
} from '../../support/factories.ts';
import { sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { makeStripeProgram } from '../../support/stripe/stripe-programs.ts';
import { makeBankPayouts } from '../bank-files/support.ts';
import { makeInviter } from '../invites/support.ts';
import { addMedia, makeResource, makeOwner as makeResourceOwner, makeUpload } from '../resources/support.ts';

export const system = { kind: 'system', name: 'test' } as const;

export const nameOf = (op: Operation): string => `${op.method} ${op.path}`;

/** For `it.each`: the operation by its method and path. */
export const table = (operations: readonly Operation[]): [string, Operation][] => operations.map((op) => [nameOf(op), op]);

export const withId = OPERATIONS.filter((op) => op.path.includes('{id}'));

export const operationOf = (id: string): Operation => {
  const found = OPERATIONS.find((op) => op.id === id);
  if (!found) throw new Error(`No operation is called ${id}`);
  return found;
};

const AT_ONCE = 4;

/** What is wrong with each operation, by its name: a failure of one does not hide those of others. */
export const problemsOf = async (
  operations: readonly Operation[],
  check: (op: Operation) => Promise<string[]>,
): Promise<string[]> => {
  const checked = async (op: Operation): Promise<string[]> => {
    const found = await check(op).catch((error: Error) => [error.message]);
    return found.map((problem) => `${nameOf(op)}: ${problem}`);
  };
  return (await pMap(operations, checked, { concurrency: AT_ONCE })).flat();
};

/** Lies in the past, before any entry. */
export const A_MONTH = '2025-12';

/**
 * Calls an operation with the documented example as its body. The id, or token, is that of its path; by default one of an invite.
 * Anything else it names does not exist unless it belongs to `own`.
 */
export const callOperation = async (
  api: TestApi,
  op: Operation,
  options: CallOptions & { id?: string | undefined; own?: Partial<OwnedObject> } = {},
): Promise<TestResponse> => {
  const isToken = op.path.includes('{token}') && op.id !== 'revokeInvite';
  const { id = isToken ? await makeInviteToken(api) : randomUUID(), own = {}, ...rest } = options;
  const path = op.path
    .replace('{period}', A_MONTH)
    .replace(/\{\w+\}/, id)
    .replaceAll(/\{(\w+)\}/g, (_, name) => own.params?.[name] ?? randomUUID());
  const program_id = String(own.fields?.['program_id'] ?? randomUUID());
  const required: Record<string, string> = op.id === 'getMyMarketingResource' ? { program_id } : {};
  const query = { ...required, ...rest.query };
  return api.call(op.method, path, { body: op.example.body, ...rest, ...(Object.keys(query).length > 0 ? { query } : {}) });
};

const makeInviteToken = async (api: TestApi): Promise<string> => (await makeInviter(api)).invite();

/** The documented example, with what is the owner's where it names something. */
export const ownBody = (op: Operation, { affiliateId, fields = {} }: OwnedObject): unknown => {
  const example = op.example.body;
  if (typeof example !== 'object' || example === null) return example;
  const own = Object.entries({ ...(affiliateId === undefined ? {} : { affiliateId }), ...fields });
  return { ...example, ...Object.fromEntries(own.filter(([name]) => name in example)) };
};

export interface OwnedObject {
  id: string;
  ownerId: string;
  /** A key of the owner with all scopes over the object. */
  key: string;
  table: string;
  /** Used in bodies that name an affiliate. */
  affiliateId?: string;
  /** Used in other fields of bodies. */
  fields?: Record<string, string | string[]>;
  /** Used in parameters of the path after the id. */
  params?: Record<string, string>;
}

/** The landing page that links of examples lead to. */
const WITH_LANDING_PAGE = { website: 'https://acme.example', allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }] };

/** Makes the object that `{id}` names, by the path before `{id}`. */
export const MAKERS: Readonly<Record<string, (api: TestApi) => Promise<OwnedObject>>> = {
  programs: async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const { affiliateId } = await makeAffiliate(api.runtime, programId);
    return { id: programId, ownerId: merchantId, key, table: 'program', affiliateId };
  },
  affiliates: async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key, WITH_LANDING_PAGE);
    const { affiliateId } = await makeAffiliate(api.runtime, programId);
    return { id: affiliateId, ownerId: merchantId, key, table: 'affiliate' };
  },
  conversions: async (api) => {
    const { merchantId, key, conversionId } = await makePayable(api);
    return { id: conversionId, ownerId: merchantId, key, table: 'conversion' };
  },
  sales: async (api) => {
    const { merchantId, key, program, affiliateId } = await makePayable(api);
    await sendSale(api, program, {});
    const { data } = await api.call('GET', '/sales', { key, query: { attributed: 'false' } });
    return { id: data[0].id, ownerId: merchantId, key, table: 'sale', affiliateId };
  },
  'sale-problems': async (api) => {
    const { merchantId, key, endpoint } = await makeStripeProgram(api);
    await sendStripeEvent(api, endpoint, stripeEvent('charge.refunded', { id: 'ch_1' }));
    const { data } = await api.call('GET', '/sale-problems', { key });
    return { id: data[0].id, ownerId: merchantId, key, table: 'sale_problem' };
  },
  flags: async (api) => {
    const { merchantId, key, affiliateId, conversionId } = await makePayable(api);
    const body = { affiliateId, conversionIds: [conversionId], note: 'Bids on our brand name' };
    const made = await api.call('POST', '/flags', { key, body });
    return { id: made.data.id, ownerId: merchantId, key, table: 'flag' };
  },
  payouts: async (api) => {
    const { merchantId, key, affiliateId, programId } = await makePayable(api);
    const made = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    return { id: made.data.id, ownerId: merchantId, key, table: 'payout' };
  },
  'payout-runs': async (api) => {
    const { merchantId, key, affiliateId } = await makePayable(api);
    const made = await api.call('POST', '/payout-runs', { key, body: {} });
    return { id: made.data.id, ownerId: merchantId, key, table: 'payout_run', params: { affiliateId } };
  },
  'bank-files': async (api) => {
    const { merchantId, key, make } = await makeBankPayouts(api, ['Ada Lovelace']);
    const made = await make();
    return { id: made.data.files[0].id, ownerId: merchantId, key, table: 'bank_file' };
  },
  'reconciliation/differences': async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    return { id: await makeDifference(api, { merchantId }), ownerId: merchantId, key, table: 'reconciliation_difference' };
  },
  adjustments: async (api) => {
    const { merchantId, key, adjust } = await makeApprovals(api);
    const { data } = await adjust(5_000, 'bonus');
    return { id: data.id, ownerId: merchantId, key, table: 'adjustment_request' };
  },
  'merchant/pending-changes': async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    return { id: await makePendingChange(api, key), ownerId: merchantId, key, table: 'pending_change' };
  },
  webhooks: async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const fields = { since: new Date(Date.now() - 60_000).toISOString() };
    return { id: await makeEndpoint(api, key), ownerId: merchantId, key, table: 'webhook_endpoint', fields };
  },
  'webhook-deliveries': async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const endpoint = await makeEndpoint(api, key);
    await api.call('POST', `/webhooks/${endpoint}/test`, { key });
    const { data } = await api.call('GET', `/webhooks/${endpoint}/deliveries`, { key });
    return { id: data[0].id, ownerId: merchantId, key, table: 'webhook_delivery' };
  },
  'webhook-replays': async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const since = new Date(Date.now() - 60_000).toISOString();
    const made = await api.call('POST', `/webhooks/${await makeEndpoint(api, key)}/replay`, { key, body: { since } });
    return { id: made.data.id, ownerId: merchantId, key, table: 'webhook_replay' };
  },
  coupons: async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const { affiliateId } = await makeAffiliate(api.runtime, programId);
    const made = await api.call('POST', `/programs/${programId}/coupons`, { key, body: { affiliateId, code: 'ADA20' } });
    return { id: made.data.id, ownerId: merchantId, key, table: 'coupon' };
  },
  'me/programs': (api) => makeJoinedProgram(api),
  'me/earnings': (api) => makeJoinedProgram(api),
  'me/payouts': async (api) => {
    const { key, affiliateId, programId, profileId } = await makePayable(api);
    const made = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    return { id: made.data.id, ownerId: profileId, key: await makeAffiliateKey(api.runtime, profileId), table: 'payout' };
  },
  'me/links': async (api) => {
    const { ownerId, key } = await makeOwner(api, 'affiliate');
    const made = await api.call('POST', '/me/links', { key, body: { name: 'Newsletter' } });
    return { id: made.data.id, ownerId, key, table: 'link' };
  },
  applications: async (api) => {
    const { applicationId, merchantId, key } = await makeApplication(api);
    return { id: applicationId, ownerId: merchantId, key, table: 'application' };
  },
  'me/applications': async (api) => {
    const { applicationId, profileId } = await makeApplication(api);
    const key = await makeAffiliateKey(api.runtime, profileId);
    return { id: applicationId, ownerId: profileId, key, table: 'application' };
  },
  'marketing-resources': (api) => makePost(api),
  'marketing-resources/social-posts': (api) => makePost(api),
  'me/marketing-resources': (api) => makePublishedPost(api),
  'me/marketing-resources/social-posts': (api) => makePublishedPost(api),
  'auth/keys': async (api) => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const { keyId } = await makeKey(api.runtime, { ownerId: merchantId });
    return { id: keyId, ownerId: merchantId, key, table: 'api_key' };
  },
};

/** A published post with one media, and an upload that can be used for it. */
const makePost = async (api: TestApi): Promise<OwnedObject> => {
  const owner = await makeResourceOwner(api);
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  const mediaId = await addMedia(api, owner, id);
  const { body } = await makeUpload(api, owner, id);
  const fields = { program_id: owner.programId, media_ids: [mediaId], ...body };
  return { id, ownerId: owner.merchantId, key: owner.key, table: 'marketing_resource', fields, params: { mediaId } };
};

const makePublishedPost = async (api: TestApi): Promise<OwnedObject> => {
  const owner = await makeResourceOwner(api);
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  const { affiliateKey: key, programId: program_id } = owner;
  return { id, ownerId: owner.affiliateId, key, table: 'marketing_resource', fields: { program_id } };
};

/** A program with an upload that can become a file. */
const makeProgramWithUpload = async (api: TestApi): Promise<OwnedObject> => {
  const { merchantId, key, programId } = await makeResourceOwner(api);
  const { body } = await makeUpload(api, { key, programId }, null);
  return { id: programId, ownerId: merchantId, key, table: 'program', fields: body };
};

const makeProgramWithDomain = async (api: TestApi): Promise<OwnedObject> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId: id } = await makeProgram(api, key);
  await api.call('PUT', `/programs/${id}/portal/domain`, { key, body: { host: `${id}.acme.example` } });
  return { id, ownerId: merchantId, key, table: 'program' };
};

/** Makes the program that a person's operation names. */
const makeJoinedProgram = async (api: TestApi): Promise<OwnedObject> => {
  const { key: merchantKey } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchantKey);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  return { id: programId, ownerId: profileId, key: await makeAffiliateKey(api.runtime, profileId), table: 'program' };
};

/** A merchant, or a person in one program, with a key that has every scope. */
export const makeOwner = async (api: TestApi, keyType: 'merchant' | 'affiliate'): Promise<{ ownerId: string; key: string }> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  if (keyType === 'merchant') return { ownerId: merchantId, key };
  const { programId } = await makeProgram(api, key, WITH_LANDING_PAGE);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  return { ownerId: profileId, key: await makeAffiliateKey(api.runtime, profileId) };
};

/** The key type that the owner of an operation's objects has. */
export const ownerTypeOf = (op: Operation): 'merchant' | 'affiliate' =>
  op.access !== 'public' && !op.access.keys.includes('merchant') ? 'affiliate' : 'merchant';

const makeEndpoint = async (api: TestApi, key: string): Promise<string> => {
  const body = { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.completed', 'conversion.created'] };
  const made = await api.call('POST', '/webhooks', { key, body });
  if (made.status !== 201) throw new Error(`no endpoint: ${made.text}`);
  return made.data.endpoint.id;
};

/** Makers for operations that need more than their path names. */
const MAKERS_OF_OPERATIONS: Readonly<Record<string, (api: TestApi) => Promise<OwnedObject>>> = {
  createFile: makeProgramWithUpload,
  verifyPortalDomain: makeProgramWithDomain,
  removePortalDomain: makeProgramWithDomain,
};

export const makerOf = (op: Operation): ((api: TestApi) => Promise<OwnedObject>) => {
  const maker = MAKERS_OF_OPERATIONS[op.id] ?? MAKERS[op.path.slice(1, op.path.indexOf('/{id}'))];
  if (!maker) throw new Error(`${nameOf(op)}: MAKERS has no entry for its {id}`);
  return maker;
};

/** One object of each kind, for calls that only read it, or are refused. */
export const sharedObjects = (api: TestApi): ((op: Operation) => Promise<OwnedObject>) => {
  const objects = new Map<unknown, Promise<OwnedObject>>();
  return (op) => {
    const make = makerOf(op);
    const made = objects.get(make) ?? make(api);
    objects.set(make, made);
    return made;
  };
};

/** The stored row, to compare before and after. */
export const rowOf = async (runtime: Runtime, { table, id }: Pick<OwnedObject, 'table' | 'id'>): Promise<unknown> =>
  (
    await firstRow(
      runtime.context(system).em,
      sql<{ row: unknown }>`select to_jsonb(t) as row from ${sql.table(table)} t where id = ${id}::uuid`,
    )
  )?.row;
