import { z } from 'zod';
import {
  PAYEE_REQUIREMENTS,
  type PayeeAccount,
  type PayeeRequirement,
  type PayeeState,
} from '../../../../contracts/payee-accounts.ts';

const text = z.string().max(500);
const names = z.array(text).max(200);

/** v1: the capability `transfers`, and what is due by now. */
export const v1AccountSchema = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('account'),
  capabilities: z.object({ transfers: text.optional() }).nullish(),
  requirements: z
    .object({ currently_due: names.nullish(), past_due: names.nullish(), disabled_reason: text.nullish() })
    .nullish(),
});

const capabilitySchema = z.object({
  status: text,
  status_details: z
    .array(z.object({ code: text, resolution: text }))
    .max(50)
    .nullish(),
});

/** v2: the capability to take transfers into its balance, and entries with whose turn it is. */
export const v2AccountSchema = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('v2.core.account'),
  closed: z.boolean().nullish(),
  configuration: z
    .object({
      recipient: z
        .object({
          capabilities: z
            .object({ stripe_balance: z.object({ stripe_transfers: capabilitySchema.nullish() }).nullish() })
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
  requirements: z
    .object({
      entries: z
        .array(
          z.object({
            description: text,
            awaiting_action_from: text,
            minimum_deadline: z.object({ status: text }).nullish(),
          }),
        )
        .max(200)
        .nullish(),
    })
    .nullish(),
});

/** Names of fields at Stripe, by what they are to people. The first that fits counts. */
const WORDS: readonly [RegExp, PayeeRequirement][] = [
  [/external_account|outbound_destination|payout_method|bank/, 'bank_account'],
  [/tos_acceptance|terms_of_service|attestation/, 'terms'],
  [/document|liveness|verification/, 'identity_document'],
  [/address/, 'address'],
  [/id_number|ssn|tax_id/, 'tax_id'],
  [/^(business|company|identity\.(business|entity))|\bmcc\b/, 'business_details'],
  [/individual|person|representative|owner|director|executive|email|phone/, 'personal_details'],
];

/** In the order of the catalogue, each once. */
export const requirementsOf = (fields: readonly string[]): PayeeRequirement[] => {
  const found = new Set(fields.map((field) => WORDS.find(([pattern]) => pattern.test(field))?.[1] ?? 'other'));
  return PAYEE_REQUIREMENTS.filter((requirement) => found.has(requirement));
};

export const readV1Account = (json: unknown): PayeeAccount | null => {
  const read = v1AccountSchema.safeParse(json);
  if (!read.success) return null;
  const { id, capabilities, requirements } = read.data;
  const due = requirementsOf([...(requirements?.past_due ?? []), ...(requirements?.currently_due ?? [])]);
  const isRejected = requirements?.disabled_reason?.startsWith('rejected') ?? false;
  return { account: id, state: isRejected ? 'restricted' : stateOf(capabilities?.transfers, due), requirements: due };
};

/** Whatever is not active waits for somebody: for the owner where there is something to do, else for Stripe. */
const stateOf = (capability: string | undefined, due: readonly PayeeRequirement[]): PayeeState => {
  if (capability === 'active') return 'ready';
  return capability === 'unsupported' || capability === 'rejected' || (capability === 'restricted' && due.length === 0)
    ? 'restricted'
    : 'pending';
};

const DUE = ['currently_due', 'past_due'];

export const readV2Account = (json: unknown): PayeeAccount | null => {
  const read = v2AccountSchema.safeParse(json);
  if (!read.success) return null;
  const { id, closed, configuration, requirements } = read.data;
  const due = requirementsOf(
    (requirements?.entries ?? [])
      .filter(
        ({ awaiting_action_from: whose, minimum_deadline: deadline }) => whose === 'user' && DUE.includes(deadline?.status ?? ''),
      )
      .map(({ description }) => description),
  );
  const capability = configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers;
  const details = capability?.status_details ?? [];
  const isOver = closed === true || details.some(({ resolution }) => resolution === 'no_resolution');
  return { account: id, state: isOver ? 'restricted' : stateOf(capability?.status, due), requirements: due };
};
