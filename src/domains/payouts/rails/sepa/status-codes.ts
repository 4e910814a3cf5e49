import type { PayeeCheck } from '../../../../contracts/bank-files.ts';
import type { FaultClass } from '../../../../contracts/faults.ts';
import { faultClassOf } from '../../../../contracts/rails.ts';
import { toSafeCode } from '../answer.ts';
import type { Verdict } from '../file-rail.ts';

/** What a status says: of the file, and of a payment. ISO 20022, external code lists 2Q2026. */
const RECEIVED = new Set(['RCVD', 'PDNG']);
const ACCEPTED = new Set(['ACTC', 'ACFC', 'ACCP', 'ACWC', 'ACWP', 'ACSP', 'ACPD', 'PATC', 'ACFW']);
/** Everything is told of the payments. */
const PARTLY = 'PART';
/** The payment left the payer's account. */
const SETTLED_HERE = 'ACSC';
/** Reached the account of the payee. */
const SETTLED_THERE = 'ACCC';
const BLOCKED = 'BLCK';
const CANCELLED = 'CANC';
const REJECTED = 'RJCT';
/** The bank has the same already: it executes, or executed, the first of the two. */
const DUPLICATES = new Set(['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05']);

/** The same words mean the sum of all checks when they are said of a file. */
const CHECKS: Readonly<Record<string, PayeeCheck>> = {
  RCVC: 'match',
  RVMC: 'close_match',
  RVNM: 'no_match',
  RVNA: 'not_applicable',
  RVNC: 'not_completed',
  RVCM: 'mismatches',
};

export interface SepaReading {
  acscIsPaid: boolean;
}

interface Word {
  code: string;
  /** A reason code of ISO or of the bank; null when it gives none. */
  reason: string | null;
  suggestedName: string | null;
}

const SILENT = { fault: null, payeeCheck: null, suggestedName: null } as const;

const faultOf = (code: string): Verdict['fault'] => {
  const safe = toSafeCode(code);
  const known: FaultClass | null = faultClassOf('sepa', safe);
  return { class: known ?? 'unclear', code: safe };
};

const isDuplicate = (reason: string | null): reason is string => reason !== null && DUPLICATES.has(reason);

/** What follows from the word of a bank about one payment. */
export const verdictOf = ({ code, reason, suggestedName }: Word, { acscIsPaid }: SepaReading): Verdict => {
  const state = toSafeCode(code);
  const said = { ...SILENT, state };
  const payeeCheck = CHECKS[code];
  if (payeeCheck) return { ...said, outcome: 'noted', payeeCheck, suggestedName: code === 'RVMC' ? suggestedName : null };
  if (RECEIVED.has(code) || code === PARTLY) return { ...said, outcome: 'noted' };
  if (ACCEPTED.has(code)) return { ...said, outcome: 'accepted' };
  if (code === SETTLED_HERE) return { ...said, outcome: acscIsPaid ? 'paid' : 'accepted' };
  if (code === SETTLED_THERE) return { ...said, outcome: 'paid' };
  if (code === REJECTED && isDuplicate(reason)) return { ...said, outcome: 'needs_person', fault: faultOf(reason) };
  if (code === REJECTED) return { ...said, outcome: 'failed', fault: faultOf(reason ?? REJECTED) };
  if (code === CANCELLED) return { ...said, outcome: 'failed', fault: faultOf(reason ?? CANCELLED) };
  return { ...said, outcome: 'needs_person', fault: code === BLOCKED && reason ? faultOf(reason) : null };
};

/** The same about a whole file. One that the bank has already says nothing about the first of the two, which a second upload does not undo. */
export const verdictOfFile = (word: Word, reading: SepaReading): Verdict => {
  const verdict = verdictOf(word, reading);
  return word.code === REJECTED && isDuplicate(word.reason) ? { ...verdict, outcome: 'noted' } : verdict;
};
