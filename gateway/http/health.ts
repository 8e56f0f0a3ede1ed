import type { Module } from '@landfall/kernel/module';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Readiness checks by name; one that throws or returns false is missing. */
export type Checks = Readonly<Record<string, () => Promise<boolean>>>;

/** Warnings of a ready process, for example about an expiring certificate. */
export type Notes = () => Promise<readonly string[]>;

/** Collects the warnings of these modules. */
export const notesOf =
  (modules: readonly Pick<Module, 'notes'>[]): Notes =>
  async () =>
    (await Promise.all(modules.map(async (module) => (await module.notes?.()) ?? []))).flat();

/** Collects what these modules need to serve. */
export const readinessOf = (modules: readonly Pick<Module, 'readiness'>[]): Checks =>
  Object.assign({}, ...modules.map(({ readiness }) => readiness ?? {}));

const passes = async (check: () => Promise<boolean>): Promise<boolean> => check().catch(() => false);

/** Lists the names of failing checks. */
const missingOf = async (checks: Checks): Promise<string[]> => {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await passes(check)) ? [] : [name])),
  );
  return results.flat();
};

/** Registers `/healthz` (rulings 20), `/readyz` and `/healthz/ready`, 503 if not ready (rulings 5, spec 4.6, 4.8). */
export const registerHealth = (app: FastifyInstance, checks: Checks, notes: Notes = async () => []): void => {
  const readiness = async (_request: unknown, reply: FastifyReply): Promise<FastifyReply> => {
    const missing = await missingOf(checks);
    const isReady = missing.length === 0;
    const noted = isReady ? await notes().catch(() => []) : [];
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({ status: isReady ? 'ready' : 'unready', missing, ...(noted.length > 0 && { notes: noted }) }),
      );
  };
  app.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('Healthy'));
  app.get('/readyz', readiness);
  app.get('/healthz/ready', readiness);
};
