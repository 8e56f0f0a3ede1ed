import type { DemoMemory } from '@landfall/kernel/demo/chapter';
import { buildImage, buildIndex, type Image } from '@landfall/kernel/testing/oci-image';
import { type Registry, startRegistry } from '@landfall/kernel/testing/oci-registry';

/** Repositories of the registry, by component. */
export const repositories = { web: 'shop/web', api: 'shop/api', site: 'globex/site' } as const;

const PLATFORMS = ['linux/amd64', 'linux/arm64', 'darwin/arm64'];

/** A service whose page shows its version. */
const page = (version: string): string => `import { createServer } from 'node:http';

const page = \`<!doctype html><html lang="en"><title>Shop ${version}</title>
<body style="font: 2rem system-ui; display: grid; place-items: center; height: 90vh">
<main><h1>Shop</h1><p>version ${version}</p></main></body></html>\`;

createServer((request, response) => {
  const isProbe = request.url === '/healthz';
  response.writeHead(200, { 'content-type': isProbe ? 'text/plain' : 'text/html; charset=utf-8' });
  response.end(isProbe ? 'ok' : page);
}).listen(process.env.PORT, '127.0.0.1', () => console.log('web ${version} listens'));
process.on('SIGTERM', () => process.exit(0));
`;

/** Keys of the shop's payment provider begin with this. */
export const PAYMENT_KEY_PREFIX = 'pk1_';

/**
 * An interface that needs a payment key where it gets one. Version 1.1.0 expects keys of another form, which nobody
 * notices in an environment without payments.
 */
const api = (version: string, keyPrefix: string): string => `import { createServer } from 'node:http';

const key = process.env.PAYMENT_KEY;
const isKeyValid = key === undefined || key.startsWith('${keyPrefix}');
if (!isKeyValid) console.error('payments: the key does not begin with ${keyPrefix}');

createServer((request, response) => {
  if (request.url !== '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ service: 'api', version: '${version}', payments: key !== undefined }));
    return;
  }
  response.writeHead(isKeyValid ? 200 : 500, { 'content-type': 'text/plain' });
  response.end(isKeyValid ? 'ok' : 'payments: the key is of an unknown form');
}).listen(process.env.PORT, '127.0.0.1', () => console.log('api ${version} listens'));
process.on('SIGTERM', () => process.exit(0));
`;

/** The same program for every platform that agents of the demo may run on. */
const service = (title: string, version: string, program: string): Image =>
  buildIndex(
    PLATFORMS.map((platform) =>
      buildImage({
        platform,
        layers: [[{ path: 'app' }, { path: 'app/server.mjs', content: program }]],
        config: {
          Entrypoint: ['node', 'server.mjs'],
          WorkingDir: '/app',
          Labels: { 'org.opencontainers.image.title': title, 'org.opencontainers.image.version': version },
        },
      }),
    ),
  );

/** An image of the demo, and what it was built as. */
export interface Built {
  readonly repository: string;
  readonly version: string;
  readonly image: Image;
}

/** Every image of the demo, the same bytes on every start, so releases of earlier starts find theirs. */
const build = (): readonly Built[] => [
  ...['1.0.0', '1.0.1', '1.2.0', '1.3.0'].map((version) => ({
    repository: repositories.web,
    version,
    image: service('shop web', version, page(version)),
  })),
  ...(
    [
      ['1.0.0', PAYMENT_KEY_PREFIX],
      ['1.1.0', 'pk2_'],
      ['1.2.0', PAYMENT_KEY_PREFIX],
    ] as const
  ).map(([version, prefix]) => ({
    repository: repositories.api,
    version,
    image: service('shop api', version, api(version, prefix)),
  })),
  {
    repository: repositories.site,
    version: '1.0.0',
    image: service('globex site', '1.0.0', page('of Globex, 1.0.0')),
  },
];

export const REGISTRY_USER = 'shop';

/** A registry, and what was pushed to it. */
export interface StockedRegistry extends Registry {
  readonly images: readonly Built[];
}

/** The registry of the demo. It lives as long as the server, always at the same address. */
export const openRegistry = async (memory: DemoMemory): Promise<StockedRegistry> => {
  const credentials = { username: REGISTRY_USER, password: await memory.secret('registry') };
  const registry = await startRegistry({ port: await memory.port('registry'), credentials });
  const images = build();
  for (const { repository, version, image } of images) registry.push(repository, image, version);
  return { ...registry, images };
};
