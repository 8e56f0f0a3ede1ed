import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@landfall/kernel/core/clock';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { DemoStage, GraphSession } from '@landfall/kernel/demo/chapter';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import type { Command } from '@landfall/kernel/operator/command';
import Type from 'typebox';
import { createKitDirectories } from '../kits/inbox.ts';
import { kitBuild } from '../operator/kit-build.ts';
import { rootKey, rootNew, rootSign } from '../operator/root-commands.ts';
import { rootInstall } from '../operator/root-install.ts';

const Tenant = Type.Object({
  airgap: Type.Object({ id: Type.String() }),
  offlineKitRoot: Type.Union([Type.Object({ version: Type.Integer() }), Type.Null()]),
});
const Requested = Type.Object({ importOfflineKit: Type.Object({ id: Type.String() }) });

/** End of the demo's root, the same in every demo. */
const EXPIRES = '2038-01-01T00:00:00Z';
const DIGEST = /sha256:[0-9a-f]{64}/;

const FOLDER = 'feeds-7';

const TRY_KIT = `mutation ($folder: String!) {
  importOfflineKit(input: { folder: $folder, isDryRun: true, idempotencyKey: "demo" }) { id }
}`;

/** Known exploited vulnerabilities of the kit: one that a scan of the demo finds. */
const exploited = (now: Date): string =>
  JSON.stringify({
    dateReleased: now.toISOString(),
    vulnerabilities: [{ cveID: 'CVE-2024-28863', dueDate: new Date(now.getTime() + 21 * 86_400_000).toISOString() }],
  });

/** Runs a command of the operator and returns what it printed. @throws Error with what it printed when it fails */
const run = async (command: Command, args: readonly string[]): Promise<string> => {
  const lines: string[] = [];
  const terminal = { env: {}, readInput: async () => '', print: lines.push.bind(lines), warn: lines.push.bind(lines) };
  if ((await command.run([...args], terminal)) === 0) return lines.join(' ');
  throw new Error(`The demo's kit: ${lines.join(' ')}`);
};

/** Installs a root that two holders signed, leaves a kit of theirs in the inbox, and tries it: nothing is imported. */
export const tryKit = async ({ directory, host }: DemoStage, admin: GraphSession): Promise<void> => {
  const { airgap, offlineKitRoot } = await admin.ask('{ airgap { id } offlineKitRoot { version } }', {}, Tenant);
  if (offlineKitRoot !== null) return;
  const now = systemClock.now();
  const work = await mkdtemp(join(directory, 'kit-'));
  const [root, feed] = [join(work, 'root-1.json'), join(work, 'known_exploited_vulnerabilities.json')];
  const keys = ['alice.pem', 'bob.pem'].map((name) => join(work, name));
  const signed = keys.flatMap((key) => ['--key', key]);
  for (const key of keys) await run(rootKey, [key]);
  const rule = ['--version', '1', '--threshold', '2', '--expires', EXPIRES];
  const [digest = ''] =
    DIGEST.exec(await run(rootNew, [root, ...rule, ...keys.flatMap((key) => ['--key', `${key}.pub`])])) ?? [];
  await run(rootSign, [root, ...signed]);
  await writePrivate(feed, exploited(now));
  const { platform } = await host.settings();
  const inbox = createKitDirectories(platform.dataDir).inboxFolder(toTenantId(airgap.id), '');
  await mkdir(inbox, { recursive: true, mode: 0o700 });
  await rm(join(inbox, FOLDER), { recursive: true, force: true });
  await run(kitBuild(host), [join(inbox, FOLDER), feed, '--root', root, ...signed, '--sequence', '7']);
  // Last, so that a demo that was interrupted before begins anew.
  await run(rootInstall(host), [root, '--digest', digest]);
  await admin.ask(TRY_KIT, { folder: FOLDER }, Requested);
};
