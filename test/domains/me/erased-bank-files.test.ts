import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { writeStatementMessage } from '../../../src/local/bank-double/messages.ts';
import { DAY, makeBankPayouts } from '../../api/bank-files/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';

const api = useOwnApi();

const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const addressOf = async (payoutId: string): Promise<string> => {
  const [row] = await rowsOf(
    api,
    'select f.email from payout o join affiliate a on a.id = o.affiliate_id join affiliate_profile f on f.id = a.profile_id where o.id = ?',
    [payoutId],
  );
  return row.email;
};

/** Everything that is stored of files and statements of banks, as text. */
const storedText = async (): Promise<string> =>
  JSON.stringify([
    await rowsOf(api, 'select f.* from bank_file f', []),
    await rowsOf(api, 'select l.* from bank_file_line l', []),
    await rowsOf(api, 'select s.* from bank_statement s', []),
    await rowsOf(api, 'select b.* from bank_booking b', []),
  ]);

test('the bytes of a file and the name that a bank suggests end with the payee, and a later word stores no name again', async () => {
  const { makeAndSend, importAll, importBytes, bank, states, payoutIds } = await makeBankPayouts(api, ['Cy VOPRVMC'], {
    bank: { verifiesPayees: true },
  });
  const { file, answers } = await makeAndSend();
  await importAll(answers);
  await importAll(bank.execute(file.messageId, DAY));
  expect(await states()).toEqual(['paid']);
  const lineOf = async () =>
    (
      await rowsOf(
        api,
        `select f.content is null as "hasNoBytes", l.suggested_name is null as "hasNoName", l.payee_check as "check"
          from bank_file f join bank_file_line l on l.file_id = f.id where f.id = ?`,
        [file.id],
      )
    )[0];
  expect(await lineOf()).toEqual({ hasNoBytes: false, hasNoName: false, check: 'close_match' });
  await erasePerson(system(), { email: await addressOf(payoutIds[0] ?? '') });
  expect(await lineOf()).toEqual({ hasNoBytes: true, hasNoName: true, check: 'close_match' });
  // A space more is another file.
  for (const { bytes, ...answer } of answers) {
    const again = await importBytes({ ...answer, bytes: Buffer.concat([bytes, Buffer.from(' ')]) });
    expect(again.data).toMatchObject({ repeated: false, unmatched: 0 });
  }
  expect(await lineOf()).toEqual({ hasNoBytes: true, hasNoName: true, check: 'close_match' });
});

test('a file keeps its bytes until the payouts of the person have ended', async () => {
  const { makeAndSend, payoutIds, content } = await makeBankPayouts(api, ['Ada A']);
  const { file } = await makeAndSend();
  await erasePerson(system(), { email: await addressOf(payoutIds[0] ?? '') });
  expect(await content(file.id)).toContain('Ada A');
});

test('notes on discarded files, ids of payments that a merchant made elsewhere and bookings of others lose the person', async () => {
  const bank = { verifiesPayees: true };
  const [sent, other] = [await makeBankPayouts(api, ['Cy VOPRVMC'], { bank }), await makeBankPayouts(api, ['Bob B'])];
  const mark = unique();
  const [email, name] = [`grace.${mark}@example.com`, `Grace ${mark}`];
  const programs = 'select program_id as "programId" from payout where id = any(?::uuid[])';
  for (const { programId } of await rowsOf(api, programs, [`{${[...sent.payoutIds, ...other.payoutIds].join(',')}}`]))
    await createAffiliate(system(), { programId, email, name, source: 'api' });
  const discarded = (await other.make()).data.files[0];
  await other.call('POST', `/bank-files/${discarded.id}/discard`, { note: `Asked ${name} (${email})` });
  const entries = [
    { ref: 'B4', amount: '9.00', direction: 'DBIT' as const, on: DAY, parts: [{ endToEndId: `RENT ${name}`, amount: '9.00' }] },
  ];
  const message = { id: 'S1', at: new Date(), iban: DEBTOR_IBAN, from: DAY, to: DAY, entries };
  const statement = writeStatementMessage('053', '08', message).toString();
  expect((await other.call('POST', '/bank-files/statements', { content: statement })).data).toMatchObject({ foreign: 1 });
  const { answers } = await sent.makeAndSend();
  for (const { bytes } of answers) {
    const content = bytes.toString().replace(/<OrgnlEndToEndId>[^<]*</, `<OrgnlEndToEndId>SALARY ${name}<`);
    await sent.call('POST', '/bank-files/statements', { content });
  }
  expect((await storedText()).split(name).length - 1).toBe(2);
  expect((await erasePerson(system(), { email })).erased.notes).toBeGreaterThanOrEqual(2);
  const left = await storedText();
  expect(left).not.toContain(name);
  expect(left).not.toContain(email);
  expect(left).toContain('Asked [erased] ([erased])');
  expect((await erasePerson(system(), { email })).erased.notes).toBe(0);
});

test('a note on a discarded file loses every part of the name of a payee', async () => {
  const { make, call, payoutIds } = await makeBankPayouts(api, ['Ada A']);
  const { id } = (await make()).data.files[0];
  const mark = unique();
  await rowsOf(
    api,
    'update affiliate_profile set name = ? where id = (select a.profile_id from affiliate a join payout o on o.affiliate_id = a.id where o.id = ?) returning id',
    [`Grace ${mark}`, payoutIds[0]],
  );
  await call('POST', `/bank-files/${id}/discard`, { note: `Wrong account of ${mark}` });
  await erasePerson(system(), { email: await addressOf(payoutIds[0] ?? '') });
  expect((await call('GET', `/bank-files/${id}`)).data.discardNote).toBe('Wrong account of [erased]');
});
