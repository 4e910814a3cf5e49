import { liveEventSecrets } from '../../../src/domains/programs/program-lookup.queries.ts';
import { issueProgramEventSecret } from '../../../src/domains/programs/use-cases/issue-program-event-secret.ts';
import { forkOf } from '../../../src/platform/database/orm.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const at = (time: string) => ({
  ...api.runtime.context({ kind: 'system', name: 'test' }),
  clock: { now: () => new Date(time) },
});

const textsAt = async (time: string, programId: string): Promise<string[]> =>
  (await liveEventSecrets(at(time), programId)).secrets.map(({ text }) => text);

const makeBareProgram = async (): Promise<string> => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: 'Acme', commissionType: 'one_time', commissionPercent: 10 };
  return (await api.call('POST', '/programs', { key, body })).data.id;
};

test('a program without secrets returns none', async () => {
  expect(await textsAt('2026-03-01T00:00:00Z', await makeBareProgram())).toEqual([]);
});

test('the current secret comes first, and the previous one expires exactly 24 hours after rotation', async () => {
  const programId = await makeBareProgram();
  const first = await issueProgramEventSecret(at('2026-03-01T00:00:00Z'), { programId });
  const second = await issueProgramEventSecret(at('2026-03-05T00:00:00Z'), { programId });
  expect(second.previousExpiresAt).toEqual(new Date('2026-03-06T00:00:00Z'));
  const live = (time: string) => textsAt(time, programId);
  expect(await live('2026-03-05T23:59:59.999Z')).toEqual([second.signingSecret, first.signingSecret]);
  expect(await live('2026-03-06T00:00:00.000Z')).toEqual([second.signingSecret]);
  expect(await live('2030-01-01T00:00:00Z')).toEqual([second.signingSecret]);
});

test('a second rotation does not extend the first secret', async () => {
  const programId = await makeBareProgram();
  const first = await issueProgramEventSecret(at('2026-03-01T00:00:00Z'), { programId });
  await issueProgramEventSecret(at('2026-03-01T06:00:00Z'), { programId });
  await issueProgramEventSecret(at('2026-03-01T12:00:00Z'), { programId });
  expect(await textsAt('2026-03-02T05:59:59Z', programId)).toContain(first.signingSecret);
  expect(await textsAt('2026-03-02T06:00:00Z', programId)).not.toContain(first.signingSecret);
});

test('concurrent rotations leave one current secret and three valid ones', async () => {
  const programId = await makeBareProgram();
  await Promise.all(Array.from({ length: 6 }, () => issueProgramEventSecret(at('2026-03-01T00:00:00Z'), { programId })));
  const found = await rows(
    forkOf(api.runtime.orm),
    sql<{
      current: boolean;
    }>`select expires_at is null as current from program_event_secret where program_id = ${programId}::uuid`,
  );
  expect(found.filter((row) => row.current)).toHaveLength(1);
  expect(await textsAt('2026-03-01T00:00:00Z', programId)).toHaveLength(3);
});

test('secrets are stored encrypted', async () => {
  const programId = await makeBareProgram();
  const { signingSecret } = await issueProgramEventSecret(at('2026-03-01T00:00:00Z'), { programId });
  const [row] = await rows(
    forkOf(api.runtime.orm),
    sql<{
      stored: string;
    }>`select row_to_json(s)::text as stored from program_event_secret s where program_id = ${programId}::uuid`,
  );
  expect(row?.stored).not.toContain(signingSecret.slice('whsec_'.length, -4));
});
