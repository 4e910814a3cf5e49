import type { SignUps } from '../../../contracts/people.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import {
  type CompanyView,
  chooseCompany,
  type Founder,
  findOrCreatePerson,
  personOf,
  readPerson,
  type StartedSessionView,
  type StartedSignIn,
  startSession,
  startSigningUp,
  takeFounderByCode,
  takeFounderByLink,
} from '../../people/index.ts';
import { openCompany } from '../open-company.steps.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    signUps: SignUps;
  }
}

const assertOpen = ({ settings }: Context): void => {
  if (settings.signUps !== 'open') throw notFound('Sign-up');
};

/** NOT_FOUND while only the operator creates merchants, as everything below. */
export const getSignUp = async (ctx: Context): Promise<{ isOpen: true }> => {
  assertOpen(ctx);
  return { isOpen: true };
};

/** Mails a link and a code to any address. Nobody is told whether it is known. */
export const startSignUp = async (ctx: Context, input: Founder): Promise<StartedSignIn> => {
  assertOpen(ctx);
  return startSigningUp(ctx, input);
};

interface Device {
  device?: string | undefined;
}

/** By the link of the mail. Once. */
export const createCompanyByLink = (ctx: Context, { device, ...of }: Device & { token: string }): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    assertOpen(ctx);
    return signUp(ctx, await takeFounderByLink(ctx, of), device);
  });

/** By the code of the mail. Once. */
export const createCompanyByCode = (
  ctx: Context,
  { device, ...of }: Device & { signInId: string; code: string },
): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    assertOpen(ctx);
    return signUp(ctx, await takeFounderByCode(ctx, of), device);
  });

/** The address is proved: whoever has it is the owner of the company, and acts for it. A person who is known keeps their name. */
const signUp = async (ctx: Context, founder: Founder, device: string | undefined): Promise<StartedSessionView> => {
  const { id: personId } = await findOrCreatePerson(ctx, founder);
  await flushPending(ctx.em);
  const asSystem = { ...ctx, actor: { kind: 'system', name: 'signUp' } } as const;
  const merchantId = await openCompany(asSystem, { personId, ...founder });
  return startSession(ctx, { personId, device, provedBy: 'code', merchantId });
};

/** One more company of a person who is signed in, who acts for it from now on. */
export const createCompany = (ctx: Context, { companyName }: { companyName: string }): Promise<CompanyView> =>
  inTransaction(ctx, async (ctx) => {
    assertOpen(ctx);
    const { personId } = personOf(ctx);
    const { email, name } = await readPerson(ctx);
    const merchantId = await openCompany(ctx, { personId, email, name, companyName });
    return chooseCompany(ctx, { merchantId });
  });
