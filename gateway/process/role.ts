import type { ModuleDescriptor } from '@landfall/kernel/module';

/** Role of a process: everything, the edge, or one module behind it. */
export type Role =
  | { readonly kind: 'all-in-one' }
  | { readonly kind: 'edge' }
  | { readonly kind: 'module'; readonly module: string };

/** Parses `--role`. Throws an Error that lists the roles. */
export const parseRole = (text: string | undefined, modules: readonly string[]): Role => {
  if (text === undefined || text === 'all-in-one') return { kind: 'all-in-one' };
  if (text === 'edge') return { kind: 'edge' };
  const module = modules.find((name) => text === `module:${name}`);
  if (module !== undefined) return { kind: 'module', module };
  const known = ['all-in-one', 'edge', ...modules.map((name) => `module:${name}`)];
  throw new Error(`--role ${text}: there is ${known.join(', ')}.`);
};

/** Name of a role in envelopes and in the log. */
export const roleName = (role: Role): string => (role.kind === 'module' ? `module:${role.module}` : role.kind);

/** Lists the modules that run in a role. */
export const modulesOf = <M extends Pick<ModuleDescriptor, 'name'>>(
  role: Role,
  installed: readonly M[],
): readonly M[] =>
  installed.filter(({ name }) => role.kind === 'all-in-one' || (role.kind === 'module' && role.module === name));
