import type { Digest } from '@landfall/kernel/crypto/digest';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { digest, task } from '../protocol/messages.ts';

const running = Type.Object({
  name: Type.String(),
  manifestDigest: digest,
  platformDigest: digest,
  /** Process; null if the driver has none. */
  process: Type.Union([
    Type.Object({ pid: Type.Integer(), startedAt: Type.Union([Type.String(), Type.Null()]) }),
    Type.Null(),
  ]),
  /** Port of the process; clients use the component's port. */
  port: Type.Integer(),
  run: Type.String(),
  /** Log file of this start in the target's directory; absent in records of the first agents. */
  log: Type.Optional(Type.String()),
});

const active = {
  task,
  /** Keyed hash of the settings, which shows whether a later task requests the same (`apply.ts`). */
  settings: Type.String(),
  components: Type.Array(running),
};

const current = Type.Object({
  ...active,
  /** Digests of the replaced release, kept for a rollback. */
  previous: Type.Array(digest),
});

const candidate = Type.Object({
  ...active,
  /** Percentage of requests. */
  weight: Type.Integer({ minimum: 0, maximum: 100 }),
});

const record = Type.Object({
  current: Type.Union([current, Type.Null()]),
  candidate: Type.Union([candidate, Type.Null()]),
});

export type RunningComponent = Static<typeof running>;
/** Release on a target, with its task and its running components. */
export type ActiveRelease = Readonly<{ task: Static<typeof task>; settings: string; components: RunningComponent[] }>;
type Current = Static<typeof current>;
export type Candidate = Static<typeof candidate>;
export type TargetRecord = Static<typeof record>;

export const emptyRecord: TargetRecord = { current: null, candidate: null };

const shape = Compile(record);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Converts a record of the first agents, which has only the current release, without traffic and location. */
const ofFirstAgents = (value: Readonly<Record<string, unknown>>): unknown => {
  const { task: request } = value;
  if (!isObject(request) || !isObject(request.spec)) return value;
  const known = { action: 'apply', traffic: { weight: 100, retire: true }, place: null, ...request };
  return { current: { ...value, task: { ...known, spec: { agentSecrets: {}, ...request.spec } } }, candidate: null };
};

/** Parses a target's record; undefined if the text is none. */
export const readRecord = (text: string): TargetRecord | undefined => {
  const value: unknown = JSON.parse(text);
  const read = isObject(value) && 'task' in value ? ofFirstAgents(value) : value;
  return shape.Check(read) ? read : undefined;
};

export const digestsOf = ({ components }: Pick<ActiveRelease, 'components'>): Digest[] =>
  components.flatMap(({ manifestDigest, platformDigest }) => [manifestDigest, platformDigest]);

/** Digests to keep for a rollback: those of the replaced release, unless only settings changed. */
export const digestsToRetain = (replaced: Current | null, next: ActiveRelease): Digest[] => {
  if (!replaced) return [];
  const digests = digestsOf(replaced);
  return digests.join() === digestsOf(next).join() ? replaced.previous : digests;
};

/** Checks whether two tasks use the same location of the same driver. */
export const isSameLocation = (one: ActiveRelease['task'], other: ActiveRelease['task']): boolean =>
  one.driver === other.driver && one.place?.slot === other.place?.slot && one.place?.project === other.place?.project;

/** Checks whether two are the same start of the same release. */
export const isSameStart = (one: ActiveRelease | null, other: ActiveRelease | null): boolean =>
  one?.components[0]?.run === other?.components[0]?.run;

/** Release that gets most requests; null if none serves. */
export const servingRelease = ({ current: now, candidate: next }: TargetRecord): ActiveRelease | null =>
  next && (next.weight === 100 || (!now && next.weight > 0)) ? next : now;
