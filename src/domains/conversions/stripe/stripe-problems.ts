import { resolveStripeProblem } from '../use-cases/resolve-stripe-problem.ts';
import { listStripeProblems } from './stripe-problem.ts';

/** For the admin CLI: what a person has to look at, and that they did. */
export const stripeProblems = { list: listStripeProblems, resolve: resolveStripeProblem };
