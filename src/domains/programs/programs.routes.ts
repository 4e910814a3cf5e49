import { z } from 'zod';
import { PROGRAM_STATUSES } from '../../contracts/programs.ts';
import { merchantOf } from '../../platform/context.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { programExample } from './programs.examples.ts';
import { getProgram, listPrograms } from './programs.queries.ts';
import {
  createProgramBody,
  eventSecretSchema,
  programDetailSchema,
  programSchema,
  toEventSecret,
  toProgram,
  updateProgramBody,
} from './programs.wire.ts';
import { createProgram } from './use-cases/create-program.ts';
import { issueEventSecret } from './use-cases/issue-event-secret.ts';
import { archiveProgram, updateProgram } from './use-cases/update-program.ts';

export const programRoutes: Operation[] = [
  operation({
    id: 'listPrograms',
    method: 'GET',
    path: '/programs',
    tag: 'Programs',
    summary: 'List your programs; archived ones only when filtered for',
    access: { keys: ['merchant'], scope: 'programs:read' },
    query: z.strictObject({ status: z.enum(PROGRAM_STATUSES).optional(), ...pageQuery }),
    paged: true,
    reply: programSchema,
    example: { data: [programExample] },
    handle: ({ ctx, query }) => listPrograms(ctx, query),
  }),
  operation({
    id: 'createProgram',
    method: 'POST',
    path: '/programs',
    tag: 'Programs',
    summary: 'Create a program',
    access: { keys: ['merchant', 'onboarding'], scope: 'programs:write' },
    body: createProgramBody,
    reply: programSchema,
    status: 201,
    reasons: ['ONBOARDING_PROGRAM_EXISTS', 'PORTAL_SLUG_TAKEN'],
    example: {
      data: programExample,
      body: {
        name: 'Acme Partners',
        commissionType: 'recurring_limited',
        commissionPercent: 25,
        website: 'https://acme.example',
        portalSlug: 'acme',
      },
    },
    handle: async ({ ctx, body }) => toProgram(await createProgram(ctx, { ...body, merchantId: merchantOf(ctx) })),
  }),
  operation({
    id: 'getProgram',
    method: 'GET',
    path: '/programs/{id}',
    tag: 'Programs',
    summary: 'Read a program and how ready it is',
    access: { keys: ['merchant', 'onboarding'], scope: 'programs:read' },
    params: idParams,
    reply: programDetailSchema,
    example: { data: { ...programExample, readiness: 'partial' } },
    handle: ({ ctx, params }) => getProgram(ctx, params.id),
  }),
  operation({
    id: 'updateProgram',
    method: 'PATCH',
    path: '/programs/{id}',
    tag: 'Programs',
    summary: 'Change a program',
    access: { keys: ['merchant'], scope: 'programs:write' },
    params: idParams,
    body: updateProgramBody,
    reply: programSchema,
    reasons: ['CURRENCY_LOCKED', 'PORTAL_SLUG_TAKEN'],
    example: { data: { ...programExample, status: 'paused' }, body: { status: 'paused' } },
    handle: async ({ ctx, params, body }) => toProgram(await updateProgram(ctx, { id: params.id, changes: body })),
  }),
  operation({
    id: 'archiveProgram',
    method: 'DELETE',
    path: '/programs/{id}',
    tag: 'Programs',
    summary: 'Archive a program; its history stays',
    access: { keys: ['merchant'], scope: 'programs:write' },
    params: idParams,
    reply: programSchema,
    example: { data: { ...programExample, status: 'archived' } },
    handle: async ({ ctx, params }) => toProgram(await archiveProgram(ctx, { id: params.id })),
  }),
  operation({
    id: 'issueProgramEventSecret',
    method: 'POST',
    path: '/programs/{id}/event-secret',
    tag: 'Programs',
    summary: "Issue or rotate the secret that signs this program's payment events",
    access: { keys: ['merchant'], scope: 'programs:write' },
    params: idParams,
    reply: eventSecretSchema,
    status: 201,
    secret: true,
    example: {
      data: { signingSecret: 'whsec_…', secretLastFour: 'kQ8=', previousExpiresAt: '2026-01-16T09:30:00.000Z' },
    },
    handle: async ({ ctx, params }) => toEventSecret(await issueEventSecret(ctx, { programId: params.id })),
  }),
];
