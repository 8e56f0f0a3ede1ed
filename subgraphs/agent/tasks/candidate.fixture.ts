import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildImage, type Image } from '@landfall/kernel/testing/oci-image';
import type { Task } from '../protocol/messages.ts';
import type { setUp } from './apply.fixture.ts';

type Host = Awaited<ReturnType<typeof setUp>>;

export const [one, two, three] = [
  buildApp({ version: 'one' }),
  buildApp({ version: 'two' }),
  buildApp({ version: 'three' }),
];

/** Part of a task: the share of requests in per cent, and whether the former release ends. */
export const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

/** Task that withdraws an image's candidate. */
export const withdrawal = (host: Host, image: Image) => host.task(image, { action: 'withdraw' });

/** Counts the answers of each version in a hundred requests. */
export const hundred = async (host: Host): Promise<Readonly<Record<string, number>>> => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => host.get()));
  return Object.fromEntries(
    Map.groupBy(answers, (answer) => answer)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
};

/** Builds a program whose health and latency a test can change. */
export const flaky = (version: string): Image =>
  buildImage({
    layers: [
      [
        {
          path: 'app.mjs',
          content: `
import { createServer } from 'node:http';
let isSick = false;
console.log('hello from ${version}');
createServer((request, response) => {
  if (request.url === '/break') isSick = true;
  if (request.url === '/healthz') response.writeHead(isSick ? 503 : 200).end();
  else if (request.url === '/slow') { response.write('${version} '); setTimeout(() => response.end('to the end'), 400); }
  else response.end('${version}');
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
`,
        },
      ],
    ],
    config: { Cmd: ['node', 'app.mjs'] },
  });
