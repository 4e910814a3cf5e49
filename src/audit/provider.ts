import type { ProviderTransfer, TransferSource } from './audit.ts';

/** All transfers of the sandbox provider. */
export const sandboxTransfers = (options: { url: string; apiKey: string }): TransferSource => ({
  rail: 'sandbox',
  list: () => listTransfers(options),
});

const listTransfers = async (options: { url: string; apiKey: string }): Promise<ProviderTransfer[]> => {
  const found: ProviderTransfer[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const response: Response = await fetch(`${options.url}/v1/transfers?limit=500${after && `&after=${after}`}`, {
      headers: { authorization: `Bearer ${options.apiKey}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`Listing the provider's transfers failed with status ${response.status}`);
    const page = (await response.json()) as { transfers: ProviderTransfer[]; next: string | null };
    found.push(...page.transfers);
    after = page.next;
  }
  return found;
};
