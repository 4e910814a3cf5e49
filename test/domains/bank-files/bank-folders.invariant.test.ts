import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handOverFiles, importInbox } from '../../../src/domains/bank-files/index.ts';
import { holdPayments } from '../../../src/domains/payouts/index.ts';
import type { BankMessage } from '../../../src/local/bank-double/bank.ts';
import type { Context } from '../../../src/platform/context.ts';
import { DAY, makeBankPayouts } from '../../api/bank-files/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-folders-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const system = (): Context => api.runtime.context({ kind: 'system', name: 'bankFolders' });
const outbox = () => join(root, 'outbox');
const inbox = () => join(root, 'inbox');
const handOver = () => handOverFiles(system(), { outbox: outbox() });
const readInbox = () => importInbox(system(), { inbox: inbox() });

/** A merchant with folders. */
const makeWithFolders = async (holders: readonly string[]) => {
  const made = await makeBankPayouts(api, holders);
  const [out, into] = [join(outbox(), made.merchantId), join(inbox(), made.merchantId)];
  for (const folder of [out, into]) await mkdir(folder, { recursive: true });
  const namesIn = async (folder: string) => (await readdir(folder)).toSorted();
  const put = async ({ name, bytes }: BankMessage) => {
    await writeFile(join(into, `${name}.sha256`), createHash('sha256').update(bytes).digest('hex'));
    await writeFile(join(into, name), bytes);
  };
  return { ...made, out, into, put, sent: () => namesIn(out), left: () => namesIn(into), namesIn };
};

test('a file appears once in the folder of its merchant, with its checksum, and is on the timelines', async () => {
  const { make, out, sent, call, timeline, payoutIds, content } = await makeWithFolders(['Ada A', 'Bob B']);
  const without = await makeBankPayouts(api, ['Cy C']);
  await without.make();
  const { id, name, digest } = (await make()).data.files[0];
  expect(await handOver()).toBe(1);
  expect(await sent()).toEqual([name, `${name}.sha256`]);
  expect(await readFile(join(out, `${name}.sha256`), 'utf8')).toBe(`${digest}  ${name}\n`);
  const bytes = await readFile(join(out, name));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
  expect((await call('GET', `/bank-files/${id}`)).data).toMatchObject({ handedOverAt: expect.any(String), downloads: 0 });
  for (const payout of payoutIds) expect((await timeline(payout)).at(-1)).toBe('file_downloaded');
  await unlink(join(out, name));
  expect([await handOver(), await sent()]).toEqual([0, [`${name}.sha256`]]);
  expect(await content(id)).toBe(bytes.toString());
  expect((await without.call('GET', '/bank-files')).data[0].handedOverAt).toBeNull();
});

test('a backup that does not know of a file that was carried brings it no second time', async () => {
  const { make, out, sent, merchantId } = await makeWithFolders(['Ada A']);
  const { name } = (await make()).data.files[0];
  expect(await handOver()).toBe(1);
  await unlink(join(out, name));
  await rowsOf(api, `update bank_file set handed_over_at = null, outbox_at = null where merchant_id = ? returning id`, [
    merchantId,
  ]);
  expect([await handOver(), await sent()]).toEqual([0, [`${name}.sha256`]]);
  expect(
    await rowsOf(api, `select 1 as one from bank_file where merchant_id = ? and outbox_at is not null`, [merchantId]),
  ).toHaveLength(1);
});

test('what a person downloaded is not carried too, what was handed over is discarded with care, and a discarded file is not carried', async () => {
  const downloaded = await makeWithFolders(['Ada A']);
  await downloaded.content((await downloaded.make()).data.files[0].id);
  const discarded = await makeWithFolders(['Bob B']);
  const { id } = (await discarded.make()).data.files[0];
  expect((await discarded.call('POST', `/bank-files/${id}/discard`, { note: 'Wrong day' })).status).toBe(200);
  const handed = await makeWithFolders(['Cy C']);
  const file = (await handed.make()).data.files[0];
  expect(await handOver()).toBe(1);
  expect([await downloaded.sent(), await discarded.sent()]).toEqual([[], []]);
  const path = `/bank-files/${file.id}/discard`;
  expect((await handed.call('POST', path, { note: 'Wrong day' })).error.code).toBe('VALIDATION_ERROR');
  expect((await handed.call('POST', path, { note: 'Cancelled at the bank', name: file.name })).status).toBe(200);
});

test('nothing is handed over while payments are on hold', async () => {
  const { make, sent } = await makeWithFolders(['Ada A']);
  await make();
  await holdPayments(system(), { cause: 'operator' });
  expect([await handOver(), await sent()]).toEqual([0, []]);
  await rowsOf(
    api,
    `update payments_hold set lifted_at = now(), lifted_by = 'system:test' where lifted_at is null returning id`,
    [],
  );
  expect(await handOver()).toBe(1);
});

test('what a bank answers is imported and moved, the same file again changes nothing, and another one of its name is kept', async () => {
  const { makeAndSend, put, into, left, namesIn, bank, states } = await makeWithFolders(['Ada A', 'Bob ERRAC04RJCT']);
  const { file } = await makeAndSend();
  const [status, booked] = bank.execute(file.messageId, DAY) as [BankMessage, BankMessage];
  await put(status);
  await put(booked);
  expect(await readInbox()).toEqual({ imported: 2, failed: 0, more: false });
  expect([await states(), await left()]).toEqual([['paid', 'failed'], ['done']]);
  await put(status);
  await put({ name: booked.name, bytes: Buffer.concat([booked.bytes, Buffer.from(' ')]) });
  expect(await readInbox()).toMatchObject({ imported: 2, failed: 0 });
  expect(await states()).toEqual(['paid', 'failed']);
  expect(await namesIn(join(into, 'done'))).toHaveLength(4);
});

test('a file that is still written is left alone: by its checksum, its name, or its age', async () => {
  const { makeAndSend, into, left, states } = await makeWithFolders(['Ada A']);
  const { answers } = await makeAndSend();
  const { bytes } = answers[0] as BankMessage;
  await writeFile(join(into, 'young.xml'), bytes);
  await writeFile(join(into, 'half.xml'), bytes.subarray(0, 100));
  await writeFile(join(into, 'half.xml.sha256'), createHash('sha256').update(bytes).digest('hex'));
  await writeFile(join(into, 'named.xml.part'), bytes);
  await symlink('/etc/passwd', join(into, 'link.xml'));
  expect(await readInbox()).toEqual({ imported: 0, failed: 0, more: false });
  const before = new Date(Date.now() - 120_000);
  await utimes(join(into, 'young.xml'), before, before);
  expect(await readInbox()).toEqual({ imported: 1, failed: 0, more: false });
  expect(await left()).toEqual(['done', 'half.xml', 'half.xml.sha256', 'link.xml', 'named.xml.part']);
  expect(await states()).toEqual(['at_bank']);
});

test('what is no message of a bank, too large, or about an account of somebody else is left in the folder for failed ones', async () => {
  const { put, into, left, bank, namesIn, call } = await makeWithFolders(['Ada A']);
  await put({ name: 'a.xml', bytes: Buffer.from('<a/>') });
  await put({ name: 'b.xml', bytes: Buffer.alloc(11 * 1024 * 1024, 0x20) });
  await put({ ...bank.statement('NL91ABNA0417164300', DAY, DAY), name: 'c.xml' });
  expect(await readInbox()).toEqual({ imported: 0, failed: 3, more: false });
  expect(await left()).toEqual(['failed']);
  expect(await namesIn(join(into, 'failed'))).toEqual(['a.xml', 'b.xml', 'c.xml']);
  expect((await call('GET', '/bank-files/statements')).data).toEqual([]);
});
