import type { Digest } from '@landfall/kernel/crypto/digest';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { digest, task } from '../protocol/messages.ts';

const running = Type.Object({
  name: Type.String(),
  manifestDigest: digest,
  platformDigest: digest,
  /** Null where the driver has no process of its own. */
  process: Type.Union([
    Type.Object({ pid: Type.Integer(), startedAt: Type.Union([Type.String(), Type.Null()]) }),
    Type.Null(),
  ]),
  /** The process's own port; clients come by the component's port. */
  port: Type.Integer(),
  run: Type.String(),
  /** The file that this start writes to, in the target's directory; records of the first agents have none. */
  log: Type.Optional(Type.String()),
});

const active = {
  task,
  /** Says whether a later task asks for the very same (`apply.ts`). */
  settings: Type.String(),
  components: Type.Array(running),
};

const current = Type.Object({
  ...active,
  /** Digests of the replaced release, stored for a rollback. */
  previous: Type.Array(digest),
});

const candidate = Type.Object({
  ...active,
  /** Its share of a hundred requests. */
  weight: Type.Integer({ minimum: 0, maximum: 100 }),
});

const record = Type.Object({
  current: Type.Union([current, Type.Null()]),
  candidate: Type.Union([candidate, Type.Null()]),
});

export type RunningComponent = Static<typeof running>;
/** A release that stands on a target, as it was asked for and as it was brought. */
export type ActiveRelease = Readonly<{ task: Static<typeof task>; settings: string; components: RunningComponent[] }>;
type Current = Static<typeof current>;
export type Candidate = Static<typeof candidate>;
export type TargetRecord = Static<typeof record>;

export const emptyRecord: TargetRecord = { current: null, candidate: null };

const shape = Compile(record);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The first agents wrote what is current alone, of a task that knew neither traffic nor places. */
const ofFirstAgents = (value: Readonly<Record<string, unknown>>): unknown => {
  const { task: asked } = value;
  if (!isObject(asked) || !isObject(asked.spec)) return value;
  const known = { action: 'apply', traffic: { weight: 100, retire: true }, place: null, ...asked };
  return { current: { ...value, task: { ...known, spec: { agentSecrets: {}, ...asked.spec } } }, candidate: null };
};

/** A target's record from its file; undefined where the text is none. */
export const readRecord = (text: string): TargetRecord | undefined => {
  const value: unknown = JSON.parse(text);
  const read = isObject(value) && 'task' in value ? ofFirstAgents(value) : value;
  return shape.Check(read) ? read : undefined;
};

export const digestsOf = ({ components }: Pick<ActiveRelease, 'components'>): Digest[] =>
  components.flatMap(({ manifestDigest, platformDigest }) => [manifestDigest, platformDigest]);

/** Digests to store for a rollback: those of the replaced release, unless it is the same one with other settings. */
export const previousOf = (replaced: Current | null, next: ActiveRelease): Digest[] => {
  if (!replaced) return [];
  const digests = digestsOf(replaced);
  return digests.join() === digestsOf(next).join() ? replaced.previous : digests;
};

/** Whether two tasks are for the one place of one driver. */
export const isSameLocation = (one: ActiveRelease['task'], other: ActiveRelease['task']): boolean =>
  one.driver === other.driver && one.place?.slot === other.place?.slot && one.place?.project === other.place?.project;

/** Whether two are the same start of the same release. */
export const isSameStart = (one: ActiveRelease | null, other: ActiveRelease | null): boolean =>
  one?.components[0]?.run === other?.components[0]?.run;

/** The one that most requests meet; null where nothing serves. */
export const servingOf = ({ current: now, candidate: next }: TargetRecord): ActiveRelease | null =>
  next && (next.weight === 100 || (!now && next.weight > 0)) ? next : now;
