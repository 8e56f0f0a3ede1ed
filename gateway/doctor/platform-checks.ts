import { X509Certificate } from 'node:crypto';
import { findBacklogAge } from '@landfall/kernel/events/seal.store';
import { type Check, type Finding, fail, type Inspection, pass, unknown, warn } from './check.ts';
import * as store from './doctor.store.ts';

const DAY_MS = 86_400_000;
const KEY_WARN_DAYS = 365;
const CERTIFICATE_WARN_DAYS = 14;
const AUTHORITY_WARN_DAYS = 180;
/** Sealing takes a second; an index follows in less. */
const LATE_SECONDS = 60;

const NOT_YET = unknown('not there yet: the first start makes it');

/** A look at a table that a database of another time may not have. */
const at =
  (table: string, look: (patient: Inspection) => Promise<Finding>) =>
  async (patient: Inspection): Promise<Finding> =>
    (await store.hasTable(await patient.database(), table)) ? look(patient) : NOT_YET;

const agentAuthority: Check = {
  id: 'agents-authority',
  title: 'The authority that agents are certified by is good for a while',
  meaning:
    'Agents authenticate by certificates of this installation’s own authority. Once that has ended, no agent can report or take work.',
  remedy:
    'It is made for ten years and not renewed: plan an installation of your own time with a new one, with which every agent registers anew.',
  inspect: at('orchestrator.agent_authorities', async ({ database, now }) => {
    const row = await store.agentAuthority(await database());
    if (!row) return NOT_YET;
    const days = Math.floor((Date.parse(new X509Certificate(row.certificate).validTo) - now().getTime()) / DAY_MS);
    if (days < 0) return fail(`it ended ${-days} days ago`);
    return days < AUTHORITY_WARN_DAYS ? warn(`it ends in ${days} days`) : pass(`it ends in ${days} days`);
  }),
};

const agents: Check = {
  id: 'agents',
  title: 'Agents report, and their certificates and clocks are good',
  meaning:
    'A target whose agent is away takes no deployment, and nobody sees what runs there. An agent renews its certificate by itself while it reports.',
  remedy:
    'Bring the agent back on its host; it goes on with what it was running. One whose certificate has ended registers anew with a token.',
  inspect: at('orchestrator.agents', async ({ database }) => {
    const { present, away, ended, skewed } = await store.fleet(await database());
    const trouble = [
      away > 0 ? `${away} away` : '',
      ended > 0 ? `${ended} with a certificate that has ended` : '',
      skewed > 0 ? `${skewed} with a clock that is off` : '',
    ].filter((part) => part !== '');
    const says = `${present} ${present === 1 ? 'reports' : 'report'}`;
    return trouble.length > 0 ? warn([says, ...trouble].join(', ')) : pass(says);
  }),
};

const tokenKeys: Check = {
  id: 'token-keys',
  title: 'The key that signs access tokens is not old',
  meaning:
    'Who has the private key can make tokens for anybody. Its age bounds for how long a key that leaked goes unnoticed.',
  remedy:
    'Turn the key ring in the console (Settings, Keys); tokens that were issued before stay good until they expire.',
  inspect: at('authority.signing_keys', async ({ database }) => {
    const age = await store.tokenKeyAge(await database());
    if (!age) return NOT_YET;
    const says = `it has signed for ${Math.floor(age.days)} days`;
    return age.days > KEY_WARN_DAYS ? warn(says) : pass(says);
  }),
};

const platformKeys: Check = {
  id: 'signing-keys',
  title: 'The keys that sign attestations and the log are not old',
  meaning: 'Outsiders verify by them. What a former key signed still verifies, so that a change costs nothing.',
  remedy:
    'End them with `npm run landfall -- keys rotate attestation` and `… keys rotate log`, and give the new trust document to who keeps one.',
  inspect: at('kernel.signing_keys', async ({ database }) => {
    const keys = await store.platformKeyAges(await database());
    if (keys.length === 0) return NOT_YET;
    const says = keys.map(({ purpose, days }) => `${purpose} ${Math.floor(days)} days`).join(', ');
    return keys.some(({ days }) => days > KEY_WARN_DAYS) ? warn(says) : pass(says);
  }),
};

const registryCertificate: Check = {
  id: 'registry-certificate',
  title: 'What signs registry tokens is good for a while',
  meaning:
    'Registries verify tokens by its certificates. Once one has ended, they refuse every token, and nothing is pulled.',
  remedy:
    'Its leaf is renewed by itself; for a new authority, or a key of your own in `RegistryToken:Signing:Key`, give the registries the output of `npm run landfall -- registry ca`.',
  inspect: at('registry.certificates', async ({ database }) => {
    const left = await store.registryCertificateLeft(await database());
    if (!left) return NOT_YET;
    const says = `${Math.floor(left.days)} days left`;
    return left.days < 0 ? fail('it has ended') : left.days < CERTIFICATE_WARN_DAYS ? warn(says) : pass(says);
  }),
};

const sealing: Check = {
  id: 'audit-seals',
  title: 'The audit trail is sealed as it grows',
  meaning:
    'Events are sealed into the transparency log within a second, so that nobody edits them unseen. Those that wait are not proven yet.',
  remedy:
    'See that a process with background work runs (`npm start`, or a role with `--worker`), and read its log for "sealing of events".',
  inspect: at('kernel.event_seals', async ({ database }) => {
    const seconds = await findBacklogAge(await database());
    if (seconds === undefined) return pass('every event is sealed');
    const says = `an event has waited for ${Math.round(seconds)} s`;
    return seconds > LATE_SECONDS ? warn(`${says}; is a server running?`) : pass(says);
  }),
};

const duties: Check = {
  id: 'housekeeping',
  title: 'What is due by the clock is done',
  meaning:
    'Housekeeping forgets what has expired and renews certificates in time. What is not done for days fills tables, and ends in refusals.',
  remedy:
    'See that a process with background work runs (`npm start`, or a role with `--worker`), and read its log for the duty’s name.',
  inspect: at('kernel.schedules', async ({ database }) => {
    const late = await store.lateDuties(await database());
    if (late.length === 0) return pass('nothing is late');
    return warn(late.map(({ name, hours }) => `${name} ${Math.floor(hours)} h ago`).join(', '));
  }),
};

const searchIndex: Check = {
  id: 'search-index',
  title: 'What happens can be found',
  meaning:
    'Events become documents, and documents are indexed, within a second or two. Events that wait are in no answer yet.',
  remedy:
    'See that a process with background work runs, read its log for "search.", and rebuild with POST /v1/search/index/rebuild. The console says why an import failed.',
  inspect: at('search.chunks', async ({ database }) => {
    const { chunks, waiting, behind, failed } = await store.searchState(await database());
    const says = `${chunks} chunks`;
    if (waiting > 0 && behind > LATE_SECONDS)
      return warn(`${says}; ${waiting} events wait, for ${Math.round(behind)} s`);
    return failed > 0 ? warn(`${says}; ${failed} imports failed today`) : pass(says);
  }),
};

const isAbsent = ({ cause }: { readonly cause: string | null }): boolean => cause === 'http_404';

const searchAdapters: Check = {
  id: 'search-adapters',
  title: 'Search reads findings, policies and VEX where they are',
  meaning:
    'An adapter whose route does not answer serves what it kept. Its documents are as old as that. No service offers the VEX route yet: its adapter always serves what it kept.',
  remedy:
    'See that the module behind the route runs and answers; GET /v1/search/adapters says what was attempted and why it failed.',
  inspect: at('search.adapters', async ({ database }) => {
    const kept = (await store.snapshotAdapters(await database())).filter(({ name }) => name !== 'vex');
    // A route that no module of this installation has is nothing that somebody could mend.
    const [absent, broken] = [kept.filter(isAbsent), kept.filter((adapter) => !isAbsent(adapter))];
    if (broken.length === 0 && absent.length > 0)
      return pass(
        `${absent.map(({ name }) => name).join(', ')}: no module here has the route, what was kept is served`,
      );
    if (broken.length === 0) return pass('each where it should be');
    return warn(
      broken.map(({ name, cause }) => `${name} serves what it kept${cause === null ? '' : ` (${cause})`}`).join(', '),
    );
  }),
};

export const platformChecks: readonly Check[] = [
  agentAuthority,
  agents,
  tokenKeys,
  platformKeys,
  registryCertificate,
  sealing,
  duties,
  searchIndex,
  searchAdapters,
];
