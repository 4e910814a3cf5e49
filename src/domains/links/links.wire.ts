import { z } from 'zod';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { line, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';
import type { DestinationTerms } from './destination.ts';
import { redirectUrlOf, shareUrlOf } from './share-url.ts';

export const linkSchema = z
  .object({
    id: storedUuid,
    programId: storedUuid,
    affiliateId: storedUuid,
    name: z.string(),
    code: z.string(),
    url: z.string().nullable(),
    redirectUrl: z.string(),
    targetUrl: z.string().nullable(),
    isActive: z.boolean(),
    totalClicks: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Link' });

export type LinkView = z.infer<typeof linkSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const ownProgramQuery = z.strictObject({ program_id: uuid.optional() });

export const createLinkBody = z.strictObject({
  name: line(100),
  destination_path: z.string().max(500).optional(),
  custom_slug: z
    .string()
    .regex(/^[a-z0-9-]{3,32}$/, 'must be 3 to 32 characters from a-z, 0-9 and -')
    .optional(),
});

export const updateLinkBody = z
  .strictObject({ name: line(100), targetUrl: z.string().max(2048).nullable(), isActive: z.boolean() })
  .partial();

export const toNewLink = (query: z.output<typeof ownProgramQuery>, body: z.output<typeof createLinkBody>) => ({
  programId: query.program_id,
  name: body.name,
  destinationPath: body.destination_path,
  customSlug: body.custom_slug,
});

/** A link as an entity or as a row. */
export type StoredLink = Stored<Omit<LinkView, 'url' | 'redirectUrl' | 'totalClicks'>, 'createdAt' | 'updatedAt'>;

/** What a link shows of its program and of its installation. */
export interface LinkSurroundings {
  terms: DestinationTerms;
  publicUrl: string;
  totalClicks: number;
}

export const toLink = (link: StoredLink, { terms, publicUrl, totalClicks }: LinkSurroundings): LinkView => {
  const targetUrl = link.targetUrl ?? null;
  return {
    id: link.id,
    programId: link.programId,
    affiliateId: link.affiliateId,
    name: link.name,
    code: link.code,
    url: shareUrlOf(terms, { code: link.code, targetUrl }),
    redirectUrl: redirectUrlOf(publicUrl, link.code),
    targetUrl,
    isActive: link.isActive,
    totalClicks,
    createdAt: toIso(link.createdAt),
    updatedAt: toIso(link.updatedAt),
  };
};
