import type { z } from 'zod';
import type { PayeeAccount } from '../../../contracts/payee-accounts.ts';
import type { PayoutDetails, RailStatus } from '../../../contracts/payouts.ts';
import type { AccountField } from '../../../contracts/rail-accounts.ts';
import type { RailRefusal } from '../../../contracts/rail-refusals.ts';
import type { Rail, RailFacts } from '../../../contracts/rails.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { IncomingHeaders } from '../../../platform/crypto/standard-webhooks.ts';
import type { Answer, NeverReceived, References, TransferRecord } from './answer.ts';
import type { FileRail } from './file-rail.ts';
import type { TransferOrder } from './transfer.ts';

/** Credentials and settings of an account at a provider, as the rail's schema reads them. */
export type RailAccount = Readonly<Record<string, unknown>>;

/** Environment variables, for tests and local stacks. */
export interface ProviderUrls {
  PAYPAL_API_URL?: string | undefined;
  STRIPE_API_URL?: string | undefined;
}

/** What a rail's file exports. What the rail can do stands in `contracts/rails.ts`. */
export interface RailDefinition<Account extends RailAccount = RailAccount> {
  name: Rail;
  /** Schema of an object that takes no other fields. */
  accountSchema: z.ZodType<Account>;
  /** Fields of the account that are encrypted, and never read back. */
  secrets: readonly (keyof Account & string)[];
  /** Fields that a check finds out: nobody enters them. All are optional in the schema. */
  learned?: readonly (keyof Account & string)[];
  /** How people enter the others, for each that a merchant has. */
  form?: readonly AccountField[];
  /**
   * Accounts of one identity are one account, whatever their secrets: another identity is another version. Some providers have to be asked
   * for it: throws an `AppError` when they do not tell.
   */
  identityOf(account: Account, tools: RailTools): string | Promise<string>;
  /** The environment variable with the address of a double of the provider. It is refused in production. */
  urlVariable?: keyof ProviderUrls;
  /** The account of this installation, out of environment variables. Absent unless the table says that it has one. */
  installation?: Installation<Account>;
  /**
   * Why the rail refuses such an order, or null. Asks nobody: what the provider does not publish, it may still refuse. `account` has no
   * secrets, and is null where the rail has the account of the installation or none.
   */
  canPay(order: PlannedTransfer, account: Partial<Account> | null): RailRefusal | null;
  /** Null when a person pays. */
  open(account: Account, tools: RailTools): OnlineRail | FileRail | null;
  /** Sends what the provider documents for its sandbox, and compares what becomes of it. `account` must be one of the sandbox. */
  sandboxWalk?(account: Account, tools: RailTools): AsyncIterable<WalkedStep>;
}

/** One documented test value at the provider's sandbox. */
export interface WalkedStep {
  step: string;
  /** What the documentation says, and what came. For people, without secrets. */
  expected: string;
  got: string;
  ok: boolean;
}

/** All variables are required once a payout method uses the rail. */
export interface Installation<Account, Config extends z.ZodObject = z.ZodObject> {
  configSchema: Config;
  accountOf(config: z.output<Config>): Account;
}

export interface RailTools {
  clock: Clock;
  /** Where the provider of this account sends its notices; null where it has no address of its own for them. */
  noticeUrl: string | null;
  /** A double of the provider, never in production. Null or absent: the provider itself. */
  providerUrl?: string | null;
}

export type { TransferOrder };

/** A transfer that is not promised yet. */
export type PlannedTransfer = Pick<TransferOrder, 'amountMinor' | 'currency' | 'details'>;

/** A sent attempt, as a status look-up identifies it. The provider's record must agree in every field that it has. */
export interface SentAttempt extends Pick<TransferOrder, 'idempotencyKey' | 'reference' | 'amountMinor' | 'currency'> {
  /** The provider's id; null when no response ever named one. */
  railReference: string | null;
  references: References;
  /** Where it was sent; null once that data was erased. */
  details: PayoutDetails | null;
}

/** The provider's word on an attempt. */
export interface RailStatusUpdate {
  status: RailStatus;
  railReference: string | null;
  failureCode: string | null;
  /** When it happened, as the provider says. Absent: it does not say. */
  occurredAt?: Date;
}

/** A verified notification. Notifications may be repeated, late and out of order. */
export interface RailNotification {
  externalId: string;
  idempotencyKey: string;
  /** Null: something happened, and only the provider's record says what. */
  status: RailStatus | null;
  /** It does not say enough to be booked, such as a failure without its reason: the provider is asked. */
  isHint?: true;
  /** Null when notifications of this type do not say. */
  railReference: string | null;
  /** All ids that it names. */
  references?: References;
  failureCode: string | null;
  /** The provider's own word for where the transfer is. */
  state?: string;
  /** Null when notifications of the rail do not say. */
  record: TransferRecord | null;
  occurredAt: Date;
}

/**
 * `foreign`: authentic, of something else at the same account. `rejected`: no current, valid signature of this account. `try_later`: what
 * the signature is verified with cannot be had now. `unreadable`: authentic, and no notification.
 */
export interface UnreadNotice {
  unread: 'foreign' | 'rejected' | 'try_later' | 'unreadable';
  /** Tells the provider why, in words. */
  why: string;
}

/** A verified notification about an account that a payee connected: how it is now. */
export interface PayeeNotice {
  payee: PayeeAccount;
}

/** Accounts of payees at the provider, which they connect to the one that pays them. No method throws. */
export interface PayeeAccounts {
  /**
   * Makes an account. The same key makes no second one. Null: the provider did not answer, and may have made it. `refused`: it makes none,
   * for this reason.
   */
  create(payee: { key: string; email: string; country: string }): Promise<PayeeAccount | { refused: string } | null>;
  /** Null: the provider did not answer. */
  look(account: string): Promise<PayeeAccount | null>;
  /** Page where the owner answers the provider's questions, which then sends them back. Works once. Null: the provider did not answer. */
  onboard(account: string, urls: { returnUrl: string; refreshUrl: string }): Promise<string | null>;
}

/** What is wrong with an account, as its provider says. */
export interface AccountFinding {
  /** The permission, setting or credential by name. */
  name: string;
  /** A warning does not keep the account from paying. */
  isWarning: boolean;
}

export interface AccountCheck {
  findings: AccountFinding[];
  /** Minor units by currency; null when the provider does not show it. */
  balances: Readonly<Record<string, number>> | null;
  /**
   * What the check found out or set up at the provider, such as the id of a webhook. These are fields of the account's schema, stored with
   * it and encrypted if they are among its `secrets`.
   */
  learned?: RailAccount;
}

/** A rail whose attempts are sent to a provider. Each method ends by its deadline and, but for `list`, never throws. */
export interface OnlineRail {
  readonly name: Rail;
  readonly kind: 'online';
  readonly facts: RailFacts;
  /** Asks whether the account can pay. Null: the provider did not answer. */
  check(): Promise<AccountCheck | null>;
  /** Safe to repeat under the same key within the repeat window. */
  submit(order: TransferOrder): Promise<Answer>;
  /** Changes nothing. Without a reference a rail whose facts are not `isFoundByKey` asks nobody, and says so. */
  lookUp(attempt: SentAttempt): Promise<Answer | NeverReceived>;
  /** All notifications of one request; empty when it is of an unknown type, which is acknowledged and ignored. */
  readNotice(headers: IncomingHeaders, rawBody: Uint8Array): Promise<RailNotification[] | PayeeNotice | UnreadNotice>;
  /** Where payees connect accounts of their own. */
  readonly payees?: PayeeAccounts;
  /**
   * Asks the provider to stop a transfer that it has accepted. Its answer is the state after that: `failed` once it is stopped, `accepted`
   * when the provider refuses. Safe to repeat.
   */
  cancel?(attempt: SentAttempt): Promise<Answer>;
  /** Movements of the account in a period, in any order, each once. Throws when the provider does not answer. */
  list?(since: Date, until: Date, cursor?: string): Promise<{ movements: ListedMovement[]; next: string | null }>;
  /** What the account holds, in minor units by currency. Throws when the provider does not answer. */
  balances?(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** A movement of money as a provider or bank lists it. What is not ours is listed too: the balance includes it. */
export interface ListedMovement {
  /** The provider's id of the movement. */
  id: string;
  /** `return`: money of a payment that came back. `fee`: charged on its own. */
  kind: 'payment' | 'return' | 'fee' | 'other';
  /** Ours, where the provider repeats it. */
  idempotencyKey: string | null;
  /** The payout id, where the provider repeats it. */
  reference: string | null;
  /** For a return or a fee, they include those of its payment. */
  references: References;
  /** `pending`: it may still end in any way. `unknown`: a word that the rail does not know. */
  status: 'pending' | 'paid' | 'failed' | 'returned' | 'unknown';
  /** The provider's own word for that. */
  state: string;
  /** For an `other` movement, positive when money came in. */
  amountMinor: number;
  currency: string;
  /** Charged in addition to the amount; null where the provider does not say. */
  fee: { amountMinor: number; currency: string } | null;
  /** Address or account of the payee in clear, to be compared and never stored. Null where the provider does not say. */
  receiver: string | null;
  occurredAt: Date;
}
