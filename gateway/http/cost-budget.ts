import type { Caller } from '@landfall/kernel/core/caller';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Route } from '@landfall/kernel/routes/route';

/** Limits of callers in units of cost; one unit is about the reading of one object. */
export interface BudgetLimits {
  /** Limit of one request. */
  readonly perRequest: number;
  /** Units that each caller regains each second. */
  readonly perSecond: number;
  /** Largest balance of a caller. */
  readonly burst: number;
}

/** Balance of each caller in this process: a client or person of a tenant, with whatever token. */
export interface Budget {
  readonly limits: BudgetLimits;
  /** Draws the cost of a request, all or nothing. Throws cost_limit_exceeded or cost_budget_exhausted. */
  draw(caller: Caller, cost: number): void;
}

interface Account {
  left: number;
  at: number;
}

/** Limit of stored balances; the least recently used is deleted and starts again with the full balance. */
const MAX_ACCOUNTS = 10_000;

export const createBudget = (clock: Pick<Clock, 'now'>, limits: BudgetLimits): Budget => {
  const { perRequest, perSecond, burst } = limits;
  const accounts = new Map<string, Account>();

  const accountOf = ({ tenant, subject, kind }: Caller): Account => {
    const key = `${tenant ?? ''}\0${kind}\0${subject}`;
    const now = clock.now().getTime();
    const known = accounts.get(key);
    const remaining = known ? Math.min(burst, known.left + (Math.max(0, now - known.at) / 1_000) * perSecond) : burst;
    const account = { left: remaining, at: now };
    accounts.delete(key);
    accounts.set(key, account);
    const [oldest] = accounts.keys();
    if (accounts.size > MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
    return account;
  };

  return {
    limits,
    draw(caller, cost) {
      if (cost > perRequest)
        throw new Fault(
          'cost_limit_exceeded',
          `The request costs ${cost}; ${perRequest} are allowed for one. Ask for fewer fields or smaller pages, in several requests.`,
          { cost, allowed: perRequest },
        );
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

/** Draws on the budget for a REST route whose operation the graph has a price for; leaves other routes unchanged. */
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
