import type { Component, Task } from '../protocol/messages.ts';
import type { Metrics } from '../router/metrics.ts';
import { openRouter, type Router, type Side } from '../router/router.ts';
import type { ActiveRelease, RunningComponent, TargetRecord } from '../state/target-record.ts';

const sideOf = (active: ActiveRelease | null, port: number): (Side & { readonly component: string }) | undefined => {
  const component = active?.task.components.find((each) => each.port === port);
  const running = active?.components.find(({ name }) => name === component?.name);
  return running && { component: running.name, port: running.port, digest: running.platformDigest };
};

/** Creates the routers of all targets of this host, one for each port that clients know. */
export const createRouters = (metrics: Metrics) => {
  const routers = new Map<string, Router>();
  const keyOf = (targetId: string, port: number): string => `${targetId}:${port}`;
  const ofTarget = (targetId: string) => [...routers].filter(([key]) => key.startsWith(`${targetId}:`));

  const portsOf = (components: readonly Component[]): number[] =>
    components.flatMap(({ port }) => (port === null ? [] : [port]));

  return {
    /** Opens the ports of a task. Raises AGT_TASK_FAILED (`port-taken`). */
    async open({ targetId, components }: Pick<Task, 'targetId' | 'components'>): Promise<void> {
      for (const { name, port } of components) {
        if (port === null || routers.has(keyOf(targetId, port))) continue;
        routers.set(keyOf(targetId, port), await openRouter(port, { target: targetId, component: name, metrics }));
      }
    },

    /** Routes a target's requests according to its record. */
    point(targetId: string, { current, candidate }: TargetRecord): void {
      for (const [, router] of ofTarget(targetId)) {
        const now = sideOf(current, router.port);
        const next = sideOf(candidate, router.port);
        const component = (now ?? next)?.component ?? '';
        router.route({ component, current: now, candidate: next, weight: candidate?.weight ?? 0 });
      }
    },

    /** Closes the ports that a target's record does not use. */
    async trim(targetId: string, { current, candidate }: TargetRecord): Promise<void> {
      const ports = [current, candidate].flatMap((active) => portsOf(active?.task.components ?? []));
      for (const [key, router] of ofTarget(targetId)) {
        if (ports.includes(router.port)) continue;
        routers.delete(key);
        await router.close();
      }
    },

    /** Resolves when no request to a process is in progress, or at the timeout. */
    async drained(targetId: string, { port }: RunningComponent, timeoutMs: number): Promise<void> {
      await Promise.all(ofTarget(targetId).map(([, router]) => router.drained(port, timeoutMs)));
    },

    async close(): Promise<void> {
      await Promise.all([...routers.values()].map((router) => router.close()));
      routers.clear();
    },
  };
};

export type Routers = ReturnType<typeof createRouters>;
