import { findBacklogAge } from '@landfall/kernel/events/seal.store';
import { type Check, ifTable, NOT_YET, pass, warn } from '@landfall/kernel/operator/check';
import * as store from './doctor.store.ts';

const KEY_WARN_DAYS = 365;
/** Delay of sealing that is a problem, in seconds; normally it takes one. */
const LATE_SECONDS = 60;

const platformKeys: Check = {
  id: 'signing-keys',
  title: 'The keys that sign attestations and the log are not old',
  meaning: 'Outsiders verify by them. What a former key signed still verifies, so that a change costs nothing.',
  remedy:
    'End them with `npm run landfall -- keys rotate attestation` and `… keys rotate log`, and give the new trust document to who keeps one.',
  inspect: ifTable('kernel.signing_keys', async (query) => {
    const keys = await store.platformKeyAges(query);
    if (keys.length === 0) return NOT_YET;
    const summary = keys.map(({ purpose, days }) => `${purpose} ${Math.floor(days)} days`).join(', ');
    return keys.some(({ days }) => days > KEY_WARN_DAYS) ? warn(summary) : pass(summary);
  }),
};

const sealing: Check = {
  id: 'audit-seals',
  title: 'The audit trail is sealed as it grows',
  meaning:
    'Events are sealed into the transparency log within a second, so that nobody edits them unseen. Those that wait are not proven yet.',
  remedy:
    'See that a process with background work runs (`npm start`, or a role with `--worker`), and read its log for "sealing of events".',
  inspect: ifTable('kernel.event_seals', async (query) => {
    const seconds = await findBacklogAge(query);
    if (seconds === undefined) return pass('every event is sealed');
    const summary = `an event has waited for ${Math.round(seconds)} s`;
    return seconds > LATE_SECONDS ? warn(`${summary}; is a server running?`) : pass(summary);
  }),
};

const duties: Check = {
  id: 'housekeeping',
  title: 'Scheduled housekeeping runs on time',
  meaning:
    'Housekeeping deletes expired rows and renews certificates in time. Duties that are days late fill tables, and end in refusals.',
  remedy:
    'See that a process with background work runs (`npm start`, or a role with `--worker`), and read its log for the duty’s name.',
  inspect: ifTable('kernel.schedules', async (query) => {
    const delayed = await store.listOverdueWork(query);
    if (delayed.length === 0) return pass('nothing is late');
    return warn(delayed.map(({ name, hours }) => `${name} ${Math.floor(hours)} h ago`).join(', '));
  }),
};

export const platformChecks: readonly Check[] = [platformKeys, sealing, duties];
