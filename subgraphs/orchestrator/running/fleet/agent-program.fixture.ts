import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { openIdentity } from '@landfall/agent/state/identity';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import type { agentWire } from './agent-network.fixture.ts';
import { createCertificateAuthority } from './certificate-authority.ts';

/** Resolves when an agent logs a line that matches. */
export const logged = (child: ChildProcess, pattern: RegExp): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += String(chunk);
      if (pattern.test(text)) resolve();
    });
    child.once('close', () => reject(new Error(`the agent ended: ${text}`)));
  });

/** Replaces an agent's certificate by one that expired an hour ago. */
export const expire = async (
  wire: Awaited<ReturnType<typeof agentWire>>,
  name: string,
  agentId: string,
): Promise<void> => {
  const yesterday = createCertificateAuthority({
    ...wire.deps,
    clock: { now: () => new Date(Date.now() - 90_000_000) },
  });
  const identity = await openIdentity(join(wire.directory, name));
  const known = await identity.read();
  assert.ok(known);
  const spiffeId = `spiffe://landfall.test/acme/agent/${agentId}`;
  const { pem } = await yesterday.sign(await identity.request(name), { tenant: 'acme', agentId, spiffeId });
  await identity.write({ ...known, certificate: pem });
  await wire.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update orchestrator.agents set certificate_not_after = kernel.now() - interval '1 hour'`),
  );
};
