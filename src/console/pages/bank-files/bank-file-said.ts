import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { type BankFileState, bankFileForMerchant } from '../../../texts/bank-files.merchant.en.ts';
import type { Tone } from '../../components/blocks.ts';
import type { Said } from '../../said.ts';

export type FileData = OperationSuccess<'listBankFiles'>['data'][number];

const TONES: Readonly<Record<BankFileState, Tone>> = {
  making: 'neutral',
  to_download: 'warning',
  to_upload: 'warning',
  handed_over: 'neutral',
  to_authorize: 'bad',
  accepted: 'neutral',
  settled: 'good',
  rejected: 'bad',
  discarding: 'warning',
  discarded: 'neutral',
};

const stateOf = ({
  status,
  results: { open, accepted },
  bankState,
  acceptedAt,
  payeeMismatches,
  downloads,
  handedOverAt,
}: FileData): BankFileState => {
  if (status !== 'ready') return status;
  if (open + accepted === 0) return bankState === 'RJCT' ? 'rejected' : 'settled';
  if (acceptedAt !== null) return 'accepted';
  if (payeeMismatches > 0) return 'to_authorize';
  if (downloads > 0) return 'to_upload';
  return handedOverAt === null ? 'to_download' : 'handed_over';
};

const NOT_PAID = "Open each payout below that wasn't paid: its page says what to do.";

/** Where a file is, and the one thing to do next. */
export const bankFileSaid = (file: FileData): Said => {
  const state = stateOf(file);
  const { label, text, next } = bankFileForMerchant[state];
  const isBad = state === 'settled' && file.results.failed + file.results.returned > 0;
  return { label, text, next: isBad ? NOT_PAID : next, tone: isBad ? 'warning' : TONES[state] };
};
