// Writes each name that this process resolves to the file NAME_RECORD, one a line, and resolves it as before.
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const METHODS = ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveSrv', 'resolveTxt', 'resolveCname'];

const record = (name: unknown): void => appendFileSync(process.env.NAME_RECORD ?? '/dev/stderr', `${String(name)}\n`);

/** Records the names that the methods of a resolver are called with. */
const watch = (resolver: object): void => {
  for (const method of METHODS) {
    const original: unknown = Reflect.get(resolver, method);
    if (typeof original !== 'function') continue;
    Reflect.set(resolver, method, function (this: unknown, name: unknown, ...rest: unknown[]) {
      record(name);
      return Reflect.apply(original, this, [name, ...rest]);
    });
  }
};

for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) watch(resolver);
syncBuiltinESMExports();
