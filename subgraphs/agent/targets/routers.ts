import type { Component, Task } from '../protocol/messages.ts';
import type { Metrics } from '../router/metrics.ts';
import { openRouter, type Router, type Side } from '../router/router.ts';
import type { ActiveRelease, RunningComponent, TargetRecord } from '../state/target-record.ts';

const sideOf = (active: ActiveRelease | null, port: number): (Side & { readonly component: string }) | undefined => {
  const component = active?.task.components.find((each) => each.port === port);
  const running = active?.components.find(({ name }) => name === component?.name);
  return running && { component: running.name, port: running.port, digest: running.platformDigest };
};

/** The routers of all targets of this host, one for each port that clients know. */
export const createRouters = (metrics: Metrics) => {
  const routers = new Map<string, Router>();
  const keyOf = (targetId: string, port: number): string => `${targetId}:${port}`;
  const ofTarget = (targetId: string) => [...routers].filter(([key]) => key.startsWith(`${targetId}:`));

  const portsOf = (components: readonly Component[]): number[] =>
    components.flatMap(({ port }) => (port === null ? [] : [port]));

  return {
    /** Takes the ports a task will serve on. Raises AGT_TASK_FAILED (`port-taken`). */
    async open({ targetId, components }: Pick<Task, 'targetId' | 'components'>): Promise<void> {
      for (const { name, port } of components) {
        if (port === null || routers.has(keyOf(targetId, port))) continue;
        routers.set(keyOf(targetId, port), await openRouter(port, { target: targetId, component: name, metrics }));
      }
    },

    /** Sends the requests of a target where its record says. */
    point(targetId: string, { current, candidate }: TargetRecord): void {
      for (const [, router] of ofTarget(targetId)) {
        const now = sideOf(current, router.port);
        const next = sideOf(candidate, router.port);
        const component = (now ?? next)?.component ?? '';
        router.route({ component, current: now, candidate: next, weight: candidate?.weight ?? 0 });
      }
    },

    /** Closes what a target no longer serves on, or never came to. */
    async trim(targetId: string, { current, candidate }: TargetRecord): Promise<void> {
      const ports = [current, candidate].flatMap((active) => portsOf(active?.task.components ?? []));
      for (const [key, router] of ofTarget(targetId)) {
        if (ports.includes(router.port)) continue;
        routers.delete(key);
        await router.close();
      }
    },

    /** Resolves when no request is under way to a process any more, or the time is over. */
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
