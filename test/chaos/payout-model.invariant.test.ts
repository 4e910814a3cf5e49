import fc from 'fast-check';
import { runAudit } from '../../src/audit/index.ts';
import type { RailStatus, Resolution, ReviewReason } from '../../src/contracts/payouts.ts';
import { NEVER_RECEIVED, providerError } from '../support/provider.ts';
import { payByRail, type RailPayout, rowsOf, transferOf, useRailApi } from '../support/rail-payouts.ts';

/** C4: the rules of payouts as a small model, against the database. */
const api = useRailApi();

type Step =
  | { kind: 'report'; status: RailStatus }
  | { kind: 'silence' }
  | { kind: 'exhausted' }
  | { kind: 'complete' }
  | { kind: 'fail' }
  | { kind: 'return'; evidence?: string }
  | { kind: 'ask' }
  | { kind: 'resolve'; outcome: Resolution };

interface Model {
  status: 'processing' | 'completed' | 'failed';
  outcome: 'unknown' | 'accepted' | 'paid' | 'failed' | 'returned';
  review: ReviewReason | null;
  wasAccepted: boolean;
  failedByPerson: boolean;
  /** The provider reported a return of what is recorded as failed. */
  returnRequested: boolean;
  /** A person reported a return that the provider does not confirm. */
  claimed: boolean;
  /** Returned by a person's evidence only. */
  evident: boolean;
}

const end = (model: Model, outcome: 'paid' | 'failed' | 'returned'): void => {
  model.outcome = outcome;
  model.status = outcome === 'paid' ? 'completed' : 'failed';
  if (model.review !== 'contradiction') model.review = null;
  if (outcome === 'returned') Object.assign(model, { claimed: false, returnRequested: false, evident: false });
};

/** What a person says about money that came back. */
const claim = (model: Model, evidence?: string): string => {
  if (model.status !== 'completed') return 'ILLEGAL_TRANSITION';
  if (model.review === 'contradiction') return 'UNRESOLVED_PAYOUT';
  if (model.claimed && !evidence) return 'RETURN_REPORTED';
  model.claimed = true;
  if (evidence) {
    end(model, 'returned');
    model.evident = true;
  }
  return 'ok';
};

const resolve = (model: Model, outcome: Resolution): string => {
  if (model.review !== 'contradiction') {
    if (outcome !== 'paid' || !model.claimed) return 'NOTHING_TO_RESOLVE';
    Object.assign(model, { claimed: false, review: null });
    return 'ok';
  }
  const isRecorded = (outcome === 'paid') === (model.status === 'completed');
  // Money that came back is booked already, whatever was true before, unless only a person said so.
  if (!isRecorded && (model.outcome !== 'returned' || model.evident)) {
    end(model, outcome === 'paid' ? 'paid' : 'failed');
    model.failedByPerson = false;
  }
  model.review = null;
  if (model.outcome === 'paid' && model.returnRequested) end(model, 'returned');
  if (model.outcome !== 'paid') model.claimed = false;
  else if (model.claimed) model.review = 'return_unconfirmed';
  return 'ok';
};

const reportTo = (model: Model, status: RailStatus): void => {
  const { outcome } = model;
  if (outcome === 'unknown' || outcome === 'accepted') {
    model.wasAccepted ||= status === 'accepted';
    if (status !== 'accepted') return end(model, status);
    if (outcome === 'unknown') Object.assign(model, { outcome: 'accepted', review: null });
    return;
  }
  if (outcome === 'paid' && status === 'returned') return end(model, 'returned');
  const isNewlyAccepted = status === 'accepted' && model.failedByPerson && !model.wasAccepted;
  if (outcome === 'paid' && status === 'failed') model.review = 'contradiction';
  if (outcome === 'returned' && status === 'paid' && model.evident) model.review = 'contradiction';
  if (outcome === 'failed' && status === 'returned') model.returnRequested = true;
  if (outcome === 'failed' && (status === 'paid' || isNewlyAccepted)) model.review = 'contradiction';
};

/** The status of the response that the step gets, and its reason. */
const advance = (model: Model, step: Step): string => {
  const isOpen = model.status === 'processing';
  if (step.kind === 'report') reportTo(model, step.status);
  if (step.kind === 'silence' && isOpen) {
    if (model.outcome === 'accepted') model.review = 'accepted_too_long';
    else model.review ??= 'unknown_too_long';
  }
  if (step.kind === 'exhausted' && isOpen)
    model.review ??= model.outcome === 'accepted' ? 'accepted_before' : 'resends_exhausted';
  if (step.kind === 'fail' && model.status === 'completed') return 'ALREADY_COMPLETED';
  if (step.kind === 'fail' && isOpen && model.outcome === 'accepted' && model.review !== 'accepted_too_long')
    return 'RAIL_ACCEPTED';
  if (step.kind === 'complete' || step.kind === 'fail') {
    if (!isOpen || model.review === null) return 'RAIL_NOT_MANUAL';
    model.failedByPerson = step.kind === 'fail';
    end(model, step.kind === 'fail' ? 'failed' : 'paid');
  }
  if (step.kind === 'ask' && model.claimed) model.review ??= 'return_unconfirmed';
  if (step.kind === 'return') return claim(model, step.evidence);
  return step.kind === 'resolve' ? resolve(model, step.outcome) : 'ok';
};

const NOTE = { note: 'The provider told us' };

const age = (column: string, payoutId: string) =>
  rowsOf(
    api,
    `update payout_attempt set ${column} = now() - interval '100 hours' where payout_id = ? and ${column} is not null`,
    [payoutId],
  );

const perform = async (payout: RailPayout, model: Model, step: Step): Promise<string> => {
  const { payoutId, report, bookReturn, askAboutReturn, lookUp, act } = payout;
  if (step.kind === 'report') {
    const wasReturned = model.outcome === 'returned';
    await report(step.status);
    const { outcome } = (await payout.attempt()) as { outcome: string };
    if (step.status === 'returned' && outcome === 'paid' && !wasReturned) await bookReturn();
    return 'ok';
  }
  if (step.kind === 'silence') {
    await age('accepted_at', payoutId);
    await age('first_sent_at', payoutId);
    api.provider.onLookUp(() => providerError(500, 'internal_error'));
    await lookUp();
    await rowsOf(
      api,
      `update payout_attempt set first_sent_at = now(), accepted_at = case when accepted_at is not null then now() end
       where payout_id = ?`,
      [payoutId],
    );
    return 'ok';
  }
  if (step.kind === 'exhausted') {
    await age('last_sent_at', payoutId);
    await rowsOf(api, 'update payout_attempt set resend_at = null where payout_id = ?', [payoutId]);
    api.provider.onLookUp(() => NEVER_RECEIVED);
    await lookUp();
    return 'ok';
  }
  if (step.kind === 'ask') {
    api.provider.onLookUp(() => transferOf(payout.order, 'paid'));
    if (model.claimed) await askAboutReturn();
    return 'ok';
  }
  const { kind, ...more } = step;
  const response = await act(kind, { ...NOTE, ...more });
  const [open] = (await payout.corrections()).filter(({ status, cause }) => status === 'open' && cause === 'rail_return');
  if (open) await bookReturn();
  return response.status === 200 ? 'ok' : response.error.details.reason;
};

const steps = fc.array(
  fc.oneof(
    fc.constantFrom<RailStatus>('accepted', 'paid', 'failed', 'returned').map((status): Step => ({ kind: 'report', status })),
    fc.constantFrom<Step>({ kind: 'silence' }, { kind: 'exhausted' }, { kind: 'complete' }, { kind: 'fail' }),
    fc.constantFrom<Step>({ kind: 'return' }, { kind: 'return', evidence: 'Statement 12' }, { kind: 'ask' }),
    fc.constantFrom<Resolution>('paid', 'not_paid').map((outcome): Step => ({ kind: 'resolve', outcome })),
  ),
  { minLength: 1, maxLength: 12 },
);

it('C4: any sequence of reports, silence and decisions ends as the model says, and the money with it', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const payout = await payByRail(api);
      api.provider.onSubmit(() => providerError(500, 'internal_error'));
      await payout.send();
      const model: Model = {
        ...{ status: 'processing', outcome: 'unknown', review: null },
        ...{ wasAccepted: false, failedByPerson: false, returnRequested: false, claimed: false, evident: false },
      };
      for (const step of sequence) {
        const performed = await perform(payout, { ...model }, step);
        expect([step, performed]).toEqual([step, advance(model, step)]);
        const { status, reviewReason, needsAttention } = await payout.read();
        const { outcome } = (await payout.attempt()) as { outcome: string };
        expect({ step, status, outcome, review: reviewReason }).toEqual({
          step,
          status: model.status,
          outcome: model.outcome,
          review: model.review,
        });
        expect(needsAttention).toBe(model.review !== null);
      }
      const [balance] = await rowsOf(
        api,
        'select payable::int, in_payout::int, paid::int from ledger_balance where affiliate_id = ?',
        [payout.affiliateId],
      );
      const at = { processing: 'in_payout', completed: 'paid', failed: 'payable' }[model.status];
      expect(balance).toEqual({ payable: 0, in_payout: 0, paid: 0, [at]: 2000 });
    }),
    { numRuns: 150, endOnFailure: true },
  );
  // Nothing relays the outbox here, however long it takes.
  const audited = await runAudit({
    ctx: api.runtime.context({ kind: 'system', name: 'test' }),
    budgets: { promptMs: 3_600_000 },
  });
  expect(audited.findings).toEqual([]);
});
