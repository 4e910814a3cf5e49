import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { KeyType, Preset, Scope } from '../../src/contracts/scopes.ts';
import { createAffiliate } from '../../src/domains/applications/index.ts';
import { createApiKey } from '../../src/domains/auth/index.ts';
import { createMerchant } from '../../src/domains/merchants/index.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { signWebhook } from '../../src/platform/crypto/standard-webhooks.ts';
import type { Runtime } from '../../src/runtime.ts';
import type { TestApi, TestResponse } from './api.ts';
import { screenAll } from './screening.ts';

const system = { kind: 'system', name: 'test' } as const;
export const unique = (): string => randomBytes(6).toString('hex');

export const makeKey = async (
  runtime: Runtime,
  options: { ownerId: string; keyType?: KeyType; scopes?: Scope[]; preset?: Preset; rateLimit?: number; expiresAt?: Date },
): Promise<{ keyId: string; key: string }> => {
  const { key, value } = await createApiKey(runtime.context(system), {
    keyType: 'merchant',
    name: 'test',
    rateLimit: 1_000_000,
    ...options,
  });
  return { keyId: key.id, key: value };
};

export interface TestMerchant {
  merchantId: string;
  keyId: string;
  /** A merchant key with every scope and no practical rate limit. */
  key: string;
}

export const makeMerchant = async (runtime: Runtime): Promise<TestMerchant> => {
  const name = unique();
  const { id: merchantId } = await createMerchant(runtime.context(system), {
    companyName: `Company ${name}`,
    email: `m-${name}@example.com`,
  });
  return { merchantId, ...(await makeKey(runtime, { ownerId: merchantId })) };
};

export interface TestProgram {
  programId: string;
  eventSecret: string;
}

/** A program without a hold, so that commissions are payable at once, and with an event secret. */
export const makeProgram = async (api: TestApi, key: string, more: Record<string, unknown> = {}): Promise<TestProgram> => {
  const created = await api.call('POST', '/programs', {
    key,
    body: {
      name: `Program ${unique()}`,
      commissionType: 'recurring',
      commissionPercent: 20,
      commissionHoldDays: 0,
      payoutThreshold: 1000,
      ...more,
    },
  });
  if (created.status !== 201) throw new Error(`no program: ${created.text}`);
  const secret = await api.call('POST', `/programs/${created.data.id}/event-secret`, { key });
  if (secret.status !== 201) throw new Error(`no event secret: ${secret.text}`);
  return { programId: created.data.id, eventSecret: secret.data.signingSecret };
};

export interface TestAffiliate {
  affiliateId: string;
  profileId: string;
  code: string;
}

/** Where a test affiliate is paid: by PayPal at `<local>@example.com`, or by bank transfer; null: nowhere. */
type TestPayoutDetails = string | { holder: string; iban?: string } | null;

const payoutOf = (local: TestPayoutDetails) => {
  if (local === null) return {};
  if (typeof local === 'string') return { paypalEmail: `${local}@example.com` };
  return { bankIban: local.iban ?? 'DE89370400440532013000', bankAccountHolder: local.holder };
};

/** An approved member. */
export const makeAffiliate = (
  runtime: Runtime,
  programId: string,
  local: TestPayoutDetails = `ok+${unique()}`,
): Promise<TestAffiliate> =>
  inTransaction(runtime.context(system), (ctx) =>
    createAffiliate(ctx, {
      programId,
      email: `a-${unique()}@example.com`,
      name: 'Ada Test',
      source: 'api',
      payout: payoutOf(local),
    }),
  );

/** The key of a person in a new program, with every affiliate scope. */
export const makeAffiliateKey = async (runtime: Runtime, profileId: string): Promise<string> =>
  (await makeKey(runtime, { ownerId: profileId, keyType: 'affiliate' })).key;

export const signedHeaders = (secret: string, body: string, at = Date.now()): Record<string, string> => {
  const id = `evt_${unique()}`;
  const timestampSeconds = Math.floor(at / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets: [secret] }),
  };
};

export interface SaleFacts {
  saleId?: string;
  amount?: number;
  currency?: string;
  occurredAt?: string;
  customer?: { id?: string; email?: string; stripeCustomerId?: string };
  referralCode?: string;
  couponCode?: string;
  clickToken?: string;
  subscriptionId?: string;
  metadata?: Record<string, string>;
}

export const saleEvent = (facts: SaleFacts): { type: string; timestamp: string; data: Record<string, unknown> } => ({
  type: 'sale.completed',
  timestamp: new Date().toISOString(),
  data: {
    saleId: `sale-${unique()}`,
    amount: 10_000,
    currency: 'usd',
    occurredAt: new Date().toISOString(),
    customer: { id: `c-${unique()}`, email: `buyer-${unique()}@example.org` },
    ...facts,
  },
});

/** Sends a signed event of a payment system. Its conversions stay unscreened. */
export const sendUnscreened = (api: TestApi, program: TestProgram, event: unknown): Promise<TestResponse> => {
  const body = JSON.stringify(event);
  return api.raw('POST', `/api/integrations/events/${program.programId}`, {
    body,
    headers: signedHeaders(program.eventSecret, body),
  });
};

/** Sends a signed event of a payment system and screens the conversions that it made. */
export const sendEvent = async (api: TestApi, program: TestProgram, event: unknown): Promise<TestResponse> => {
  const response = await sendUnscreened(api, program, event);
  await screenAll(api.runtime);
  return response;
};

export const sendSale = (api: TestApi, program: TestProgram, facts: SaleFacts): Promise<TestResponse> =>
  sendEvent(api, program, saleEvent(facts));

interface RefundFacts {
  saleId: string;
  amount: number;
  refundId?: string;
  occurredAt?: string;
}

/** A minute ahead, so that it is not before a sale that is reported after it. */
export const refundEvent = (facts: RefundFacts) => ({
  type: 'sale.refunded',
  timestamp: new Date().toISOString(),
  data: { refundId: `refund-${unique()}`, occurredAt: new Date(Date.now() + 60_000).toISOString(), ...facts },
});

export const sendRefund = (api: TestApi, program: TestProgram, facts: RefundFacts): Promise<TestResponse> =>
  sendEvent(api, program, refundEvent(facts));

/** A refund came to nothing. */
export const sendReversal = (
  api: TestApi,
  program: TestProgram,
  data: { saleId: string; refundId: string },
): Promise<TestResponse> => sendEvent(api, program, { type: 'sale.refund_reversed', timestamp: new Date().toISOString(), data });

/** Reports a sign-up or trial. */
export const sendIdentification = (
  api: TestApi,
  program: TestProgram,
  facts: {
    customer: { id?: string; email?: string; stripeCustomerId?: string };
    occurredAt?: string;
    referralCode?: string;
    couponCode?: string;
    clickToken?: string;
  },
): Promise<TestResponse> =>
  sendEvent(api, program, {
    type: 'customer.identified',
    timestamp: new Date().toISOString(),
    data: { occurredAt: new Date().toISOString(), ...facts },
  });

/** A merchant, unless given, with a program, an affiliate, and `amount` × 20 % payable to the affiliate, in the currency of the program. */
export const makePayable = async (
  api: TestApi,
  options: {
    amount?: number;
    local?: TestPayoutDetails;
    program?: Record<string, unknown> & { currency?: string };
    merchant?: TestMerchant;
  } = {},
) => {
  const merchant = options.merchant ?? (await makeMerchant(api.runtime));
  const program = await makeProgram(api, merchant.key, options.program);
  const affiliate = await makeAffiliate(api.runtime, program.programId, options.local);
  const saleId = `sale-${unique()}`;
  const { amount = 10_000, program: { currency = 'usd' } = {} } = options;
  const sale = await sendSale(api, program, { saleId, amount, currency, referralCode: affiliate.code });
  if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
  return { ...merchant, ...program, program, ...affiliate, saleId, conversionId: sale.data.conversionId as string };
};

/** A coupon of an affiliate, created an hour ago. */
export const makeCoupon = async (
  runtime: Runtime,
  { programId, affiliateId }: { programId: string; affiliateId: string },
  options: { code?: string; expiresAt?: string } = {},
): Promise<{ couponId: string; couponCode: string }> => {
  const couponId = runtime.ids.next();
  const couponCode = options.code ?? `C-${unique()}`;
  await runtime.context(system).em.execute(
    `insert into coupon (id, merchant_id, program_id, affiliate_id, code, expires_at, created_at)
       select ?, merchant_id, program_id, id, ?, ?, now() - interval '1 hour' from affiliate where id = ? and program_id = ?`,
    [couponId, couponCode, options.expiresAt ?? null, affiliateId, programId],
  );
  return { couponId, couponCode };
};

/** A click on the own code of an affiliate, `minutesAgo`. */
export const makeClick = async (
  runtime: Runtime,
  { programId, affiliateId, code }: { programId: string; affiliateId: string; code: string },
  minutesAgo = 0,
): Promise<{ clickId: string; clickToken: string }> => {
  const clickId = v7({ msecs: Date.now() - minutesAgo * 60_000 });
  await runtime.context(system).em.execute(
    `insert into click (id, program_id, affiliate_id, code, channel, source, campaign, visitor, address, browser, repeat_key)
       values (?, ?, ?, ?, 'page', 'direct', '{}', '\\x00', '\\x00', '\\x00', ?::bytea)`,
    [clickId, programId, affiliateId, code, clickId],
  );
  return { clickId, clickToken: `clk_${clickId.replaceAll('-', '')}` };
};
