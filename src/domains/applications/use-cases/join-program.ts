import type { ApplicationAnswer, ApplicationField } from '../../../contracts/joining.ts';
import { type Context, inTransaction, profileOf } from '../../../platform/context.ts';
import { conflict, invalidField, invariant } from '../../../platform/errors.ts';
import { findOrCreateProfile } from '../../affiliates/index.ts';
import { getInviteToJoin } from '../../invites/index.ts';
import {
  type StartedSessionView,
  type StartedSignIn,
  signInJoiner,
  startJoining,
  takeJoinerByCode,
  takeJoinerByLink,
} from '../../people/index.ts';
import { findProgram } from '../../programs/index.ts';
import { type JoinResultView, toJoinResult } from '../joining.wire.ts';
import { acceptTerms, readProgramToJoin } from '../program-to-join.queries.ts';
import { submitApplication } from '../submit-application.steps.ts';
import { notOpen } from './joining.ts';

type Joiner = Parameters<typeof signInJoiner>[1];

/** Programs that are paused, or take people by invite only, have a page, but nobody joins there. */
const readOpenProgram = async (ctx: Context, portalSlug: string) => {
  const program = await readProgramToJoin(ctx, { portalSlug });
  if (!program.view.isOpen) throw conflict('PROGRAM_INACTIVE', 'The program takes nobody without an invite at the moment');
  return program;
};

/** Mails a link and a code to any address. Nobody is told whether it is known. */
export const startJoiningProgram = (ctx: Context, input: Joiner & { portalSlug: string }): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const { portalSlug, email, name } = input;
    const { merchantId, view } = await readOpenProgram(ctx, portalSlug);
    const { programName, companyName } = view;
    return startJoining(ctx, {
      email,
      name,
      program: { merchantId, programName, companyName },
      linkPath: `/join/${portalSlug}/link`,
    });
  });

export interface JoinByInviteInput {
  token: string;
  name: string;
  /** Only if the invite is not for one person, whose address it has. */
  email?: string | undefined;
}

/** Mails a link and a code to the person of the invite, or to the address given where anybody may claim it. */
export const startJoiningByInvite = (ctx: Context, { token, name, ...given }: JoinByInviteInput): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const invite = await getInviteToJoin(ctx, token);
    if (invite.status !== 'open') throw notOpen(invite.status);
    if (invite.email !== null && given.email !== undefined)
      throw invalidField('email', 'is not allowed for an invite that is for one person');
    const email = invite.email ?? given.email;
    if (email === undefined) throw invalidField('email', 'is required');
    return startJoining(ctx, { email, name, program: invite.program, linkPath: `/i/${token}/link` });
  });

interface Device {
  device?: string | undefined;
}

/** By the link of the mail. Once. */
export const signUpByLink = (ctx: Context, { device, ...of }: Device & { token: string }): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => signUp(ctx, await takeJoinerByLink(ctx, of), device));

/** By the code of the mail. Once. */
export const signUpByCode = (
  ctx: Context,
  { device, ...of }: Device & { signInId: string; code: string },
): Promise<StartedSessionView> => inTransaction(ctx, async (ctx) => signUp(ctx, await takeJoinerByCode(ctx, of), device));

/** The address is proved: from now on it has a profile and a person. Those that it had stay as they are. */
const signUp = async (ctx: Context, joiner: Joiner, device: string | undefined): Promise<StartedSessionView> => {
  await findOrCreateProfile(ctx, joiner);
  return signInJoiner(ctx, joiner, device);
};

export interface JoinProgramInput {
  portalSlug: string;
  /** As the person was shown it. */
  termsVersion: string;
  message?: string | undefined;
  /** In the order of the fields. */
  answers?: readonly string[] | undefined;
}

/** With the labels as they were asked. What was left empty is no answer. */
const answersTo = (fields: readonly ApplicationField[], answers: readonly string[] = []): ApplicationAnswer[] => {
  const missing = fields.findIndex(({ isRequired }, at) => isRequired && !answers[at]);
  if (missing >= 0) throw invalidField(`answers.${missing}`, 'must not be empty');
  return fields.flatMap(({ label }, at) => (answers[at] ? [{ label, answer: answers[at] }] : []));
};

/** Accepts the terms, and joins the program or applies to it. TERMS_CHANGED for other terms than those of now. */
export const joinProgram = (ctx: Context, input: JoinProgramInput): Promise<JoinResultView> =>
  inTransaction(ctx, async (ctx) => {
    const { view, terms } = await readOpenProgram(ctx, input.portalSlug);
    const acceptedTerms = acceptTerms(ctx, terms, view.termsVersion, input.termsVersion);
    const program = await findProgram(ctx, view.programId);
    invariant(program, 'programs are never deleted');
    const message = input.message || undefined;
    const submitted = await submitApplication(ctx, {
      program,
      profileId: profileOf(ctx),
      source: 'browser',
      message,
      acceptedTerms,
      answers: answersTo(view.fields, input.answers),
    });
    return toJoinResult(submitted, { programId: program.id, message });
  });
