import type { ProviderTransfer } from './audit.ts';

/** Everything the sandbox provider ever received. */
export const sandboxTransfers = (options: { url: string; apiKey: string }) => async (): Promise<ProviderTransfer[]> => {
  const found: ProviderTransfer[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const answer: Response = await fetch(`${options.url}/v1/transfers?limit=500${after && `&after=${after}`}`, {
      headers: { authorization: `Bearer ${options.apiKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`The provider answered ${answer.status} instead of its transfers`);
    const page = (await answer.json()) as { transfers: ProviderTransfer[]; next: string | null };
    found.push(...page.transfers);
    after = page.next;
  }
  return found;
};
