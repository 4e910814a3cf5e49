import type { RunRequest } from './payout-lifecycle.anchor.ts';
import { startChild } from './support/child.ts';
import { countActivities, createDriver, waitForMails } from './support/lifecycle.ts';
import { options } from './support/options.ts';
import { cpuOf, describeCost, measureCost, type PayoutCost } from './support/payout-cost.ts';
import { startPrograms } from './support/programs.ts';
import { median, report, rounded } from './support/report.ts';
import { alternate, type Pair } from './support/rounds.ts';
import { muteCompletedPayouts, seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

const IN_FLIGHT = 200;
/** Activities of the anchor workflow, however many ours runs. */
const ANCHOR_STEPS = 3;

/**
 * P9: payouts from `POST` to completed, with their ledger entries and events, against a workflow with three no-op
 * activities on the same server. CPU counts all processes of each side, with their children. The mail that tells an affiliate
 * of the payout is another workflow, which also runs later: it is measured apart, until it is sent.
 */
await withStack(
  async (stack, started) => {
    const { runtime, database, pids } = stack;
    const perRound = options.payouts(20, 2_000);
    const rounds = Math.min(options.rounds, 3);
    const warmUp = Math.min(perRound, 300);
    const merchantId = await createBenchMerchant(runtime);
    const programId = await seedProgram(runtime, database, merchantId);
    const members = await seedMembers(runtime, database, { merchantId, programId, count: perRound * rounds + 2 * warmUp });
    const mailed = members.splice(0, warmUp);
    await muteCompletedPayouts(runtime, database, members);
    const [headers = {}] = await createCallers(runtime, merchantId, 1);
    const { env, origin, programs } = await startPrograms(stack);
    programs.forEach(started);
    const anchor = started(await startChild('payout-lifecycle.anchor.ts', env));
    const pay = createDriver({ database, merchantId, programId, url: `${origin}/api/v1/payouts`, headers, inFlight: IN_FLIGHT });
    const bare = async (count: number) => {
      const request: RunRequest = { steps: ANCHOR_STEPS, count, inFlight: IN_FLIGHT };
      return count / (await anchor.run<{ seconds: number }>(request)).seconds;
    };
    const ourPids = { ...pids, ...Object.fromEntries(programs.map(({ name, pid }) => [name, pid])) };
    const anchorPids = { temporal: pids.temporal, worker: anchor.pid };
    const ours = () => measureCost(ourPids, perRound, () => pay(members.splice(0, perRound)));
    const theirs = () => measureCost(anchorPids, perRound, () => bare(perRound));

    await pay(members.splice(0, warmUp));
    const activities = await countActivities(env, database, merchantId);
    await bare(warmUp);
    const describePair = (pair: Pair<PayoutCost>) => `${describeCost(pair.ours)}\n      against ${describeCost(pair.anchor)}`;
    const pairs = await alternate(ours, theirs, describePair, rounds);
    const payMailed = async () => {
      const perSecond = await pay(mailed);
      await waitForMails(database);
      return perSecond;
    };
    const withMail = await measureCost(ourPids, warmUp, payMailed);
    const by = (figure: (sample: PayoutCost) => number) => ({
      ours: median(pairs.map((pair) => figure(pair.ours))),
      anchor: median(pairs.map((pair) => figure(pair.anchor))),
      ratio: median(pairs.map((pair) => figure(pair.ours) / figure(pair.anchor))),
      samples: pairs.map((pair) => ({ ours: rounded(figure(pair.ours)), anchor: rounded(figure(pair.anchor)) })),
    });
    const parts = (side: 'ours' | 'anchor') =>
      Object.fromEntries(
        Object.keys(pairs[0]?.[side].cpu ?? {}).map((name) => [
          `${side === 'anchor' ? 'anchor ' : ''}${name} ms`,
          median(pairs.map((pair) => pair[side].cpu[name] ?? 0)),
        ]),
      );
    const name = 'P9';
    const against = `against a workflow of ${ANCHOR_STEPS} no-op activities`;
    report({
      name,
      what: `CPU of all processes per payout, ${against}`,
      unit: 'ms CPU',
      floor: 1.6,
      goal: 1.2,
      lowerIsBetter: true,
      ...by(cpuOf),
      more: { activities: rounded(activities), 'with its mail ms': cpuOf(withMail), ...parts('ours'), ...parts('anchor') },
    });
    report({
      name,
      what: `payout lifecycle to completed, ${against}`,
      unit: 'payouts/s',
      floor: 0.75,
      goal: 1,
      ...by(({ perSecond }) => perSecond),
      more: {},
    });
  },
  { pinned: false },
);
