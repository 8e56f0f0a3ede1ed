import { MAX_PORT, MAX_PROBE_PATH } from '@landfall/agent/protocol/limits';
import type { DriverLocation } from '@landfall/agent/protocol/messages';
import { parser, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import type { TargetDriver } from '../../shared/enums.ts';
import { variableName } from '../../shared/input.ts';

export const targetConfig = Type.Object({
  port: Type.Optional(Type.Integer()),
  probePath: Type.Optional(Type.String()),
  probeTimeoutSeconds: Type.Optional(Type.Integer()),
  env: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  slot: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
  containerPort: Type.Optional(Type.Integer()),
});

type TargetConfig = Static<typeof targetConfig>;

interface Driver {
  /** Name of the driver in the capabilities of agents. */
  readonly capability: string;
  /** Whether the agent puts a router before the component, so that traffic can be divided. */
  readonly hasRouter: boolean;
  /** Validates the driver's settings and adds defaults; throws Fault VAL_*, field by field. */
  parse(given: unknown): TargetConfig;
}

const port = Type.Integer({ minimum: 1, maximum: MAX_PORT });

const env = Type.Optional(
  Type.Array(Type.Object({ name: variableName, value: Type.String({ maxLength: 32_768 }) }), { maxItems: 200 }),
);

const served = {
  /** Port of the first component; each next component uses the next port. */
  port,
  probePath: Type.Optional(
    patterned('^/[\\x21-\\x7e]*$', 'must begin with a slash, and may have only visible ASCII characters', {
      minLength: 1,
      maxLength: MAX_PROBE_PATH,
    }),
  ),
  probeTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
  env,
};

const probeDefaults = { probePath: '/', probeTimeoutSeconds: 30 };

/** Schema of one driver's settings, which refuses unknown fields and those of other drivers. */
const only = <Fields extends Type.TProperties>(fields: Fields) =>
  parser(Type.Object({ config: Type.Object(fields, { additionalProperties: false }) }));

const readServed = only(served);
const readSlot = only({
  slot: patterned(
    '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
    'may have only lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen',
    { minLength: 1, maxLength: 64 },
  ),
  env,
});
const readCompose = only({
  ...served,
  project: patterned(
    '^[a-z0-9][a-z0-9_-]*$',
    'may have only lower-case letters, digits, underscores and hyphens, and begins with a letter or digit',
    { minLength: 1, maxLength: 63 },
  ),
  containerPort: Type.Optional(port),
});

const parseServed = (config: unknown): TargetConfig => ({
  ...probeDefaults,
  env: [],
  ...readServed({ config }).config,
});

/** All drivers with their label, capability and settings. */
export const drivers: Readonly<Record<TargetDriver, Driver>> = {
  process: { capability: 'process', hasRouter: true, parse: parseServed },
  sandbox: { capability: 'sandbox', hasRouter: true, parse: parseServed },
  static_slot: {
    capability: 'static-slot',
    hasRouter: false,
    parse: (config) => ({ env: [], ...readSlot({ config }).config }),
  },
  compose: {
    capability: 'compose',
    hasRouter: false,
    parse: (config) => ({ ...probeDefaults, env: [], ...readCompose({ config }).config }),
  },
};

/** Checks whether every target can divide its traffic (orchestrator 9): `hasTraffic` of the planner. */
export const divideTraffic = (targets: readonly { readonly driver: TargetDriver }[]): boolean =>
  targets.every(({ driver }) => drivers[driver].hasRouter);

/** Location of a driver's files on the host; null for a driver that needs none. */
export const driverLocationOf = ({ slot, project, containerPort }: TargetConfig): DriverLocation | null => {
  const locations = {
    ...(slot !== undefined && { slot }),
    ...(project !== undefined && { project }),
    ...(containerPort !== undefined && { containerPort }),
  };
  return Object.keys(locations).length === 0 ? null : locations;
};

/** Port of a release’s nth component; null if the driver serves nothing. */
export const portOf = ({ port: first }: TargetConfig, nth: number): number | null =>
  first === undefined ? null : first + nth;

/** Health probe of a component; the defaults for a driver that starts nothing. */
export const probeOf = ({ probePath, probeTimeoutSeconds }: TargetConfig) => ({
  path: probePath ?? probeDefaults.probePath,
  timeoutMs: (probeTimeoutSeconds ?? probeDefaults.probeTimeoutSeconds) * 1_000,
});
