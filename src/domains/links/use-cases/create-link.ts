import { type Context, inTransaction } from '../../../platform/context.ts';
import { addLink } from '../add-link.ts';
import { lockOwnLinks } from '../links.queries.ts';
import type { LinkView } from '../links.wire.ts';

export interface CreateLinkInput {
  /** May be omitted by an affiliate of one program. */
  programId: string | undefined;
  name: string;
  destinationPath: string | undefined;
  /** The link's code; random when omitted. */
  customSlug: string | undefined;
}

/** Creates a link of the caller. */
export const createLink = (ctx: Context, { programId, destinationPath: path, ...link }: CreateLinkInput): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) =>
    addLink(ctx, await lockOwnLinks(ctx, programId), { ...link, destination: { path, field: 'destination_path' } }),
  );
