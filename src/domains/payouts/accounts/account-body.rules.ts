import { z } from 'zod';
import type { Rail } from '../../../contracts/rails.ts';
import { type Issue, invalidBody } from '../../../platform/errors.ts';
import { checkBody } from '../../../platform/http/validate.ts';
import { unrecognized } from '../../../platform/issue-message.ts';
import { changedBy } from '../rails/account-changes.rules.ts';
import type { RailAccount } from '../rails/rail.ts';
import { definitionOf } from '../rails/rails.ts';

/** The account that a caller sent. Throws VALIDATION_ERROR, also for what a check finds out. Names no value: it may be a secret. */
export const readAccount = (rail: Rail, body: RailAccount): RailAccount => {
  assertEntered(rail, body);
  return checkBody(definitionOf(rail).accountSchema)(body) as RailAccount;
};

/** The account with these changes. Throws as `readAccount`. */
export const readChangedAccount = (rail: Rail, account: RailAccount, changes: RailAccount): RailAccount => {
  assertEntered(rail, changes);
  return checkBody(definitionOf(rail).accountSchema)(changedBy(account, changes)) as RailAccount;
};

const assertEntered = (rail: Rail, body: RailAccount): void => {
  const { accountSchema, learned = [] } = definitionOf(rail);
  const { properties = {} } = z.toJSONSchema(accountSchema, { io: 'input', unrepresentable: 'any' });
  const entered = Object.keys(properties).filter((name) => !learned.includes(name));
  const unknown = Object.keys(body).filter((name) => !entered.includes(name));
  if (unknown.length > 0)
    throw invalidBody(
      unknown.slice(0, 20).map((path): Issue => ({ path, code: 'unrecognized_keys', message: unrecognized('field', entered) })),
    );
};

/** The last four characters of what is masked. */
export const maskSettings = (rail: Rail, settings: RailAccount): RailAccount => {
  const { form = [], secrets } = definitionOf(rail);
  const masked = form.filter(({ isMasked }) => isMasked === true).map(({ name }) => name);
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([name]) => !secrets.includes(name))
      .map(([name, value]) => [name, masked.includes(name) ? `…${String(value).slice(-4)}` : value]),
  );
};
