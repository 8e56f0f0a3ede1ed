import type { FollowedEvent } from '@landfall/kernel/events/follower';
import type { NotificationEvent, Severity, Status } from '../events/event.ts';
import type { Facts, Subjects } from './subjects.ts';

type Data = Readonly<Record<string, unknown>>;

/** Meaning of an event of the platform for people. */
export type Meaning = Pick<NotificationEvent, 'kind' | 'severity' | 'status' | 'attributes' | 'payload'>;

const textIn = (data: Data, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Attributes with a value. */
const present = (attributes: Readonly<Record<string, string | undefined>>): Facts =>
  Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined));

const told = (
  kind: string,
  { severity = 'info', status = 'firing' }: { readonly severity?: Severity; readonly status?: Status },
  attributes: Readonly<Record<string, string | undefined>>,
  payload: Data,
): Meaning => ({ kind, severity, status, attributes: present(attributes), payload });

/** Names of a release and an environment, as messages have them. */
const namesOf = async (
  subjects: Subjects,
  { tenant }: FollowedEvent,
  ids: { readonly release: string | undefined; readonly environment: string | undefined },
) => {
  const release = await subjects.find(tenant, 'Release', ids.release);
  const environment = await subjects.find(tenant, 'Environment', ids.environment);
  return {
    product: release.name,
    release: release.semver,
    environment: environment.name ?? ids.environment,
    releaseId: ids.release,
    environmentId: ids.environment,
  };
};

const launched = async (subjects: Subjects, { tenant, entityId, data }: FollowedEvent): Promise<undefined> => {
  const restored = await subjects.find(tenant, 'Deployment', textIn(data, 'restores') ?? textIn(data, 'retryOf'));
  await subjects.note(tenant, 'Deployment', entityId, {
    release: textIn(data, 'release') ?? restored.release,
    environment: textIn(data, 'environment') ?? restored.environment,
  });
  return undefined;
};

/** Facts of a failure (spec 2.10), for the words of its cause. */
const anatomyOf = (data: Data): Data => ({
  category: data.category ?? null,
  stage: data.stage ?? null,
  plainReason: data.plainReason ?? null,
  action: data.action ?? null,
  retryable: data.retryable ?? null,
});

const advanced = async (subjects: Subjects, event: FollowedEvent): Promise<Meaning | undefined> => {
  const { tenant, entityId, data } = event;
  const state = textIn(data, 'state');
  if (state !== 'failed' && state !== 'completed') return undefined;
  const { release, environment } = await subjects.find(tenant, 'Deployment', entityId);
  const names = await namesOf(subjects, event, { release, environment });
  const attributes = { ...names, deploymentId: entityId, path: `/deployments/${entityId}` };
  if (state === 'completed') return told('deployment.landed', {}, attributes, {});
  const severity = data.category === 'DigestMismatch' ? 'critical' : 'warning';
  return told('deployment.failed', { severity }, attributes, { failureAnatomy: anatomyOf(data) });
};

const requested = async (subjects: Subjects, event: FollowedEvent): Promise<Meaning | undefined> => {
  const { entityId, data } = event;
  if (textIn(data, 'state') !== 'pending') return undefined;
  const ids = { release: textIn(data, 'releaseId'), environment: textIn(data, 'environmentId') };
  const names = await namesOf(subjects, event, ids);
  const attributes = { ...names, promotionId: entityId, path: `/inbox?item=${entityId}` };
  return told('approval.needed', {}, attributes, { reason: data.reason ?? null });
};

const drifted =
  (status: Status) =>
  async (subjects: Subjects, event: FollowedEvent): Promise<Meaning> => {
    const { tenant, entityId, data } = event;
    const target = await subjects.find(tenant, 'Target', entityId);
    const environment = await subjects.find(tenant, 'Environment', target.environment);
    const attributes = {
      status,
      target: target.name,
      environment: environment.name,
      targetId: entityId,
      environmentId: target.environment,
      path: target.environment === undefined ? undefined : `/environments/${target.environment}?target=${entityId}`,
    };
    return told('drift.seen', { severity: 'warning', status }, attributes, { observed: data.observed ?? [] });
  };

const named =
  (kind: 'Product' | 'Release' | 'Environment' | 'Target', facts: Readonly<Record<string, string>>) =>
  async (subjects: Subjects, { tenant, entityId, data }: FollowedEvent): Promise<undefined> => {
    const given = Object.entries(facts).map(([name, field]) => [name, textIn(data, field)] as const);
    await subjects.note(tenant, kind, entityId, Object.fromEntries(given));
    return undefined;
  };

const channelFailed = async (_subjects: Subjects, { entityId, data }: FollowedEvent): Promise<Meaning> =>
  told(
    'channel.failed',
    { severity: 'critical' },
    { channel: textIn(data, 'name'), channelId: entityId, path: `/notify/channels/${entityId}` },
    { reason: data.reason ?? null },
  );

const evidenceDamaged =
  (severity: Severity, problem: string) =>
  async (_subjects: Subjects, { entityId, data }: FollowedEvent): Promise<Meaning> =>
    told(
      'evidence.damaged',
      { severity },
      { artifactId: entityId, sha256: textIn(data, 'sha256'), path: `/evidence/${entityId}` },
      { summary: `${problem} ${textIn(data, 'problem') ?? textIn(data, 'cause') ?? ''}`.trim() },
    );

/** Kind of the event of an address that takes no messages any more. Its owner is told, whatever the rules are. */
export const ADDRESS_SUPPRESSED = 'contact.suppressed';

const addressSuppressed = async (_subjects: Subjects, { data }: FollowedEvent): Promise<Meaning> =>
  told(
    ADDRESS_SUPPRESSED,
    { severity: 'warning' },
    { address: textIn(data, 'address'), ownerId: textIn(data, 'subject'), path: '/settings/notifications' },
    { reason: data.reason ?? null },
  );

const HANDLERS: Readonly<Record<string, (subjects: Subjects, event: FollowedEvent) => Promise<Meaning | undefined>>> = {
  'release.create': named('Release', { name: 'name', semver: 'semver' }),
  'environment.create': named('Environment', { name: 'name' }),
  'environment.update': named('Environment', { name: 'name' }),
  'target.create': named('Target', { name: 'name', environment: 'environmentId' }),
  'target.update': named('Target', { name: 'name' }),
  'deployment.launch': launched,
  'deployment.retry': launched,
  'deployment.rollback': launched,
  'deployment.advance': advanced,
  'promotion.request': requested,
  'estate.driftBegan': drifted('firing'),
  'estate.driftEnded': drifted('resolved'),
  'notificationChannel.fail': channelFailed,
  'contactMethod.suppress': addressSuppressed,
  'artifact.corrupt': evidenceDamaged('critical', 'Stored evidence is not what was put.'),
  'artifact.unreadable': evidenceDamaged('warning', 'Stored evidence cannot be read.'),
};

/** Types of the platform's events that are read. */
export const PLATFORM_EVENT_TYPES: readonly string[] = Object.keys(HANDLERS);

/** Keeps the names in an event, and returns what it tells people; undefined for one that tells nothing. */
export const readPlatformEvent = async (subjects: Subjects, event: FollowedEvent): Promise<Meaning | undefined> =>
  HANDLERS[event.type]?.(subjects, event);
