import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoChapter, DemoStage, GraphSession } from '@landfall/kernel/demo/chapter';
import { until } from '@landfall/kernel/demo/graph-action';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import Type from 'typebox';
import { scannerImport } from '../operator/import.ts';
import { advisoryFiles } from './feed.ts';
import { openRest, type RestSession } from './rest-session.ts';
import { API_VERSIONS, billOf, callGraphOf, WEB } from './shop-images.ts';

const Releases = Type.Object({
  releases: Type.Object({
    edges: Type.Array(
      Type.Object({
        node: Type.Object({
          name: Type.String(),
          semver: Type.String(),
          components: Type.Array(
            Type.Object({ name: Type.String(), digest: Type.Union([Type.String(), Type.Null()]) }),
          ),
        }),
      }),
    ),
  }),
});

const Accepted = Type.Object({ scanId: Type.String() });
const Status = Type.Object({ status: Type.String(), error: Type.Union([Type.String(), Type.Null()]) });
const Replayed = Type.Object({ verificationStatus: Type.String() });
const Compared = Type.Object({ driftId: Type.String() });
const Anything = Type.Object({});

/** Imports the feed as an operator does, by the command. */
const importFeed = async ({ directory, host, log }: DemoStage): Promise<void> => {
  const feed = join(directory, 'feed');
  await mkdir(feed, { recursive: true, mode: 0o700 });
  for (const [name, text] of advisoryFiles) await writePrivate(join(feed, name), text);
  const lines: string[] = [];
  const terminal = { env: {}, readInput: async () => '', print: lines.push.bind(lines), warn: lines.push.bind(lines) };
  const code = await scannerImport(host).run([feed], terminal);
  if (code !== 0) throw new Error(`The demo's feed was not imported: ${lines.join(' ')}`);
  log.info({ lines }, 'demo feed');
};

/** Digest of a component's image in a release of the shop. */
const imageOf = async (manager: GraphSession, component: string, version: string): Promise<string> => {
  const document = '{ releases(first: 50) { edges { node { name semver components { name digest } } } } }';
  const { releases } = await manager.ask(document, {}, Releases);
  const release = releases.edges.find(({ node }) => node.name === 'shop' && node.semver === version)?.node;
  const digest = release?.components.find(({ name }) => name === component)?.digest;
  if (!digest) throw new Error(`The demo has no ${component} in release shop ${version}.`);
  return digest;
};

/** Scans an image by its bill of materials. @returns the scan's id */
const scanImage = async (rest: RestSession, bill: string, imageDigest: string): Promise<string> => {
  const submission = { method: 'POST', path: `/api/v1/scans?imageDigest=${imageDigest}`, body: bill } as const;
  const { scanId } = await rest.send(submission, Accepted);
  await until(`the scan of ${imageDigest}`, async () => {
    const { status, error } = await rest.send({ method: 'GET', path: `/api/v1/scans/${scanId}` }, Status);
    if (status === 'failed') throw new Error(`The scan of ${imageDigest} failed: ${error}`);
    return status === 'completed' ? true : undefined;
  });
  return scanId;
};

/** Scans a version of the api, replays its score and imports its call graph. @returns the scan's id */
const scanVersion = async (
  rest: RestSession,
  version: (typeof API_VERSIONS)[keyof typeof API_VERSIONS],
  imageDigest: string,
): Promise<string> => {
  const scanId = await scanImage(rest, billOf(version), imageDigest);
  const path = `/api/v1/scans/${scanId}`;
  const replay = { method: 'POST', path: `${path}/score/replay`, body: '{}', key: `replay/${scanId}` } as const;
  const { verificationStatus } = await rest.send(replay, Replayed);
  if (verificationStatus !== 'verified')
    throw new Error(`The replay of the api ${version.version} is ${verificationStatus}.`);
  await rest.send({ method: 'POST', path: `${path}/callgraphs/node`, body: callGraphOf(version) }, Anything);
  return scanId;
};

/**
 * Scans the api of the shop's first release, which runs, and of the release that fixes its payments: one finding went, and
 * another one became reachable. Of the first release the web is scanned too, so that its chain of custody has the link.
 */
export const scannerChapter: DemoChapter = {
  order: 35,
  settings: () => ({ scoreReplay: true }),
  open: async (stage) => ({
    async create({ manager, client }) {
      await importFeed(stage);
      const rest = await openRest(stage, client('operator'));
      const { base, head } = API_VERSIONS;
      const baseScanId = await scanVersion(rest, base, await imageOf(manager, 'api', base.version));
      await scanImage(rest, billOf(WEB), await imageOf(manager, 'web', WEB.version));
      const scanId = await scanVersion(rest, head, await imageOf(manager, 'api', head.version));
      const drift = `/api/v1/scans/${scanId}/drift?baseScanId=${baseScanId}&language=node`;
      const { driftId } = await rest.send({ method: 'GET', path: drift }, Compared);
      return { scanId, baseScanId, driftId };
    },
  }),
};
