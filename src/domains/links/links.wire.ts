import { z } from 'zod';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { affiliateId, createdAt, id, programId, updatedAt } from '../../platform/http/fields.ts';
import { line, nameLine, stringOrNull, uuid, withTextsOf } from '../../platform/http/schemas.ts';
import type { DestinationTerms } from './destination.rules.ts';
import { redirectUrlOf, shareUrlOf } from './share-url.rules.ts';

export const linkSchema = z
  .object({
    id,
    programId,
    affiliateId,
    name: z.string().describe('Name for your own records'),
    code: z
      .string()
      .describe(
        "Referral code of the link, unique in the installation. That of the first link is the affiliate's own, and changes with it; all others never change",
      ),
    url: stringOrNull.describe('URL to share: the page with the code as its `via` parameter; null if the program has no page'),
    redirectUrl: z
      .string()
      .describe('URL to share where the page cannot run the tracking script: it counts the click and redirects'),
    targetUrl: stringOrNull.describe(
      'Page that the link leads to; null for the landing page of the program, or else its website',
    ),
    isActive: z.boolean().describe('Whether clicks of the link count'),
    totalClicks: z.int().describe('Number of counted clicks of this link'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Link' });

export type LinkView = z.infer<typeof linkSchema>;

/** The published paths of the affiliate workspace write this parameter in snake case. */
export const ownProgramQuery = z.strictObject({
  program_id: uuid.optional().describe('Program of the link. Required unless you are in exactly one program'),
});

export const checkedProgramQuery = z.strictObject({
  program_id: uuid.optional().describe('Program of the link; 404 if it is in another one. Default: not checked'),
});

const destinationPath = line(500)
  .optional()
  .describe('An allowed landing page of the program, for example `/pricing`. Default: its default page');
const customSlug = z
  .string()
  .regex(/^[a-z0-9-]{3,32}$/, 'must be 3 to 32 characters from a-z, 0-9 and -')
  .optional()
  .describe('Code of the link: 3 to 32 characters from a-z, 0-9 and -. Default: a random code');

export const createLinkBody = z.strictObject(
  withTextsOf(linkSchema, {
    name: nameLine(100),
    destination_path: destinationPath,
    custom_slug: customSlug,
  }),
);

/** What a merchant sends: only the paths of the affiliate workspace are published in snake case. */
export const createAffiliateLinkBody = z.strictObject(
  withTextsOf(linkSchema, { name: nameLine(100), destinationPath, customSlug }),
);

export const updateLinkBody = z
  .strictObject(
    withTextsOf(linkSchema, {
      name: nameLine(100),
      targetUrl: z
        .string()
        .max(2048)
        .nullable()
        .describe(
          'Absolute URL on the website of the program or a subdomain of it, of an allowed landing page unless the program allows custom destinations; null for the default page',
        ),
      isActive: linkSchema.shape.isActive,
    }),
  )
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
