import type { Refuse } from '@landfall/kernel/routes/plugin';
import type { FastifyInstance } from 'fastify';

/** Methods of a path, and the dialect of its refusals. */
interface KnownPath {
  readonly methods: ReadonlySet<string>;
  readonly refuse: Refuse | undefined;
}

interface Entry {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
  refuse: Refuse | undefined;
}

const matches = ({ segments }: Entry, path: readonly string[]): boolean => {
  const isOpen = segments.at(-1) === '*';
  if (isOpen ? path.length < segments.length : path.length !== segments.length) return false;
  return segments.every(
    (segment, index) => segment === '*' || (segment.startsWith(':') ? path[index] !== '' : segment === path[index]),
  );
};

/** Records the paths of routes added from now on, except for files. */
export const rememberPaths = (app: FastifyInstance): ((path: string) => KnownPath | undefined) => {
  const entries = new Map<string, Entry>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (url === '/*' || url === '*') return;
    const entry = entries.get(url) ?? { segments: url.split('/'), methods: new Set(), refuse: config?.refuse };
    for (const name of [method].flat()) entry.methods.add(name.toUpperCase());
    entry.refuse ??= config?.refuse;
    entries.set(url, entry);
  });
  return (path) => {
    const segments = path.split('/');
    const found = [...entries.values()].filter((entry) => matches(entry, segments));
    const [first] = found;
    return first && { methods: new Set(found.flatMap(({ methods }) => [...methods])), refuse: first.refuse };
  };
};
