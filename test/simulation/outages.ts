import type { AppProcess, ProcessSystem } from '../support/processes.ts';
import { count, type World } from './world.ts';

/** What goes wrong during the simulation, by day. */
export interface OutagePlan {
  kills: readonly number[];
  /** Days on which one webhook endpoint is down: from the first until before the second. */
  endpointDown: readonly [from: number, until: number];
}

const WEEK = 7;

/** Kills at even distances, and an endpoint that is down for a week or, in short simulations, for a fifth of the time. */
export const planOutages = (days: number, kills: number): OutagePlan => {
  const from = Math.max(1, Math.floor(days / 3));
  return {
    kills: Array.from({ length: kills }, (_, at) => Math.max(1, Math.floor(((at + 1) * days) / (kills + 1)))),
    endpointDown: [from, from + Math.min(WEEK, Math.ceil(days / 5))],
  };
};

/** Something that other machines reach, until it is closed. */
export interface Reachable {
  close(): Promise<void>;
  open(): Promise<void>;
}

export interface Outages {
  /** Does what is planned for the day. Does not wait for processes to be back. */
  run(world: World): Promise<void>;
  /** Everything runs again. */
  end(): Promise<void>;
}

export const openOutages = async (plan: OutagePlan, system: ProcessSystem, endpoint: Reachable): Promise<Outages> => {
  let [worker, api] = await Promise.all([system.startWorker(), system.startApi()]);
  let restarting: Promise<void> = Promise.resolve();
  const replace = async (killed: AppProcess, start: () => Promise<AppProcess>): Promise<AppProcess> => {
    await killed.kill();
    return start();
  };
  const kill = async (at: number): Promise<void> => {
    if (at % 2 === 0) worker = await replace(worker, () => system.startWorker());
    else api = await replace(api, () => system.startApi());
  };
  let isDown = false;
  return {
    async run(world) {
      await Promise.all(
        plan.kills.map(async (day, at) => {
          if (day !== world.day) return;
          await restarting;
          restarting = kill(at);
          // Awaited before the next kill, and at the end.
          restarting.catch(() => {});
          count(world, 'kills');
        }),
      );
      const [from, until] = plan.endpointDown;
      if (isDown && world.day >= until) await endpoint.open();
      else if (!isDown && world.day >= from && world.day < until) await endpoint.close();
      isDown = world.day >= from && world.day < until;
    },
    async end() {
      await restarting;
      if (isDown) await endpoint.open();
      isDown = false;
    },
  };
};
