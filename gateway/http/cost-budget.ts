import type { Caller } from '@landfall/kernel/core/caller';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Route } from '@landfall/kernel/routes/route';

/** Limits of callers in units of cost; one unit is about the reading of one object. */
export interface BudgetLimits {
  /** Limit of one request. */
  readonly perRequest: number;
  /** Units that each caller regains per second. */
  readonly perSecond: number;
  /** The most that a caller who asked nothing for a while has. */
  readonly burst: number;
}

/** Each caller's account in this process: a client or person of a tenant, whichever of its tokens it shows. */
export interface Budget {
  readonly limits: BudgetLimits;
  /**
   * Takes what a request costs, all of it or nothing.
   * @throws Fault cost_limit_exceeded, cost_budget_exhausted
   */
  draw(caller: Caller, cost: number): void;
}

interface Account {
  left: number;
  at: number;
}

/** Accounts that are kept; the longest unused goes first, and comes back full, which it mostly was. */
const MOST_ACCOUNTS = 10_000;

export const createBudget = (clock: Pick<Clock, 'now'>, limits: BudgetLimits): Budget => {
  const { perRequest, perSecond, burst } = limits;
  const accounts = new Map<string, Account>();

  const accountOf = ({ tenant, subject, kind }: Caller): Account => {
    const key = `${tenant ?? ''}\0${kind}\0${subject}`;
    const now = clock.now().getTime();
    const known = accounts.get(key);
    const left = known ? Math.min(burst, known.left + (Math.max(0, now - known.at) / 1_000) * perSecond) : burst;
    const account = { left, at: now };
    accounts.delete(key);
    accounts.set(key, account);
    const [oldest] = accounts.keys();
    if (accounts.size > MOST_ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
    return account;
  };

  return {
    limits,
    draw(caller, cost) {
      if (cost > perRequest)
        throw new Fault('cost_limit_exceeded', `The request costs ${cost}; ${perRequest} are allowed for one.`, {
          cost,
          allowed: perRequest,
        });
      const account = accountOf(caller);
      if (account.left < cost) {
        const retryAfter = Math.max(1, Math.ceil((cost - account.left) / perSecond));
        throw new Fault(
          'cost_budget_exhausted',
          `The request costs ${cost}, and this caller has spent what it may for now.`,
          {
            cost,
            left: Math.floor(account.left),
            perSecond,
            burst,
            retryAfter,
          },
        );
      }
      account.left -= cost;
    },
  };
};

/** A REST route that does what the graph has a price for draws on the same budget; every other is as it was. */
export const withBudget = (route: Route, budget: Budget): Route => {
  const { cost } = route;
  if (cost === undefined) return route;
  return {
    ...route,
    handle: async (request) => {
      budget.draw(await request.caller(), cost);
      return route.handle(request);
    },
  };
};
