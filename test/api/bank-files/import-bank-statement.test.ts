import { gzipSync } from 'node:zlib';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { DAY, makeBankPayouts } from './support.ts';

const api = useTestApi();

test('a file is accepted, paid by its bookings, rejected line by line, and returned', async () => {
  const made = await makeBankPayouts(api, ['Ada Paid', 'Bob ERRAC04RJCT', 'Cy ERRAC06RETN']);
  const { makeAndSend, importAll, importBytes, bank, states, read, payoutIds } = made;
  const { file, answers } = await makeAndSend();
  await importAll(answers);
  expect(await states()).toEqual(['at_bank', 'at_bank', 'at_bank']);
  const [status, notification] = bank.execute(file.id ? file.messageId : '', DAY);
  await importAll([status, notification].filter((message) => message !== undefined));
  expect(await states()).toEqual(['paid', 'failed', 'paid']);
  expect(await read(payoutIds[1] ?? '')).toMatchObject({ failureCode: 'rail_rejected' });
  await importAll(bank.sendBack(file.messageId, DAY));
  expect(await states()).toEqual(['paid', 'failed', 'returned']);
  // The statement of the day reports the same bookings once more.
  const statement = bank.statement('DE89370400440532013000', DAY, DAY);
  const again = await importBytes(statement);
  expect(again.data).toMatchObject({ kind: 'statement', changed: 0, unmatched: 0, repeated: false });
  expect(await importBytes(statement)).toMatchObject({ data: { repeated: true } });
  expect(await states()).toEqual(['paid', 'failed', 'returned']);
});

test('a sum pays what was not rejected, also when the rejection is told after the sum', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob ERRAC04RJCT', 'Cy C'], { bank: { booksBatches: true } });
  const { makeAndSend, importAll, bank, states } = made;
  const { file } = await makeAndSend();
  const messages = bank.execute(file.messageId, DAY);
  await importAll(messages.slice(1));
  expect(await states()).toEqual(['at_bank', 'at_bank', 'at_bank']);
  await importAll(messages.slice(0, 1));
  expect(await states()).toEqual(['paid', 'failed', 'paid']);
  expect((await made.call('GET', '/bank-files/bookings')).data).toEqual([]);
});

test('a sum of another amount pays nothing', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B'], { bank: { booksBatches: true } });
  const { file } = await made.makeAndSend();
  const [, booked] = made.bank.execute(file.messageId, DAY);
  const content = booked?.bytes.toString().replaceAll('40.00', '39.99');
  expect((await made.call('POST', '/bank-files/statements', { content })).data).toMatchObject({ changed: 0, unmatched: 1 });
  expect(await made.states()).toEqual(['at_bank', 'at_bank']);
  expect((await made.call('GET', '/bank-files/bookings')).data).toMatchObject([{ problem: 'other_amount', amount: 3_999 }]);
});

test('a file that is uploaded twice is refused the second time, which says nothing about the first', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B']);
  const { bank, content, importAll, importBytes, states, call } = made;
  const { file, answers } = await made.makeAndSend();
  const [refused] = bank.receive(Buffer.from(await content(file.id)));
  for (const order of [[refused, ...answers], answers]) for (const message of order) if (message) await importBytes(message);
  expect(await states()).toEqual(['at_bank', 'at_bank']);
  const { data } = await call('GET', '/bank-files/statements');
  expect(data.map(({ list }: { list: { why: string }[] }) => list.map(({ why }) => why))).toEqual([[], ['duplicate_file']]);
  expect((await call('GET', `/bank-files/${file.id}`)).data).toMatchObject({ bankState: 'ACTC', results: { accepted: 2 } });
  await importAll(bank.execute(file.messageId, DAY));
  expect(await states()).toEqual(['paid', 'paid']);
});

test('a payment that the bank takes for a duplicate is no failure: a person looks', async () => {
  const { bank, makeAndSend, importAll, states } = await makeBankPayouts(api, ['Ada A', 'Bob ERRAM05RJCT']);
  const { file } = await makeAndSend();
  await importAll(bank.execute(file.messageId, DAY).slice(0, 1));
  expect(await states()).toEqual(['at_bank', 'to_decide']);
});

test('a rejected file without a list of payments fails all of them', async () => {
  const { makeAndSend, importAll, states } = await makeBankPayouts(api, ['Ada A', 'Bob ERRFF01FILE']);
  await importAll((await makeAndSend()).answers);
  expect(await states()).toEqual(['failed', 'failed']);
});

test('names that were compared are noted, decide nothing, and are shown with the name that the bank suggests', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob VOPRVNM', 'Cy VOPRVMC'], { bank: { verifiesPayees: true } });
  const { makeAndSend, importAll, states, call, timeline, payoutIds } = made;
  const { file, answers } = await makeAndSend();
  await importAll([...answers, ...answers]);
  expect(await states()).toEqual(['at_bank', 'at_bank', 'at_bank']);
  const { data } = await call('GET', `/bank-files/${file.id}/lines`);
  expect(new Set(data.map(({ payeeCheck }: { payeeCheck: string }) => payeeCheck))).toEqual(
    new Set(['match', 'no_match', 'close_match']),
  );
  expect(data.find(({ payeeCheck }: { payeeCheck: string }) => payeeCheck === 'close_match').suggestedName).toBe('Cy VOPRVMC Jr');
  expect((await call('GET', `/bank-files/${file.id}`)).data).toMatchObject({
    payeeMismatches: 2,
    bankState: 'RVCM',
    acceptedAt: null,
  });
  expect((await timeline(payoutIds[1] ?? '')).filter((type) => type === 'payee_checked')).toHaveLength(1);
  const stored = await rowsOf(api, 'select suggested_name from bank_file_line where suggested_name is not null and file_id = ?', [
    file.id,
  ]);
  expect(stored).toHaveLength(1);
  expect(stored[0].suggested_name).not.toContain('Cy');
});

test('what is no bank message, is too large or about another account is refused in words', async () => {
  const { call, bank } = await makeBankPayouts(api, ['Ada A']);
  const post = (body: object) => call('POST', '/bank-files/statements', body);
  expect((await post({ content: '<a/>' })).error).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await post({ gzip: gzipSync(Buffer.alloc(11 * 1024 * 1024)).toString('base64') })).error.code).toBe('VALIDATION_ERROR');
  const other = bank.statement('NL91ABNA0417164300', DAY, DAY).bytes;
  expect((await post({ content: other.toString() })).error.details.reason).toBe('OTHER_ACCOUNT');
  expect((await post({})).error.code).toBe('VALIDATION_ERROR');
  const foreign = bank.statement('DE89370400440532013000', DAY, DAY).bytes;
  expect((await post({ gzip: gzipSync(foreign).toString('base64') })).data).toMatchObject({ kind: 'statement', unmatched: 0 });
});

test('a discarded file that the bank accepts as a whole is a contradiction of each payment', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B'], { bank: { booksBatches: true } });
  const { file, answers } = await made.makeAndSend();
  await made.call('POST', `/bank-files/${file.id}/discard`, { note: 'canceled at the bank', name: file.name });
  await made.importAll(answers);
  expect(await made.states()).toEqual(['contradiction', 'contradiction']);
});

test('a sum that was booked for a discarded file is a contradiction of each payment', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B'], { bank: { booksBatches: true } });
  const { file } = await made.makeAndSend();
  await made.call('POST', `/bank-files/${file.id}/discard`, { note: 'canceled at the bank', name: file.name });
  await made.importAll(made.bank.execute(file.messageId, DAY).slice(1));
  expect(await made.states()).toEqual(['contradiction', 'contradiction']);
});

test('a sum in another currency pays nothing', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B'], { bank: { booksBatches: true } });
  const { file } = await made.makeAndSend();
  const [, booked] = made.bank.execute(file.messageId, DAY);
  const content = booked?.bytes.toString().replaceAll('Ccy="EUR"', 'Ccy="CHF"');
  await made.call('POST', '/bank-files/statements', { content });
  expect(await made.states()).toEqual(['at_bank', 'at_bank']);
  expect((await made.call('GET', '/bank-files/bookings')).data).toMatchObject([{ problem: 'other_amount', currency: 'chf' }]);
});

test('a return is no repetition of its payment where the bank gives both the same reference, or only the word for none', async () => {
  const made = await makeBankPayouts(api, ['Ada ERRAC06RETN', 'Bob B']);
  const { file } = await made.makeAndSend();
  const messages = [...made.bank.execute(file.messageId, DAY).slice(1), ...made.bank.sendBack(file.messageId, DAY)];
  for (const { bytes } of messages) {
    const content = bytes.toString().replace(/<AcctSvcrRef>[^<]*/g, '<AcctSvcrRef>NONREF');
    await made.call('POST', '/bank-files/statements', { content });
  }
  expect(await made.states()).toEqual(['returned', 'paid']);
});

test('sums of two files pay both, also where the bank gives no reference and both are alike', async () => {
  const made = await makeBankPayouts(api, ['Ada A', 'Bob B'], { bank: { booksBatches: true } });
  for (const payoutId of made.payoutIds) {
    const { file } = await made.makeAndSend({ payoutId });
    const [, booked] = made.bank.execute(file.messageId, DAY);
    const content = booked?.bytes.toString().replace(/<AcctSvcrRef>[^<]*/g, '<AcctSvcrRef>NONREF');
    await made.call('POST', '/bank-files/statements', { content });
  }
  expect(await made.states()).toEqual(['paid', 'paid']);
});

test('a debit that the bank calls a return pays nothing: a person looks', async () => {
  const made = await makeBankPayouts(api, ['Ada A']);
  const { file } = await made.makeAndSend();
  const [, booked] = made.bank.execute(file.messageId, DAY);
  const content = booked?.bytes.toString().replace('</TxDtls>', '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>');
  await made.call('POST', '/bank-files/statements', { content });
  expect(await made.states()).toEqual(['at_bank']);
  expect((await made.call('GET', '/bank-files/bookings')).data).toMatchObject([{ problem: 'no_reason', direction: 'debit' }]);
});

test('a return of another amount, such as less a charge, is told as not applied', async () => {
  const made = await makeBankPayouts(api, ['Ada ERRAC06RETN']);
  const { file } = await made.makeAndSend();
  await made.importAll(made.bank.execute(file.messageId, DAY).slice(1));
  const [back] = made.bank.sendBack(file.messageId, DAY);
  const content = back?.bytes.toString().replaceAll('20.00', '19.50');
  const { data } = await made.call('POST', '/bank-files/statements', { content });
  expect(data).toMatchObject({ changed: 0, unmatched: 1, outcomes: { returned: 0 }, list: [{ why: 'other_amount' }] });
  expect(await made.states()).toEqual(['paid']);
});
