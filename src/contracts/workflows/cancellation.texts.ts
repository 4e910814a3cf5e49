import type { CancellationRequest } from './descriptor.ts';
import { escapeMarkdown, formatTime } from './text.ts';

/** The first line of a page whose cancellation was requested in Temporal. `instead`: null once there is nothing to cancel. Markdown. */
export const describeCancellation = ({ by, at }: CancellationRequest, instead: string | null): string => {
  const who = by === null ? '' : ` by **${escapeMarkdown(by)}**`;
  const request = `⚠ **Cancellation requested in Temporal**${who} at ${formatTime(Date.parse(at))}`;
  return instead === null ? `${request}: it had no effect.` : `${request}: it has no effect. ${instead}`;
};
