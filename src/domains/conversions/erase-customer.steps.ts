import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { ERASURE_BATCH, type ErasedBatch, eraseInBatches } from '../../platform/database/erase-in-batches.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';

/** What merchants wrote about the person in adjustments. */
export const eraseAdjustmentNotes = async (ctx: Context, { members, words }: ErasedProfile): Promise<void> => {
  await firstRow(ctx.em, sql`select erase_adjustment_notes(${members}::uuid[], ${words}::text[])`);
  await execute(
    ctx.em,
    sql`update adjustment_request set note = without_terms(note, ${words}::text[]) where affiliate_id = any(${members}::uuid[])`,
  );
};

/** The person in notes on adjustments of others; returns how many. */
export const eraseAdjustmentMentions = async (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> => {
  const asked = await execute(
    ctx.em,
    sql`update adjustment_request set note = without_terms(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))
      where names_term(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))`,
  );
  const booked = await eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_adjustment as last
        from erase_adjustment_mentions(${address}, ${names}::text[], ${merchants}::uuid[], ${from}::uuid, ${ERASURE_BATCH})`,
    ),
  );
  return asked + booked;
};

/** What operators wrote about the person in problems with sales. */
export const eraseProblemNotes = (ctx: Context, address: string): Promise<number> =>
  execute(
    ctx.em,
    sql`update sale_problem set note = without_terms(note, array[${address}]) where names_term(note, array[${address}])`,
  );

/** The person as a customer, in sales and their clicks. */
export const eraseSales = (ctx: Context, { address, digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_sale as last
        from erase_customer(${address}, ${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${ERASURE_BATCH})`,
    ),
  );

/** As `eraseSales`, in payments that are not captured. */
export const eraseAuthorizations = (ctx: Context, { address, digest, ids }: ErasedPerson): Promise<number> =>
  execute(
    ctx.em,
    sql`update stripe_authorization set session = null, customer_id = null, customer_email_digest = null,
        customer_canonical_digest = null, customer_email_domain = null
      where customer_email_digest = ${digest} or lower(customer_id) = any(${ids}::text[])
        or names_term(session::text, array[${address}])`,
  );

/** As `eraseSales`, in what names the customer. After them: they show it. */
export const eraseIdentities = async (ctx: Context, { mailbox, ids }: ErasedPerson, pseudonym: string): Promise<void> => {
  await firstRow(ctx.em, sql`select erase_identities(${mailbox}, ${ids}::text[], ${pseudonym})`);
};

/** As `eraseSales`, in sign-ups. */
export const eraseSignUps = (ctx: Context, { digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_row as last
        from erase_identifications(${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${ERASURE_BATCH})`,
    ),
  );
