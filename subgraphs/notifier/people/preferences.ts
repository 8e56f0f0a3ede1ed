import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { checkQuietHours } from '../policies/quiet-hours.ts';
import { checkTimeZone, timeZone } from '../rules/calendar.ts';
import { PERSONAL } from '../shared/scopes.ts';
import { DEFAULT_LOCALE, isKnownLocale } from '../templates/locales.ts';
import * as methods from './contact-methods.store.ts';
import * as store from './people.store.ts';
import { personalHours } from './personal-hours.ts';

const record = eventsOf('NotificationPreferences');

const list = Type.Array(idOf('ContactMethod'), { maxItems: 10, uniqueItems: true });

/** Preferences of a person who never set any. */
const DEFAULT_PREFERENCES = {
  timeZone: 'UTC',
  locale: DEFAULT_LOCALE,
  quietHours: null,
  defaultMethods: [],
  importantMethods: [],
  defaultWaits: [],
  importantWaits: [],
  version: 0,
} as const;

/** Minutes between the steps of a list. */
const waits = Type.Array(Type.Integer({ minimum: 0, maximum: 1_440 }), { maxItems: 10 });

const waitFaults = (field: string, minutes: readonly number[], methodIds: readonly string[]): readonly FieldFault[] =>
  minutes.length === 0 || minutes.length === methodIds.length
    ? []
    : [{ field, message: 'must have one wait for each contact method of the list', code: 'VAL_INVALID_VALUE' }];

const localeFaults = (locale: string): readonly FieldFault[] =>
  isKnownLocale(locale)
    ? []
    : [{ field: 'locale', message: `${locale} is no language tag such as de or pt-BR`, code: 'VAL_INVALID_FORMAT' }];

/** Creates the operations of people on how they are told. */
export const createPreferences = ({ operation }: Pick<Deps, 'operation'>) => ({
  get: operation({
    name: 'notificationPreferences.get',
    kind: 'read',
    scope: PERSONAL,
    callers: ['user'],
    input: Type.Object({}),
    run: async ({ tenant, subject }, _input, query) =>
      (await store.find(query, tenant, subject)) ?? { subject, ...DEFAULT_PREFERENCES },
  }),

  /** Replaces the caller's preferences. A list without methods is every verified one, the oldest first. */
  set: operation({
    name: 'notificationPreferences.set',
    kind: 'write',
    scope: PERSONAL,
    callers: ['user'],
    input: Type.Object({
      timeZone,
      locale: Type.Optional(Type.String({ minLength: 2, maxLength: 35 })),
      quietHours: Type.Optional(personalHours),
      defaultMethods: Type.Optional(list),
      importantMethods: Type.Optional(list),
      defaultWaits: Type.Optional(waits),
      importantWaits: Type.Optional(waits),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { timeZone: 'Europe/Berlin', defaultMethods: [exampleId('ContactMethod')] },
    async run(who, { timeZone: zone, locale = DEFAULT_LOCALE, quietHours, ...lists }, tx) {
      const { tenant, subject } = who;
      const { defaultMethods = [], importantMethods = [], defaultWaits = [], importantWaits = [] } = lists;
      const [first, ...rest] = [
        ...checkTimeZone(zone, 'timeZone'),
        ...localeFaults(locale),
        ...waitFaults('defaultWaits', defaultWaits, defaultMethods),
        ...waitFaults('importantWaits', importantWaits, importantMethods),
        ...(quietHours ? checkQuietHours({ ...quietHours, timeZone: 'UTC' }) : []).map((fault) => ({
          ...fault,
          field: `quietHours.${fault.field}`,
        })),
      ];
      if (first) throw invalid([first, ...rest]);
      for (const id of new Set([...defaultMethods, ...importantMethods]))
        await methods.getOfPerson(tx, tenant, subject, id);
      const person = await store.setPreferences(tx, tenant, subject, {
        timeZone: zone,
        locale,
        quietHours: quietHours ?? null,
        defaultMethods,
        importantMethods,
        defaultWaits,
        importantWaits,
      });
      await record(tx, who, 'notificationPreferences.set', { id: subject, version: person.version }, {});
      return person;
    },
  }),
});

export type NotificationPreferences = ReturnType<typeof createPreferences>;
