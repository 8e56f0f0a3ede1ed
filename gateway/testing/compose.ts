/**
 * Runs docker-compose.yml without a container engine: each service's command, environment, secrets and health check, as
 * processes of this machine. Service names become loopback ports, mounts become directories.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import { type ComposeService, readComposeFile } from './compose-file.ts';
import { startPostgresService } from './compose-postgres.ts';
import { instructionsOf } from './image-files.ts';
import { freePorts } from './processes.ts';

const POSTGRES = 'postgres';
/** Deadline of a healthy service in milliseconds: longer than the file's, since test machines are busy. */
const HEALTHY_MS = 240_000;
const POLL_MS = 250;

/** Port settings that each container would have to itself. */
const LISTENERS = ['LANDFALL_PORT', 'LANDFALL_AUTH_PORT', 'LANDFALL_AGENT_PORT', 'LANDFALL_ADMIN_PORT'] as const;
type Listeners = Readonly<Record<(typeof LISTENERS)[number], number>>;

/** Ports of a service inside its container, as in the file. */
const DEFAULTS: Listeners = {
  LANDFALL_PORT: 4000,
  LANDFALL_AUTH_PORT: 4001,
  LANDFALL_AGENT_PORT: 4002,
  LANDFALL_ADMIN_PORT: 4003,
};

const listenersOf = async (): Promise<Listeners> => {
  const [web = 0, auth = 0, agent = 0, admin = 0] = await freePorts(LISTENERS.length);
  return { LANDFALL_PORT: web, LANDFALL_AUTH_PORT: auth, LANDFALL_AGENT_PORT: agent, LANDFALL_ADMIN_PORT: admin };
};

interface ComposeOptions {
  /** Directory with the image, made by `copyImage` and `linkPackages`. */
  readonly image: string;
  /** Directory with secrets at the file's paths, volumes and logs. */
  readonly home: string;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Variables of the image's last stage. */
const imageEnvironment = async (image: string): Promise<Readonly<Record<string, string>>> => {
  const steps = instructionsOf(await readFile(join(image, '..', 'Dockerfile'), 'utf8'));
  const last = steps.findLastIndex(([name]) => name === 'FROM');
  const pairs = steps.slice(last).flatMap(([name, rest]) => (name === 'ENV' ? rest.split(' ') : []));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
};

export const openCompose = async ({ image, home }: ComposeOptions) => {
  const file = join(home, 'docker-compose.yml');
  const names = Object.keys((await readComposeFile(file, {})).services);
  const ports = new Map<string, Listeners>();
  for (const name of names) ports.set(name, await listenersOf());
  const [postgresPort = 0] = await freePorts(1);
  const portsOf = (name: string): Listeners => ports.get(name) ?? DEFAULTS;
  const addresses = {
    LANDFALL_BASE_URL: `http://localhost:${portsOf('edge').LANDFALL_PORT}`,
    LANDFALL_AUTH_URL: `http://localhost:${portsOf('authority').LANDFALL_AUTH_PORT}`,
    LANDFALL_AGENT_URL: `https://localhost:${portsOf('orchestrator').LANDFALL_AGENT_PORT}`,
    // The registry of the test is on this machine.
    LANDFALL_EGRESS_PRIVATE: '127.0.0.0/8',
  };
  const { services, secrets } = await readComposeFile(file, addresses);
  const inImage = await imageEnvironment(image);
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await symlink(process.execPath, join(bin, 'node'));
  const running = new Map<string, ChildProcess>();
  const outputs = new Map<string, string>();

  const serviceOf = (name: string): ComposeService => {
    const service = services[name];
    if (!service) throw new Error(`docker-compose.yml has no service ${name}.`);
    return service;
  };

  /** Translates text of the file for this machine; loopback means the container's own. */
  const localised = (name: string, input: string): string => {
    let local = input;
    for (const other of names)
      local = local.replaceAll(`http://${other}:4000`, `http://127.0.0.1:${portsOf(other).LANDFALL_PORT}`);
    local = local.replaceAll('http://127.0.0.1:4000', `http://127.0.0.1:${portsOf(name).LANDFALL_PORT}`);
    local = local.replaceAll(`@${POSTGRES}:5432`, `@127.0.0.1:${postgresPort}`).replaceAll('/data', join(home, name));
    for (const secret of serviceOf(name).secrets)
      local = local.replaceAll(`/run/secrets/${secret}`, join(home, secrets[secret]?.file ?? 'missing'));
    return local;
  };

  const environmentOf = (name: string): Record<string, string> => {
    const own = Object.entries({ ...inImage, ...serviceOf(name).environment });
    return {
      ...minimalEnvironment(),
      ...Object.fromEntries(own.map(([variable, value]) => [variable, localised(name, value)])),
      ...Object.fromEntries(Object.entries(portsOf(name)).map(([variable, port]) => [variable, String(port)])),
      PATH: `${bin}:${process.env.PATH}`,
      PGPORT: String(postgresPort),
    };
  };

  const spawned = (name: string, command: readonly string[]): ChildProcess => {
    const [program = '', ...args] = command.map((word) => localised(name, word));
    return spawn(program, args, { cwd: image, env: environmentOf(name), stdio: ['ignore', 'pipe', 'pipe'] });
  };

  /** Runs a command of a service to its end. */
  const run = async (name: string, command: readonly string[]): Promise<Ended> => {
    const child = spawned(name, command);
    const exited = once(child, 'exit');
    const parts = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
    const output = (await Promise.all(parts)).join('');
    await exited;
    return { code: child.exitCode, output };
  };

  const isHealthy = async (name: string): Promise<boolean> => {
    const check = serviceOf(name).healthcheck;
    if (!('test' in check)) throw new Error(`The service ${name} has no health check.`);
    const [kind, ...command] = check.test;
    const { code } = await run(name, kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...command] : command);
    return code === 0;
  };

  const awaitHealth = async (name: string, child: ChildProcess, output: () => string): Promise<void> => {
    const end = performance.now() + HEALTHY_MS;
    while (!(await isHealthy(name))) {
      if (hasEnded(child)) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}:\n${output()}`);
      if (performance.now() > end) throw new Error(`${name} is not healthy after ${HEALTHY_MS} ms:\n${output()}`);
      await pause(POLL_MS);
    }
  };

  const startDatabase = async (): Promise<void> => {
    const environment = environmentOf(POSTGRES);
    const postgres = await startPostgresService({ home: join(home, POSTGRES), port: postgresPort, environment });
    running.set(POSTGRES, postgres.child);
    await awaitHealth(POSTGRES, postgres.child, () => '');
    await postgres.createDatabase();
  };

  const start = async (name: string): Promise<void> => {
    await mkdir(join(home, name), { recursive: true });
    const child = spawned(name, serviceOf(name).command ?? []);
    outputs.set(name, '');
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => outputs.set(name, `${outputs.get(name)}${chunk.toString()}`));
    running.set(name, child);
    await awaitHealth(name, child, () => outputs.get(name) ?? '');
  };

  /**
   * Stops a service with the engine's signal.
   * @returns exit code
   */
  const stop = async (name: string, signal: NodeJS.Signals): Promise<number | null> => {
    const child = running.get(name);
    if (!child) return null;
    running.delete(name);
    const exited = hasEnded(child) ? undefined : once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };

  /**
   * Stops every service.
   * @returns exit codes
   */
  const down = async (): Promise<Readonly<Record<string, number | null>>> => {
    const roles = [...running.keys()].filter((name) => name !== POSTGRES);
    const codes = await Promise.all(roles.map(async (name) => [name, await stop(name, 'SIGTERM')] as const));
    await stop(POSTGRES, 'SIGINT');
    return Object.fromEntries(codes);
  };

  return {
    addresses,
    /** Output of a service since its last start. */
    outputOf: (name: string): string => outputs.get(name) ?? '',
    /** Starts services like `docker compose up --wait`, dependencies first. */
    async up(): Promise<void> {
      await startDatabase();
      const roles = names.filter((name) => name !== POSTGRES && serviceOf(name).profiles === undefined);
      const started = await Promise.allSettled(roles.map(start));
      for (const result of started) if (result.status === 'rejected') throw result.reason;
    },
    /** Runs a one-shot service with arguments, like `docker compose run --rm`. */
    run: (name: string, args: readonly string[]): Promise<Ended> =>
      run(name, [...(serviceOf(name).entrypoint ?? []), ...args]),
    down,
    [Symbol.asyncDispose]: async (): Promise<void> => void (await down()),
  };
};
