import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Releases } from '../oci/releases.ts';
import { failure } from '../protocol/failure.ts';
import type { Task } from '../protocol/messages.ts';
import { writeAtomic } from '../state/atomic-file.ts';
import { command } from './command.ts';
import type { Driver, Placement, Serve } from './driver.ts';
import { startFailed, truncateReason } from './process-driver.ts';

const checkMs = 10_000;
const lookMs = 30_000;
const pullMs = 30 * 60_000;
/** Time added to the health check's timeout for `docker compose up`, in milliseconds. */
const graceMs = 60_000;
/** Prefix of variables passed through docker, so that none is taken for one of docker's own. */
const prefix = 'LANDFALL_ENV_';

/** Reason why landings and observations of this driver are never verified. */
export const notVerified =
  'the compose driver cannot verify what runs: the digests that a container engine names are no evidence of the image in a container';

const projectOf = ({ place: served }: Pick<Task, 'place'>): string => {
  if (served?.project !== undefined) return served.project;
  throw startFailed('the target names no project');
};

const repositoryOf = ({ task, running: { name } }: Placement): string =>
  task.components.find((component) => component.name === name)?.repository ?? '';

const imageOf = (placement: Placement): string => `${repositoryOf(placement)}@${placement.running.platformDigest}`;

/** Checks whether the engine answered that the object does not exist. */
const isMissing = (error: unknown): boolean => error instanceof Error && /no such (image|service)/i.test(error.message);

/** Writes the compose file: images by digest, values by variable name, so that no secret is on disk. */
const fileOf = ({ task, placements }: Serve, names: readonly string[]): string => {
  const services = placements.map((placement) => {
    const { name, port } = placement.running;
    const ports = port === 0 ? [] : [`127.0.0.1:${port}:${task.place?.containerPort ?? port}`];
    const environment = Object.fromEntries(names.map((variable) => [variable, `\${${prefix}${variable}}`]));
    return [name, { image: imageOf(placement), environment, ports, restart: 'unless-stopped' }];
  });
  return JSON.stringify({ services: Object.fromEntries(services) }, null, 2);
};

const pullFailure = (error: unknown) => {
  const output = error instanceof Error ? error.message : String(error);
  if (/manifest unknown|not found/i.test(output))
    return failure('DEPLOY_ARTIFACT_MISSING', 'artifact-missing', output, error);
  const isRefused = /unauthorized|denied|authentication required/i.test(output);
  return failure('DEPLOY_PULL_FAILED', isRefused ? 'registry-unauthorized' : 'registry-unreachable', output, error);
};

/** Creates the driver that runs releases in a container engine by `docker compose`, which pulls the same digests. */
const createComposeDriver = (releases: Releases, docker: string, version: string): Driver => {
  const ask = async (...args: readonly string[]): Promise<string> =>
    (await command(docker, args, { timeoutMs: lookMs })).trim();

  const containerOf = async (placement: Placement): Promise<string> =>
    (await ask('compose', '--project-name', projectOf(placement.task), 'ps', '--quiet', placement.running.name)).split(
      '\n',
    )[0] ?? '';

  /** Checks whether the engine has the image of a placement. */
  const hasImage = async (placement: Placement): Promise<boolean> => {
    await ask('image', 'inspect', '--format', '{{.Id}}', imageOf(placement));
    return true;
  };

  return {
    name: 'compose',
    version,
    isRouted: false,
    releases,
    // The engine stores images itself; the number of bytes that it had to download is unknown.
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

    async serve(served) {
      const { task, placements, directory } = served;
      const project = ['compose', '--project-name', projectOf(task)];
      const file = join(directory, 'compose.json');
      const env = placements.length > 0 ? await served.environment() : {};
      await writeAtomic(file, fileOf(served, Object.keys(env)));
      const waitMs = task.probe.timeoutMs;
      const up = ['up', '--detach', '--wait', '--wait-timeout', String(Math.ceil(waitMs / 1_000)), '--remove-orphans'];
      const input = Object.fromEntries(Object.entries(env).map(([name, value]) => [`${prefix}${name}`, value]));
      const args = [...project, '--file', file, ...(placements.length > 0 ? up : ['down'])];
      const output = await command(docker, args, {
        env: { ...process.env, ...input },
        timeoutMs: waitMs + graceMs,
      }).catch((error: unknown) => {
        throw startFailed(error instanceof Error ? error.message : String(error), error);
      });
      for (const { running } of placements) if (running.log) await appendFile(join(directory, running.log), output);
    },

    // While the engine does not answer, the state of its containers is unknown.
    isAlive: async (placement) => {
      try {
        return placement.isServing ? (await containerOf(placement)) !== '' : await hasImage(placement);
      } catch (error) {
        return isMissing(error) ? false : null;
      }
    },

    // The `up` of the next release has removed the previous containers already.
    stop: async () => undefined,

    /** Returns no digest: `RepoDigests` lists all digests of an image, so it does not prove which one is running. */
    async observe(placement) {
      try {
        const isThere = placement.isServing ? (await containerOf(placement)) !== '' : await hasImage(placement);
        return { digest: null, reason: isThere ? notVerified : 'no container runs' };
      } catch (error) {
        return truncateReason({ digest: null, reason: error instanceof Error ? error.message : String(error) });
      }
    },
  };
};

/** Creates the compose driver if `docker compose version` answers. */
export const findCompose = async (releases: Releases, docker = 'docker'): Promise<Driver | undefined> => {
  const output = await command(docker, ['compose', 'version', '--short'], { timeoutMs: checkMs }).catch(
    () => undefined,
  );
  const version = output?.trim();
  return version ? createComposeDriver(releases, docker, version.slice(0, 64)) : undefined;
};
