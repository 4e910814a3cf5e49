import { globSync, readFileSync } from 'node:fs';
import { ENCRYPTED_COLUMNS } from '../../../src/encrypted-columns.ts';
import { type RawBuilder, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';

const api = useOwnApi();
const query = <Row>(statement: RawBuilder<Row>): Promise<Row[]> =>
  rows(api.runtime.context({ kind: 'system', name: 'test' }).em, statement);

/** Columns with text that is about nobody, or that stays for a reason of `findKeptData`. Closed sets need no entry. */
const KEPT: Readonly<Record<string, string>> = {
  // Belongs to the merchant.
  merchant:
    'company_name email logo_url timezone tracking_param_aliases notification_preferences payout_rails payout_daily_limit payout_approval_threshold payment_prefix address_line1 address_line2 city state postal_code country vat_id tax_id',
  // Belongs to merchants and the operator: a key of a person records neither address nor request, and no text is about a person.
  audit_log: 'actor address request_id changes',
  billing_subscription: 'stripe_customer_id stripe_subscription_id payment_url order_item_id order_subscription_id',
  marketing_resource: 'title description body instructions platforms url',
  resource_media: 'file_name alt_text',
  stored_file: 'mime_type',
  program:
    'application_fields auto_payouts name description slug website website_domain landing_page_url allowed_landing_pages portal_slug marketplace_category marketplace_description marketplace_logo_url tracking_param_aliases embed_origins terms_url currency stripe_account_id',
  program_portal: 'name accent_color logo_bytes host host_token',
  marketplace_listing: 'category',
  script_load: 'page',
  webhook_endpoint: 'name url subscribed_events extended_events secret_last_four disabled_reason header_ciphertext',
  webhook_replay: 'types statuses',
  webhook_delivery: 'run_suffix',
  webhook_attempt: 'url suffix error_code secret_ids remote_ip tls',
  // Codes lead to nobody else, and links to pages of the program.
  referral_code: 'code',
  link: 'target_url',
  coupon: 'code',
  application: 'accepted_terms requested_code risk_notes',
  invite: 'token tracking_code',
  click: 'source campaign',
  click_count: 'source',
  sale_evidence: 'provider external_sale_id evidence',
  // Deleted after a day: random bytes.
  passkey_challenge: 'challenge',
  // Deleted after a day: keyed hashes of addresses and visitors.
  click_minute: 'address visitors',
  // Ids and hashes of what the payment system sent.
  sale: 'provider external_id payload_hash currency subscription_id stripe_session_id',
  customer_identification: 'provider payload_hash',
  sale_refund: 'provider external_id external_sale_id payload_hash',
  sale_refund_reversal: 'provider external_id external_sale_id',
  sale_cumulative_refund: 'provider external_sale_id',
  sale_dispute: 'provider dispute_id external_sale_id',
  stripe_payment: 'payment_id invoice_id',
  stripe_authorization: 'payment_id',
  stripe_refund: 'payment_id currency event_id',
  stripe_single_refund: 'refund_id payment_id currency event_id',
  stripe_discount: 'discount_id coupon_codes',
  stripe_dispute: 'dispute_id payment_id currency',
  stripe_hint: 'external_sale_id evidence received_for',
  // Deleted with the profile.
  stripe_connection: 'country account_id requirements',
  // Belongs to the merchant, until the connection is confirmed.
  stripe_connect_request: 'account_id',
  stripe_promotion_code: 'promotion_code_id code',
  // They name fields of the event and no values.
  sale_problem: 'event_id event_type object_id detail fields',
  // The books, which name nobody.
  conversion: 'currency stripe_session_id',
  conversion_sum: 'currency',
  conversion_change: 'currency',
  commission_adjustment: 'created_by approved_by',
  pending_change: 'old_value new_value created_by decided_by',
  adjustment_request: 'currency created_by decided_by',
  ledger_entry: 'currency rail',
  ledger_balance: 'currency',
  ledger_period: 'closed_by',
  ledger_period_total: 'currency account',
  payout:
    'currency fees rail review_reason failure_code rail_reason created_by approved_by account_entered_by program_name payment_reference',
  payout_run: 'name period created_by edited_by total confirmed_by approved_by',
  payout_run_item: 'currency rail reason',
  payout_run_confirmation: 'digest payout_ids created_by',
  payout_run_file: 'payout_ids created_by',
  // Amounts, and the provider's ids and codes.
  payout_attempt:
    'rail idempotency_key rail_reference rail_references rail_state failure_code response provider_record other_fees conversion',
  payout_contradiction: 'resolved_by',
  payout_correction: 'closed_by requested_by',
  payout_timeline: 'actor from_status to_status rail_reference reason workflow_id run_id',
  rail: 'name',
  // The merchant's own, at its provider.
  rail_account: 'rail identity settings secrets held_code findings balances',
  rail_notification: 'rail external_id idempotency_key rail_reference rail_references state failure_code record',
  // Belongs to the merchant, as do the bank's codes and ids about its payments. For other payments, only digests of ids are kept.
  bank_file: 'rail message_id execution_date currency digest bank_state created_by downloaded_by discarded_by',
  bank_file_line: 'state reason payee_check',
  bank_statement: 'digest message_id statements imported_by',
  bank_booking: 'key entry_ref booked_on currency idempotency_key reason',
  reconciliation_run: 'rail totals',
  reconciliation_difference: 'rail fingerprint resolved_by',
  // A keyed hash: whoever may have been paid already is not paid again.
  payee_hold: 'rail receiver_hash currency idempotency_key rail_references',
  // Belongs to the operator.
  payments_hold: 'reason note held_by lifted_by',
  // Hashes of what signed a person in, and of the codes of mails; their digests of a mailbox end with the person.
  person_role: 'granted_by',
  person_invite: 'invited_by token_hash',
  passkey_replacement: 'requested_by token_hash',
  person_session: 'token_hash',
  sign_in: 'code_digest token_hash',
  // Secrets, and what the server needs to run.
  api_key: 'hash prefix last_four scopes',
  program_event_secret: 'ciphertext last_four',
  stripe_signing_secret: 'ciphertext last_four set_by',
  webhook_secret: 'ciphertext',
  encryption_key: 'id fingerprint',
  installation_secret: 'name ciphertext',
  mail: 'period message_id',
  // Keyed hashes: nobody is written to again against their will.
  mail_invitation: 'recipient_digest',
  mail_opt_out: 'recipient_digest',
  mail_suppression: 'recipient_digest',
  mail_progress: 'name',
  outbox: 'topic suffix payload trace_parent last_error',
  idempotency_record: 'id fingerprint',
  webhook_event: 'type',
  row_counter: 'relation status',
  migration: 'name',
  sql_file: 'name checksum',
};

const kept = Object.entries(KEPT).flatMap(([table, columns]) => columns.split(' ').map((column) => `${table}.${column}`));

/** What may contain text, apart from the values of a closed set. */
const findTextColumns = async (): Promise<string[]> => {
  const found = await query(sql<{ name: string }>`select c.table_name || '.' || c.column_name as name
    from information_schema.columns c join pg_class t on t.oid = format('public.%I', c.table_name)::regclass and t.relkind in ('r','p')
    where c.table_schema = 'public'
      and c.data_type not in ('uuid','boolean','smallint','integer','bigint','numeric','date','timestamp with time zone')
      and not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'c'
        and pg_get_constraintdef(k.oid) like 'CHECK ((' || c.column_name || ' = ANY (ARRAY[%')
    order by 1`);
  return found.map(({ name }) => name);
};

/** "table.column" of everything that the statements set. */
const assignedIn = (statements: string): string[] =>
  [...statements.matchAll(/\bupdate (\w+)(?: \w+)? set\s([\s\S]*?)(?:\bwhere\b|(?<!distinct )\bfrom\b)/g)].flatMap(
    ([, table, assignments = '']) => [...assignments.matchAll(/(?:^|,)\s*(\w+) = /g)].map(([, column]) => `${table}.${column}`),
  );

/** Like `assignedIn`, for tables whose rows the statements delete. */
const deletedIn = (statements: string, columns: readonly string[]): string[] => {
  const tables = [...statements.matchAll(/\bdelete from (\w+)/g)].map(([, table]) => table);
  return columns.filter((name) => tables.includes(name.split('.')[0]));
};

const findErasedColumns = async (): Promise<string[]> => {
  const functions = await query(sql<{ source: string }>`select prosrc as source from pg_proc where proname like 'erase\\_%'`);
  const files = globSync('src/{domains,platform}/**/erase-*.ts').map((path) => readFileSync(path, 'utf8'));
  const columns = await findTextColumns();
  return [...functions.map(({ source }) => source), ...files].flatMap((text) => [
    ...assignedIn(text),
    ...deletedIn(text, columns),
  ]);
};

test('every column that can hold text is replaced by an erasure, or kept for a reason', async () => {
  const covered = new Set([...(await findErasedColumns()), ...kept]);
  expect((await findTextColumns()).filter((name) => !covered.has(name))).toEqual([]);
});

test('what is kept exists, and no erasure replaces it', async () => {
  const [columns, erased] = [new Set(await findTextColumns()), new Set(await findErasedColumns())];
  expect(kept.filter((name) => !columns.has(name) || erased.has(name))).toEqual([]);
});

test('every encrypted column is replaced, unless it holds a secret of the installation or of a merchant', async () => {
  const erased = new Set(await findErasedColumns());
  const left = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`).filter((name) => !erased.has(name));
  expect(left.sort()).toEqual([
    'installation_secret.ciphertext',
    'program_event_secret.ciphertext',
    'rail_account.secrets',
    'stripe_signing_secret.ciphertext',
    'webhook_endpoint.header_ciphertext',
    'webhook_secret.ciphertext',
  ]);
});
