import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import type { StoredEvent } from '../events/events.store.ts';
import type { Audience, Audiences } from '../people/recipients.ts';
import type { Recipients, Rule } from '../rules/rule.ts';
import { ERROR_REASON } from './outcome-rows.ts';

/** Action that tells people of an event. */
export interface PeopleAction {
  readonly event: StoredEvent;
  readonly rule: Rule;
  readonly actionIndex: number;
}

/** People of actions, as they were found before the transaction that routes. */
export interface FoundAudiences {
  of(action: PeopleAction): Audience | undefined;
}

const recipientsOf = ({ rule, actionIndex }: Omit<PeopleAction, 'event'>): Recipients | undefined =>
  rule.actions[actionIndex]?.recipients;

const keyOf = ({ event, rule, actionIndex }: PeopleAction): string =>
  `${event.tenant} ${event.id} ${rule.id} ${actionIndex}`;

/** Whether an action tells people. */
export const tellsPeople = (action: Omit<PeopleAction, 'event'>): boolean => recipientsOf(action) !== undefined;

export const NO_AUDIENCES: FoundAudiences = { of: () => undefined };

/**
 * Creates the look-up of the people of actions. It reads as their tenants, so outside of the transaction of routing, whose
 * role may not ask who approves what.
 */
export const createFindAudiences =
  ({ database, log, audiences }: Pick<Deps, 'database' | 'log'> & { readonly audiences: Audiences }) =>
  async (actions: readonly PeopleAction[]): Promise<FoundAudiences> => {
    const found = new Map<string, Audience>();
    for (const action of actions) {
      const { event } = action;
      const wanted = recipientsOf(action);
      if (!wanted) continue;
      try {
        found.set(
          keyOf(action),
          await database.read(event.tenant, (query) => audiences.find(query, event.tenant, event, wanted)),
        );
      } catch (error) {
        log.error({ err: error, event: event.id, rule: action.rule.id }, 'notifier.audience');
        // Where the database failed the event stays unrouted, and is tried again with the next turn.
        if (error instanceof Fault && error.status >= 500) continue;
        found.set(keyOf(action), {
          recipients: [],
          unreached: [{ subject: null, policy: 'error', reason: ERROR_REASON }],
        });
      }
    }
    return { of: (action) => found.get(keyOf(action)) };
  };

export type FindAudiences = ReturnType<typeof createFindAudiences>;
