import { defineEntity, p } from '@mikro-orm/core';
import type { Rail } from '../../../contracts/rails.ts';

/** What rails there are. Written by the migrate command. */
export const RailSchema = defineEntity({
  name: 'Rail',
  tableName: 'rail',
  properties: { name: p.text().$type<Rail>().primary() },
});

export const RAIL_ACCOUNT_STATUSES = ['unchecked', 'ready', 'failing'] as const;

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
    /** Ciphertext. */
    secrets: p.text(),
    /** Rises with each change of settings or secrets. */
    revision: p.integer().default(1),
    status: p.enum(RAIL_ACCOUNT_STATUSES).default('unchecked'),
    /** The provider's code for why the account cannot pay. Null unless it is held. */
    heldCode: p.text().nullable(),
    heldSince: p.datetime(3).nullable(),
    /** Attempts since then that tried whether it can pay again. */
    probes: p.integer().default(0),
    /** When the next one may be sent. Null unless it is held. */
    probeAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
