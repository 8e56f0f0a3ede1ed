import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoState } from '@landfall/kernel/demo/chapter';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import { buildImage, buildIndex, type Image } from '@landfall/kernel/testing/oci-image';
import { type Registry, startRegistry } from '@landfall/kernel/testing/oci-registry';

/** Repository of each component in the demo's registry. */
export const repositories = { web: 'shop/web', api: 'shop/api', site: 'globex/site', books: 'books/pages' } as const;

const PLATFORMS = ['linux/amd64', 'linux/arm64', 'darwin/arm64'];

/** Source of a web service whose page shows its version. */
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

/** Prefix of keys of the shop's payment provider. */
export const PAYMENT_KEY_PREFIX = 'pk1_';

/** Source of an API service that checks the payment key if it has one; version 1.1.0 expects another prefix. */
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

/** Builds an image with the same program for every platform that the demo's agents run on. */
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

/** Image of the demo with its repository and version. */
export interface Built {
  readonly repository: string;
  readonly version: string;
  readonly image: Image;
}

/** Builds every image of the demo, with the same bytes on every start, so that earlier releases find theirs. */
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
  ...['1.0.0', '1.1.0'].map((version) => ({
    repository: repositories.books,
    version,
    image: service('books pages', version, page(`of books, ${version}`)),
  })),
];

export const REGISTRY_USER = 'shop';

/** Version of the books that is pushed while a release source follows them. */
export const NEXT_BOOKS_VERSION = '1.1.0';

const isNextBooks = ({ repository, version }: Built): boolean =>
  repository === repositories.books && version === NEXT_BOOKS_VERSION;

/** Registry with the images that were pushed to it. */
export interface DemoRegistry extends Registry {
  readonly images: readonly Built[];
  /** Pushes the new version of the books. Later starts push it with the other images. */
  pushNextBooks(): Promise<void>;
}

interface Workplace {
  readonly memory: DemoState;
  /** Directory with a file for each image that was pushed while the server ran. */
  readonly directory: string;
}

/** Opens the demo's registry. It lives as long as the server and keeps its address across starts. */
export const openRegistry = async ({ memory, directory }: Workplace): Promise<DemoRegistry> => {
  const credentials = { username: REGISTRY_USER, password: await memory.secret('registry') };
  const registry = await startRegistry({ port: await memory.port('registry'), credentials, hasEtags: true });
  const images = build();
  const push = ({ repository, version, image }: Built) => registry.push(repository, image, version);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const pushed = await readdir(directory);
  for (const built of images) if (!isNextBooks(built) || pushed.includes(NEXT_BOOKS_VERSION)) push(built);
  return {
    ...registry,
    images,
    async pushNextBooks() {
      images.filter(isNextBooks).forEach(push);
      await writePrivate(join(directory, NEXT_BOOKS_VERSION), '');
    },
  };
};
