import { defineEntity, p } from '@mikro-orm/core';
import { RAIL_ACCOUNT_STATUSES } from '../../../contracts/rail-accounts.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { AccountFinding } from './rail.ts';

/** What rails there are. Written by the migrate command. */
export const RailSchema = defineEntity({
  name: 'Rail',
  tableName: 'rail',
  properties: { name: p.text().$type<Rail>().primary() },
});

/** A version of a merchant's account at a provider: another identity is another one, and attempts stay with theirs. */
export const RailAccountSchema = defineEntity({
  name: 'RailAccount',
  tableName: 'rail_account',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    rail: p.text().$type<Rail>(),
    identity: p.text(),
    /** New payouts are paid from it. */
    isCurrent: p.boolean().default(true),
    /** Without the secrets. */
    settings: p.json<Readonly<Record<string, unknown>>>(),
    /** Ciphertext. Null once the merchant disconnected it. */
    secrets: p.text().nullable(),
    /** Rises with each change of settings or secrets. */
    revision: p.integer().default(1),
    status: p.enum(RAIL_ACCOUNT_STATUSES).default('unchecked'),
    /** What the last check found; null before the first one that was answered. */
    findings: p.json<readonly AccountFinding[]>().nullable(),
    /** In minor units by currency, as of the last check. Null where the provider does not show them. */
    balances: p.json<Readonly<Record<string, number>>>().nullable(),
    /** When the check was made whose answer this is. */
    checkedAt: p.datetime(3).nullable(),
    /** When the provider did not answer a check; null once it answered a later one. */
    unansweredAt: p.datetime(3).nullable(),
    /** The provider's code for why the account cannot pay. Null unless it is held. */
    heldCode: p.text().nullable(),
    heldSince: p.datetime(3).nullable(),
    /** Attempts since then that tried whether it can pay again. */
    probes: p.integer().default(0),
    /** When the next one may be sent. Null unless it is held. */
    probeAt: p.datetime(3).nullable(),
    /** When its orders so far would have been sent at an even pace. Null: it has no pace, or sent none. */
    pacedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
