import type { PayoutMethod } from '../../../src/contracts/affiliates.ts';
import { RAILS, type Rail, type RailFacts } from '../../../src/contracts/rails.ts';
import type { RailDefinition } from '../../../src/domains/payouts/rails/rail.ts';
import { RAIL_DEFINITIONS } from '../../../src/domains/payouts/rails/rails.ts';

interface FakeEntry {
  label: string;
  begins: 'call' | 'file';
  confirms: readonly ('notice' | 'lookUp' | 'statusFile')[];
  pays: readonly PayoutMethod[];
  accountOf: 'merchant';
  facts: RailFacts;
  testOnly: true;
}

/**
 * Adds a rail to the tables of this process, which no program does: what they contain is fixed when it is built. Returns what takes it out
 * again, since test files share loaded modules.
 */
export const registerRail = (definition: RailDefinition, entry: FakeEntry): (() => void) => {
  const tables: Record<string, unknown>[] = [RAILS, RAIL_DEFINITIONS];
  const { name } = definition as { name: string };
  for (const [at, value] of [entry, definition].entries()) Object.assign(tables[at] ?? {}, { [name]: value });
  return () => {
    for (const table of tables) delete table[name];
  };
};

export const fakeName = (name: string): Rail => name as Rail;
