/**
 * Runs docker-compose.yml as processes of this machine. No container engine is involved, so network, file system and
 * limits of containers are not tested; commands, environments and the image's file list are.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import { silentLog } from '@landfall/kernel/system/log';
import { needs } from '@landfall/kernel/testing/programs';
import { createAgents } from '@landfall/orchestrator/demo/agents';
import { deploy, makeReady, shop } from '@landfall/orchestrator/demo/deployments';
import { openRegistry, REGISTRY_USER } from '@landfall/orchestrator/demo/images';
import Type from 'typebox';
import { signIn } from '../demo/browser.ts';
import { openDemoState } from '../demo/demo-state.ts';
import { openCompose } from '../testing/compose.ts';
import { copyImage, linkPackages } from '../testing/image-files.ts';
import { choosePassword } from '../testing/people.ts';

const root = join(import.meta.dirname, '../..');
const PERSON = { username: 'ana', password: 'a harbour at first light' };
const Id = Type.Object({ id: Type.String() });

/** Installs the image's files and the compose file in a directory, with the required secrets. */
const install = async (directory: string) => {
  const [image, home] = [join(directory, 'image'), join(directory, 'home')];
  // The accounts of PostgreSQL and of the deployed processes may enter the parents of their own directories.
  await chmod(directory, 0o711);
  await copyImage(root, image);
  await linkPackages(root, image);
  await copyFile(join(root, 'Dockerfile'), join(directory, 'Dockerfile'));
  await mkdir(join(home, 'secrets'), { recursive: true });
  await copyFile(join(root, 'docker-compose.yml'), join(home, 'docker-compose.yml'));
  await writeFile(join(home, 'secrets/secret-key'), `${randomBytes(32).toString('base64')}\n`);
  await writeFile(join(home, 'secrets/postgres-password'), `${randomBytes(24).toString('hex')}\n`);
  return { image, home };
};

/** Creates what a first deployment needs: registry, environment, agent's token and target. */
const createTarget = async (admin: GraphSession, agentId: string, port: number) => {
  const environment = { name: 'dev', orderIndex: 10, stageKind: 'DEV', requiredApprovals: 0 };
  const { id } = await runAction(admin, { mutation: 'createEnvironment', key: 'dev', input: environment }, Id);
  const config = { port, probePath: '/healthz', probeTimeoutSeconds: 30 };
  const target = { environmentId: id, name: 'dev-1', driver: 'PROCESS', agentId, config };
  await runAction(admin, { mutation: 'createTarget', key: 'dev-1', input: target }, Id);
  return { id, name: 'dev' };
};

const activeAgent = (admin: GraphSession): Promise<string> =>
  until('an active agent', async () => {
    const shape = Type.Object({ agents: Type.Array(Type.Object({ id: Type.String(), state: Type.String() })) });
    return (await admin.ask('{ agents { id state } }', {}, shape)).agents.find(({ state }) => state === 'ACTIVE')?.id;
  });

test(
  'docker-compose.yml starts, lets its first administrator in, deploys, stops drained and goes on after an upgrade',
  await needs('pg_isready'),
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'landfall-compose-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const { image, home } = await install(directory);
    await using compose = await openCompose({ image, home });
    await compose.up();
    const { LANDFALL_BASE_URL: baseUrl, LANDFALL_AGENT_URL: agentUrl } = compose.addresses;

    const created = await compose.run('admin', ['acme/ana']);
    assert.equal(created.code, 0, created.output);
    await choosePassword(/http\S+account-link\S+/.exec(created.output)?.[0] ?? '', PERSON.password);
    assert.equal((await compose.run('admin', ['acme/mallory'])).code, 1, 'a second first administrator');
    const admin = await signIn(baseUrl, PERSON);

    const memory = await openDemoState(join(directory, 'memory.json'));
    await using registry = await openRegistry({ memory, directory: join(directory, 'pushes') });
    const credentials = { username: REGISTRY_USER, password: await memory.secret('registry') };
    const integration = { kind: 'REGISTRY', name: 'Registry', baseUrl: registry.origin, ...credentials };
    await runAction(admin, { mutation: 'createIntegration', key: 'registry', input: integration }, Id);
    await using agents = createAgents({ agentUrl, directory: join(directory, 'agents'), log: silentLog });
    const token = async (): Promise<string> => {
      const input = { mutation: 'createRegistrationToken', key: 'harbour-1', input: { name: 'harbour-1' } };
      return (await runAction(admin, input, Type.Object({ value: Type.String() }))).value;
    };
    await agents.start('harbour-1', token);
    const agentId = await activeAgent(admin);
    const dev = await createTarget(admin, agentId, await memory.port('shop', 2));
    const release = (semver: string) => shop(registry, semver, { web: semver, api: '1.0.0' }, 'The shop opens.');
    const first = await makeReady(admin, release('1.0.0'));
    const deploymentId = await deploy(
      admin,
      { releaseId: first, to: dev, reason: 'The shop opens', approvers: [] },
      'VERIFIED',
    );

    const codes = await compose.down();
    for (const [name, code] of Object.entries(codes))
      assert.equal(code, 0, `${name} is not drained:\n${compose.outputOf(name).slice(-4_000)}`);
    await compose.up();

    const repeated = await signIn(baseUrl, PERSON);
    const document = 'query ($id: ID!) { deployment(id: $id) { status landingVerification release { semver } } }';
    const { deployment } = await repeated.ask(
      document,
      { id: deploymentId },
      Type.Object({ deployment: Type.Unknown() }),
    );
    assert.deepEqual(deployment, {
      status: 'COMPLETED',
      landingVerification: 'VERIFIED',
      release: { semver: '1.0.0' },
    });
    assert.equal(await activeAgent(repeated), agentId);
    const second = await makeReady(repeated, release('1.0.1'));
    await deploy(repeated, { releaseId: second, to: dev, reason: 'Pictures', approvers: [] }, 'VERIFIED');
  },
);
