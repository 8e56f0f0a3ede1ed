import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { ActivePerson, ApproverDirectory, PeopleDirectory } from '@landfall/kernel/module';
import type { NotificationEvent } from '../events/event.ts';
import type { QuietHours } from '../policies/quiet-hours.ts';
import type { Recipients } from '../rules/rule.ts';
import { DEFAULT_LOCALE } from '../templates/locales.ts';
import type { ContactMethodId } from './contact-methods.store.ts';
import * as store from './recipients.store.ts';

/** People whom one action tells of one event, at most. */
const MOST_PEOPLE = 200;

/** Address at which a person is told. */
export interface Recipient {
  readonly subject: string;
  readonly name: string;
  readonly methodId: ContactMethodId;
  readonly channelId: store.UsableMethod['channelId'];
  readonly address: string;
  readonly locale: string;
  readonly timeZone: string;
  readonly quietHours: QuietHours | null;
  /** Time between the event and the step of the person's list that the address is. */
  readonly waitSeconds: number;
}

/** Person who is not told, with the reason; no person where there is none to tell. */
export interface Unreached {
  readonly subject: string | null;
  readonly policy: 'no_recipient' | 'unreachable' | 'muted' | 'too_many_recipients' | 'contact_step' | 'error';
  readonly reason: string;
}

/** People whom an action tells of an event. */
export interface Audience {
  readonly recipients: readonly Recipient[];
  readonly unreached: readonly Unreached[];
}

const recipientOf = (method: store.UsableMethod, name: string, waitSeconds = 0): Recipient => {
  const { subject, channelId, address, quietHours } = method;
  const timeZone = method.timeZone ?? 'UTC';
  return {
    subject,
    name,
    methodId: method.id,
    channelId,
    address,
    locale: method.locale ?? DEFAULT_LOCALE,
    timeZone,
    waitSeconds,
    quietHours: quietHours && { ...quietHours, id: method.id, name, timeZone },
  };
};

/** Address of a person with the time between the event and its step. */
interface Step {
  readonly method: store.UsableMethod;
  readonly waitSeconds: number;
}

/**
 * Steps of the list that fits the severity of an event, or all methods at once where the list names none that is usable. Each
 * step waits after the one before it; the first that is usable begins at once.
 */
const listed = (methods: readonly store.UsableMethod[], isCritical: boolean): readonly Step[] => {
  const [preferred] = methods;
  const ids = (isCritical ? preferred?.importantMethods : preferred?.defaultMethods) ?? [];
  const minutes = (isCritical ? preferred?.importantWaits : preferred?.defaultWaits) ?? [];
  let waited = 0;
  const steps = ids.flatMap((id, at): Step[] => {
    waited += 60 * (minutes[at] ?? 0);
    const method = methods.find((each) => each.id === id);
    return method ? [{ method, waitSeconds: waited }] : [];
  });
  const first = steps[0]?.waitSeconds ?? 0;
  if (steps.length === 0) return methods.map((method) => ({ method, waitSeconds: 0 }));
  return steps.map((step) => ({ ...step, waitSeconds: step.waitSeconds - first }));
};

const reachOf = (
  { id: subject, name }: ActivePerson,
  methods: readonly store.UsableMethod[],
  { kind, severity }: NotificationEvent,
): Audience => {
  if (methods.length === 0) {
    const reason = `${name} has no verified contact method on a channel that works.`;
    return { recipients: [], unreached: [{ subject, policy: 'unreachable', reason }] };
  }
  const isCritical = severity === 'critical';
  const chosen = listed(methods, isCritical).filter(({ method }) => isCritical || !method.mutedKinds.includes(kind));
  if (chosen.length > 0)
    return {
      recipients: chosen.map(({ method, waitSeconds }) => recipientOf(method, name, waitSeconds)),
      unreached: [],
    };
  return { recipients: [], unreached: [{ subject, policy: 'muted', reason: `${name} has muted ${kind}.` }] };
};

interface Directories {
  readonly people: PeopleDirectory;
  readonly approvers: ApproverDirectory;
}

/** Creates the look-up of people and their addresses. */
export const createAudiences = ({ people, approvers }: Directories) => {
  const listPeople = async (
    query: Query,
    tenant: TenantId,
    { attributes }: NotificationEvent,
    wanted: Recipients,
  ): Promise<readonly ActivePerson[]> => {
    const limit = MOST_PEOPLE + 1;
    const { userIds: ids = [], roles = [], approvers: wantsApprovers = false } = wanted;
    const named = ids.length + roles.length > 0 ? await people.listActive(query, tenant, { ids, roles, limit }) : [];
    const { promotionId } = attributes;
    if (!wantsApprovers || promotionId === undefined) return named;
    const candidates = await people.listActive(query, tenant, { scope: approvers.scope, limit });
    const allowed = await approvers.filterApprovers(
      query,
      tenant,
      promotionId,
      candidates.map(({ id }) => id),
    );
    const found = [...named, ...candidates.filter(({ id }) => allowed.includes(id))];
    return [...new Map(found.map((person) => [person.id, person])).values()];
  };

  return {
    /** People and addresses of an action for an event, at this moment. It reads as the tenant. */
    async find(query: Query, tenant: TenantId, event: NotificationEvent, wanted: Recipients): Promise<Audience> {
      const all = await listPeople(query, tenant, event, wanted);
      if (all.length === 0) {
        const reason =
          wanted.approvers && event.attributes.promotionId !== undefined
            ? 'Nobody is active who may approve the promotion, or it was decided before; and nobody else is named.'
            : 'Nobody is active who could be told: no approver, no named person and nobody with the roles.';
        return { recipients: [], unreached: [{ subject: null, policy: 'no_recipient', reason }] };
      }
      const told = all.slice(0, MOST_PEOPLE);
      const methods = await store.listOfPeople(
        query,
        tenant,
        told.map(({ id }) => id),
      );
      const own = Map.groupBy(methods, ({ subject }) => subject);
      const reached = told.map((person) => reachOf(person, own.get(person.id) ?? [], event));
      const rest: readonly Unreached[] =
        all.length === told.length
          ? []
          : [
              {
                subject: null,
                policy: 'too_many_recipients',
                reason: `The action has more than ${MOST_PEOPLE} people. The first ${MOST_PEOPLE} were told.`,
              },
            ];
      return {
        recipients: reached.flatMap(({ recipients }) => recipients),
        unreached: [...reached.flatMap(({ unreached }) => unreached), ...rest],
      };
    },

    /** A contact method whose message waited, if it is still usable and its owner active. Role `landfall_system`. */
    async findAgain(query: Query, tenant: TenantId, methodId: ContactMethodId): Promise<Recipient | undefined> {
      const [method] = await store.listUsable(query, tenant, [methodId]);
      if (!method) return undefined;
      const [owner] = await people.listActiveByIds(query, tenant, [method.subject]);
      return owner && recipientOf(method, owner.name);
    },
  };
};

export type Audiences = ReturnType<typeof createAudiences>;
