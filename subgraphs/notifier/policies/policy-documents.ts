import type { Policies } from './decision.ts';
import type { FlappingPolicy } from './flapping.ts';
import type { Inhibition } from './inhibition.ts';
import type { StoredPolicy } from './policies.store.ts';
import type { Maintenance, Silence } from './silence.ts';
import type { TimeInterval } from './time-interval.ts';

/** Asserts what the operations checked before they stored it. */
const isDocument = <T>(_document: unknown): _document is T => true;

const documentsOf = <T>(stored: readonly StoredPolicy[], kind: StoredPolicy['kind']): T[] =>
  stored
    .filter((policy) => policy.kind === kind)
    .map(({ id, name, document }) => {
      const whole = { ...document, id, name };
      if (!isDocument<T>(whole)) throw new TypeError(`not a policy of the kind ${kind}`);
      return whole;
    });

/** Policies of a tenant in the form of the decision. */
export const policiesOf = (stored: readonly StoredPolicy[]): Policies => ({
  maintenance: documentsOf<Maintenance>(stored, 'maintenance'),
  silences: documentsOf<Silence>(stored, 'silence'),
  inhibitions: documentsOf<Inhibition>(stored, 'inhibition'),
  timeIntervals: documentsOf<TimeInterval>(stored, 'time_interval'),
  flapping: documentsOf<FlappingPolicy>(stored, 'flapping'),
  quietHours: documentsOf<Policies['quietHours'][number]>(stored, 'quiet_hours'),
});
