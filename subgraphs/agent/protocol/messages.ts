import type { Digest } from '@landfall/kernel/crypto/digest';
import type { FaultCode } from '@landfall/schema/codes';
import { codes } from '@landfall/schema/codes';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  MAX_COMPONENTS,
  MAX_DRIVERS,
  MAX_LOG_LINE,
  MAX_LOG_LINES,
  MAX_OBSERVATIONS,
  MAX_PORT,
  MAX_PROBE_PATH,
  MAX_RAW,
  MAX_REASON,
  MAX_REPORTS,
  MAX_SEALED,
  MAX_SECRET_LOCATION,
  MAX_SECRET_REFS,
} from './limits.ts';

/** Agent protocol: messages of both sides, JSON over mutual TLS; inputs and decoders compile from these schemas. */

/** Name in the listener's certificate; agents expect it at whatever address they connect to, and pin the issuer. */
export const serverName = 'agents.landfall.internal';

export const paths = {
  register: '/agent/v1/register',
  renew: '/agent/v1/certificate',
  heartbeat: '/agent/v1/heartbeat',
  poll: '/agent/v1/poll',
  report: '/agent/v1/report',
  log: '/agent/v1/log',
} as const;

/** Duration of a poll without a task, which is then answered with 204, in milliseconds. */
export const pollMs = 25_000;

const uuid = Type.String({ format: 'uuid' });
/** Time in RFC 3339. Year 0 is excluded, since PostgreSQL has none. */
const instant = Type.String({ format: 'date-time', pattern: '^(?!0000)' });
/** Counter, stored in 32 bits. */
const counter = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const digest = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));
const code = Type.Unsafe<FaultCode>(Type.Enum(Object.keys(codes)));
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const port = Type.Integer({ minimum: 1, maximum: MAX_PORT });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Version of each driver by name; the server requests no other driver. */
const capabilities = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$' }), text(64), {
  additionalProperties: false,
  maxProperties: MAX_DRIVERS,
});

const pem = Type.String({ minLength: 64, maxLength: 16_384 });

export const agentName = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$',
  refusal: 'may have at most 64 lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen',
});

export const registration = Type.Object({
  /** Secret part of the registration token (`token.ts`). */
  token: text(256),
  /** Certificate request (PKCS #10, RFC 2986), PEM. Only its public key is used; the subject is ignored. */
  csr: pem,
  name: agentName,
  version: text(64),
  capabilities,
  hostFacts: Type.Object(
    {
      platform: text(64),
      hostname: Type.String({ maxLength: 255 }),
      cpus: Type.Integer({ minimum: 0, maximum: 65_536 }),
    },
    { additionalProperties: false },
  ),
  clock: instant,
});

const identity = {
  /** Agent's certificate, PEM, valid for 24 hours. */
  certificate: pem,
  ca: pem,
  /** Time to request the next certificate: after two thirds of this one's validity. */
  renewAfter: instant,
};

export const registered = Type.Object({ agentId: uuid, heartbeatMs: Type.Integer({ minimum: 1 }), ...identity });

export const renewal = Type.Object({ csr: pem });
export const renewed = Type.Object(identity);

/** Task and fence of a lease: a report under another fence belongs to another lease. */
const lease = Type.Object({ taskId: uuid, fence: counter });

/** Observation of a component: `digest` is null when it is unknown, with `reason`. */
const observation = Type.Object({
  targetId: uuid,
  component: text(64),
  running: Type.Boolean(),
  digest: nullable(digest),
  reason: nullable(text(MAX_REASON)),
  observedAt: instant,
});

export const heartbeat = Type.Object({
  held: Type.Array(lease, { maxItems: 64 }),
  capabilities,
  observed: Type.Array(observation, { maxItems: MAX_OBSERVATIONS }),
  /** Free disk space for releases, in bytes. */
  diskFree: amount,
  clock: instant,
});

export const beat = Type.Object({
  now: instant,
  renewAfter: instant,
  heartbeatMs: Type.Integer({ minimum: 1 }),
  cancel: Type.Array(uuid),
  /** Leases renewed by this heartbeat; the agent has lost every other one. */
  leases: Type.Array(
    Type.Object({
      ...lease.properties,
      /** Current deadline of the task, relative to `now`: it moves when a deployment is paused or resumed. */
      deadline: Type.Optional(instant),
    }),
  ),
  leaseMs: Type.Integer({ minimum: 1 }),
});

export const sealed = Type.Object({
  /** Sender's ephemeral P-256 point, uncompressed, base64url. */
  ephemeral: Type.String({ maxLength: 128 }),
  nonce: Type.String({ maxLength: 32 }),
  /** Ciphertext and tag, base64url. */
  ciphertext: Type.String({ maxLength: MAX_SEALED }),
});

/** Content of `task.secrets` after decryption. */
export const taskSecrets = Type.Object({
  env: Type.Record(Type.String(), Type.String()),
  registries: Type.Record(Type.String(), Type.Object({ username: Type.String(), password: Type.String() })),
});

export const component = Type.Object({
  name: text(64),
  /** `host/path` (rulings 53). */
  repository: text(512),
  /** Gated digest: of the approved index or manifest. */
  digest,
  /** Platform manifest digests of an index that finalize verified, by platform; empty for a single manifest. */
  platforms: Type.Record(Type.String(), digest),
  /** Loopback port that serves the release; null for a component without a port. */
  port: nullable(port),
});

/** Location of a release, by driver; fields that a driver does not use are absent. */
export const driverLocation = Type.Object(
  {
    /** `static-slot`: directory below the agent's slots directory. */
    slot: Type.Optional(Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$' })),
    /** `compose`: name of the project. */
    project: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' })),
    /** `compose`: port inside the container; the component's port by default. */
    containerPort: Type.Optional(port),
  },
  { additionalProperties: false },
);

/** Share of traffic for the task's release; `retire` makes it the current one, otherwise both run side by side. */
const traffic = Type.Object({
  /** Percentage of requests. A driver without a router accepts only 0 and 100. */
  weight: Type.Integer({ minimum: 0, maximum: 100 }),
  retire: Type.Boolean(),
});

/** Secret on the agent's own host: `env:NAME`, or `file:` with a path below its secrets directory. */
export const agentSecret = Type.String({
  pattern: '^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^/\\0][^\\0]*)$',
  maxLength: MAX_SECRET_LOCATION,
});

export const task = Type.Object({
  taskId: uuid,
  fence: Type.Integer({ minimum: 1 }),
  targetId: uuid,
  /**
   * `apply` brings a release to the state of `traffic`, whatever was there before; `withdraw` returns all traffic to
   * the current release and stops the other one, which `components` names.
   */
  action: Type.Enum(['apply', 'withdraw']),
  driver: text(32),
  components: Type.Array(component, { minItems: 1, maxItems: MAX_COMPONENTS }),
  traffic,
  place: nullable(driverLocation),
  spec: Type.Object({
    env: Type.Record(Type.String(), Type.String()),
    /** Location on the agent's host by variable; it overrides `env`, and a sealed secret overrides both. */
    agentSecrets: Type.Record(Type.String(), agentSecret, { maxProperties: MAX_SECRET_REFS }),
    /** Time between SIGTERM and SIGKILL. */
    stopTimeoutMs: Type.Integer({ minimum: 0, maximum: 600_000 }),
  }),
  probe: Type.Object({
    path: Type.String({ pattern: '^/', maxLength: MAX_PROBE_PATH }),
    timeoutMs: Type.Integer({ minimum: 1, maximum: 3_600_000 }),
    intervalMs: Type.Integer({ minimum: 1, maximum: 60_000 }),
  }),
  secrets: nullable(sealed),
  /** Deadline by the server's clock, which `now` of the same answer states. */
  deadline: instant,
});

/** Answer to a poll that requests an observation: the agent sends a heartbeat at once. */
export const observationRequest = Type.Object({ look: Type.Literal(true) });

export const assignment = Type.Object({ now: instant, leaseMs: Type.Integer({ minimum: 1 }), task });

const landing = Type.Object({
  name: text(64),
  gatedDigest: digest,
  /** Digest of the gated document, as the agent fetched and hashed it (rulings 50). */
  manifestDigest: digest,
  /** Digest of the manifest for this agent's platform, with which the observed digest is compared. */
  platformDigest: digest,
  observedDigest: nullable(digest),
  reason: nullable(text(MAX_REASON)),
});

const step = <Name extends string, Fields extends Type.TProperties>(name: Name, fields: Fields) =>
  Type.Object({ step: Type.Literal(name), ...fields });

const each = <Fields extends Type.TProperties>(fields: Fields) =>
  Type.Array(Type.Object({ name: text(64), ...fields }), { maxItems: MAX_COMPONENTS });

const landings = Type.Array(landing, { maxItems: MAX_COMPONENTS });

/** Output at the end of a task, verbatim except for the values of its secrets (rulings 51). */
const raw = Type.String({ maxLength: MAX_RAW });
const endFields = {
  log: raw,
  /** Number of secret values replaced by their names; absent means zero. */
  redacted: Type.Optional(amount),
};

/** Class of a failure, which the server maps to the anatomy of spec 2.2. */
export const errorClass = Type.Enum([
  'artifact-missing',
  'digest-mismatch',
  'registry-unreachable',
  'registry-unauthorized',
  'image-refused',
  'platform-unsupported',
  'driver-unsupported',
  'secret-not-found',
  'disk-full',
  'port-taken',
  'start-failed',
  'probe-failed',
  'deadline',
  'cancelled',
  'lease-lost',
  'unclassified',
]);
export type ErrorClass = Static<typeof errorClass>;

export const stepName = Type.Enum([
  'resolved',
  'pulled',
  'verified',
  'stopped',
  'started',
  'probed',
  'observed',
  'shifted',
  'done',
  'failed',
]);
export type StepName = Static<typeof stepName>;

export const stepReport = Type.Union([
  step('resolved', { components: each({ platformDigest: digest }) }),
  /** `bytes` received over the network; cached blobs do not count. */
  step('pulled', { bytes: amount }),
  step('verified', { components: each({ manifestDigest: digest }) }),
  step('started', { components: each({ pid: amount, port }) }),
  step('probed', { components: each({ status: Type.Integer({ minimum: 100, maximum: 999 }), elapsedMs: amount }) }),
  step('observed', { components: landings }),
  /** Share of requests that the task's release gets from this step on. */
  step('shifted', { weight: traffic.properties.weight }),
  step('stopped', { components: each({ pid: amount }) }),
  /** `already`: the target ran exactly this release before the task, and nothing was changed. */
  step('done', { already: Type.Boolean(), components: landings, ...endFields }),
  step('failed', {
    during: stepName,
    code,
    errorClass,
    raw,
    ...endFields,
  }),
]);

export const report = Type.Object({
  taskId: uuid,
  fence: counter,
  /** Number of the report, increased by one with each report of the lease; a repeated number gets the first answer. */
  seq: Type.Integer({ minimum: 1, maximum: MAX_REPORTS }),
  report: stepReport,
});

/** Output of a task's running processes: whole lines in order, secrets redacted. */
export const logLines = Type.Object({
  taskId: uuid,
  fence: counter,
  /**
   * Number of the message, increased by one with each message of the lease; a repeated number gets the first answer.
   */
  seq: counter,
  lines: Type.Array(Type.Object({ component: text(64), text: Type.String({ maxLength: MAX_LOG_LINE }), at: instant }), {
    maxItems: MAX_LOG_LINES,
  }),
  /** Lines dropped since the previous message, because they came too fast. */
  dropped: amount,
});

export const accepted = Type.Object({ accepted: Type.Literal(true) });

export type Registration = Static<typeof registration>;
export type Registered = Static<typeof registered>;
export type Renewed = Static<typeof renewed>;
export type Lease = Static<typeof lease>;
export type Observation = Static<typeof observation>;
export type Heartbeat = Static<typeof heartbeat>;
export type HeartbeatResponse = Static<typeof beat>;
export type Sealed = Static<typeof sealed>;
export type TaskSecrets = Static<typeof taskSecrets>;
export type Component = Static<typeof component>;
export type Task = Static<typeof task>;
export type DriverLocation = Static<typeof driverLocation>;
export type LogLines = Static<typeof logLines>;
export type Assignment = Static<typeof assignment>;
export type ObservationRequest = Static<typeof observationRequest>;
export type Landing = Static<typeof landing>;
export type StepReport = Static<typeof stepReport>;
export type Report = Static<typeof report>;

/** Compiled decoders of received messages; `Check` narrows the type, `Errors` lists what is wrong. */
export const messages = {
  registered: Compile(registered),
  renewed: Compile(renewed),
  beat: Compile(beat),
  assignment: Compile(assignment),
  look: Compile(observationRequest),
  accepted: Compile(accepted),
  taskSecrets: Compile(taskSecrets),
  task: Compile(task),
};
