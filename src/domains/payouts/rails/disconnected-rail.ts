import { RAILS, type Rail, type RailFacts } from '../../../contracts/rails.ts';
import { notTakenAnswer, unknownAnswer } from './answer.ts';
import type { OnlineRail } from './rail.ts';

const PROBLEM = 'account_disconnected';

/** Stands in for an account that its merchant disconnected: nobody can be asked any more, so what it paid is left to a person. */
export const disconnectedRail = (name: Rail): OnlineRail => {
  const exchange = { request: {}, response: { sent: false } };
  return {
    name,
    kind: 'online',
    facts: factsFor(name),
    check: async () => null,
    submit: async () => notTakenAnswer(PROBLEM, exchange),
    lookUp: async () => unknownAnswer(PROBLEM, exchange),
    readNotice: async () => ({ unread: 'rejected', why: 'The account was disconnected' }),
    close: async () => {},
  };
};

const factsFor = (name: Rail): RailFacts => {
  const { facts } = RAILS[name];
  if (!facts) throw new Error(`The ${name} rail has no provider`);
  return facts;
};
