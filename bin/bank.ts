import { setInterval } from 'node:timers/promises';
import { BankDouble } from '../src/local/bank-double/bank.ts';
import { carry } from '../src/local/bank-double/carrier.ts';
import { systemClock } from '../src/platform/clock.ts';

/* A bank for trials: executes the files of BANK_OUTBOX_DIR and answers in BANK_INBOX_DIR, until it is stopped or with --once what is there. */

const { BANK_OUTBOX_DIR: outbox, BANK_INBOX_DIR: inbox } = process.env;
if (!outbox || !inbox) {
  process.stderr.write('Set BANK_OUTBOX_DIR and BANK_INBOX_DIR to the folders of the server\n');
  process.exit(1);
}

const POLL_MS = 1_000;
const bank = new BankDouble(() => systemClock.now());
const seen = new Set<string>();
const executeAll = () => carry(bank, { outbox, inbox }, seen, systemClock.now().toISOString().slice(0, 10));

if (process.argv.includes('--once')) await executeAll();
else for await (const _ of setInterval(POLL_MS)) await executeAll();
