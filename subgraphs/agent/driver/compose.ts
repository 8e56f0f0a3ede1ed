import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '../atomic-file.ts';
import { failure } from '../failure.ts';
import type { Releases } from '../oci/releases.ts';
import type { Task } from '../protocol.ts';
import { command } from './command.ts';
import type { Driver, Seat, Serve } from './driver.ts';
import { startFailed, truncateReason } from './process.ts';

const checkMs = 10_000;
const lookMs = 30_000;
const pullMs = 30 * 60_000;
/** Beside the time that the services have to become healthy. */
const graceMs = 60_000;
/** Before each variable on its way to a container, so that none of them is taken for one of docker's own. */
const prefix = 'LANDFALL_ENV_';

/** Reason of every landing and observation of this driver. */
export const notVerified =
  'the compose driver cannot verify what runs: the digests that a container engine names are no evidence of the image in a container';

const projectOf = ({ place }: Pick<Task, 'place'>): string => {
  if (place?.project !== undefined) return place.project;
  throw startFailed('the target names no project');
};

const repositoryOf = ({ task, running: { name } }: Seat): string =>
  task.components.find((component) => component.name === name)?.repository ?? '';

const imageOf = (seat: Seat): string => `${repositoryOf(seat)}@${seat.running.platformDigest}`;

/** Whether the engine did answer, and has no such thing. */
const isMissing = (error: unknown): boolean => error instanceof Error && /no such (image|service)/i.test(error.message);

/** The compose file: every image by digest, every value by the name of a variable, so that no secret is written. */
const fileOf = ({ task, seats }: Serve, names: readonly string[]): string => {
  const services = seats.map((seat) => {
    const { name, port } = seat.running;
    const ports = port === 0 ? [] : [`127.0.0.1:${port}:${task.place?.containerPort ?? port}`];
    const environment = Object.fromEntries(names.map((variable) => [variable, `\${${prefix}${variable}}`]));
    return [name, { image: imageOf(seat), environment, ports, restart: 'unless-stopped' }];
  });
  return JSON.stringify({ services: Object.fromEntries(services) }, null, 2);
};

const pullFailure = (error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  if (/manifest unknown|not found/i.test(said))
    return failure('DEPLOY_ARTIFACT_MISSING', 'artifact-missing', said, error);
  const isRefused = /unauthorized|denied|authentication required/i.test(said);
  return failure('DEPLOY_PULL_FAILED', isRefused ? 'registry-unauthorized' : 'registry-unreachable', said, error);
};

/** Hands releases to a container engine by `docker compose`, which pulls by the same digests. */
const createComposeDriver = (releases: Releases, docker: string, version: string): Driver => {
  const ask = async (...args: readonly string[]): Promise<string> =>
    (await command(docker, args, { timeoutMs: lookMs })).trim();

  const containerOf = async (seat: Seat): Promise<string> =>
    (await ask('compose', '--project-name', projectOf(seat.task), 'ps', '--quiet', seat.running.name)).split('\n')[0] ??
    '';

  /** Whether the engine has the image that a seat is to run. */
  const hasImage = async (seat: Seat): Promise<boolean> => {
    await ask('image', 'inspect', '--format', '{{.Id}}', imageOf(seat));
    return true;
  };

  return {
    name: 'compose',
    version,
    isRouted: false,
    releases,
    // The engine keeps images of its own; how many bytes it had to bring it does not tell.
    fetch: async () => 0,

    async prepare({ component: { repository }, platformDigest }) {
      await command(docker, ['pull', '--quiet', `${repository}@${platformDigest}`], { timeoutMs: pullMs }).catch(
        (error) => {
          throw pullFailure(error);
        },
      );
    },

    start: async ({ task }) => {
      projectOf(task);
      return null;
    },

    async serve(place) {
      const { task, seats, directory } = place;
      const project = ['compose', '--project-name', projectOf(task)];
      const file = join(directory, 'compose.json');
      const env = seats.length > 0 ? await place.environment() : {};
      await writeAtomic(file, fileOf(place, Object.keys(env)));
      const waitMs = task.probe.timeoutMs;
      const up = ['up', '--detach', '--wait', '--wait-timeout', String(Math.ceil(waitMs / 1_000)), '--remove-orphans'];
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [`${prefix}${name}`, value]));
      const args = [...project, '--file', file, ...(seats.length > 0 ? up : ['down'])];
      const said = await command(docker, args, {
        env: { ...process.env, ...given },
        timeoutMs: waitMs + graceMs,
      }).catch((error: unknown) => {
        throw startFailed(error instanceof Error ? error.message : String(error), error);
      });
      for (const { running } of seats) if (running.log) await appendFile(join(directory, running.log), said);
    },

    // An engine that cannot be asked says nothing of what runs in it.
    isAlive: async (seat) => {
      try {
        return seat.isServing ? (await containerOf(seat)) !== '' : await hasImage(seat);
      } catch (error) {
        return isMissing(error) ? false : null;
      }
    },

    // What is replaced is gone with the `up` that replaced it.
    stop: async () => undefined,

    /**
     * Never names a digest: `RepoDigests` lists every digest under every name that an engine knows an image by, so it is
     * no evidence of which image a container runs. The landing is unverified and says why.
     */
    async observe(seat) {
      try {
        const isThere = seat.isServing ? (await containerOf(seat)) !== '' : await hasImage(seat);
        return { digest: null, reason: isThere ? notVerified : 'no container runs' };
      } catch (error) {
        return truncateReason({ digest: null, reason: error instanceof Error ? error.message : String(error) });
      }
    },
  };
};

/** The compose driver, where `docker compose version` answers. */
export const findCompose = async (releases: Releases, docker = 'docker'): Promise<Driver | undefined> => {
  const said = await command(docker, ['compose', 'version', '--short'], { timeoutMs: checkMs }).catch(() => undefined);
  const version = said?.trim();
  return version ? createComposeDriver(releases, docker, version.slice(0, 64)) : undefined;
};
