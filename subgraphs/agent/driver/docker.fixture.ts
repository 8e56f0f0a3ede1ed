import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Fake `docker` program that follows Docker's documentation (`docker compose version|up|ps|down`, `docker pull`,
 * `docker inspect`, `docker image inspect`) and records its calls and state in files. No container engine is involved.
 */
const program = (state: string, node: string): string => `#!${node}
const { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createHash } = require('node:crypto');
const state = ${JSON.stringify(state)};
const args = process.argv.slice(2);
appendFileSync(state + '/asked', JSON.stringify(args) + '\\n');
const fail = (text) => { process.stderr.write(text + '\\n'); process.exit(1); };
const idOf = (text) => 'sha256:' + createHash('sha256').update(text).digest('hex');
const read = (name, other) => existsSync(state + '/' + name) ? JSON.parse(readFileSync(state + '/' + name, 'utf8')) : other;
const images = read('images', {});
const containers = read('containers', {});
const [first, second] = args;
while (existsSync(state + '/hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
if (existsSync(state + '/refuse')) fail(readFileSync(state + '/refuse', 'utf8'));
if (first === 'compose' && second === 'version') process.stdout.write('2.29.7\\n');
else if (first === 'pull') {
  const name = args.at(-1);
  images[name] = { id: idOf('image ' + name), digests: [name] };
  writeFileSync(state + '/images', JSON.stringify(images));
  process.stdout.write(name + '\\n');
} else if (first === 'compose') {
  const command = args.find((word) => ['up', 'ps', 'down'].includes(word));
  if (command === 'ps') process.stdout.write(containers[args.at(-1)] ? containers[args.at(-1)].id + '\\n' : '');
  if (command === 'down') rmSync(state + '/containers', { force: true });
  if (command === 'up') {
    const { services } = JSON.parse(readFileSync(args[args.indexOf('--file') + 1], 'utf8'));
    const made = {};
    for (const [name, service] of Object.entries(services)) {
      if (!images[service.image]) fail('pull access denied for ' + service.image);
      const environment = Object.fromEntries(Object.entries(service.environment)
        .map(([key, value]) => [key, value.replace(/\\$\\{(\\w+)\\}/g, (_, variable) => process.env[variable])]));
      made[name] = { id: idOf(name + service.image), image: images[service.image].id, service, environment };
    }
    writeFileSync(state + '/containers', JSON.stringify(made));
    process.stderr.write(' Container started\\n');
  }
} else if (first === 'inspect') {
  const container = Object.values(containers).find(({ id }) => id === args.at(-1));
  if (!container) fail('Error: No such object: ' + args.at(-1));
  process.stdout.write(container.image + '\\n');
} else if (first === 'image') {
  const image = Object.entries(images).find(([name, { id }]) => [name, id].includes(args.at(-1)))?.[1];
  if (!image) fail('Error: No such image: ' + args.at(-1));
  process.stdout.write(image.id + '\\n');
} else fail("docker: '" + first + "' is not a docker command.");
`;

/** Installs the fake program below a directory and reads its recorded calls. */
export const documentedDocker = async (directory: string) => {
  const state = join(directory, 'docker-state');
  await mkdir(state, { recursive: true });
  const file = join(state, 'docker.cjs');
  await writeFile(file, program(state, process.execPath));
  await chmod(file, 0o755);
  const readState = async (name: string): Promise<Readonly<Record<string, Record<string, unknown>>>> =>
    JSON.parse(await readFile(join(state, name), 'utf8').catch(() => '{}'));
  return {
    file,
    containers: () => readState('containers'),
    /** Arguments of each recorded call. */
    asked: async (): Promise<readonly string[]> =>
      (await readFile(join(state, 'asked'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).join(' ')),
    write: (name: string, text: string) => writeFile(join(state, name), text),
  };
};
