import { readCpuOf } from './process-cpu.ts';
import { rounded } from './report.ts';

export interface PayoutCost {
  perSecond: number;
  /** CPU milliseconds per payout, by process. */
  cpu: Record<string, number>;
}

export const cpuOf = ({ cpu }: PayoutCost): number => Object.values(cpu).reduce((sum, each) => sum + each, 0);

/** Runs `work` on `count` items; resolves to its rate and to what each process used per item. */
export const measureCost = async (
  pids: Record<string, number>,
  count: number,
  work: () => Promise<number>,
): Promise<PayoutCost> => {
  const before = readCpuOf(Object.values(pids));
  const perSecond = await work();
  const after = readCpuOf(Object.values(pids));
  const cpu = Object.fromEntries(
    Object.keys(pids).map((name, at) => [name, ((after[at] ?? 0) - (before[at] ?? 0)) / count] as const),
  );
  return { perSecond, cpu };
};

export const describeCost = (cost: PayoutCost): string =>
  `${rounded(cost.perSecond)}/s ${rounded(cpuOf(cost))} ms CPU (${Object.entries(cost.cpu)
    .map(([name, ms]) => `${name} ${rounded(ms)}`)
    .join(', ')})`;
