import * as wf from '@temporalio/workflow';
import type { MailSnapshot } from '../../src/contracts/mail.ts';

/** What operators filter by. `dueMs`: the next try; null: there is none. */
export const setMailAttributes = ({ status }: MailSnapshot, dueMs: number | null): void =>
  wf.upsertSearchAttributes([
    { key: { name: 'State', type: 'KEYWORD' }, value: status },
    { key: { name: 'NeedsAttention', type: 'BOOL' }, value: status === 'given_up' },
    { key: { name: 'DueAt', type: 'DATETIME' }, value: dueMs === null ? null : new Date(dueMs) },
  ]);
