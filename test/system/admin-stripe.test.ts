import { createProgram } from '../../src/domains/programs/index.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { makeMerchant } from '../support/factories.ts';
import { MISSING_ID } from '../support/payouts.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { sendStripeEvent, stripeEvent } from '../support/stripe/stripe-events.ts';
import { makeStripeProgram } from '../support/stripe/stripe-programs.ts';

const api = useOwnApi();
const SECRET = 'whsec_0123456789abcdefABCDEF0123456789';

const makeBareProgram = async (): Promise<string> => {
  const { merchantId } = await makeMerchant(api.runtime);
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  return (await createProgram(ctx, { merchantId, name: 'Partners', commissionType: 'one_time', commissionPercent: 10 })).id;
};

/** Runs a command as an operator would, with this text on its standard input. */
const admin = (args: string[], input = '') =>
  runProgram(['bin/admin.ts', ...args, '--json'], operatorEnv(api.runtime.config.DATABASE_URL), { input });

const stored = async (programId: string) =>
  (await runSql(api.runtime.config.DATABASE_URL, `select * from stripe_signing_secret where program_id = '${programId}'`))[0];

test('set-stripe-secret stores the secret encrypted, from standard input and from the option, and replaces an earlier one', async () => {
  const programId = await makeBareProgram();
  const first = await admin(['set-stripe-secret', '--program', programId], `${SECRET}\n`);
  expect([first.code, first.err]).toEqual([0, '']);
  expect(JSON.parse(first.out)).toEqual({ programId, secretLastFour: '6789', setAt: expect.any(String) });
  const row = await stored(programId);
  expect(row).toMatchObject({ last_four: '6789', set_by: 'system:operator' });
  expect(JSON.stringify(row)).not.toContain(SECRET.slice(6, 30));
  const second = await admin(['set-stripe-secret', '--program', programId, '--secret', `${SECRET.slice(0, -4)}wxyz`]);
  expect(second.code).toBe(0);
  expect(await stored(programId)).toMatchObject({ last_four: 'wxyz' });
});

test.each([
  ['an unknown program', ['--program', MISSING_ID], SECRET, /NOT_FOUND/],
  ['text that is no secret', ['--program', MISSING_ID], 'sk_live_123', /^error: standard input must be a signing secret/],
  ['an empty standard input', ['--program', MISSING_ID], '', /^error: standard input must be a signing secret/],
  ['an option that is no secret', ['--program', MISSING_ID, '--secret', 'whsec_'], '', /^error: [^\n]*whsec_/],
])('%s is one line on standard error, without the secret', async (_what, args, input, message) => {
  const { code, out, err } = await admin(['set-stripe-secret', ...args], input);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(message);
  expect(err).not.toContain('sk_live_123');
});

test('list-sale-problems shows an event that needs a person until resolve-sale-problem closes it', async () => {
  const made = await makeStripeProgram(api);
  const event = stripeEvent('charge.refunded', { id: 'ch_1', amount_refunded: '1' });
  await sendStripeEvent(api, made.endpoint, event);
  const listed = JSON.parse((await admin(['list-sale-problems'])).out);
  expect(listed).toMatchObject([{ merchantId: made.merchantId, eventId: event.id, objectId: 'ch_1', reason: 'UNREADABLE' }]);
  expect(listed[0].createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const resolved = await admin(['resolve-sale-problem', '--id', listed[0].id, '--note', 'Looked up at Stripe']);
  expect([resolved.code, resolved.err]).toEqual([0, '']);
  expect(JSON.parse((await admin(['list-sale-problems'])).out)).toEqual([]);
  expect((await admin(['resolve-sale-problem', '--id', listed[0].id, '--note', 'Again'])).code).toBe(0);
  const logged = JSON.parse((await admin(['audit-log', '--merchant', made.merchantId, '--resource', listed[0].id])).out);
  expect(logged).toMatchObject([
    {
      ...{ actor: 'system:operator', action: 'sale_problem.resolved', resourceType: 'sale_problem', resourceId: listed[0].id },
      changes: [
        { field: 'eventId', old: null, new: event.id },
        { field: 'reason', new: 'UNREADABLE' },
        { field: 'note', new: null, hidden: true },
      ],
    },
  ]);
  expect((await admin(['resolve-sale-problem', '--id', MISSING_ID, '--note', 'x'])).err).toContain('NOT_FOUND');
});
