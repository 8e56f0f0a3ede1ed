/** Parser of the parts of docker-compose.yml that say how services start. */
import { readFile } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { parse } from 'yaml';

const words = Type.Array(Type.String());
const healthcheck = Type.Union([Type.Object({ test: words }), Type.Object({ disable: Type.Literal(true) })]);
const service = Type.Object({
  environment: Type.Record(Type.String(), Type.String()),
  entrypoint: Type.Optional(words),
  command: Type.Optional(words),
  profiles: Type.Optional(words),
  ports: Type.Optional(words),
  secrets: words,
  volumes: Type.Optional(words),
  stop_grace_period: Type.Optional(Type.String()),
  depends_on: Type.Optional(Type.Record(Type.String(), Type.Object({ condition: Type.Literal('service_healthy') }))),
  healthcheck,
});
const file = Type.Object({
  services: Type.Record(Type.String(), service),
  secrets: Type.Record(Type.String(), Type.Object({ file: Type.String() })),
});

export type ComposeService = Static<typeof service>;
type ComposeFile = Static<typeof file>;

/**
 * Replaces `${NAME:-default}` and `${NAME:?message}` like compose.
 * @throws Error with the message of the second form
 */
const interpolate = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string | undefined, rest: string) => {
    const value = env[name] || undefined;
    if (value === undefined && kind === '?') throw new Error(`${name}: ${rest}`);
    return value ?? rest ?? '';
  });

/** Reads a compose file with the operator's variables. */
export const readComposeFile = async (path: string, env: Readonly<Record<string, string>>): Promise<ComposeFile> =>
  Parse(file, parse(interpolate(await readFile(path, 'utf8'), env), { merge: true }));
