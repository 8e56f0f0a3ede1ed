import { buildImage, type Image } from './oci-image.ts';

/** Small web server as an image, which tests and the demo deploy. */
export type AppOptions = Readonly<{
  version: string;
  /** A sick one answers 503 on its health path; one that crashes ends at once. */
  health?: 'well' | 'sick' | 'crashes';
  platform?: string;
}>;

const program = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').trim();
const [version, health] = [read('./version.txt'), read('./health.txt')];
console.log('version', version, 'on port', process.env.PORT);
if (health === 'crashes') {
  console.error('refusing to start: configuration missing');
  process.exit(1);
}
const answer = (response, status, body) => response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
createServer((request, response) => {
  if (request.url === '/healthz') answer(response, health === 'well' ? 200 : 503, health);
  else if (request.url === '/env') answer(response, 200, process.env.GREETING ?? '');
  else if (request.url === '/pid') answer(response, 200, String(process.pid));
  else answer(response, 200, version);
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
`;

/** Builds the image: the program in one layer, the files that differ between versions in another. */
export const buildApp = ({ version, health = 'well', platform }: AppOptions): Image =>
  buildImage({
    layers: [
      [{ path: 'srv/app/' }, { path: 'srv/app/server.mjs', content: program }],
      [
        { path: 'srv/app/version.txt', content: `${version}\n` },
        { path: 'srv/app/health.txt', content: `${health}\n` },
      ],
    ],
    config: {
      Cmd: ['node', 'server.mjs'],
      WorkingDir: '/srv/app',
      Env: ['GREETING=hello'],
      Labels: { 'org.opencontainers.image.version': version },
    },
    ...(platform === undefined ? {} : { platform }),
  });
